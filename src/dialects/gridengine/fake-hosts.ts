/** For tests: nodes and queues as Grid Engine's listings need them. Nothing here runs in the product. */

import type { Node } from '../../model/node.ts';
import { PLAIN_QUEUE_STATE } from '../../model/plain.ts';
import type { Queue, QueueState } from '../../model/policy.ts';
import type { MachineView, NodeView, QueueView } from '../../model/query.ts';
import { aQueue, NOW } from '../fake-yard.ts';

const GIBIBYTE = 1024 ** 3;

export const A_MACHINE: MachineView = {
  architecture: 'x86_64',
  system: 'Linux 6.1.0 #1 SMP',
  bootedAt: NOW - 86_400_000,
  load: 1.5,
  loadOver5Minutes: 0.5,
  loadOver15Minutes: 0.25,
  freeMemoryBytes: 15 * GIBIBYTE,
  swapBytes: 2 * GIBIBYTE,
  freeSwapBytes: 2 * GIBIBYTE,
  topology: { sockets: 1, cores: 2, threads: 4 },
};

export function aNodeView(name: string, changes: Partial<Node> = {}, view: Partial<NodeView> = {}): NodeView {
  const node: Node = {
    name,
    cpus: 4,
    cpuIds: [0, 1, 2, 3],
    memoryBytes: 16 * GIBIBYTE,
    devices: [],
    features: [],
    state: 'up',
    reason: null,
    ...changes,
  };
  return {
    node,
    machine: A_MACHINE,
    cpusUsed: 0,
    memoryUsedBytes: 0,
    devices: node.devices.map(({ index }) => ({ index, usedMillis: 0, jobs: [] })),
    jobs: [],
    ...view,
  };
}

export function aQueueView(
  name: string,
  changes: Partial<Queue> = {},
  state: Partial<QueueState> = {},
): QueueView {
  return {
    queue: aQueue({ name, isDefault: false, ...changes }),
    state: { ...PLAIN_QUEUE_STATE, ...state },
    waiting: 0,
    running: 0,
  };
}
