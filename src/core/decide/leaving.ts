/**
 * A node that the engine no longer has, though attempts still run on it: a rehearsed node that was taken out of
 * the configuration, for example. It takes nothing new, and is gone when the last of them has ended.
 */

import type { NodeName } from '../../model/ids.ts';
import type { Node } from '../../model/node.ts';
import { record, type Turn } from '../turn.ts';

const LEAVING = 'it is no longer part of this yard';

export function isLeaving(node: Node): boolean {
  return node.state === 'draining' && node.reason === LEAVING;
}

/** It goes now, or once it is empty. */
export function leave(turn: Turn, name: NodeName): void {
  const node = turn.state.nodes.get(name);
  if (node === undefined) return;
  if ((turn.state.ledgers.get(name)?.free.attempts ?? 0) === 0)
    record(turn, { type: 'nodeGone', node: name });
  else if (!isLeaving(node)) record(turn, { type: 'nodeDrained', node: name, reason: LEAVING });
}

/** An attempt on these nodes is over. */
export function leaveIfEmpty(turn: Turn, names: Iterable<NodeName>): void {
  for (const name of names) {
    const node = turn.state.nodes.get(name);
    if (node !== undefined && isLeaving(node)) leave(turn, name);
  }
}
