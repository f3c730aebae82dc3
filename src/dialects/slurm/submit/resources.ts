/** What a submission asks of machines, from every option that is about that. */

import type { MemoryRequest, ResourceRequest } from '../../../model/job-spec.ts';
import { type GivenOption, isGiven, lastGiven } from '../../options.ts';
import { expandHosts } from '../host-list.ts';
import { fatal, invalid, SubmissionRefused } from './complaints.ts';
import { parseConstraintWords } from './constraint-values.ts';
import { type Asked, countAsked, sizeAsked, textAsked } from './given.ts';
import { badGres, gpuRequest, gpusAsked, isMixed } from './gpus.ts';
import { layOutTasks, type TaskLayout } from './task-layout.ts';
import { readTresPerTask } from './tres-values.ts';

export interface RequestedResources {
  readonly resources: ResourceRequest;
  /** How many tasks there are; ranks are fewer where they may overcommit. */
  readonly ntasks: number;
  /** What is not kept to, after `warning: `. */
  readonly warnings: readonly string[];
  /** What the original says without calling it a warning. */
  readonly remarks: readonly string[];
}

export interface NodeFacts {
  /** Whether any node has any feature at all. */
  readonly haveFeatures: boolean;
}

export function resourcesFrom(asked: Asked, facts: NodeFacts): RequestedResources {
  const { given } = asked;
  const warnings: string[] = [];
  const hosts = hostsFrom(asked, 'nodelist');
  const gpus = gpusAsked(asked);
  const layout = layOutTasks(asked, hosts, gpus);
  const { nodes, ntasks } = layout;
  const gpusWanted = gpuRequest(gpus, layout, asked.command);
  if (isMixed(gpus)) warnings.push('a job has GPUs of one kind: it gets as many of any');
  const cpus = cpusPerTask(asked, layout, gpusWanted);
  const overcommits = isGiven(given, 'overcommit');
  const resources: ResourceRequest = {
    nodes: overcommits ? { min: nodes.min, max: nodes.min } : nodes,
    ranks: overcommits ? nodes.min : ntasks,
    ranksPerNode: overcommits ? null : layout.tasksPerNode,
    cpusPerRank: cpus.each,
    cpusAsked: cpus.isAsked,
    memory: memoryFrom(asked, layout, gpusWanted),
    gpus: gpusWanted,
    exclusive: isExclusive(asked, warnings),
    constraint: constraintFrom(asked, nodes.max, facts, warnings),
    onlyNodes: nodesToUse(hosts, nodes.min, warnings),
    exceptNodes: hostsFrom(asked, 'exclude'),
  };
  return { resources, ntasks, warnings, remarks: layout.remarks };
}

/** Each host once. Where a file names them, it has been read by now. */
function hostsFrom(asked: Asked, name: string): readonly string[] {
  const text = textAsked(asked, name);
  if (text === null || text === '') return [];
  const hosts = expandHosts(text);
  if (hosts === null) throw new SubmissionRefused('Invalid node name specified');
  return [...new Set(hosts)];
}

/** A job has all of the hosts it names; more than those cannot be asked for by name alone. */
function nodesToUse(hosts: readonly string[], nodes: number, warnings: string[]): readonly string[] {
  if (hosts.length === 0 || hosts.length >= nodes) return hosts;
  warnings.push(`--nodelist names ${hosts.length} of ${nodes} nodes, so the job may get any`);
  return [];
}

function isExclusive(asked: Asked, warnings: string[]): boolean {
  const option = lastGiven(asked.given, ['exclusive', 'oversubscribe']);
  if (option === null || option.name === 'oversubscribe') return false;
  const whom = (option.value ?? '').toLowerCase();
  if (whom === '') return true;
  if (!['user', 'mcs', 'topo'].includes(whom)) throw invalid(asked.command, 'exclusive');
  warnings.push(`--exclusive=${whom} keeps nobody away; --exclusive does`);
  return false;
}

function constraintFrom(
  asked: Asked,
  mostNodes: number,
  { haveFeatures }: NodeFacts,
  warnings: string[],
): string | null {
  const text = textAsked(asked, 'constraint');
  if (text === null) return null;
  const words = parseConstraintWords(text.replace(/\s/g, ''), mostNodes);
  if (words === null) throw new SubmissionRefused('Invalid feature specification');
  if (!haveFeatures) {
    warnings.push(`no node has features here, so --constraint=${text} is not looked at`);
    return null;
  }
  if (words.lost !== null) warnings.push(`--constraint=${text}: ${words.lost}`);
  return words.constraint;
}

interface CpuCount {
  readonly each: number;
  readonly isAsked: boolean;
}

function cpusPerTask(asked: Asked, layout: TaskLayout, gpus: ResourceRequest['gpus']): CpuCount {
  const perTask = countAsked(asked, 'cpus-per-task') ?? readTresPerTask(asked)?.cpus ?? null;
  const perGpu = countAsked(asked, 'cpus-per-gpu');
  const leastOnNode = countAsked(asked, 'mincpus') ?? 1;
  if (perTask !== null && perGpu !== null) {
    throw badGres(asked.command, '--cpus-per-gpu is mutually exclusive with --cpus-per-task');
  }
  const forGpus =
    perGpu === null || gpus === null ? 1 : Math.ceil((perGpu * gpuTotal(gpus, layout)) / layout.ntasks);
  const forNode = Math.ceil(leastOnNode / Math.ceil(layout.ntasks / layout.nodes.min));
  const isAsked = perTask !== null || perGpu !== null || layout.isAsked || leastOnNode > 1;
  return { each: Math.max(perTask ?? 1, forGpus, forNode), isAsked };
}

function gpuTotal({ count, per }: NonNullable<ResourceRequest['gpus']>, { nodes, ntasks }: TaskLayout) {
  return count * { job: 1, node: nodes.min, rank: ntasks }[per];
}

const MEMORY_OPTIONS = ['mem', 'mem-per-cpu', 'mem-per-gpu'];

function memoryFrom(asked: Asked, layout: TaskLayout, gpus: ResourceRequest['gpus']): MemoryRequest | null {
  const names = new Set(memoryOptions(asked.given).map(({ name }) => name));
  if (names.size > 1) {
    throw fatal(asked.command, '--mem, --mem-per-cpu, and --mem-per-gpu are mutually exclusive.');
  }
  const [name] = names;
  if (name === undefined) return null;
  const bytes = sizeAsked(asked, name) ?? 0;
  if (name === 'mem') return { bytes, per: 'node' };
  if (name === 'mem-per-cpu') return { bytes, per: bytes === 0 ? 'node' : 'cpu' };
  if (gpus === null) {
    const reason = `Requested mem_per_tres=gres:gpu:${bytes / 1024 ** 2} but did not request any GPU.`;
    throw badGres(asked.command, reason);
  }
  if (gpus.per === 'rank') return { bytes: bytes * gpus.count, per: 'rank' };
  const onOneNode = gpus.per === 'node' ? gpus.count : Math.ceil(gpus.count / layout.nodes.min);
  return { bytes: bytes * onOneNode, per: 'node' };
}

export function memoryOptions(given: readonly GivenOption[]): readonly GivenOption[] {
  return given.filter(({ name }) => MEMORY_OPTIONS.includes(name));
}
