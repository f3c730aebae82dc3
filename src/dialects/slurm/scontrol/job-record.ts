/** One job as `scontrol show job` prints it, field by field. What is not known is what Slurm prints for unset. */

import type { MailOccasion, MemoryRequest } from '../../../model/job-spec.ts';
import { fillPattern } from '../../../model/pattern.ts';
import type { UserView } from '../../../model/query.ts';
import type { Step } from '../../../model/step.ts';
import { dependencyText } from '../dependency-text.ts';
import { fullClockText, parseSpan } from '../durations.ts';
import { foldHosts } from '../host-list.ts';
import {
  accountOf,
  commandText,
  type ExitPair,
  hasBatchStep,
  type JobFacts,
  preemptedAtOf,
} from '../job-facts.ts';
import { partitionsOf } from '../partitions.ts';
import { gresText } from '../squeue/job-values.ts';
import { megabytesText, tresText } from '../tres.ts';
import { wordOf } from '../words.ts';
import { allocationLines } from './allocation.ts';
import { orNull } from './record.ts';

export interface JobCircumstances {
  /** Null: nobody of that name. */
  readonly user: UserView | null;
  readonly qos: string | null;
  /** Whether any partition gives up its jobs to another. */
  readonly preempts: boolean;
  readonly submitHost: string;
  readonly moment: (at: number) => string;
  /** With `-d`: its steps, and the kinds of its GPUs by node; null: not wanted. */
  readonly details: JobDetails | null;
}

export interface JobDetails {
  readonly steps: readonly Step[];
  readonly kindOf: (node: string, device: number) => string;
}

/** NO_VAL of the original: a number that nobody set. */
const NO_NUMBER = 4_294_967_294;
const HIGHEST_PRIORITY = 4_294_967_295;

export function jobLines(facts: JobFacts, circumstances: JobCircumstances): readonly string[] {
  return [
    identity(facts),
    owner(facts, circumstances),
    standing(facts, circumstances),
    `JobState=${facts.state.name} Reason=${reasonText(facts)} Dependency=${orNull(dependencyText(facts.view))}`,
    history(facts),
    ...(circumstances.details === null
      ? []
      : [`DerivedExitCode=${derivedExit(circumstances.details.steps)}`]),
    ...times(facts, circumstances),
    ...place(facts, circumstances),
    ...size(facts, circumstances),
    ...wishes(facts),
    ...files(facts),
    ...extras(facts),
    '',
  ];
}

/** Without spaces, for those who split the line at them. */
function reasonText({ describedReason }: JobFacts): string {
  return describedReason.replaceAll(' ', '_');
}

function identity({ job, array }: JobFacts): string {
  if (array === null) return `JobId=${job.id} JobName=${job.spec.name}`;
  const throttle = job.spec.array?.throttle ?? null;
  const throttled = throttle === null ? '' : ` ArrayTaskThrottle=${throttle}`;
  const ids = `JobId=${job.id} ArrayJobId=${array.jobId} ArrayTaskId=${array.taskText}`;
  return `${ids}${throttled} JobName=${job.spec.name}`;
}

function owner({ job }: JobFacts, { user }: JobCircumstances): string {
  const label = wordOf(job, 'mcsLabel') ?? 'N/A';
  const group = user === null ? `(null)(${NO_NUMBER})` : `${user.group}(${user.gid})`;
  return `UserId=${job.spec.user}(${user?.uid ?? NO_NUMBER}) GroupId=${group} MCS_label=${label}`;
}

function standing({ job, view }: JobFacts, { qos }: JobCircumstances): string {
  // 0 is a job that is held; one that has no turn yet, or has had it, comes right after.
  const turn = Math.min(HIGHEST_PRIORITY, Math.max(1, Math.round(view.priority ?? 1)));
  const priority = job.phase === 'held' ? 0 : turn;
  const { nice } = job.spec;
  return `Priority=${priority} Nice=${nice} Account=${accountOf(job)} QOS=${orNull(qos)}`;
}

function history({ job, attempt }: JobFacts): string {
  const exit = job.phase === 'ended' ? (attempt?.exit ?? null) : null;
  const pair = job.outcome === 'outOfMemory' ? { code: 0, signal: 125 } : pairOf(exit);
  return [
    `Requeue=${job.spec.requeue ? 1 : 0}`,
    `Restarts=${job.restarts}`,
    `BatchFlag=${hasBatchStep(job) ? 1 : 0}`,
    'Reboot=0',
    `ExitCode=${exitText(pair)}`,
  ].join(' ');
}

function pairOf(exit: { readonly code: number | null; readonly signal: number | null } | null): ExitPair {
  return { code: exit?.code ?? 0, signal: exit?.signal ?? 0 };
}

