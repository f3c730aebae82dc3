/**
 * What a step wants of the job it runs in, from the options of `srun` and what the job has. Says what the original
 * says where they do not go together.
 */

import type { Job, NodeShare } from '../../../model/job.ts';
import type { StepRequest } from '../../../model/step.ts';
import { type GivenOption, isGiven, lastGiven } from '../../options.ts';
import { SlurmFailure } from '../failure.ts';
import { expandHosts } from '../host-list.ts';
import { complaint, EXIT_OPTION } from '../submit/complaints.ts';
import { type Asked, countAsked, sizeAsked, textAsked } from '../submit/given.ts';
import { gpuRequest, gpusAsked } from '../submit/gpus.ts';
import { parseNodeCount } from '../submit/values.ts';
import { wordOf } from '../words.ts';
import type { Distribution } from './distribution.ts';

export interface StepWish {
  readonly request: StepRequest;
  /** Said on stderr, complete but for the command's name. */
  readonly remarks: readonly string[];
}

export interface StepContext {
  readonly job: Job;
  readonly held: readonly NodeShare[];
  /** Everything, the environment's part too. */
  readonly asked: Asked;
  readonly commandLine: readonly GivenOption[];
  readonly distribution: Distribution;
  readonly name: string;
  readonly command: readonly string[];
  /** How many tasks there are when the job was made for this very step, which then has all of it. */
  readonly ownTasks: number | null;
  /** What the step is to be remembered with. */
  readonly words: Readonly<Record<string, string>>;
}

/** As many as the original takes. */
const MOST_TASKS_PER_NODE = 512;

export function stepWish(context: StepContext): StepWish {
  const { asked, held, job } = context;
  const remarks: string[] = [];
  const extent =
    context.ownTasks === null ? extentWanted(context, remarks) : wholeJob(held, context.ownTasks);
  const { nodes, ranks } = extent;
  if (ranks > MOST_TASKS_PER_NODE * nodes.max) throw stepRefused(job, 'Task count specification invalid');
  const overcommit = isGiven(asked.given, 'overcommit') || isOvercommitted(job, ranks, held);
  // Without CPUs to go by, tasks are shared out evenly.
  const evenly = overcommit ? Math.ceil(ranks / nodes.max) : null;
  checkMemory(context);
  return {
    request: {
      ...extent,
      ranksPerNode: extent.ranksPerNode ?? evenly,
      name: context.name,
      command: context.command,
      words: context.words,
      cpusPerRank: countAsked(asked, 'cpus-per-task') ?? 1,
      overcommit,
      gpus: gpusWanted(context, ranks),
      overlap: isGiven(asked.given, 'overlap'),
      wholeNodes: !isExact(asked.given),
      distribution: isDealtRound(context.distribution, ranks, nodes.min) ? 'cyclic' : 'block',
    },
    remarks,
  };
}

interface Nodes {
  readonly min: number;
  readonly max: number;
}

/** How many tasks, on which nodes. */
interface Extent
  extends Pick<StepRequest, 'ranks' | 'ranksPerNode' | 'onlyNodes' | 'exceptNodes' | 'firstNode'> {
  readonly nodes: Nodes;
}

function wholeJob({ length }: readonly NodeShare[], ranks: number): Extent {
  const nodes = { min: Math.min(length, ranks), max: length };
  return { nodes, ranks, ranksPerNode: null, onlyNodes: [], exceptNodes: [], firstNode: 0 };
}

function extentWanted(context: StepContext, remarks: string[]): Extent {
  const { asked } = context;
  const exceptNodes = hostsAsked(asked, 'exclude');
  const allNodes = nodesWanted(context, exceptNodes);
  const perNode = countAsked(asked, 'ntasks-per-node');
  const ranks = tasksWanted(context, allNodes.min, perNode);
  const nodes = fewerNodes(allNodes, ranks, remarks);
  return {
    nodes,
    ranks,
    ranksPerNode: evenShare(context, perNode, ranks, nodes, remarks),
    onlyNodes: nodesNamed(context, nodes, remarks),
    exceptNodes,
    firstNode: firstNodeWanted(context, nodes),
  };
}

