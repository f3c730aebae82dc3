/** What the columns of `squeue` and its JSON say of a job, where it takes more than reading it off. */

import type { GpuRequest } from '../../../model/job-spec.ts';
import { clockText, parseLimit } from '../durations.ts';
import { foldHosts } from '../host-list.ts';
import { hasBatchStep, type JobFacts } from '../job-facts.ts';
import { taskListText } from '../task-list.ts';
import { megabytesText } from '../tres.ts';
import { wordOf } from '../words.ts';
import type { JobRow } from './rows.ts';

const MEBIBYTE = 1024 ** 2;
/** The whole range of Slurm's priorities. */
const HIGHEST_PRIORITY = 4_294_967_295;

/** `17`, `4_1`, `4_[3-4%2]`. */
export function displayIdText({ job, tasks, scene }: JobRow): string {
  if (tasks === null) return `${job.id}`;
  const text = taskText(tasks, scene.taskListLength);
  return tasks.single ? `${tasks.arrayId}_${text}` : `${tasks.arrayId}_[${text}]`;
}

export function arrayTaskText({ tasks, scene }: JobRow): string | null {
  return tasks === null ? null : taskText(tasks, scene.taskListLength);
}

function taskText({ indices, throttle }: NonNullable<JobRow['tasks']>, length: number): string {
  return `${taskListText(indices, length)}${throttle === null ? '' : `%${throttle}`}`;
}

/** 0 is a job that is held; whatever else has no turn yet, or has had it, comes right after. */
export function priorityOf({ facts, job }: JobRow): number {
  if (job.phase === 'held') return 0;
  return Math.min(HIGHEST_PRIORITY, Math.max(1, Math.round(facts.view.priority ?? 1)));
}

export function priorityShareText(row: JobRow): string {
  return (priorityOf(row) / HIGHEST_PRIORITY).toFixed(14);
}

export function startAtOf({ facts, job, scene }: JobRow): number | null {
  return facts.startAt ?? scene.expectedStarts.get(job.id) ?? null;
}

/** Null when nobody knows, `never` when nothing will end it. */
export function endAtOf(row: JobRow): number | null | 'never' {
  const { facts, job } = row;
  if (facts.endAt !== null) return facts.endAt;
  const startAt = startAtOf(row);
  if (startAt === null || job.phase === 'ended') return null;
  return job.spec.limitMs === null ? 'never' : startAt + job.spec.limitMs;
}

export function timeLeftMs({ facts, job }: JobRow): number | null {
  return job.spec.limitMs === null ? null : job.spec.limitMs - facts.runMs;
}

/** Since when, or from when on, it may run. */
export function eligibleAtOf({ job }: JobRow): number | null {
  return job.eligibleAt ?? (job.phase === 'waiting' ? job.spec.beginAt : null);
}

/** Why it waits or failed, in parentheses; where it is, otherwise. */
export function placeOrReason({ facts, job }: JobRow): string {
  const { reason } = facts.view;
  if (reason?.kind === 'nodesUnavailable' && reason.nodes.length > 0)
    return `(${facts.reason}, UnavailableNodes:${foldHosts(reason.nodes)})`;
  const explained = job.phase !== 'active' && EXPLAINED.has(facts.state.code);
  return explained ? `(${facts.describedReason})` : facts.nodeList;
}

const EXPLAINED: ReadonlySet<string> = new Set(['PD', 'F', 'TO', 'OOM', 'DL']);

/** Where the script runs, or whoever waits for the place. */
export function executingHost({ facts, job }: JobRow): string | null {
  if (facts.attempt === null) return null;
  return (hasBatchStep(job) ? null : wordOf(job, 'submitHost')) ?? facts.nodes[0] ?? null;
}

export function leastCpusPerNode({ job }: JobRow): number {
  const { cpusPerRank, ranksPerNode } = job.spec.resources;
  return Math.max(Number(wordOf(job, 'minCpus')) || 0, cpusPerRank * (ranksPerNode ?? 1));
}

export function memoryText(bytes: number, { convert }: JobRow['scene']): string {
  if (bytes === 0) return '0';
  return convert ? megabytesText(bytes) : `${Math.round(bytes / MEBIBYTE)}M`;
}

