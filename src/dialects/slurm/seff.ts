/** `seff`: how well one job used the CPUs and the memory that it had. */

import { printable } from '../../model/bytes.ts';
import { knownUsers } from '../known-users.ts';
import { isGiven, type OptionSpec, parseOptions } from '../options.ts';
import {
  type Asking,
  clock,
  type Invocation,
  type Program,
  pause,
  printErr,
  printOut,
  query,
} from '../program.ts';
import type { SlurmCommand } from './command.ts';
import { fullClockText } from './durations.ts';
import { readJobChoice } from './job-choices.ts';
import { ANY_RUN } from './sacct/filters.ts';
import { eachRun, type Search } from './sacct/look-up.ts';
import type { Run } from './sacct/runs.ts';
import { USUAL_TASK_LIST_LENGTH } from './task-list.ts';

export const seff: SlurmCommand = { name: 'seff', run: runSeff };

const OPTIONS: readonly OptionSpec[] = [
  { name: 'help', short: 'h', value: 'none' },
  { name: 'version', short: 'v', value: 'none' },
  { name: 'debug', short: 'd', value: 'none' },
  { name: 'file', short: 'f', value: 'required' },
];

const USAGE = `Usage: seff [OPTION]... JOBID   how well a job used its CPUs and memory
       -d    the figures as they are kept, too
       -v    print the version
       -h    print this
`;
const VERSION = 'seff Version 2.1\n';

function* runSeff(invocation: Invocation): Program {
  const parsed = parseOptions(OPTIONS, invocation.argv.slice(1), 'endOptions');
  const given = parsed.ok ? parsed.arguments.options : [];
  const words = parsed.ok ? [...parsed.arguments.positionals, ...(parsed.arguments.afterDashes ?? [])] : [];
  const [word] = words;
  if (isGiven(given, 'version')) return yield* printAndFail(VERSION);
  if (isGiven(given, 'help') || word === undefined || words.length > 1) return yield* printAndFail(USAGE);

  const now = yield* clock();
  const policy = yield* query('policy', {});
  const { name: cluster } = yield* query('yard', {});
  const jobs = /^\d+(?:_\d+)?$/.test(word) ? [readJobChoice(word, 'seff')] : [];
  const users = knownUsers();
  const how = { now, policy, taskListLength: USUAL_TASK_LIST_LENGTH, duplicates: false, users };
  const run = jobs.length === 0 ? null : yield* firstRun({ ...how, selection: { ...ANY_RUN, jobs } });
  if (run === null) {
    yield* printErr('Job not found.\n');
    return 2;
  }
  const figures = figuresOf(run, cluster, users.byName.get(run.job.spec.user)?.group ?? '');
  if (isGiven(given, 'debug')) yield* printOut(rawText(figures));
  yield* printOut(figuresText(figures));
  return 0;
}

function* firstRun(search: Search): Asking<Run | null> {
  const found: Run[] = [];
  yield* eachRun(search, function* (runs) {
    if (found.length === 0) found.push(...runs.slice(0, 1));
    yield* pause();
  });
  return found[0] ?? null;
}

/** As the original, which takes neither for a success. */
function* printAndFail(text: string): Program {
  yield* printOut(text);
  return 1;
}

interface Figures {
  readonly run: Run;
  readonly cluster: string;
  readonly group: string;
  readonly cpus: number;
  readonly nodes: number;
  readonly cpuSeconds: number;
  readonly memoryBytes: number;
  readonly allowedBytes: number;
}

function figuresOf(run: Run, cluster: string, group: string): Figures {
  const tres = run.allocated ?? run.requested;
  const cpuMs = run.steps.reduce((sum, { cpu }) => sum + (cpu?.totalMs ?? 0), 0);
  return {
    run,
    cluster,
    group,
    cpus: tres.cpus,
    nodes: tres.nodes,
    cpuSeconds: Math.round(cpuMs / 1000),
    memoryBytes: Math.max(
      run.attempt?.usage?.peakMemoryBytes ?? 0,
      ...run.steps.map(({ peakMemoryBytes }) => peakMemoryBytes ?? 0),
    ),
    allowedBytes: run.allocated?.memoryBytes ?? 0,
  };
}

