/** Whether a request could ever be met by the nodes there are, empty and up; and if not, why not, in words. */

import type { JobSpec, ResourceRequest } from '../../model/job-spec.ts';
import type { Queue } from '../../model/policy.ts';
import { type Refusal, type RefusalSubject, refusal } from '../../model/refusal.ts';
import { formatBytes } from '../../model/units.ts';
import { allFree } from '../ledger.ts';
import type { YardState } from '../state.ts';
import { parseConstraint } from './constraint.ts';
import { eligibleNodes } from './eligible.ts';
import { fewestRanks, findPlace } from './fit.ts';

/** What stands in the way, and what it is about, where it is about one thing. */
export interface Impossibility {
  readonly why: string;
  readonly about: RefusalSubject | null;
}

export function impossible({ why, about }: Impossibility): Refusal {
  const refused = refusal('neverPossible', why, 'see `trainyard nodes` for what there is');
  return about === null ? refused : { ...refused, about };
}

/** Null when it is possible. */
export function whyImpossible(state: YardState, queue: Queue, spec: JobSpec): Impossibility | null {
  const { resources } = spec;
  if (resources.constraint !== null && parseConstraint(resources.constraint) === null) {
    return {
      why: `'${resources.constraint}' is not a constraint that can be understood`,
      about: 'feature',
    };
  }
  // Before the engine has named its nodes, nothing is known to be impossible.
  if (state.nodes.size === 0) return null;
  const unknown = [...resources.onlyNodes, ...resources.exceptNodes].find((name) => !state.nodes.has(name));
  if (unknown !== undefined) return { why: `there is no node '${unknown}'`, about: 'nodeName' };
  const nodes = eligibleNodes(state.nodes.values(), queue, spec);
  if (nodes.length === 0) return noNode(queue, spec);
  const candidates = nodes.map((node) => ({ node, free: allFree(node) }));
  if (findPlace(fewestRanks(resources), candidates) !== null) return null;
  return shortfall(spec, queue, candidates.length, largest(nodes));
}

function noNode(queue: Queue, { resources }: JobSpec): Impossibility {
  if (resources.constraint !== null)
    return { why: `no node of queue ${queue.name} satisfies '${resources.constraint}'`, about: 'feature' };
  return { why: `queue ${queue.name} has no node that this job may use`, about: null };
}

interface Largest {
  readonly cpus: number;
  readonly memoryBytes: number;
  readonly gpus: Readonly<Record<string, number>>;
  readonly gpuTotal: number;
}

function largest(
  nodes: readonly { cpus: number; memoryBytes: number; devices: readonly { kind: string }[] }[],
): Largest {
  const gpus: Record<string, number> = {};
  let [cpus, memoryBytes, gpuTotal] = [0, 0, 0];
  for (const node of nodes) {
    cpus = Math.max(cpus, node.cpus);
    memoryBytes = Math.max(memoryBytes, node.memoryBytes);
    gpuTotal = Math.max(gpuTotal, node.devices.length);
    const here: Record<string, number> = {};
    for (const { kind } of node.devices) here[kind] = (here[kind] ?? 0) + 1;
    for (const [kind, count] of Object.entries(here)) gpus[kind] = Math.max(gpus[kind] ?? 0, count);
  }
  return { cpus, memoryBytes, gpus, gpuTotal };
}

/** The first thing that no node has enough of. */
function shortfall({ resources }: JobSpec, queue: Queue, nodeCount: number, most: Largest): Impossibility {
  const { nodes, ranks, cpusPerRank, memory } = resources;
  if (nodes.min > nodeCount)
    return { why: `it wants ${nodes.min} nodes and queue ${queue.name} has ${nodeCount}`, about: 'nodes' };
  const ranksHere = Math.ceil(ranks / Math.min(nodes.max, nodeCount));
  const cpus = ranksHere * cpusPerRank;
  if (cpus > most.cpus)
    return {
      why: `it wants ${count(cpus, 'CPU')} on one node and the largest has ${most.cpus}`,
      about: 'cpus',
    };
  if (memory !== null) {
    const bytes =
      memory.per === 'node' ? memory.bytes : memory.bytes * (memory.per === 'rank' ? ranksHere : cpus);
    if (bytes > most.memoryBytes) {
      const [wanted, there] = [formatBytes(bytes), formatBytes(most.memoryBytes)];
      return {
        why: `it wants ${wanted} of memory on one node and the largest has ${there}`,
        about: 'memory',
      };
    }
  }
  const tooFewGpus = gpuShortfall(resources, queue, ranksHere, most);
  if (tooFewGpus !== null) return { why: tooFewGpus, about: 'gpus' };
  const all = nodes.max === 1 ? 'node has' : `${nodes.max} nodes have`;
  return { why: `no ${all} all that it wants at once`, about: null };
}

function gpuShortfall(
  { gpus, nodes }: ResourceRequest,
  queue: Queue,
  ranksHere: number,
  most: Largest,
): string | null {
  if (gpus === null) return null;
  if (most.gpuTotal === 0)
    return `it wants ${count(gpus.count, 'GPU')} and no node of queue ${queue.name} has any`;
  if (gpus.kind !== null && most.gpus[gpus.kind] === undefined)
    return `it wants a GPU of kind '${gpus.kind}' and there are only: ${Object.keys(most.gpus).join(', ')}`;
  const there = gpus.kind === null ? most.gpuTotal : (most.gpus[gpus.kind] ?? 0);
  const wanted =
    gpus.per === 'rank'
      ? gpus.count * ranksHere
      : gpus.per === 'job'
        ? Math.ceil(gpus.count / nodes.max)
        : gpus.count;
  if (wanted <= there) return null;
  return `it wants ${count(wanted, 'GPU')} on one node and the most on one is ${there}`;
}

function count(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? '' : 's'}`;
}