/** A step uses all nodes of its job, unless somebody says otherwise. */
function nodesWanted({ asked, held, commandLine }: StepContext, excluded: readonly string[]): Nodes {
  const usable = held.filter(({ node }) => !excluded.includes(node)).length;
  const text = textAsked(asked, 'nodes');
  const count = text === null ? { ok: true as const, min: usable, max: usable } : parseNodeCount(text);
  if (!count.ok) throw complaint('srun', count.message, EXIT_OPTION);
  const isTyped = isGiven(commandLine, 'nodes');
  if (isTyped && count.min > usable) {
    const hint = usable < held.length ? ['srun: error: Are required nodes explicitly excluded?'] : [];
    const sentence = `srun: error: Only allocated ${usable} nodes asked for ${count.min}`;
    throw new SlurmFailure([sentence, ...hint], 1);
  }
  // What the environment says is about the job; a step may have less of it.
  return { min: Math.min(count.min, usable), max: Math.min(count.max, usable) };
}

function tasksWanted({ asked, job }: StepContext, nodes: number, perNode: number | null): number {
  const ntasks = countAsked(asked, 'ntasks');
  if (ntasks !== null) return ntasks;
  if (perNode !== null) return perNode * nodes;
  const perGpu = tasksForGpus(asked, job);
  if (perGpu !== null) return perGpu;
  // A job of another dialect says how many ranks it has, and not in the environment.
  return job.spec.origin.dialect === 'slurm' ? nodes : Math.max(nodes, job.spec.resources.ranks);
}

function tasksForGpus(asked: Asked, { attempt }: Job): number | null {
  const perGpu = countAsked(asked, 'ntasks-per-gpu');
  if (perGpu === null) return null;
  const gpus = attempt?.placement.nodes.reduce((sum, { devices }) => sum + devices.length, 0) ?? 0;
  return gpus === 0 ? null : gpus * perGpu;
}

function fewerNodes({ min, max }: Nodes, ntasks: number, remarks: string[]): Nodes {
  if (ntasks >= min) return { min, max };
  remarks.push(`Warning: can't run ${ntasks} processes on ${min} nodes, setting nnodes to ${ntasks}`);
  return { min: ntasks, max: ntasks };
}

/** So many on each node only where that comes out even; a number of tasks that was typed wins silently. */
function evenShare(
  { commandLine }: StepContext,
  perNode: number | null,
  ntasks: number,
  { min }: Nodes,
  remarks: string[],
): number | null {
  if (perNode === null || perNode * min === ntasks) return perNode;
  if (isGiven(commandLine, 'ntasks-per-node') && !isGiven(commandLine, 'ntasks')) {
    remarks.push(
      `Warning: can't honor --ntasks-per-node set to ${perNode} which doesn't match the requested tasks ${ntasks} with the number of requested nodes ${min}. Ignoring --ntasks-per-node.`,
    );
  }
  return null;
}

function firstNodeWanted({ asked, held, commandLine }: StepContext, { min }: Nodes): number {
  const first = countAsked(asked, 'relative', 0) ?? 0;
  if (first === 0 || first + min <= held.length) return first;
  const source = isGiven(commandLine, 'nodes') ? '--nodes' : 'SLURM_JOB_NUM_NODES';
  const sum = `${first}+${min}>${held.length}`;
  throw complaint(
    'srun',
    `--relative and ${source} option incompatible with count of allocated nodes (${sum})`,
    1,
  );
}

/** Those that were named, and as many others of the job as it takes. Empty: any. */
function nodesNamed({ asked, held }: StepContext, { min, max }: Nodes, remarks: string[]): readonly string[] {
  const named = hostsAsked(asked, 'nodelist');
  if (named.length > max) {
    remarks.push(
      `error: Required nodelist includes more nodes than permitted by max-node count (${named.length} > ${max}). Eliminating nodes from the nodelist.`,
    );
    return named.slice(0, max);
  }
  if (named.length === 0 || named.length >= min) return named;
  const others = held.map(({ node }) => node).filter((node) => !named.includes(node));
  return [...named, ...others.slice(0, min - named.length)];
}