function rawText({
  run,
  cluster,
  group,
  cpus,
  nodes,
  cpuSeconds,
  memoryBytes,
  allowedBytes,
}: Figures): string {
  const { job, array, state, exit, elapsedSeconds } = run;
  const names =
    'JobID ArrayJobID User Group State Clustername Ncpus Nnodes Ntasks Reqmem PerNode Cput Walltime Mem ExitStatus';
  const values = [
    job.id,
    array === null ? '' : run.displayId,
    job.spec.user,
    group,
    state,
    cluster,
    cpus,
    nodes,
    allowedBytes / 1024,
    isPerCpu(run) ? 0 : 1,
    cpuSeconds,
    elapsedSeconds,
    memoryBytes / 1024,
    exit.code,
  ];
  return `Slurm data: ${names}\nSlurm data: ${printable(values.join(' '))}\n\n`;
}

function figuresText(figures: Figures): string {
  const { run, cluster, group, cpus, nodes } = figures;
  const { job, array, state, exit } = run;
  const isUnderWay = state === 'PENDING' || state === 'RUNNING';
  const lines = [
    `Job ID: ${job.id}`,
    ...(array === null ? [] : [`Array Job ID: ${run.displayId}`]),
    `Cluster: ${cluster}`,
    `User/Group: ${job.spec.user}/${group}`,
    `State: ${state}${isUnderWay ? '' : ` (exit code ${exit.code})`}`,
    ...(cpus === 1 ? ['Cores: 1'] : [`Nodes: ${nodes}`, `Cores per node: ${Math.floor(cpus / nodes)}`]),
    ...(state === 'PENDING'
      ? ['Efficiency not available for jobs in the PENDING state.']
      : efficiencyLines(figures)),
  ];
  return lines.map((line) => `${printable(line)}\n`).join('');
}

function efficiencyLines({
  run,
  cpus,
  nodes,
  cpuSeconds,
  memoryBytes,
  allowedBytes,
}: Figures): readonly string[] {
  const coreSeconds = run.elapsedSeconds * cpus;
  const share = isPerCpu(run)
    ? `${bytesText(allowedBytes / Math.max(1, cpus))}/core`
    : `${bytesText(allowedBytes / nodes)}/node`;
  const lines = [
    `CPU Utilized: ${clockOf(cpuSeconds)}`,
    `CPU Efficiency: ${percent(cpuSeconds, coreSeconds)} of ${clockOf(coreSeconds)} core-walltime`,
    `Job Wall-clock time: ${clockOf(run.elapsedSeconds)}`,
    `Memory Utilized: ${bytesText(memoryBytes)}`,
    `Memory Efficiency: ${percent(memoryBytes, allowedBytes)} of ${bytesText(allowedBytes)} (${share})`,
  ];
  if (run.state !== 'RUNNING') return lines;
  return [...lines, 'WARNING: Efficiency statistics may be misleading for RUNNING jobs.'];
}

function isPerCpu({ job }: Run): boolean {
  return job.spec.resources.memory?.per === 'cpu';
}

function clockOf(seconds: number): string {
  return fullClockText(seconds * 1000);
}

function percent(part: number, whole: number): string {
  return `${(whole === 0 ? 0 : (part / whole) * 100).toFixed(2)}%`;
}

const PREFIXES = ['K', 'M', 'G', 'T', 'P', 'E'];

/** `71.97 MB`, `4.00 GB`: nothing is `0.00 MB`. */
function bytesText(bytes: number): string {
  if (bytes === 0) return '0.00 MB';
  let [amount, at] = [bytes / 1024, 0];
  while (amount >= 1024 && at < PREFIXES.length - 1) {
    amount /= 1024;
    at += 1;
  }
  return `${amount.toFixed(2)} ${PREFIXES[at]}B`;
}