/** `10`, `10M`, `2G`: bytes; what is no amount of memory is none. */
export function writtenBytes(text: string | null): number {
  const match = /^(\d{1,9})([kmgt]?)b?$/i.exec(text ?? '');
  if (match === null) return 0;
  const power = { k: 1, '': 2, m: 2, g: 3, t: 4 }[(match[2] ?? '').toLowerCase() as 'k'] ?? 2;
  return Number(match[1]) * 1024 ** power;
}

export function sharingText({ job }: JobRow): 'OK' | 'NO' | 'USER' | 'MCS' | 'YES' {
  const exclusive = wordOf(job, 'exclusive');
  if (exclusive === 'user') return 'USER';
  if (exclusive === 'mcs') return 'MCS';
  if (job.spec.resources.exclusive) return 'NO';
  return wordOf(job, 'oversubscribe') === null ? 'OK' : 'YES';
}

const PROFILES = ['All', 'Energy', 'Lustre', 'Network', 'None', 'Task'];

/** Null when nobody asked for a profile. */
export function profilesOf({ job }: JobRow): readonly string[] | null {
  const asked = wordOf(job, 'profile')?.toLowerCase().split(',');
  if (asked === undefined) return null;
  return PROFILES.filter((profile) => asked.includes(profile.toLowerCase()));
}

/** `--switches=2@10`: how many, and how long to wait for them. */
export function switchesOf({ job }: JobRow): { readonly count: number; readonly waitMs: number } {
  const [count = '', wait = ''] = (wordOf(job, 'switches') ?? '').split('@');
  return { count: Number.parseInt(count, 10) || 0, waitMs: parseLimit(wait)?.limitMs ?? 0 };
}

export function leastTimeMs({ job }: JobRow): number {
  return parseLimit(wordOf(job, 'timeMin') ?? '')?.limitMs ?? 0;
}

/** As the kernel tells it: the code above the signal. */
export function rawExitStatus({ exit }: JobFacts): number {
  return exit.code * 256 + exit.signal;
}

/** Of what each: `gres:gpu:2`. Null when nothing was asked for that way. */
export function tresPer({ job }: JobRow, per: 'job' | 'node' | 'socket' | 'task'): string | null {
  const words = {
    job: gpuText(wordOf(job, 'gpus')),
    node: gresText(wordOf(job, 'gres')) ?? gpuText(wordOf(job, 'gpusPerNode')),
    socket: gpuText(wordOf(job, 'gpusPerSocket')),
    task: gpuText(wordOf(job, 'gpusPerTask')),
  };
  const { gpus } = job.spec.resources;
  const said = Object.values(words).some((word) => word !== null);
  // What was asked for in another dialect is told in the words of this one.
  return said || gpus === null || PER[gpus.per] !== per ? words[per] : requestText(gpus);
}

const PER = { job: 'job', node: 'node', rank: 'task' } as const;

function requestText({ kind, count }: GpuRequest): string {
  return kind === null ? `gres:gpu:${count}` : `gres:gpu:${kind}:${count}`;
}

function gpuText(word: string | null): string | null {
  return word === null || word === '' ? null : `gres:gpu:${word}`;
}

export function gresText(word: string | null): string | null {
  if (word === null || word === '' || word.toLowerCase() === 'none') return null;
  return word
    .split(',')
    .map((part) => `gres:${part.replace(/^gres[:/]/, '')}`)
    .join(',');
}

/** Null when it is the file that Slurm takes of itself. */
export function askedOutput({ job }: JobRow, stream: 'stdout' | 'stderr'): string | null {
  const pattern = job.spec.streams[stream];
  if (pattern === null || /(?:^|\/)slurm-%(?:j|A_%a)\.out$/.test(pattern)) return null;
  return absolute(pattern, job.spec.workDir);
}

export function outputPath(row: JobRow, stream: 'stdout' | 'stderr'): string {
  const { id, spec } = row.job;
  return askedOutput(row, stream) ?? askedOutput(row, 'stdout') ?? `${spec.workDir}/slurm-${id}.out`;
}

export function inputPath({ job }: JobRow): string {
  return absolute(job.spec.streams.stdin ?? '/dev/null', job.spec.workDir);
}

function absolute(path: string, workDir: string): string {
  return path.startsWith('/') ? path : `${workDir}/${path}`;
}

export function spanText(durationMs: number | null): string {
  return durationMs === null ? 'UNLIMITED' : clockText(durationMs);
}
