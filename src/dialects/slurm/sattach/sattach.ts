/**
 * `sattach`: looks at a running step. Its tasks write to the `srun` that runs them, or to files, and to nobody in
 * between; so what goes to files is passed on, and of the rest it is said where it is.
 */

import type { JobRef } from '../../../model/ids.ts';
import type { Attempt, Job } from '../../../model/job.ts';
import type { Step } from '../../../model/step.ts';
import { type GivenOption, isGiven, lastValue, type OptionSpec } from '../../options.ts';
import { type Asking, type Invocation, type Program, printErr, printOut, query } from '../../program.ts';
import { SLURM_VERSION, type SlurmCommand } from '../command.ts';
import { readCommandLine } from '../command-line.ts';
import { failure, SlurmFailure } from '../failure.ts';
import { type HelpGroup, helpText } from '../help-text.ts';
import { foldHosts } from '../host-list.ts';
import { parseStepWord, refsOf } from '../job-words.ts';
import { outputsOfStep, tasksOfStep } from '../srun/step-words.ts';
import { exitOnError } from '../submit/exit-codes.ts';
import { filesOf, follow } from './follow.ts';

export const sattach: SlurmCommand = { name: 'sattach', run };

const FILTERS = ['input-filter', 'output-filter', 'error-filter'];

const OPTIONS: readonly OptionSpec[] = [
  ...FILTERS.map((name): OptionSpec => ({ name, value: 'required' })),
  { name: 'help', short: 'h', value: 'none' },
  { name: 'label', short: 'l', value: 'none' },
  { name: 'layout', value: 'none' },
  { name: 'pty', value: 'none' },
  { name: 'quiet', short: 'Q', value: 'none' },
  { name: 'usage', short: 'u', value: 'none' },
  { name: 'verbose', short: 'v', value: 'none' },
  { name: 'version', short: 'V', value: 'none' },
];

const GROUPS: readonly HelpGroup[] = [
  [
    'Options',
    [
      ['    --layout', 'print which task is on which node, and nothing else'],
      ['-l, --label', 'begin each line with the number of its task'],
      ['    --output-filter=N', 'stdout of this task only'],
      ['    --error-filter=N', 'stderr of this task only'],
      ['-Q, --quiet', 'print nothing of its own but errors'],
      ['-V, --version', 'print the version of Slurm that is spoken'],
      ['-h, --help', 'this'],
    ],
  ],
];

const HELP = helpText(['Usage: sattach [OPTIONS] JOBID.STEPID'], GROUPS, [
  'What the tasks write into files is passed on. What goes to the terminal of their srun is there and nowhere else.',
]);
const USAGE = 'Usage: sattach [options] <jobid.stepid>';

interface Found {
  readonly ref: JobRef;
  readonly job: Job;
  readonly attempt: Attempt;
  readonly step: Step;
}

function* run(invocation: Invocation): Program {
  const exitCode = exitOnError(invocation);
  const style = { command: 'sattach', positionals: 'anywhere', exitCode } as const;
  const { options, positionals, afterDashes } = readCommandLine(OPTIONS, invocation.argv.slice(1), style);
  if (isGiven(options, 'version')) return yield* answer(`slurm ${SLURM_VERSION}\n`);
  if (isGiven(options, 'help')) return yield* answer(HELP);
  if (isGiven(options, 'usage')) return yield* answer(`${USAGE}\n`);
  const wanted = {
    stdout: taskOf(options, 'output-filter', exitCode),
    stderr: taskOf(options, 'error-filter', exitCode),
  };
  taskOf(options, 'input-filter', exitCode);
  const found = yield* stepNamed([...positionals, ...(afterDashes ?? [])], exitCode);
  const { ref, job, attempt, step } = found;
  if (isGiven(options, 'layout')) return yield* answer(layoutText(step));
  const files = filesOf(outputsOfStep(job, attempt, step), wanted);
  if (files.length === 0) {
    const name = `StepId=${job.id}.${step.n}`;
    throw failure(
      'sattach',
      `${name} writes to the terminal of its srun and cannot be seen from here`,
      exitCode,
    );
  }
  const ended = yield* follow(ref, step, files, isGiven(options, 'label'));
  return yield* reportEnd(ended);
}

function* answer(text: string): Asking<number> {
  yield* printOut(text);
  return 0;
}

function taskOf(options: readonly GivenOption[], name: string, exitCode: number): number | null {
  const value = lastValue(options, name);
  if (value === null) return null;
  if (/^\d{1,9}$/.test(value)) return Number(value);
  throw failure('sattach', `Invalid numeric value "${value}" for ${name}.`, exitCode);
}

function* stepNamed(words: readonly string[], exitCode: number): Asking<Found> {
  const [text] = words;
  if (text === undefined || words.length > 1) throw badCall('too many parameters', exitCode);
  const word = parseStepWord(text);
  if (word === null || word.step === null) {
    throw badCall('Failed to parse stepid from command line options', exitCode);
  }
  const ref = refsOf(word)[0] as JobRef;
  const detail = yield* query('job', { ref });
  const job = detail?.view.job ?? null;
  const attempt = job?.attempt ?? null;
  const step = detail?.steps.find(({ n, attempt: of }) => n === word.step && of === attempt?.id);
  if (job === null || attempt === null || step === undefined) {
    throw noStep('Invalid job id specified', exitCode);
  }
  if (step.endedAt !== null) throw noStep('Job/step already completing or completed', exitCode);
  return { ref: { job: job.id, index: null }, job, attempt, step };
}

function badCall(sentence: string, exitCode: number): SlurmFailure {
  return new SlurmFailure([`sattach: error: ${sentence}`, USAGE], exitCode);
}

function noStep(sentence: string, exitCode: number): SlurmFailure {
  return failure('sattach', `Could not get job step info: ${sentence}`, exitCode);
}

/** The exit code is that of the task that ended worst. */
function* reportEnd({ usage, exit }: Step): Asking<number> {
  for (const [rank, status] of (usage?.rankStatuses ?? []).entries()) {
    if (status !== 0) yield* printErr(`sattach: error: task ${rank} exited with exit code ${status}\n`);
  }
  return exit?.signal == null ? (exit?.code ?? 0) : 128 + exit.signal;
}

function layoutText(step: Step): string {
  const { nodes } = step.placement;
  const tasks = tasksOfStep(step);
  const lines = nodes.map(({ node, ranks }, number) => {
    const numbers = tasks.find((task) => task.nodeNumber === number)?.ranksOnNode ?? [];
    return `\tNode ${number} (${node}), ${ranks} task(s): ${numbers.map((rank) => `${rank} `).join('')}`;
  });
  const hosts = foldHosts(nodes.map(({ node }) => node));
  const head = `\t${tasks.length} tasks, ${nodes.length} nodes (${hosts})`;
  return ['Job step layout:', head, '', ...lines, ''].join('\n');
}
