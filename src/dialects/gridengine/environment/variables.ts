/** What a job of Grid Engine's finds in its environment: about itself, its place, its submitter and its cluster. */

import type { Attempt, Job } from '../../../model/job.ts';
import type { VoicePlace, VoiceSurroundings } from '../../../model/voice.ts';
import { architectureName, binaryDirectory, CELL, cellRoot } from '../cell.ts';
import { slotsOf } from '../job-facts.ts';
import { QUEUE_SHELL, shellNamed } from '../submit/shells.ts';
import { submitterFrom } from '../submit/submitter.ts';
import { GRID_ENGINE, wordOf } from '../words.ts';
import { directoryOn, filledPath, hostFile, jobNumber, ownDirectory, spoolDirectory } from './places.ts';

/** Null: it is not set. */
type Entry = readonly [name: string, value: string | number | null];

/** The ports that Grid Engine has by default. Nobody listens there; some programs want to see numbers. */
const MASTER_PORT = 6444;
const EXECUTION_PORT = 6445;
const PLAIN_PATH = '/usr/local/bin:/bin:/usr/bin';
const UNDEFINED = 'undefined';

export function jobEntries(
  job: Job,
  attempt: Attempt,
  place: VoicePlace,
  surroundings: VoiceSurroundings,
): readonly Entry[] {
  return [
    ...ownEntries(job, attempt, surroundings),
    ...placeEntries(job, attempt, place, surroundings),
    ...taskEntries(job),
    ...clusterEntries(surroundings),
    ...submitterEntries(job, surroundings),
    ...lateEntries(job, place),
    ...pathEntries(job, place, surroundings),
  ];
}

function ownEntries(job: Job, attempt: Attempt, surroundings: VoiceSurroundings): readonly Entry[] {
  const { spec, restarts } = job;
  const { stdin, stdout, stderr } = spec.streams;
  const output = filledPath(stdout, job, attempt);
  const { script } = spec.program;
  return [
    ['JOB_ID', jobNumber(job)],
    ['JOB_NAME', spec.name],
    ['JOB_SCRIPT', script === null ? wordOf(job, 'script') : `${surroundings.directory}/scripts/${script}`],
    ['REQNAME', spec.name],
    ['REQUEST', spec.name],
    ['RESTARTED', restarts > 0 ? 1 : 0],
    ['SGE_ACCOUNT', wordOf(job, 'account') ?? 'sge'],
    ['PWD', spec.workDir],
    ['SGE_CWD_PATH', spec.workDir],
    ['SGE_STDIN_PATH', stdin === null ? '/dev/null' : filledPath(stdin, job, attempt)],
    ['SGE_STDOUT_PATH', output],
    ['SGE_STDERR_PATH', stderr === null ? output : filledPath(stderr, job, attempt)],
  ];
}

function placeEntries(
  job: Job,
  { placement }: Attempt,
  place: VoicePlace,
  surroundings: VoiceSurroundings,
): readonly Entry[] {
  const pe = wordOf(job, 'pe');
  const directory = directoryOn(place.nodeNumber, ownDirectory(job, surroundings));
  return [
    ['HOSTNAME', place.node.node],
    ['QUEUE', job.spec.queue],
    ['NHOSTS', placement.nodes.length],
    ['NQUEUES', placement.nodes.length],
    ['NSLOTS', slotsOf(placement, GRID_ENGINE)],
    ['PE', pe],
    ['PE_HOSTFILE', pe === null ? null : hostFile(job, surroundings)],
    ['SGE_JOB_SPOOL_DIR', spoolDirectory(job, surroundings)],
    ['TMP', directory],
    ['TMPDIR', directory],
  ];
}

function taskEntries(job: Job): readonly Entry[] {
  const range = job.element === null ? null : /^(\d+)-(\d+):(\d+)$/.exec(wordOf(job, 'taskRange') ?? '');
  return [
    ['SGE_TASK_ID', job.element?.index ?? UNDEFINED],
    ['SGE_TASK_FIRST', range?.[1] ?? UNDEFINED],
    ['SGE_TASK_LAST', range?.[2] ?? UNDEFINED],
    ['SGE_TASK_STEPSIZE', range?.[3] ?? UNDEFINED],
  ];
}

