/**
 * Makes a yard of its own from a copy of another one. The jobs that had not ended are the original's, which may be running
 * them: here they are cancelled. The files about processes and directories of the original go, so that nothing of it is
 * ever signalled or removed from here. The order lets it be repeated after a crash at any point.
 */

import { readdirSync } from 'node:fs';
import { decide } from '../core/decide/decide.ts';
import { newTurn } from '../core/turn.ts';
import { isLive } from '../model/job.ts';
import type { Policy } from '../model/policy.ts';
import { openOwnDirectory } from '../platform/directory.ts';
import { removeIfThere } from '../platform/files.ts';
import { removeTreeIn } from '../platform/remove-tree.ts';
import { batchOf, stateOf } from '../store/state-batch.ts';
import type { Store } from '../store/store.ts';

/** What an agent keeps about what runs, and where names in /tmp are remembered. */
const OF_THE_ORIGINAL =
  /^(ranks|steps)(-.*)?$|^(spares|groups|furnishings|keeping|device-use|boot|private-names\.json)$/;

export async function settleCopy(
  store: Store,
  policy: Policy,
  directory: string,
  now: number,
): Promise<number> {
  const count = cancelAll(store, policy, now);
  await store.flush();
  const yard = openOwnDirectory(directory);
  try {
    for (const name of readdirSync(`/proc/self/fd/${yard.fd}`))
      if (OF_THE_ORIGINAL.test(name)) await removeTreeIn(yard, name);
    removeIfThere(yard.entry('id'));
  } finally {
    yard.close();
  }
  return count;
}

const WHY = 'this yard is a copy, and the original has the job';

/** Gives how many jobs had not ended. */
function cancelAll(store: Store, policy: Policy, now: number): number {
  const remembered = store.load();
  const state = stateOf(remembered, store);
  const turn = newTurn(state, policy, now);
  const ids = remembered.jobs.filter(({ phase }) => phase !== 'ended').map(({ id }) => id);
  const cancelUnended = () => {
    for (const job of ids.map((id) => state.jobs.get(id)))
      if (job !== undefined && job.phase !== 'ended')
        decide(turn, { type: 'cancel', target: { job: job.id, index: null }, by: job.spec.user });
  };
  cancelUnended();
  for (const id of ids) {
    const attempt = state.jobs.get(id)?.attempt ?? null;
    if (isLive(attempt)) decide(turn, { type: 'attemptLost', attempt: attempt.id, reason: WHY });
  }
  // Those that had succeeded but for their last copies could not be cancelled, and came back.
  cancelUnended();
  if (turn.events.length > 0) store.append(batchOf(state, turn.events, remembered.lastSeq + 1, []));
  return ids.length;
}
