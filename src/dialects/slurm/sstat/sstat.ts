/** `sstat`: what the steps of running jobs use at this moment. */

import type { JobRef } from '../../../model/ids.ts';
import { ANY_JOB, type JobRecord } from '../../../model/query.ts';
import { allValues, type GivenOption, isGiven, type OptionSpec } from '../../options.ts';
import {
  type Asking,
  clock,
  type Invocation,
  type Program,
  printErr,
  printOut,
  query,
} from '../../program.ts';
import type { Conversion } from '../amounts.ts';
import { SLURM_VERSION, type SlurmCommand } from '../command.ts';
import { readCommandLine } from '../command-line.ts';
import { failure } from '../failure.ts';
import { type Column, chooseColumns, fieldNamesText, tableText } from '../field-table.ts';
import { type JobChoice, readJobChoice } from '../job-choices.ts';
import type { StepRun } from '../sacct/step-runs.ts';
import { TABLE_OPTIONS, tableStyleOf } from '../table-options.ts';
import { FIELDS, PID_FORMAT, type Row, USUAL_FORMAT } from './fields.ts';
import { HELP, USAGE } from './help.ts';
import { rowOf, runningSteps } from './steps.ts';

export const sstat: SlurmCommand = { name: 'sstat', run: runSstat };

const OPTIONS: readonly OptionSpec[] = [
  { name: 'allsteps', short: 'a', value: 'none' },
  { name: 'format', aliases: ['fields'], short: 'o', value: 'required' },
  { name: 'help', short: 'h', value: 'none' },
  { name: 'helpformat', short: 'e', value: 'none' },
  { name: 'jobs', short: 'j', value: 'required' },
  { name: 'noconvert', value: 'none' },
  { name: 'pidformat', short: 'i', value: 'none' },
  { name: 'usage', value: 'none' },
  { name: 'verbose', short: 'v', value: 'none' },
  { name: 'version', short: 'V', value: 'none' },
  ...TABLE_OPTIONS,
];

function* runSstat(invocation: Invocation): Program {
  const {
    options: given,
    positionals,
    afterDashes,
  } = readCommandLine(OPTIONS, invocation.argv.slice(1), {
    command: 'sstat',
    positionals: 'anywhere',
    exitCode: 1,
    hint: false,
  });
  const aboutItself = textAboutItself(given);
  if (aboutItself !== null) {
    yield* printOut(aboutItself);
    return 0;
  }
  const columns = chooseFormat(given);
  const words = [...allValues(given, 'jobs'), ...positionals, ...(afterDashes ?? [])];
  const choices = readChoices(words);
  if (choices.length === 0) throw failure('sstat', "You didn't give me any jobs to stat.");
  const style = tableStyleOf(given);
  yield* printOut(tableText(columns, [], style));
  for (const choice of choices) {
    const rows = yield* rowsFor(choice, given, invocation);
    yield* printOut(tableText(columns, rows, { ...style, header: false }));
  }
  return 0;
}

function textAboutItself(given: readonly GivenOption[]): string | null {
  if (isGiven(given, 'version')) return `slurm ${SLURM_VERSION}\n`;
  if (isGiven(given, 'help')) return HELP;
  if (isGiven(given, 'usage')) return USAGE;
  if (isGiven(given, 'helpformat'))
    return fieldNamesText(
      FIELDS.map(({ name }) => name),
      19,
    );
  return null;
}

function chooseFormat(given: readonly GivenOption[]): readonly Column<Row>[] {
  const usual = isGiven(given, 'pidformat') ? PID_FORMAT : USUAL_FORMAT;
  const format = isGiven(given, 'format') ? allValues(given, 'format').join(',') : usual;
  const chosen = chooseColumns(
    FIELDS,
    format.split(',').filter((word) => word !== ''),
  );
  if (chosen.ok) return chosen.columns;
  throw failure('sstat', `Invalid field requested: "${chosen.unknown}"`);
}

interface Choice extends JobChoice {
  /** As it was written. */
  readonly word: string;
}

/** What is named twice is shown once. */
function readChoices(values: readonly string[]): readonly Choice[] {
  const words = new Set(values.flatMap((value) => value.split(',')).filter((word) => word !== ''));
  return [...words].map((word) => ({ ...readJobChoice(word, 'sstat'), word }));
}

function* rowsFor(
  choice: Choice,
  given: readonly GivenOption[],
  invocation: Invocation,
): Asking<readonly Row[]> {
  const now = yield* clock();
  const found = yield* findJobs(choice, invocation);
  const rows: Row[] = [];
  let hasRunning = false;
  for (const record of found) {
    const running = runningSteps(record, now);
    hasRunning ||= running.length > 0;
    const steps = chosenSteps(running, choice, isGiven(given, 'allsteps'));
    if (steps.length === 0) continue;
    const usage = yield* query('usage', { ref: { job: record.view.job.id, index: null } });
    const conversion: Conversion = isGiven(given, 'noconvert') ? 'none' : 'largest';
    rows.push(...steps.map((step) => rowOf(record, step, usage, conversion)));
  }
  if (choice.step !== null && rows.length === 0) {
    yield* printErr(`sstat: error: StepId=${choice.word} not found running.\n`);
  } else if (!hasRunning) yield* printErr(`sstat: error: couldn't get steps for job ${choice.word}\n`);
  return rows;
}

/** Only what belongs to the caller, unless that is root. */
function* findJobs({ job, index }: Choice, { user, uid }: Invocation): Asking<readonly JobRecord[]> {
  const ref: JobRef = { job, index };
  const users = uid === 0 ? null : [user];
  return yield* query('accounting', { ...ANY_JOB, refs: [ref], phases: ['active'], users });
}

/** A job alone stands for its first `srun`. */
function chosenSteps(running: readonly StepRun[], { step }: Choice, all: boolean): readonly StepRun[] {
  if (step !== null) return running.filter(({ n }) => (n ?? 'batch') === step);
  return all ? running : running.filter(({ n }) => n !== null).slice(0, 1);
}
