/** What a job holds on each of its nodes, as `scontrol -d show job` lists it. */

import type { NodeShare, Placement } from '../../../model/job.ts';
import { formatRanges, fromIndices } from '../../../model/ranges.ts';
import { foldHosts } from '../host-list.ts';
import { gresText } from '../node-facts.ts';

type KindOf = (node: string, device: number) => string;

/** Neighbours that hold the same are named together. */
export function allocationLines({ nodes }: Placement, kindOf: KindOf): readonly string[] {
  const groups: { readonly names: string[]; readonly text: string }[] = [];
  for (const share of nodes) {
    const text = shareText(share, kindOf);
    const last = groups.at(-1);
    if (last?.text === text) last.names.push(share.node);
    else groups.push({ names: [share.node], text });
  }
  const devices = nodes.flatMap((share) =>
    share.devices.map(({ index }) => ({ kind: kindOf(share.node, index) })),
  );
  return [
    `JOB_GRES=${gresText(devices) ?? '(null)'}`,
    ...groups.map(({ names, text }) => `  Nodes=${foldHosts(names)} ${text}`),
  ];
}

function shareText({ node, cpuIds, memoryBytes, devices }: NodeShare, kindOf: KindOf): string {
  const megabytes = Math.round(memoryBytes / 1024 ** 2);
  const gres = gresText(devices.map(({ index }) => ({ kind: kindOf(node, index) })));
  const indices = formatRanges(fromIndices(devices.map(({ index }) => index)));
  const held = gres === null ? '' : `${gres}(IDX:${indices})`;
  return `CPU_IDs=${formatRanges(fromIndices(cpuIds))} Mem=${megabytes} GRES=${held}`;
}
