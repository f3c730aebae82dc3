/**
 * `sbcast`: copies a file to the nodes of a job. All nodes are this machine, so there is one copy; what is about
 * sending it elsewhere changes nothing.
 */

import type { JobId } from '../../model/ids.ts';
import { variableOf, variablesNamed } from '../environment.ts';
import { type GivenOption, isGiven, lastGiven, lastValue, type OptionSpec } from '../options.ts';
import {
  type Asking,
  type CopyResult,
  copyFile,
  type Invocation,
  type Program,
  printErr,
  printOut,
  query,
} from '../program.ts';
import { SLURM_VERSION, type SlurmCommand } from './command.ts';
import { readCommandLine } from './command-line.ts';
import { failure, SlurmFailure } from './failure.ts';
import { type HelpGroup, helpText } from './help-text.ts';
import { foldHosts } from './host-list.ts';
import { parseStepWord } from './job-words.ts';

export const sbcast: SlurmCommand = { name: 'sbcast', run };

const OPTIONS: readonly OptionSpec[] = [
  { name: 'compress', short: 'C', value: 'optional' },
  { name: 'exclude', value: 'required' },
  { name: 'fanout', short: 'F', value: 'required' },
  { name: 'force', short: 'f', value: 'none' },
  { name: 'help', value: 'none' },
  { name: 'jobid', short: 'j', value: 'required' },
  { name: 'preserve', short: 'p', value: 'none' },
  { name: 'send-libs', value: 'optional' },
  { name: 'size', short: 's', value: 'required' },
  { name: 'timeout', short: 't', value: 'required' },
  { name: 'treewidth', value: 'required' },
  { name: 'usage', value: 'none' },
  { name: 'verbose', short: 'v', value: 'none' },
  { name: 'version', short: 'V', value: 'none' },
];

/** About how a file travels, which it does not. */
const OF_THE_JOURNEY = ['compress', 'exclude', 'fanout', 'send-libs', 'size', 'timeout', 'treewidth'];

const VARIABLES: Readonly<Record<string, string>> = {
  SBCAST_COMPRESS: 'compress',
  SBCAST_EXCLUDE: 'exclude',
  SBCAST_FANOUT: 'fanout',
  SBCAST_FORCE: 'force',
  SBCAST_PRESERVE: 'preserve',
  SBCAST_SEND_LIBS: 'send-libs',
  SBCAST_SIZE: 'size',
  SBCAST_TIMEOUT: 'timeout',
  SLURM_JOB_ID: 'jobid',
};

const NAMES = new Set(Object.keys(VARIABLES));

const GROUPS: readonly HelpGroup[] = [
  [
    'Options',
    [
      ['-f, --force', 'replace a file that is there'],
      ['-p, --preserve', 'keep the times of the file'],
      ['-j, --jobid=ID', 'of this job; otherwise of the one it is called in'],
      ['-v, --verbose', 'say what is done'],
      ['-V, --version', 'print the version of Slurm that is spoken'],
      ['    --help', 'this'],
    ],
  ],
];

const HELP = helpText(['Usage: sbcast [OPTIONS] SOURCE DESTINATION'], GROUPS, [
  'All nodes of a job are this machine: the file is copied once.',
]);
const USAGE = 'Usage: sbcast [-fpvV] [-j jobid] source destination\n';

const TRY_HELP = 'Try "sbcast --help" for more information';
const EXIT_LOOKUP = 255;

function* run(invocation: Invocation): Program {
  const style = { command: 'sbcast', positionals: 'anywhere', exitCode: 1 } as const;
  const { options, positionals, afterDashes } = readCommandLine(OPTIONS, invocation.argv.slice(1), style);
  if (isGiven(options, 'version')) return yield* answer(`slurm ${SLURM_VERSION}\n`);
  if (isGiven(options, 'help')) return yield* answer(HELP);
  if (isGiven(options, 'usage')) return yield* answer(USAGE);
  const names = [...positionals, ...(afterDashes ?? [])];
  const [source, target] = names;
  if (source === undefined || target === undefined || names.length > 2) {
    throw new SlurmFailure([`Need two file names, have ${names.length} names`, TRY_HELP], 1);
  }
  const given = [...optionsFrom(invocation.environment), ...options];
  yield* sayWithoutEffect(options);
  const nodes = yield* nodesOfJob(jobFrom(invocation, given));
  if (isGiven(given, 'verbose')) {
    const lines = [`source     = ${source}`, `dest       = ${target}`, `node_list  = ${foldHosts(nodes)}`];
    yield* printErr(lines.map((line) => `sbcast: ${line}\n`).join(''));
  }
  const manner = { replace: isGiven(given, 'force'), keepTimes: isGiven(given, 'preserve') };
  const result = yield* copyFile(source, target, manner);
  if (!result.ok) throw copyFailure(result, source, nodes[0] ?? '');
  return 0;
}

function* answer(text: string): Asking<number> {
  yield* printOut(text);
  return 0;
}

function optionsFrom(environment: Uint8Array): readonly GivenOption[] {
  return [...variablesNamed(environment, NAMES)].map(([written, value]) => ({
    name: VARIABLES[written] as string,
    value,
    written,
  }));
}

function* sayWithoutEffect(options: readonly GivenOption[]): Asking<void> {
  const option = lastGiven(options, OF_THE_JOURNEY);
  if (option === null) return;
  yield* printErr(
    `sbcast: warning: --${option.name} has no effect here: all nodes see the same files, so the copy stays on this machine\n`,
  );
}

/** A job, or a step of it, which has no place of its own for files. */
function jobFrom({ environment }: Invocation, given: readonly GivenOption[]): JobId {
  const text = lastValue(given, 'jobid') ?? variableOf(environment, 'TRAINYARD_JOB_ID');
  if (text === null) {
    throw failure(
      'sbcast',
      'Need a job id to run this command.  Run from within a Slurm job or use the --jobid option.',
    );
  }
  const word = parseStepWord(text);
  if (word === null || word.indices !== null) {
    throw failure('sbcast', `Slurm job ${text} lookup error: Invalid job id specified`, EXIT_LOOKUP);
  }
  return word.job;
}

function* nodesOfJob(id: JobId): Asking<readonly string[]> {
  const detail = yield* query('job', { ref: { job: id, index: null } });
  const job = detail?.view.job;
  if (job?.phase === 'active' && job.attempt !== null)
    return job.attempt.placement.nodes.map(({ node }) => node);
  const why =
    job === undefined
      ? 'Invalid job id specified'
      : job.phase === 'ended'
        ? 'Job/step already completing or completed'
        : 'Job is pending execution';
  throw failure('sbcast', `Slurm job ${id} lookup error: ${why}`, EXIT_LOOKUP);
}

type CopyFailure = Extract<CopyResult, { ok: false }>;

/** What the system calls it, and its number for it, which is the exit code. */
const REASONS: Readonly<Record<CopyFailure['error'], readonly [sentence: string, number: number]>> = {
  missing: ['No such file or directory', 2],
  denied: ['Permission denied', 13],
  exists: ['File exists', 17],
  directory: ['Is a directory', 21],
  unusable: ['Input/output error', 5],
};

function copyFailure({ of, error }: CopyFailure, source: string, node: string): SlurmFailure {
  const [sentence, number] = REASONS[error];
  if (of === 'source') return failure('sbcast', `Can't open \`${source}\`: ${sentence}`, EXIT_LOOKUP);
  if (error === 'directory') return failure('sbcast', 'Target filename cannot be a directory.');
  return failure('sbcast', `REQUEST_FILE_BCAST(${node}): ${sentence}`, number);
}
