/**
 * `srun`: runs a command as a step, in the job it is called in or in one of its own. Which options there are and what
 * they mean is told in files beside this one and in submit/; here is what is done, one thing after the other.
 */

import type { JobSpec } from '../../../model/job-spec.ts';
import { baseName } from '../../../model/paths.ts';
import { type Allocation, allocateAgain, callersProgram } from '../../allocation.ts';
import { type GivenOption, isGiven, lastValue } from '../../options.ts';
import {
  type Asking,
  giveTicket,
  type Invocation,
  keepBlob,
  type Program,
  printErr,
  printOut,
} from '../../program.ts';
import { allocate } from '../allocate/allocation.ts';
import { customsOf } from '../allocate/caller.ts';
import { SRUN_MESSAGES } from '../allocate/messages.ts';
import { SLURM_VERSION, type SlurmCommand } from '../command.ts';
import { readCommandLine } from '../command-line.ts';
import { clusterFor } from '../submit/clusters.ts';
import { EXIT_OPTION, refusedFailure, SubmissionRefused } from '../submit/complaints.ts';
import { exitOnError } from '../submit/exit-codes.ts';
import { jobRequest } from '../submit/job-request.ts';
import { optionWarnings } from '../submit/option-fates.ts';
import { SRUN_OPTIONS } from '../submit/options.ts';
import { lookAround } from '../submit/surroundings.ts';
import { printTrial } from '../submit/trial.ts';
import { verboseText } from '../submit/verbose.ts';
import { wordOf } from '../words.ts';
import { confirmedJob, enclosingJob } from './enclosing-job.ts';
import { SRUN_HELP, SRUN_USAGE } from './help.ts';
import { ownWarnings, programsFor, readWish, type SrunWish } from './options.ts';
import { runStep } from './run-step.ts';
import { BEGINS_ANEW } from './step.ts';

export const srun: SlurmCommand = { name: 'srun', run };

/** A job of more tasks is refused in any case. */
const MOST_CHECKED = 65_536;

function* run(invocation: Invocation): Program {
  const parsed = readCommandLine(SRUN_OPTIONS, invocation.argv.slice(1), {
    command: 'srun',
    positionals: 'endOptions',
    exitCode: EXIT_OPTION,
  });
  const answer = immediateAnswer(parsed.options);
  if (answer !== null) {
    yield* printOut(answer);
    return 0;
  }
  const wish = yield* readWish(invocation, parsed);
  const { asked, commandLine } = wish;
  if (isGiven(asked.given, 'verbose')) yield* printErr(verboseText('srun', asked.given));
  yield* clusterFor('srun', lastValue(commandLine, 'clusters'));
  const inside = enclosingJob(wish);
  try {
    if (inside === null || isGiven(commandLine, 'test-only')) return yield* runInOwnJob(wish);
    return yield* runInside(wish, inside);
  } catch (error) {
    if (!(error instanceof SubmissionRefused)) throw error;
    const testOnly = isGiven(commandLine, 'test-only');
    throw refusedFailure(error, { command: 'srun', testOnly, exitCode: exitOnError(invocation) });
  }
}

/** What needs no command; null when there is more to do. */
function immediateAnswer(options: readonly GivenOption[]): string | null {
  if (isGiven(options, 'version')) return `slurm ${SLURM_VERSION}\n`;
  if (isGiven(options, 'help')) return SRUN_HELP;
  if (isGiven(options, 'usage')) return SRUN_USAGE;
  if (lastValue(options, 'gres') === 'help') return 'Valid gres options are:\ngpu[[:type]:count]\n';
  if (lastValue(options, 'mpi') === 'list') return 'MPI plugin types are...\n\tnone\n';
  return null;
}

function* runInside(wish: SrunWish, id: number): Asking<number> {
  const { commandLine, invocation } = wish;
  yield* giveTicket(invocation.ticket ?? BEGINS_ANEW);
  const place = yield* confirmedJob(id);
  const warnings = [
    ...optionWarnings({ command: 'srun', given: commandLine }),
    ...ownWarnings(wish),
    ...insideWarnings(commandLine),
  ];
  yield* sayAll(
    warnings.map((text) => `warning: ${text}`),
    wish,
  );
  if (isGiven(commandLine, 'begin')) {
    yield* printErr('srun: error: --begin is ignored because nodes are already allocated.\n');
  }
  return yield* runStep(wish, place, null);
}

/** What is about a job cannot be asked for by a part of it. */
function insideWarnings(commandLine: readonly GivenOption[]): readonly string[] {
  if (!isGiven(commandLine, 'signal')) return [];
  return ['--signal has no effect on a step: it gets the warning of its job'];
}

/** Asks for a place of its own, and gives it back with the end of the command. */
function* runInOwnJob(wish: SrunWish): Asking<number> {
  const { invocation, asked } = wish;
  const customs = customsOf(asked, invocation, SRUN_MESSAGES);
  const again = invocation.ticket === null ? null : allocateAgain(invocation.ticket, customs);
  if (again !== null) return yield* runOwn(wish, yield* again);
  const surroundings = yield* lookAround(asked.given);
  const { spec, remarks } = jobRequest(
    {
      ...asked,
      invocation,
      program: callersProgram(invocation, wish.command),
      defaultName: baseName(wish.command[0] as string),
      words: {
        submitLine: ['srun', ...invocation.argv.slice(1)].join(' '),
        command: wish.command[0] as string,
      },
    },
    surroundings,
  );
  const warnings = ownWarnings(wish).map((text) => `warning: ${text}`);
  yield* sayAll([...remarks, ...warnings], wish);
  if (isGiven(asked.given, 'test-only')) return yield* printTrial('srun', spec, invocation.timeZone);
  // A mistake in the file of programs should not cost a place.
  if (wish.programsFile !== null && tasksOf(spec) <= MOST_CHECKED) programsFor(wish, tasksOf(spec));
  const environment = yield* keepBlob(invocation.environment);
  const own: JobSpec = { ...spec, program: { ...spec.program, environment }, requeue: false };
  return yield* runOwn(wish, yield* allocate(own, customs));
}

function* runOwn(wish: SrunWish, place: Allocation): Asking<number> {
  return yield* runStep(wish, place, tasksOf(place.job.spec));
}

/** Tasks that share CPUs are more than the ranks that the job has CPUs for. */
function tasksOf(spec: JobSpec): number {
  return Number(wordOf({ spec }, 'ntasks') ?? spec.resources.ranks);
}

function* sayAll(remarks: readonly string[], { asked }: SrunWish): Asking<void> {
  if (isGiven(asked.given, 'quiet')) return;
  for (const remark of remarks) yield* printErr(`srun: ${remark}\n`);
}
