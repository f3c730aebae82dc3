/** `scontrol show partition [NAME]`: a queue, and the nodes that it has. */

import type { Queue } from '../../../model/policy.ts';
import type { NodeView } from '../../../model/query.ts';
import { printPieces } from '../../print-pieces.ts';
import { type Asking, printOut, query } from '../../program.ts';
import { fullClockText } from '../durations.ts';
import { foldHosts } from '../host-list.ts';
import { answerPieces } from '../listing/structured.ts';
import { partitionOf } from '../partitions.ts';
import { type Call, EXIT_FAILED, EXIT_OK } from './call.ts';
import { partitionRecord } from './partition-record.ts';
import { partitionTres } from './partition-tres.ts';
import { orNull, recordText } from './record.ts';
import { notFound } from './show-node.ts';

export function* showPartitions(call: Call, which: string | null): Asking<number> {
  const queues = yield* query('queues', {});
  const nodes = yield* query('nodes', { names: null });
  const wanted = queues.map(partitionOf).filter(({ name }) => which === null || name === which);
  const { structure } = call.manner;
  if (structure !== null) {
    const records = wanted.map((queue) => partitionRecord(queue, nodesOf(queue, nodes)));
    yield* printPieces(answerPieces('partitions', records, structure));
    return wanted.length === 0 ? EXIT_FAILED : EXIT_OK;
  }
  if (wanted.length === 0) {
    return yield* notFound(
      call,
      which === null ? 'No partitions in the system' : `Partition ${which} not found`,
    );
  }
  for (const queue of wanted) {
    yield* printOut(recordText(partitionLines(queue, nodesOf(queue, nodes)), call.manner));
  }
  return EXIT_OK;
}

function nodesOf(queue: Queue, nodes: readonly NodeView[]): readonly NodeView[] {
  return nodes.filter(({ node }) => queue.nodes === null || queue.nodes.includes(node.name));
}

function partitionLines(queue: Queue, nodes: readonly NodeView[]): readonly string[] {
  const cpus = sum(nodes.map(({ node }) => node.cpus));
  const graceSeconds = Math.round((queue.graceMs ?? 0) / 1000);
  return [
    `PartitionName=${queue.name}`,
    'AllowGroups=ALL AllowAccounts=ALL AllowQos=ALL',
    `AllocNodes=ALL Default=${queue.isDefault ? 'YES' : 'NO'} QoS=N/A`,
    `DefaultTime=${timeText(queue.defaultLimitMs, 'NONE')} DisableRootJobs=NO ExclusiveUser=NO GraceTime=${graceSeconds} Hidden=NO`,
    `MaxNodes=UNLIMITED MaxTime=${timeText(queue.maxLimitMs, 'UNLIMITED')} MinNodes=0 LLN=NO MaxCPUsPerNode=UNLIMITED`,
    `Nodes=${orNull(foldHosts(nodes.map(({ node }) => node.name)))}`,
    `PriorityJobFactor=1 PriorityTier=${Math.max(0, queue.priority)} RootOnly=NO ReqResv=NO OverSubscribe=NO`,
    `OverTimeLimit=NONE PreemptMode=${queue.preempt.toUpperCase()}`,
    `State=${queue.open ? 'UP' : 'DOWN'} TotalCPUs=${cpus} TotalNodes=${nodes.length} SelectTypeParameters=NONE`,
    'JobDefaults=(null)',
    `${memoryText(queue)} MaxMemPerNode=UNLIMITED`,
    `TRES=${partitionTres(nodes)}`,
  ];
}

function timeText(limitMs: number | null, none: string): string {
  return limitMs === null ? none : fullClockText(limitMs);
}

function memoryText({ defaultMemoryBytes, defaultMemoryPerCpuBytes }: Queue): string {
  const megabytes = (bytes: number) => Math.round(bytes / 1024 ** 2);
  if (defaultMemoryPerCpuBytes !== null) return `DefMemPerCPU=${megabytes(defaultMemoryPerCpuBytes)}`;
  return `DefMemPerNode=${defaultMemoryBytes === null ? 'UNLIMITED' : megabytes(defaultMemoryBytes)}`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
