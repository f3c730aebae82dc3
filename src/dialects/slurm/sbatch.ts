/**
 * `sbatch`: hands in a script. Which options there are and what they mean is in submit/; here is what is done with
 * them, and what is said about it.
 */

import { printable } from '../../model/bytes.ts';
import type { JobId } from '../../model/ids.ts';
import type { Program as JobProgram, JobSpec } from '../../model/job-spec.ts';
import { absolutePath } from '../../model/paths.ts';
import { variableOf } from '../environment.ts';
import { withKeptCode } from '../kept-code.ts';
import { type GivenOption, isGiven, lastValue, type ParsedArguments } from '../options.ts';
import { type Asking, type Invocation, keepBlob, type Program, printErr, printOut } from '../program.ts';
import { jobWaitedFor, keepWaitingFor } from '../waiting-caller.ts';
import { SLURM_VERSION, type SlurmCommand } from './command.ts';
import { readCommandLine } from './command-line.ts';
import { clusterFor } from './submit/clusters.ts';
import { complaint, EXIT_OPTION, refusedFailure, SubmissionRefused } from './submit/complaints.ts';
import { readDirectives } from './submit/directives.ts';
import { optionsFromEnvironment } from './submit/environment-input.ts';
import { exitOnError } from './submit/exit-codes.ts';
import { exportedEnvironment, withVariablesOf } from './submit/export-values.ts';
import { jobRequest } from './submit/job-request.ts';
import { mergedOptions } from './submit/layers.ts';
import { exportFile, withHostsFromFiles } from './submit/listed-files.ts';
import { SBATCH_OPTIONS } from './submit/options.ts';
import { SBATCH_HELP, SBATCH_USAGE } from './submit/sbatch-help.ts';
import { type BatchScript, scriptFromFile, scriptFromStdin, wrappedScript } from './submit/script.ts';
import { submitJob } from './submit/submission.ts';
import { lookAround } from './submit/surroundings.ts';
import { printTrial } from './submit/trial.ts';
import { verboseText } from './submit/verbose.ts';
import { awaitExitCode } from './submit/waiting.ts';
import { codeNotKept, withYardLines } from './submit/yard-lines.ts';
import type { SlurmWord } from './words.ts';

export const sbatch: SlurmCommand = { name: 'sbatch', run };

function* run(invocation: Invocation): Program {
  const parsed = readCommandLine(SBATCH_OPTIONS, invocation.argv.slice(1), {
    command: 'sbatch',
    positionals: 'endOptions',
    exitCode: EXIT_OPTION,
  });
  const answer = immediateAnswer(parsed.options);
  if (answer !== null) {
    yield* printOut(answer);
    return 0;
  }
  const waitedFor = jobWaitedFor(invocation);
  if (waitedFor !== null) return yield* awaitEnd(waitedFor);
  let given: readonly GivenOption[] = parsed.options;
  try {
    const script = yield* scriptOf(invocation, parsed);
    given = yield* allOptions(invocation, parsed.options, script);
    return yield* submitScript(invocation, parsed, script, given);
  } catch (error) {
    if (!(error instanceof SubmissionRefused)) throw error;
    const testOnly = isGiven(given, 'test-only');
    throw refusedFailure(error, { command: 'sbatch', testOnly, exitCode: exitOnError(invocation) });
  }
}

/** What needs no script; null when there is more to do. */
function immediateAnswer(options: readonly GivenOption[]): string | null {
  if (isGiven(options, 'version')) return `slurm ${SLURM_VERSION}\n`;
  if (isGiven(options, 'help')) return SBATCH_HELP;
  if (isGiven(options, 'usage')) return SBATCH_USAGE;
  if (lastValue(options, 'gres') === 'help') return 'Valid gres options are:\ngpu[[:type]:count]\n';
  return null;
}

function argumentsOf({ positionals, afterDashes }: ParsedArguments): readonly string[] {
  return [...positionals, ...(afterDashes ?? [])];
}

function* scriptOf(invocation: Invocation, parsed: ParsedArguments): Asking<BatchScript> {
  const [path] = argumentsOf(parsed);
  const wrapped = lastValue(parsed.options, 'wrap');
  if (wrapped !== null) {
    if (path !== undefined) throw complaint('sbatch', 'Script arguments not permitted with --wrap option', 1);
    return wrappedScript(wrapped);
  }
  if (path === undefined) return yield* scriptFromStdin();
  if (path === ':') throw complaint('sbatch', 'heterogeneous jobs are not supported here', 1);
  const jobDir = absolutePath(invocation.workDir, lastValue(parsed.options, 'chdir') ?? '.');
  return yield* scriptFromFile(invocation, path, jobDir);
}