function exitText({ code, signal }: ExitPair): string {
  return `${code}:${signal}`;
}

/** The worst of its steps. */
function derivedExit(steps: readonly Step[]): string {
  const pairs = steps.map(({ exit }) => pairOf(exit));
  const worst = pairs.reduce(
    (a, b) => (b.code > a.code || (b.code === a.code && b.signal > a.signal) ? b : a),
    {
      code: 0,
      signal: 0,
    },
  );
  return exitText(worst);
}

function times(facts: JobFacts, { moment, preempts }: JobCircumstances): readonly string[] {
  const { job, attempt, startAt, endAt, runMs } = facts;
  const { spec } = job;
  const at = (value: number | null, unset: string) => (value === null ? unset : moment(value));
  const least = parseSpan(wordOf(job, 'timeMin') ?? '');
  const eligibleAt = job.eligibleAt ?? (job.phase === 'waiting' ? spec.beginAt : null);
  const preemptedAt = preemptedAtOf(facts);
  const suspendedAt = attempt?.suspendedAt ?? null;
  const ranMs = suspendedAt === null ? 0 : runMs;
  return [
    `RunTime=${fullClockText(runMs)} TimeLimit=${limitText(spec.limitMs)} TimeMin=${least === null ? 'N/A' : fullClockText(least)}`,
    `SubmitTime=${moment(job.submittedAt)} EligibleTime=${at(eligibleAt, 'Unknown')}`,
    `AccrueTime=${at(job.eligibleAt, 'Unknown')}`,
    `StartTime=${at(startAt, 'Unknown')} EndTime=${at(endAt, 'Unknown')} Deadline=${at(spec.deadlineAt, 'N/A')}`,
    ...(preempts && attempt?.startedAt != null
      ? [`PreemptEligibleTime=${moment(attempt.startedAt)} PreemptTime=${at(preemptedAt, 'None')}`]
      : []),
    `SuspendTime=${at(suspendedAt, 'None')} SecsPreSuspend=${Math.floor(ranMs / 1000)} LastSchedEval=${at(attempt?.assignedAt ?? null, 'Unknown')} Scheduler=Main`,
  ];
}

function limitText(limitMs: number | null): string {
  return limitMs === null ? 'UNLIMITED' : fullClockText(limitMs);
}

function place({ job, nodes, nodeList }: JobFacts, { submitHost }: JobCircumstances): readonly string[] {
  const { onlyNodes, exceptNodes } = job.spec.resources;
  const host = wordOf(job, 'submitHost') ?? submitHost;
  return [
    `Partition=${partitionsOf(job).join(',')} AllocNode:Sid=${host}:0`,
    `ReqNodeList=${orNull(foldHosts(onlyNodes))} ExcNodeList=${orNull(foldHosts(exceptNodes))}`,
    `NodeList=${nodeList}`,
    ...(nodes[0] === undefined ? [] : [`BatchHost=${nodes[0]}`]),
  ];
}

function size(facts: JobFacts, { details }: JobCircumstances): readonly string[] {
  const { job, attempt, tres, tasks } = facts;
  const { resources } = job.spec;
  const { min, max } = resources.nodes;
  const wanted = wordOf(job, 'nodes') === null ? min : `${min}-${max}`;
  const nodes = attempt === null ? wanted : tres.nodes;
  const perNode = resources.ranksPerNode ?? 0;
  const perSocket = wordOf(job, 'ntasksPerSocket') ?? '*';
  const perCore = wordOf(job, 'ntasksPerCore') ?? '*';
  const spared = wordOf(job, 'coreSpec') ?? '*';
  return [
    `NumNodes=${nodes} NumCPUs=${tres.cpus} NumTasks=${tasks} CPUs/Task=${resources.cpusPerRank} ReqB:S:C:T=0:0:*:*`,
    `TRES=${tresText(tres)}`,
    `Socks/Node=* NtasksPerN:B:S:C=${perNode}:0:${perSocket}:${perCore} CoreSpec=${spared}`,
    ...(details === null || attempt === null ? [] : allocationLines(attempt.placement, details.kindOf)),
  ];
}

function wishes({ job }: JobFacts): readonly string[] {
  const { resources } = job.spec;
  const least = Number(wordOf(job, 'minCpus') ?? 1) || 1;
  const cpus = Math.max(least, resources.cpusPerRank * Math.max(1, resources.ranksPerNode ?? 1));
  const reservation = wordOf(job, 'reservation');
  return [
    `MinCPUsNode=${cpus} ${memoryText(resources.memory, resources.cpusPerRank)} MinTmpDiskNode=${wordOf(job, 'tmp') ?? 0}`,
    `Features=${orNull(resources.constraint)} DelayBoot=00:00:00`,
    ...(reservation === null ? [] : [`Reservation=${reservation}`]),
    `OverSubscribe=${sharing(job)} Contiguous=${wordOf(job, 'contiguous') === null ? 0 : 1} Licenses=${orNull(wordOf(job, 'licenses'))} Network=${orNull(wordOf(job, 'network'))}`,
  ];
}

