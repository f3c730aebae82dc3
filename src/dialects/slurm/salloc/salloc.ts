/**
 * `salloc`: gets a place and runs a command, or the caller's shell, in it. Which options there are and what they mean
 * is in submit/; how the place is waited for, in allocate/.
 */

import { bytesFromText } from '../../../model/bytes.ts';
import type { JobSpec } from '../../../model/job-spec.ts';
import { absolutePath } from '../../../model/paths.ts';
import type { RunHere } from '../../../model/run-here.ts';
import { type Allocation, allocateAgain, callersProgram } from '../../allocation.ts';
import { variableOf } from '../../environment.ts';
import { type GivenOption, isGiven, lastValue, type ParsedArguments } from '../../options.ts';
import {
  type Asking,
  clock,
  type Invocation,
  keepBlob,
  type Program,
  printErr,
  printOut,
  runHere,
  whenCallerGoes,
} from '../../program.ts';
import { allocate } from '../allocate/allocation.ts';
import { customsOf } from '../allocate/caller.ts';
import { lookAtHome } from '../allocate/home.ts';
import { SALLOC_MESSAGES } from '../allocate/messages.ts';
import { SLURM_VERSION, type SlurmCommand } from '../command.ts';
import { readCommandLine } from '../command-line.ts';
import { shellVariables } from '../environment/shell.ts';
import { clusterFor } from '../submit/clusters.ts';
import { complaint, EXIT_OPTION, refusedFailure, SubmissionRefused } from '../submit/complaints.ts';
import { optionsFromEnvironment } from '../submit/environment-input.ts';
import { exitOnError } from '../submit/exit-codes.ts';
import { type Asked, textAsked } from '../submit/given.ts';
import { jobRequest } from '../submit/job-request.ts';
import { mergedOptions } from '../submit/layers.ts';
import { withHostsFromFiles } from '../submit/listed-files.ts';
import { SALLOC_OPTIONS } from '../submit/options.ts';
import { lookAround } from '../submit/surroundings.ts';
import { verboseText } from '../submit/verbose.ts';
import { SALLOC_HELP, SALLOC_USAGE } from './help.ts';

export const salloc: SlurmCommand = { name: 'salloc', run };

const DEFAULT_NAME = 'interactive';
/** Who has waited longer may be looking elsewhere. */
const BELL_AFTER_MS = 10_000;
const BELL = bytesFromText('\u0007');

function* run(invocation: Invocation): Program {
  const parsed = readCommandLine(SALLOC_OPTIONS, invocation.argv.slice(1), {
    command: 'salloc',
    positionals: 'endOptions',
    exitCode: EXIT_OPTION,
  });
  const answer = immediateAnswer(parsed.options);
  if (answer !== null) {
    yield* printOut(answer);
    return 0;
  }
  const environment = optionsFromEnvironment('salloc', invocation.environment);
  const merged = mergedOptions('salloc', { script: [], environment, commandLine: parsed.options });
  const asked: Asked = { command: 'salloc', given: yield* withHostsFromFiles('salloc', merged) };
  try {
    return yield* allocateAndRun(invocation, asked, commandOf(parsed, invocation));
  } catch (error) {
    if (!(error instanceof SubmissionRefused)) throw error;
    throw refusedFailure(error, { command: 'salloc', testOnly: false, exitCode: exitOnError(invocation) });
  }
}

function immediateAnswer(options: readonly GivenOption[]): string | null {
  if (isGiven(options, 'version')) return `slurm ${SLURM_VERSION}\n`;
  if (isGiven(options, 'help')) return SALLOC_HELP;
  if (isGiven(options, 'usage')) return SALLOC_USAGE;
  if (lastValue(options, 'gres') === 'help') return 'Valid gres options are:\ngpu[[:type]:count]\n';
  return null;
}

function commandOf(
  { positionals, afterDashes }: ParsedArguments,
  { environment }: Invocation,
): readonly string[] {
  const command = [...positionals, ...(afterDashes ?? [])];
  if (command.includes(':')) {
    throw complaint(
      'salloc',
      'heterogeneous jobs, with a ":" between their parts, are not supported here',
      1,
    );
  }
  return command.length > 0 ? command : [variableOf(environment, 'SHELL') || '/bin/sh'];
}

