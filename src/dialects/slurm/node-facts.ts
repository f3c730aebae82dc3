/** One node as Slurm's listings see it. Values and Slurm's words for them, not columns. */

import type { NodeView, QueueView } from '../../model/query.ts';

export type NodeBaseState = 'IDLE' | 'MIXED' | 'ALLOCATED' | 'DOWN';
export type NodeFlag = 'DRAIN' | 'NOT_RESPONDING';

export interface NodeFacts {
  readonly view: NodeView;
  readonly base: NodeBaseState;
  readonly flags: readonly NodeFlag[];
  /** The partitions it is in, in the order of the config. */
  readonly partitions: readonly string[];
  readonly gpusUsed: number;
}

export function nodeFacts(view: NodeView, queues: readonly QueueView[]): NodeFacts {
  const { name } = view.node;
  return {
    view,
    base: baseStateOf(view),
    flags: FLAGS[view.node.state],
    partitions: queues
      .filter(({ queue }) => queue.nodes === null || queue.nodes.includes(name))
      .map(({ queue }) => queue.name),
    gpusUsed: view.devices.filter(({ usedMillis }) => usedMillis > 0).length,
  };
}

const FLAGS: Readonly<Record<NodeView['node']['state'], readonly NodeFlag[]>> = {
  up: [],
  draining: ['DRAIN'],
  lost: ['NOT_RESPONDING'],
};

function baseStateOf({ node, cpusUsed, jobs }: NodeView): NodeBaseState {
  if (node.state === 'lost') return 'DOWN';
  if (cpusUsed >= node.cpus) return 'ALLOCATED';
  return cpusUsed > 0 || jobs.length > 0 ? 'MIXED' : 'IDLE';
}

/** `IDLE+DRAIN`, `DOWN+NOT_RESPONDING`. */
export function nodeStateText({ base, flags }: NodeFacts): string {
  return [base, ...flags].join('+');
}

/** Kinds that say no more than that it is a GPU. */
const PLAIN_KINDS: ReadonlySet<string> = new Set(['gpu', 'simulated']);

/** `gpu:2`, `gpu:a100:4,gpu:v100:2`; null when it has none. */
export function gresText(devices: readonly { readonly kind: string }[]): string | null {
  const counts = new Map<string, number>();
  for (const { kind } of devices) {
    const name = PLAIN_KINDS.has(kind) ? 'gpu' : `gpu:${kind}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  if (counts.size === 0) return null;
  return [...counts].map(([name, count]) => `${name}:${count}`).join(',');
}
