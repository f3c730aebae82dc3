/**
 * What is executed for one rank and with which variables. Pure: files are written and processes are started
 * by others.
 */

import { bytesFromText } from '../model/bytes.ts';
import { byVisibleNames, deviceVariables } from '../model/device-variables.ts';
import type { Attempt, Job } from '../model/job.ts';
import { mayAskAgain, type Program } from '../model/job-spec.ts';
import type { Node } from '../model/node.ts';
import { countOf, firstOf, lastOf } from '../model/ranges.ts';
import type { Variables } from '../model/voice.ts';
import { type SubmittedEnvironment, submittedValue } from './environment.ts';
import type { KeepNote } from './keep-notes.ts';
import { type Place, rankCount } from './places.ts';
import type { ScriptFile } from './scripts.ts';

export interface LaunchSurroundings {
  readonly yardId: string;
  /** Where commands inside the job find their yard. */
  readonly yardDirectory: string;
  /** Where it runs; null: nobody knows that node any more. */
  readonly node: Pick<Node, 'name' | 'devices'> | null;
  /** What it keeps, and where; null: nothing. */
  readonly kept: Pick<KeepNote, 'order' | 'resumeFrom'> | null;
  /** A directory for the attempt alone, which its program makes when it needs one; null: there is none. */
  readonly ownDir: string | null;
  /** The exit code by which a batch script asks for another run; null: there is none. */
  readonly againExitCode: number | null;
  /** When its time limit will end it; null: it has none. */
  readonly endsAt: number | null;
  /** Directories for the end of a job's PATH. */
  readonly commands: readonly string[];
  /** The directory of Trainyard's Python package, for the end of PYTHONPATH; null: there is none. */
  readonly python: string | null;
}

export const MARKER_YARD = 'TRAINYARD_YARD';
export const MARKER_ATTEMPT = 'TRAINYARD_ATTEMPT';
export const MARKER_RANK = 'TRAINYARD_RANK';
/** Only in what belongs to a step. */
export const MARKER_STEP = 'TRAINYARD_STEP';

/** Everything the yard says to a job through its environment; `spoken`: what its dialect says. */
export function jobVariables(
  job: Job,
  attempt: Attempt,
  place: Place,
  surroundings: LaunchSurroundings,
  submitted: SubmittedEnvironment,
  spoken: Variables,
): ReadonlyMap<string, string> {
  const submitterHas = (name: string) => submitted.names.has(name);
  const variables = placeVariables(job, attempt, place, rankCount(attempt), surroundings, submitterHas);
  if (job.spec.program.spread === 'everyRank') addRendezvous(variables, job, attempt, place, submitted);
  if (job.spec.resources.cpusAsked && !submitted.names.has('OMP_NUM_THREADS')) {
    variables.set('OMP_NUM_THREADS', `${Math.max(1, Math.floor(job.spec.resources.cpusPerRank))}`);
  }
  for (const [name, value] of spoken) variables.set(name, byVisibleNames(name, value, surroundings.node));
  addCommands(variables, surroundings, submitted);
  addPython(variables, surroundings, submitted);
  return variables;
}

/** The part of it that holds for whatever runs in the place, whoever runs it. */
export function placeVariables(
  job: Job,
  attempt: Attempt,
  place: Pick<Place, 'rank' | 'localRank' | 'node'>,
  ranks: number,
  surroundings: Omit<LaunchSurroundings, 'commands' | 'python'>,
  submitterHas: (name: string) => boolean,
): Map<string, string> {
  const variables = new Map<string, string>([
    [MARKER_YARD, surroundings.yardId],
    [MARKER_ATTEMPT, attempt.id],
    ['TRAINYARD_JOB_ID', `${job.id}`],
    ['TRAINYARD_RESTARTS', `${job.restarts}`],
    ['TRAINYARD_DIR', surroundings.yardDirectory],
    ['TRAINYARD_NODE', place.node.node],
    ['TRAINYARD_NODES', attempt.placement.nodes.map((share) => share.node).join(',')],
    [MARKER_RANK, `${place.rank}`],
    ['TRAINYARD_RANKS', `${ranks}`],
    ['TRAINYARD_LOCAL_RANK', `${place.localRank}`],
  ]);
  addArray(variables, job);
  addDevices(variables, job, place, surroundings, submitterHas);
  addKept(variables, surroundings);
  const againExitCode = againExitCodeOf(job, surroundings.againExitCode);
  if (againExitCode !== null) variables.set('TRAINYARD_REQUEUE_EXIT', `${againExitCode}`);
  return variables;
}

