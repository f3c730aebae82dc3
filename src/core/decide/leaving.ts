/**
 * A node that the engine no longer has, though attempts still run on it: a rehearsed node that was taken out of
 * the configuration, for example. It takes nothing new, and is gone when the last of them has ended.
 */

import type { NodeName } from '../../model/ids.ts';
import { isLive } from '../../model/job.ts';
import type { Node } from '../../model/node.ts';
import { jobOf, type YardState } from '../state.ts';
import { record, type Turn } from '../turn.ts';

const LEAVING = 'it is no longer part of this yard';

export function isLeaving(node: Node): boolean {
  return node.state === 'draining' && node.reason === LEAVING;
}

/** It goes now, or once it is empty. */
export function leave(turn: Turn, name: NodeName): void {
  const node = turn.state.nodes.get(name);
  if (node === undefined) return;
  if (isEmpty(turn.state, name)) record(turn, { type: 'nodeGone', node: name });
  else if (!isLeaving(node)) record(turn, { type: 'nodeDrained', node: name, reason: LEAVING });
}

/** Nothing runs on it, and nothing that ran there is still being made safe. */
function isEmpty(state: YardState, name: NodeName): boolean {
  if ((state.ledgers.get(name)?.free.attempts ?? 0) > 0) return false;
  for (const id of state.live) {
    const { attempt } = jobOf(state, id);
    if (isLive(attempt) && attempt.placement.nodes.some(({ node }) => node === name)) return false;
  }
  return true;
}

/** An attempt on these nodes is over. */
export function leaveIfEmpty(turn: Turn, names: Iterable<NodeName>): void {
  for (const name of names) {
    const node = turn.state.nodes.get(name);
    if (node !== undefined && isLeaving(node)) leave(turn, name);
  }
}