/** Of script, environment and command line, with what is in the files they name. */
function* allOptions(
  invocation: Invocation,
  commandLine: readonly GivenOption[],
  { bytes, called }: BatchScript,
): Asking<readonly GivenOption[]> {
  const environment = optionsFromEnvironment('sbatch', invocation.environment);
  const directives = readDirectives(bytes, called);
  const given = mergedOptions('sbatch', { script: directives.given, environment, commandLine });
  if (!isGiven(given, 'ignore-pbs') && !isGiven(given, 'quiet')) {
    for (const mark of directives.foreign) {
      yield* printErr(`sbatch: warning: ${mark} lines are not read here, only #SBATCH lines are\n`);
    }
  }
  return yield* withHostsFromFiles('sbatch', given);
}

function* submitScript(
  invocation: Invocation,
  parsed: ParsedArguments,
  script: BatchScript,
  given: readonly GivenOption[],
): Asking<number> {
  if (isGiven(given, 'verbose')) yield* printErr(verboseText('sbatch', given));
  const cluster = yield* clusterFor('sbatch', lastValue(given, 'clusters'));
  const scriptArguments = argumentsOf(parsed).slice(1);
  const wanted = {
    command: 'sbatch',
    given,
    invocation,
    program: programOf(invocation, scriptArguments),
    defaultName: script.name,
    words: wordsOf(invocation, script, scriptArguments),
  } as const;
  const surroundings = yield* lookAround(given);
  // Everything is checked before anything is kept, so that a mistake leaves nothing behind.
  const { spec: plain, remarks } = jobRequest(wanted, surroundings);
  const kept = withYardLines(plain, script.bytes, given, invocation);
  const { spec } = kept;
  if (!isGiven(given, 'quiet')) {
    const warnings = kept.warnings.map((text) => `warning: ${text}`);
    for (const remark of [...remarks, ...warnings]) yield* printErr(`sbatch: ${printable(remark)}\n`);
  }
  if (isGiven(given, 'test-only')) return yield* printTrial('sbatch', spec, invocation.timeZone);
  const code = yield* withKeptCode(spec, kept.wantsSnapshot);
  if (!code.ok) throw codeNotKept(code.refusal);
  const { job } = yield* submitJob(yield* withBlobs(code.spec, script, given, invocation));
  yield* announce(given, job, cluster);
  return isGiven(given, 'wait') ? yield* awaitEnd(job) : 0;
}

function* awaitEnd(job: JobId): Asking<number> {
  yield* keepWaitingFor(job);
  return yield* awaitExitCode(job);
}

function programOf({ environment, umask, ulimits }: Invocation, argv: readonly string[]): JobProgram {
  const umaskText = variableOf(environment, 'SLURM_UMASK') ?? '';
  return {
    script: null,
    argv,
    environment: '',
    umask: /^[0-7]{1,4}$/.test(umaskText) ? Number.parseInt(umaskText, 8) & 0o777 : umask,
    ulimits,
    spread: 'once',
    caller: null,
  };
}

function wordsOf(
  { argv }: Invocation,
  { path }: BatchScript,
  scriptArguments: readonly string[],
): Readonly<Partial<Record<SlurmWord, string>>> {
  const submitLine = ['sbatch', ...argv.slice(1)].join(' ');
  return path === null ? { submitLine } : { submitLine, command: [path, ...scriptArguments].join(' ') };
}

function* withBlobs(
  spec: JobSpec,
  { bytes }: BatchScript,
  given: readonly GivenOption[],
  { environment, user }: Invocation,
): Asking<JobSpec> {
  const exported = exportedEnvironment(environment, lastValue(given, 'export'), user);
  const file = yield* exportFile('sbatch', given);
  const whole = file === null ? exported : withVariablesOf(exported, file);
  const script = yield* keepBlob(bytes);
  return { ...spec, program: { ...spec.program, script, environment: yield* keepBlob(whole) } };
}

/** `cluster` is null when none was named. */
function* announce(given: readonly GivenOption[], job: number, cluster: string | null): Asking<void> {
  if (isGiven(given, 'quiet')) return;
  if (isGiven(given, 'parsable')) yield* printOut(`${job}${cluster === null ? '' : `;${cluster}`}\n`);
  else yield* printOut(`Submitted batch job ${job}${cluster === null ? '' : ` on cluster ${cluster}`}\n`);
}