/** Only where it would be heard: jobs may have codes of their own, and others have none. */
function againExitCodeOf({ spec }: Job, ofYard: number | null): number | null {
  const { aftermath } = spec;
  if (aftermath !== undefined) return aftermath.againExitCodes[0] ?? null;
  return mayAskAgain(spec) ? ofYard : null;
}

function addKept(
  variables: Map<string, string>,
  { kept, ownDir, endsAt }: Pick<LaunchSurroundings, 'kept' | 'ownDir' | 'endsAt'>,
): void {
  if (ownDir !== null) variables.set('TRAINYARD_ATTEMPT_DIR', ownDir);
  if (endsAt !== null) variables.set('TRAINYARD_ENDS_AT', `${Math.floor(endsAt / 1000)}`);
  if (kept === null) return;
  const { from, to, scratch } = kept.order;
  if (from !== null) variables.set('TRAINYARD_CHECKPOINTS', from);
  if (to !== null) variables.set('TRAINYARD_PERSIST', to);
  const resumeFrom = kept.resumeFrom ?? null;
  if (resumeFrom !== null) variables.set('TRAINYARD_RESUME_FROM', resumeFrom);
  if (scratch !== null) variables.set('SCRATCH', scratch.directory);
}

/** Last of all, so that nothing else that is on the PATH is hidden. Without a PATH, programs have ideas of their own. */
function addCommands(
  variables: Map<string, string>,
  { commands }: LaunchSurroundings,
  submitted: SubmittedEnvironment,
): void {
  const path = variables.get('PATH') ?? submittedValue(submitted, 'PATH');
  if (path === null || path === '') return;
  const known = path.split(':');
  const missing = commands.filter((directory) => !known.includes(directory));
  if (missing.length > 0) variables.set('PATH', [path, ...missing].join(':'));
}

/** Last as well: a project's own modules come first. */
function addPython(
  variables: Map<string, string>,
  { python }: LaunchSurroundings,
  submitted: SubmittedEnvironment,
): void {
  if (python === null) return;
  const path = variables.get('PYTHONPATH') ?? submittedValue(submitted, 'PYTHONPATH') ?? '';
  if (path.split(':').includes(python)) return;
  variables.set('PYTHONPATH', path === '' ? python : `${path}:${python}`);
}

function addArray(variables: Map<string, string>, job: Job): void {
  if (job.element === null) return;
  variables.set('TRAINYARD_ARRAY_ID', `${job.element.array}`);
  variables.set('TRAINYARD_ARRAY_INDEX', `${job.element.index}`);
  const indices = job.spec.array?.indices;
  if (indices === undefined) return;
  variables.set('TRAINYARD_ARRAY_MIN', `${firstOf(indices) ?? job.element.index}`);
  variables.set('TRAINYARD_ARRAY_MAX', `${lastOf(indices) ?? job.element.index}`);
  variables.set('TRAINYARD_ARRAY_COUNT', `${countOf(indices)}`);
}

function addDevices(
  variables: Map<string, string>,
  { spec }: Job,
  place: Pick<Place, 'node'>,
  { node, yardDirectory }: Pick<LaunchSurroundings, 'node' | 'yardDirectory'>,
  submitterHas: (name: string) => boolean,
): void {
  if (node === null) return;
  const { devices: shares } = place.node;
  const told = { node, shares, request: spec.resources.gpus, yardDirectory, submitterHas };
  for (const [name, value] of deviceVariables(told)) variables.set(name, value);
}

/** What torch and its like read to find each other. Every node is this machine, so the first is local. */
function addRendezvous(
  variables: Map<string, string>,
  job: Job,
  attempt: Attempt,
  place: Place,
  submitted: Pick<SubmittedEnvironment, 'names'>,
): void {
  variables.set('RANK', `${place.rank}`);
  variables.set('WORLD_SIZE', `${rankCount(attempt)}`);
  variables.set('LOCAL_RANK', `${place.localRank}`);
  if (!submitted.names.has('MASTER_ADDR')) variables.set('MASTER_ADDR', '127.0.0.1');
  if (!submitted.names.has('MASTER_PORT')) variables.set('MASTER_PORT', `${masterPort(job)}`);
}

/** Below the range from which the kernel gives ports to clients, and different for neighbouring jobs. */
function masterPort(job: Job): number {
  return 20_000 + (job.id % 10_000);
}

/** The command of the job, with the detour around the shell where variables or its name need one. */
export function commandOf(
  program: Program,
  script: ScriptFile | null,
  aroundShell: readonly string[],
): readonly string[] {
  const interpreter = program.interpreter ?? script?.interpreter ?? [];
  const command = script === null ? program.argv : [...interpreter, script.path, ...program.argv];
  const name = command[0] ?? '';
  if (aroundShell.length === 0 && !name.startsWith('-')) return command;
  // `env` would take a command with `=` in its name for one more variable.
  const direct = name.includes('=') ? ['/bin/sh', '-c', 'exec "$@"', 'sh', ...command] : command;
  return ['/usr/bin/env', '--', ...aroundShell, ...direct];
}