function* allocateAndRun(invocation: Invocation, asked: Asked, argv: readonly string[]): Asking<number> {
  const { given } = asked;
  if (isGiven(given, 'verbose')) yield* printErr(verboseText('salloc', given));
  yield* clusterFor('salloc', lastValue(given, 'clusters'));
  const startedAt = yield* clock();
  const place = yield* placeFor(invocation, asked, argv);
  const waitedMs = (yield* clock()) - startedAt;
  const { id } = place.job;
  if (!isGiven(given, 'quiet')) yield* printErr(`salloc: Granted job allocation ${id}\n`);
  if (rings(invocation, given, waitedMs)) yield* printOut(BELL);
  if (isGiven(given, 'no-shell')) {
    yield* whenCallerGoes(null);
    return 0;
  }
  return yield* runHere(yield* runOf(invocation, asked, place, argv));
}

function* placeFor(invocation: Invocation, asked: Asked, argv: readonly string[]): Asking<Allocation> {
  const customs = customsOf(asked, invocation, SALLOC_MESSAGES);
  const again = invocation.ticket === null ? null : allocateAgain(invocation.ticket, customs);
  if (again !== null) return yield* again;
  const surroundings = yield* lookAround(asked.given);
  const words = { submitLine: ['salloc', ...invocation.argv.slice(1)].join(' ') };
  const program = callersProgram(invocation, argv);
  // A place that nobody stays in does not end with the one who asked for it.
  const kept = isGiven(asked.given, 'no-shell') ? { ...program, caller: null } : program;
  const wanted = { ...asked, invocation, program: kept, defaultName: DEFAULT_NAME, words };
  const { spec, remarks } = jobRequest(wanted, surroundings);
  if (!customs.quiet) {
    for (const remark of [...remarks, ...signalRemarks(asked)]) yield* printErr(`salloc: ${remark}\n`);
  }
  const environment = yield* keepBlob(invocation.environment);
  const own: JobSpec = { ...spec, program: { ...spec.program, environment }, requeue: false };
  return yield* allocate(own, customs);
}

/** A command whose place is taken away is always ended, and always in the same way. */
function signalRemarks(asked: Asked): readonly string[] {
  const signal = textAsked(asked, 'kill-command');
  if (signal === null) return [];
  return [
    `warning: --kill-command=${signal} has no effect here: the command gets SIGTERM, and SIGKILL after that`,
  ];
}

function rings({ terminal }: Invocation, given: readonly GivenOption[], waitedMs: number): boolean {
  if (!terminal.stdout || isGiven(given, 'no-bell')) return false;
  return isGiven(given, 'bell') || waitedMs > BELL_AFTER_MS;
}

function* runOf(
  invocation: Invocation,
  asked: Asked,
  { job, attempt }: Allocation,
  argv: readonly string[],
): Asking<RunHere> {
  const { home, graceMs } = yield* lookAtHome(invocation.user, invocation.uid);
  const quiet = isGiven(asked.given, 'quiet');
  const shell = {
    argv,
    workDir: absolutePath(invocation.workDir, textAsked(asked, 'chdir') || '.'),
    variables: Object.fromEntries(shellVariables(job, attempt, home)),
    unset: [],
    node: attempt.placement.nodes[0]?.node ?? '',
    nodeNumber: 0,
    rank: 0,
    cpuIds: [],
    stdout: { kind: 'caller' },
    stderr: { kind: 'caller' },
  } as const;
  return {
    attempt: attempt.id,
    step: null,
    holdsJob: true,
    ranks: [shell],
    input: { kind: 'rank', rank: 0 },
    manner: {
      name: 'salloc',
      stepName: `${job.id}`,
      label: false,
      unbuffered: true,
      terminal: true,
      killOnBadExit: false,
      waitMs: null,
      limitMs: null,
      graceMs,
      quiet,
      quitOnInterrupt: false,
      pidVariable: null,
      farewell: quiet ? null : `salloc: Relinquishing job allocation ${job.id}`,
    },
  };
}