function hostsAsked(asked: Asked, option: string): readonly string[] {
  const hosts = expandHosts(textAsked(asked, option) ?? '');
  if (hosts === null) throw complaint('srun', `Invalid --${option} specification`, EXIT_OPTION);
  return [...new Set(hosts)];
}

/** A step shares nothing and takes whole nodes, unless it says what it needs. */
function isExact(given: readonly GivenOption[]): boolean {
  if (isGiven(given, 'whole')) return false;
  return ['exact', 'exclusive', 'cpus-per-task'].some((name) => isGiven(given, name));
}

function isDealtRound({ kind }: Distribution, ntasks: number, nodes: number): boolean {
  if (kind === 'default') return ntasks <= nodes;
  return kind === 'cyclic' || kind === 'plane';
}

/** A job whose tasks are more than its CPUs may start them. */
function isOvercommitted(job: Job, ntasks: number, held: readonly NodeShare[]): boolean {
  const cpus = held.reduce((sum, share) => sum + share.cpus, 0);
  return wordOf(job, 'overcommit') !== null && ntasks > cpus;
}

const GPU_OPTIONS = [
  'gpus',
  'gpus-per-node',
  'gpus-per-socket',
  'gpus-per-task',
  'gres',
  'ntasks-per-gpu',
  'tres-per-task',
];

/**
 * What the environment says about GPUs is about the job, and a step without a word of its own gets those of its
 * nodes; only so many for each task is meant for steps as well.
 */
function gpusWanted(
  { asked, commandLine, held, ownTasks }: StepContext,
  ntasks: number,
): StepRequest['gpus'] {
  if (ownTasks !== null) return null;
  const meant = asked.given.filter(
    (option) =>
      !GPU_OPTIONS.includes(option.name) || commandLine.includes(option) || option.name === 'gpus-per-task',
  );
  const wanted = { command: asked.command, given: meant };
  const request = gpuRequest(gpusAsked(wanted), { ntasks, isAsked: true }, asked.command);
  const isTyped = lastGiven(commandLine, GPU_OPTIONS) !== null;
  if (request === null) return isTyped ? NO_GPUS : null;
  // A job without GPUs has none to share out, whatever it would have liked.
  return isTyped || held.some(({ devices }) => devices.length > 0) ? request : null;
}

const NO_GPUS: StepRequest['gpus'] = { count: 0, per: 'node', kind: null, shareMillis: 1000 };

/** Steps are not limited beyond their job, but what the job does not have they cannot get. */
function checkMemory({ job, held, commandLine }: StepContext): void {
  const typed = { command: 'srun', given: commandLine } as const;
  const perNode = sizeAsked(typed, 'mem');
  const perCpu = sizeAsked(typed, 'mem-per-cpu');
  const tooLittle = held.some(
    ({ memoryBytes, cpus }) =>
      memoryBytes > 0 && ((perNode ?? 0) > memoryBytes || (perCpu ?? 0) > memoryBytes / Math.max(1, cpus)),
  );
  if (tooLittle) throw stepRefused(job, 'Memory required by task is not available');
}

export function stepRefused(
  { id }: Pick<Job, 'id'>,
  sentence: string,
  before: readonly string[] = [],
): SlurmFailure {
  const lines = [...before, `Unable to create step for job ${id}: ${sentence}`];
  return new SlurmFailure(
    lines.map((line) => `srun: error: ${line}`),
    1,
  );
}

/** Slurm's sentence for what the job can never give. */
export function whyNever({ job, held }: StepContext, request: StepRequest): SlurmFailure {
  const isForeign = request.onlyNodes.some((name) => !held.some(({ node }) => node === name));
  if (isForeign) return stepRefused(job, 'Requested node configuration is not available');
  const devices = held.reduce((sum, share) => sum + share.devices.length, 0);
  if ((request.gpus?.count ?? 0) > devices || (request.gpus?.kind ?? null) !== null) {
    const before = devices === 0 ? ["Step requested GRES but job doesn't have GRES"] : [];
    return stepRefused(job, 'Invalid generic resource (gres) specification', before);
  }
  return stepRefused(job, 'More processors requested than permitted');
}