export interface ShimRequest {
  /** The rank's file, into which the shim writes to claim the rank. */
  readonly rankPath: string;
  /** What the shim adds to its number to claim the rank. */
  readonly claim: string;
  readonly umask: number;
  readonly workDir: string;
  readonly streams: Place['streams'];
  readonly truncate: boolean;
  /** Null: to be unset. */
  readonly variables: ReadonlyMap<string, string | null>;
  /** A variable that tells the job the number of its own process. */
  readonly pidVariable: string | null;
  /** `cgroup.procs` files to join. */
  readonly cgroupFiles: readonly string[];
  readonly ulimits: Readonly<Record<string, string>>;
  /** Those that a shim has without being told. */
  readonly ownUlimits: Readonly<Record<string, string>>;
  readonly command: readonly string[];
}

/** More than a shell ever has open, and less than anybody sets on purpose. */
const SHIM_OPEN_FILES = 64;

/** What a shim needs to know of an attempt. */
export function shimArguments(request: ShimRequest): readonly string[] {
  const limits = ulimitArguments(request.ulimits, request.ownUlimits);
  const variables = [...request.variables];
  return [
    request.rankPath,
    request.claim,
    request.umask.toString(8).padStart(4, '0'),
    request.workDir,
    request.streams.stdin,
    request.streams.stdout,
    request.streams.stderr,
    request.truncate ? 'truncate' : 'append',
    ...variables.flatMap(([name, value]) => (value === null ? [] : ['set', name, value])),
    ...variables.flatMap(([name, value]) => (value === null ? ['unset', name] : [])),
    ...limits.own,
    ...(request.pidVariable === null ? [] : ['pid', request.pidVariable]),
    ...request.cgroupFiles.flatMap((file) => ['cgroup', file]),
    ...limits.job,
    'run',
    ...request.command,
  ];
}

/**
 * Only what differs from what the shim would have anyway. Some limits do no harm to a shim and are cheaper to
 * set there. Of the others, the one on sizes of files comes last: under a small one no fault could be told.
 */
function ulimitArguments(wanted: Readonly<Record<string, string>>, own: Readonly<Record<string, string>>) {
  const changed = Object.entries(wanted).filter(([letter, value]) => own[letter] !== value);
  const harmless = changed.filter((limit) => isHarmless(limit));
  const others = changed.filter((limit) => !isHarmless(limit));
  others.sort(([a], [b]) => Number(a === 'f') - Number(b === 'f'));
  return {
    own: harmless.flatMap(([letter, value]) => ['own', letter, value]),
    job: others.flatMap(([letter, value]) => ['ulimit', letter, value]),
  };
}

function isHarmless([letter, value]: readonly [string, string]): boolean {
  if (letter === 'c') return true;
  return letter === 'n' && (value === 'unlimited' || Number(value) >= SHIM_OPEN_FILES);
}

/** The command by which a shim that waits is given an attempt. Null when an argument holds a NUL. */
export function shimCommand(shimArguments: readonly string[]): Uint8Array | null {
  if (shimArguments.some((text) => text.includes('\0'))) return null;
  const quoted = shimArguments.map((text) => `'${text.replaceAll("'", "'\\''")}'`);
  return bytesFromText(`_yard_attempt ${quoted.join(' ')}\n`);
}

/** What must change in the environment of a shim to suit its next attempt. */
export function changedVariables(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
  submitted: (name: string) => string | null,
): ReadonlyMap<string, string | null> {
  const changes = new Map<string, string | null>();
  for (const [name, value] of after) if (before.get(name) !== value) changes.set(name, value);
  for (const name of before.keys()) if (!after.has(name)) changes.set(name, submitted(name));
  return changes;
}

/** Strings as the kernel takes them, each ended by a NUL. Null when one of them holds a NUL itself. */
export function stringBlock(strings: readonly string[]): Uint8Array | null {
  if (strings.some((text) => text.includes('\0'))) return null;
  return bytesFromText(`${strings.join('\0')}\0`);
}

/** Whether this attempt empties output files that are there. */
export function truncatesOutput(job: Job, attempt: Attempt): boolean {
  switch (job.spec.streams.openMode) {
    case 'append':
      return false;
    case 'truncateAlways':
      return true;
    case 'truncate':
      return attempt.n === 1;
  }
}
