/** What must hold of a yard of shared devices as a whole: the log says the same, the plan does, and in the end all is free. */

import { plan } from '../../core/schedule/plan.ts';
import type { YardState } from '../../core/state.ts';
import type { JobId } from '../../model/ids.ts';
import type { Policy } from '../../model/policy.ts';
import { invariant } from '../../model/refusal.ts';
import type { Boards } from './boards.ts';

/** What was changed of jobs in this turn, and all else; null: everything, as after a restart. Ended jobs may have left memory. */
export function isReplayed(state: YardState, replayed: YardState, changed: ReadonlySet<JobId> | null): void {
  const same = (what: string, a: unknown, b: unknown) => {
    if (a === b) return;
    const [kept, again] = [JSON.stringify(a), JSON.stringify(b)];
    invariant(kept === again, `${what}: the yard has ${kept}, its log says ${again}`);
  };
  same('learners', sets(state.learners), sets(replayed.learners));
  for (const id of changed ?? state.jobs.keys()) {
    const job = state.jobs.get(id);
    if (job !== undefined) same(`job ${id}`, job, replayed.jobs.get(id));
  }
  if (changed !== null) return;
  same('footprints', sorted(state.footprints), sorted(replayed.footprints));
  same('nodes', sorted(state.nodes), sorted(replayed.nodes));
  for (const { id, phase } of replayed.jobs.values())
    invariant(phase === 'ended' || state.jobs.has(id), `job ${id} is ${phase} by its log and forgotten`);
}

function sorted<V>(map: ReadonlyMap<string, V>): [string, V][] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1));
}

function sets(map: ReadonlyMap<string, ReadonlySet<number>>): [string, number[]][] {
  return sorted(map).map(([key, set]) => [key, [...set].sort((a, b) => a - b)]);
}

export function planIsTheSame(state: YardState, policy: Policy, now: number): void {
  const text = () => JSON.stringify(plan(state, policy, now).starts);
  const [first, second] = [text(), text()];
  invariant(first === second, `a plan says ${first}, and made again ${second}`);
}

/** Nothing is held by anybody, on the books or in truth. */
export function allIsFree(state: YardState, boards: Boards): void {
  for (const [name, { free }] of state.ledgers) {
    const { cpus } = state.nodes.get(name) ?? { cpus: 0 };
    invariant(free.cpus === cpus && free.attempts === 0, `node ${name} has ${JSON.stringify(free)} free`);
    for (const [at, millis] of free.devices.entries())
      invariant(millis === 1000 && free.loads[at] === 0, `device ${at} of ${name} has ${millis} free`);
  }
  invariant(state.learners.size === 0, `somebody shows ${[...state.learners.keys()].join(', ')}`);
  for (const { node, index, tenants } of boards.values())
    invariant(tenants.size === 0, `device ${index} of ${node} has ${[...tenants.keys()].join(', ')} on it`);
}
