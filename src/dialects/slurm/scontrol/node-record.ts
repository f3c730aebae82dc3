/** One node as `scontrol show node` prints it. What nobody knows here is what Slurm prints for unset. */

import { formatRanges, fromIndices } from '../../../model/ranges.ts';
import { SLURM_VERSION } from '../command.ts';
import { gresText, type NodeFacts, nodeStateText } from '../node-facts.ts';
import { megabytesText } from '../tres.ts';
import { orNull } from './record.ts';

export interface NodeCircumstances {
  readonly host: string;
  readonly startedAt: number;
  readonly moment: (at: number) => string;
  readonly details: boolean;
}

export function nodeLines(facts: NodeFacts, circumstances: NodeCircumstances): readonly string[] {
  const { view, partitions } = facts;
  const { node, machine, cpusUsed, memoryUsedBytes } = view;
  const features = orNull(node.features.join(','));
  const { host, startedAt, moment, details } = circumstances;
  return [
    `NodeName=${node.name}${machine === undefined ? '' : ` Arch=${machine.architecture}`} CoresPerSocket=1 `,
    `CPUAlloc=${cpusUsed} CPUEfctv=${node.cpus} CPUTot=${node.cpus} CPULoad=${machine?.load.toFixed(2) ?? 'N/A'}`,
    `AvailableFeatures=${features}`,
    `ActiveFeatures=${features}`,
    `Gres=${orNull(gresText(node.devices))}`,
    ...(details ? ['GresDrain=N/A', `GresUsed=${usedGresText(facts)}`] : []),
    `NodeAddr=${node.name} NodeHostName=${host} Version=${SLURM_VERSION}`,
    ...(machine === undefined ? [] : [`OS=${machine.system} `]),
    `RealMemory=${megabytes(node.memoryBytes)} AllocMem=${megabytes(memoryUsedBytes)} FreeMem=${machine === undefined ? 'N/A' : megabytes(machine.freeMemoryBytes)} Sockets=${node.cpus} Boards=1`,
    `State=${nodeStateText(facts)} ThreadsPerCore=1 TmpDisk=0 Weight=1 Owner=N/A MCS_label=N/A`,
    `Partitions=${partitions.join(',')} `,
    `BootTime=${machine === undefined ? 'None' : moment(machine.bootedAt)} SlurmdStartTime=${moment(startedAt)}`,
    'LastBusyTime=Unknown',
    `CfgTRES=${configuredTres(facts)}`,
    `AllocTRES=${allocatedTres(facts)}`,
    'CapWatts=n/a',
    'CurrentWatts=0 AveWatts=0',
    'ExtSensorsJoules=n/s ExtSensorsWatts=0 ExtSensorsTemp=n/s',
    ...(node.reason === null ? [] : [`Reason=${node.reason}`]),
  ];
}

function megabytes(bytes: number): number {
  return Math.floor(bytes / 1024 ** 2);
}

function configuredTres({ view: { node } }: NodeFacts): string {
  const parts = [`cpu=${node.cpus}`, `mem=${megabytesText(node.memoryBytes)}`, `billing=${node.cpus}`];
  if (node.devices.length > 0) parts.push(`gres/gpu=${node.devices.length}`);
  return parts.join(',');
}

function allocatedTres({ view, gpusUsed }: NodeFacts): string {
  const parts: string[] = [];
  if (view.cpusUsed > 0) parts.push(`cpu=${view.cpusUsed}`);
  if (view.memoryUsedBytes > 0) parts.push(`mem=${megabytesText(view.memoryUsedBytes)}`);
  if (gpusUsed > 0) parts.push(`gres/gpu=${gpusUsed}`);
  return parts.join(',');
}

/** By kind, as `Gres` has them: `gpu:1(IDX:0)`, `gpu:a100:0(IDX:N/A)`. */
function usedGresText({ view: { node, devices } }: NodeFacts): string {
  const inUse = new Set(devices.filter(({ usedMillis }) => usedMillis > 0).map(({ index }) => index));
  const kinds = [...new Set(node.devices.map(({ kind }) => kind))];
  const parts = kinds.map((kind) => {
    const ofKind = node.devices.filter((device) => device.kind === kind);
    const used = ofKind.map(({ index }) => index).filter((index) => inUse.has(index));
    const name = (gresText(ofKind) ?? '').replace(/:\d+$/, '');
    return `${name}:${used.length}(IDX:${used.length === 0 ? 'N/A' : formatRanges(fromIndices(used))})`;
  });
  return parts.length === 0 ? '(null)' : parts.join(',');
}
