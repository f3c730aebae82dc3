/** The machines of a simulated yard, and how they come and go. */

import type { NodeName } from '../model/ids.ts';
import type { Node } from '../model/node.ts';
import type { Random } from './random.ts';

const GIB = 1024 ** 3;

/** Every second one has GPUs, of one kind or another; the first is large enough for most. */
export function makeNodes(count: number, random: Random): Node[] {
  return Array.from({ length: count }, (_, at): Node => {
    const cpus = at === 0 ? 8 : random.between(2, 8);
    const gpus = at % 2 === 0 ? random.between(1, 4) : 0;
    const kind = random.pick(['a100', 'l4']);
    return {
      name: `n${at + 1}`,
      cpus,
      cpuIds: random.chance(0.5) ? Array.from({ length: cpus }, (_, id) => id) : [],
      memoryBytes: random.between(8, 32) * GIB,
      devices: Array.from({ length: gpus }, (_, index) => ({
        index,
        kind,
        memoryBytes: 40 * GIB,
        simulated: true,
      })),
      features: random.chance(0.5) ? ['fast'] : [],
      state: 'up',
      reason: null,
    };
  });
}

export interface Machines {
  readonly nodes: readonly Node[];
  isUp(name: NodeName): boolean;
  setUp(name: NodeName, up: boolean): void;
  /** As the engine would name them to the yard. */
  seen(): Node[];
}

export function machinesOf(nodes: readonly Node[]): Machines {
  const down = new Set<NodeName>();
  return {
    nodes,
    isUp: (name) => !down.has(name),
    setUp(name, up) {
      if (up) down.delete(name);
      else down.add(name);
    },
    seen: () =>
      nodes.map((node) =>
        down.has(node.name) ? { ...node, state: 'lost', reason: 'it does not answer' } : node,
      ),
  };
}