/** Slurm knows memory by node or by CPU. */
function memoryText(memory: MemoryRequest | null, cpusPerRank: number): string {
  if (memory === null || memory.bytes === 0) return 'MinMemoryNode=0';
  if (memory.per === 'node') return `MinMemoryNode=${megabytesText(memory.bytes)}`;
  const bytes = memory.per === 'rank' ? memory.bytes / Math.max(1, cpusPerRank) : memory.bytes;
  return `MinMemoryCPU=${megabytesText(bytes)}`;
}

function sharing(job: JobFacts['job']): string {
  if (job.spec.resources.exclusive) return 'NO';
  return wordOf(job, 'oversubscribe') === null ? 'OK' : 'YES';
}

function files({ job, view, attempt, nodes }: JobFacts): readonly string[] {
  const { spec } = job;
  const words = (name: string, text: string | null) => (text === null ? [] : [`${name}=${text} `]);
  const described = [
    `Command=${orNull(commandText(job))}`,
    `WorkDir=${spec.workDir}`,
    ...words('AdminComment', wordOf(job, 'adminComment')),
    ...words('Comment', spec.comment),
  ];
  if (!hasBatchStep(job)) return described;
  const node = nodes[0] === undefined ? null : { name: nodes[0], number: 0 };
  const input = spec.streams.stdin;
  return [
    ...described,
    `StdErr=${unnumbered(view.stderrPath ?? view.stdoutPath, job)}`,
    `StdIn=${input === null ? '/dev/null' : unnumbered(fillPattern(input, job, attempt, node, 0), job)}`,
    `StdOut=${unnumbered(view.stdoutPath, job)}`,
  ];
}

/** The record of elements that have not started stands for none of them. */
function unnumbered(path: string, job: JobFacts['job']): string {
  return job.array === null ? path : path.replace(/%\d{0,2}a/g, `${NO_NUMBER}`);
}

const TRES_NAMES = { job: 'TresPerJob', node: 'TresPerNode', rank: 'TresPerTask' } as const;

function extras({ job }: JobFacts): readonly string[] {
  const { mail, resources } = job.spec;
  const { gpus } = resources;
  const gres = (count: number | string, kind: string | null) =>
    `gres:gpu:${kind === null ? '' : `${kind}:`}${count}`;
  const perGpu = (name: string, word: string | null) => (word === null ? [] : [`${name}=gres:gpu:${word}`]);
  return [
    ...(wordOf(job, 'switches') === null ? [] : [`Switches=${wordOf(job, 'switches')}`]),
    'Power=',
    ...perGpu('CpusPerTres', wordOf(job, 'cpusPerGpu')),
    ...perGpu('MemPerTres', wordOf(job, 'memPerGpu')),
    ...(gpus === null ? [] : [`${TRES_NAMES[gpus.per]}=${partsAsked(job) ?? gres(gpus.count, gpus.kind)}`]),
    ...(mail === null || mail.on.length === 0
      ? []
      : [`MailUser=${mail.to} MailType=${mailTypeText(mail.on)}`]),
  ];
}

/** `gres:shard:2`, as it was asked for; null: whole GPUs were, or what was asked for has been changed since. */
function partsAsked(job: JobFacts['job']): string | null {
  const asked = gresText(wordOf(job, 'gres'));
  return job.spec.resources.gpus?.sharing === 'auto' && asked !== null && /gres:(?:shard|mps)\b/.test(asked)
    ? asked
    : null;
}

/** In the order in which Slurm lists them. */
const MAIL_TYPES: readonly (readonly [MailOccasion, string])[] = [
  ['invalidDependency', 'INVALID_DEPEND'],
  ['eachElement', 'ARRAY_TASKS'],
  ['begin', 'BEGIN'],
  ['end', 'END'],
  ['fail', 'FAIL'],
  ['requeue', 'REQUEUE'],
  ['timeLimit50', 'TIME_LIMIT_50'],
  ['timeLimit80', 'TIME_LIMIT_80'],
  ['timeLimit90', 'TIME_LIMIT_90'],
  ['timeLimit', 'TIME_LIMIT'],
];

function mailTypeText(on: readonly MailOccasion[]): string {
  return MAIL_TYPES.filter(([occasion]) => on.includes(occasion))
    .map(([, word]) => word)
    .join(',');
}
