/** Which task runs where, once the nodes of a step and how many tasks each takes are known. */

import type { NodeShare, Placement } from '../../../model/job.ts';
import type { Distribution } from './distribution.ts';

export interface Task {
  readonly rank: number;
  readonly localRank: number;
  /** Among the nodes of the step. */
  readonly nodeNumber: number;
  readonly share: NodeShare;
  /** All of the step's tasks on this node. */
  readonly ranksOnNode: readonly number[];
}

/** In the order of their ranks. */
export function mapTasks({ nodes }: Placement, distribution: Distribution): readonly Task[] {
  const ranksByNode = dealOut(
    nodes.map(({ ranks }) => ranks),
    blockSize(distribution),
  );
  return nodes
    .flatMap((share, nodeNumber) => {
      const ranksOnNode = ranksByNode[nodeNumber] as readonly number[];
      return ranksOnNode.map((rank, localRank) => ({ rank, localRank, nodeNumber, share, ranksOnNode }));
    })
    .sort((a, b) => a.rank - b.rank);
}

/** How many neighbouring tasks a node gets before it is the next one's turn. */
function blockSize(distribution: Distribution): number {
  if (distribution.kind === 'plane') return distribution.size;
  return distribution.kind === 'cyclic' ? 1 : Number.POSITIVE_INFINITY;
}

/** Goes round the nodes until each has as many as it takes. */
function dealOut(counts: readonly number[], size: number): readonly (readonly number[])[] {
  const dealt: number[][] = counts.map(() => []);
  const total = counts.reduce((sum, count) => sum + count, 0);
  let next = 0;
  while (next < total) {
    for (const [at, ranks] of dealt.entries()) {
      const turn = Math.min(size, (counts[at] as number) - ranks.length);
      for (let i = 0; i < turn; i++) ranks.push(next++);
    }
  }
  return dealt;
}
