/** All that the nodes of a partition have together: `cpu=8,mem=16000M,node=4,billing=8,gres/gpu=8`. */

import type { NodeView } from '../../../model/query.ts';
import { tresText } from '../tres.ts';

export function partitionTres(nodes: readonly NodeView[]): string {
  const sum = (count: (view: NodeView) => number) => nodes.reduce((total, view) => total + count(view), 0);
  return tresText({
    cpus: sum(({ node }) => node.cpus),
    memoryBytes: sum(({ node }) => node.memoryBytes),
    nodes: nodes.length,
    gpus: sum(({ node }) => node.devices.length),
  });
}
