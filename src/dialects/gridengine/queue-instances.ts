/**
 * Queue instances: each queue on each node that it reaches. All queues of a node share its CPUs, so each instance has
 * as many slots as the node has CPUs, and fewer are to be had when others use them. Knows no option and no column.
 */

import type { NodeView, QueueView } from '../../model/query.ts';
import { instanceName, type JobFacts } from './job-facts.ts';

export interface QueueInstance {
  /** `cpu@node1`. */
  readonly name: string;
  readonly queue: string;
  readonly node: string;
  /** Null when the config no longer knows the queue; only what still runs there keeps it in sight. */
  readonly queueView: QueueView | null;
  /** Null when the yard no longer knows the node. */
  readonly nodeView: NodeView | null;
  readonly slots: number;
  readonly used: number;
  /** What a job could have now. */
  readonly free: number;
  /** `d`, `s`, `u`, `o`; several, or none. */
  readonly states: string;
}

/** Sorted by queue and by node. `running` is everybody's. */
export function queueInstances(
  queues: readonly QueueView[],
  nodes: readonly NodeView[],
  running: Iterable<JobFacts>,
): readonly QueueInstance[] {
  const used = new Map<string, Use>();
  for (const { places } of running) {
    for (const place of places) {
      const name = instanceName(place);
      const before = used.get(name)?.slots ?? 0;
      used.set(name, { queue: place.queue, node: place.node, slots: before + place.slots });
    }
  }
  const instances = queues.flatMap((queueView) =>
    nodes
      .filter(({ node }) => queueView.queue.nodes?.includes(node.name) ?? true)
      .map((nodeView) => instanceOf(queueView, nodeView, used)),
  );
  const known = new Set(instances.map(({ name }) => name));
  const orphans = [...used.entries()]
    .filter(([name]) => !known.has(name))
    .map(([name, use]) => orphanOf(name, use, nodes));
  return [...instances, ...orphans].sort(
    (a, b) => compare(a.queue, b.queue) || compare(a.node, b.node) || compare(a.name, b.name),
  );
}

interface Use {
  readonly queue: string;
  readonly node: string;
  readonly slots: number;
}

function instanceOf(queueView: QueueView, nodeView: NodeView, used: ReadonlyMap<string, Use>): QueueInstance {
  const { name: queue } = queueView.queue;
  const { name: node, cpus } = nodeView.node;
  const name = instanceName({ queue, node });
  const inUse = used.get(name)?.slots ?? 0;
  const states = statesOf(queueView, nodeView);
  const free = Math.max(0, Math.floor(Math.min(cpus - inUse, cpus - nodeView.cpusUsed)));
  return { name, queue, node, queueView, nodeView, slots: cpus, used: inUse, free, states };
}

function orphanOf(name: string, { queue, node, slots }: Use, nodes: readonly NodeView[]): QueueInstance {
  const nodeView = nodes.find((each) => each.node.name === node) ?? null;
  const unknown = nodeView === null || nodeView.node.state === 'lost' ? 'u' : '';
  return {
    name,
    queue,
    node,
    queueView: null,
    nodeView,
    slots: nodeView?.node.cpus ?? slots,
    used: slots,
    free: 0,
    states: `${unknown}o`,
  };
}

/** A queue that takes no jobs, or is on a node that takes none, is disabled. */
function statesOf({ queue, state }: QueueView, { node }: NodeView): string {
  const disabled = !queue.open || state.disabled || node.state === 'draining';
  return `${disabled ? 'd' : ''}${state.suspended ? 's' : ''}${node.state === 'lost' ? 'u' : ''}`;
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