function clusterEntries({ directory, yardName, machine }: VoiceSurroundings): readonly Entry[] {
  const arch = machine === undefined ? null : architectureName(machine);
  return [
    ['ARC', arch],
    ['SGE_ARCH', arch],
    ['SGE_BINARY_PATH', arch === null ? null : binaryDirectory(directory, arch)],
    ['SGE_CELL', CELL],
    ['SGE_CLUSTER_NAME', yardName],
    ['SGE_EXECD_PORT', EXECUTION_PORT],
    ['SGE_QMASTER_PORT', MASTER_PORT],
    ['SGE_ROOT', cellRoot(directory)],
  ];
}

/** A login of the submitter, with the queue's shell; a terminal's name only where somebody gave it. */
function submitterEntries(job: Job, { submitterHas }: VoiceSurroundings): readonly Entry[] {
  const submitter = submitterFrom(wordOf(job, 'submitter'));
  const { user } = job.spec;
  return [
    ['HOME', submitter?.HOME ?? null],
    ['LOGNAME', user],
    ['USER', user],
    ['SHELL', shellNamed(wordOf(job, 'shell') ?? '') ?? QUEUE_SHELL],
    ['TERM', submitterHas('TERM') ? null : ''],
    ['SGE_O_HOME', submitter?.HOME ?? null],
    ['SGE_O_HOST', submitter?.HOST ?? null],
    ['SGE_O_LOGNAME', submitter?.LOGNAME ?? null],
    ['SGE_O_MAIL', submitter?.MAIL ?? null],
    ['SGE_O_PATH', submitter?.PATH ?? null],
    ['SGE_O_SHELL', submitter?.SHELL ?? null],
    ['SGE_O_TZ', submitter?.TZ ?? null],
    ['SGE_O_WORKDIR', submitter?.WORKDIR ?? null],
  ];
}

/** Values that name what is known only now. */
function lateEntries(job: Job, { node }: VoicePlace): readonly Entry[] {
  const values: Readonly<Record<string, string>> = {
    JOB_ID: `${jobNumber(job)}`,
    JOB_NAME: job.spec.name,
    HOSTNAME: node.node,
    TASK_ID: `${job.element?.index ?? UNDEFINED}`,
  };
  return Object.entries(lateVariables(job)).map(([name, value]) => [
    name,
    value.replace(PSEUDO, (_written, plain?: string, braced?: string) => values[plain ?? braced ?? ''] ?? ''),
  ]);
}

const PSEUDO = /\$(?:(JOB_ID|JOB_NAME|HOSTNAME|TASK_ID)\b|\{(JOB_ID|JOB_NAME|HOSTNAME|TASK_ID)\})/g;

function lateVariables(job: Job): Readonly<Record<string, string>> {
  const word = wordOf(job, 'lateVariables');
  if (word === null) return {};
  try {
    return JSON.parse(word) as Readonly<Record<string, string>>;
  } catch {
    return {};
  }
}

/**
 * The job's own directory is where its programs are looked for first, then the yard's commands: one that is installed
 * would look for its master in the yard's cell, and find none.
 */
function pathEntries(
  job: Job,
  { nodeNumber }: VoicePlace,
  surroundings: VoiceSurroundings,
): readonly Entry[] {
  const given =
    lateVariables(job).PATH ??
    (surroundings.submitterHas('PATH') ? submitterFrom(wordOf(job, 'submitter'))?.PATH : undefined);
  const { directory, machine } = surroundings;
  const commands = machine === undefined ? [] : [binaryDirectory(directory, architectureName(machine))];
  const own = directoryOn(nodeNumber, ownDirectory(job, surroundings));
  return [['PATH', [own, ...commands, given ?? PLAIN_PATH].join(':')]];
}
