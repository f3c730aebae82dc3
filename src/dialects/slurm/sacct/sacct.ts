/** `sacct`: what became of jobs and their steps, in columns, with separators for programs, or as JSON. */

import { variableOf } from '../../environment.ts';
import { knownUsers } from '../../known-users.ts';
import { allValues, type GivenOption, isGiven, lastGiven, lastValue } from '../../options.ts';
import { printPieces } from '../../print-pieces.ts';
import {
  type Asking,
  clock,
  type Invocation,
  type Program,
  printErr,
  printOut,
  query,
} from '../../program.ts';
import { type Conversion, unitNamed } from '../amounts.ts';
import { SLURM_VERSION, type SlurmCommand } from '../command.ts';
import { readCommandLine } from '../command-line.ts';
import { failure, SlurmFailure } from '../failure.ts';
import { type Column, chooseColumns, fieldNamesText, headerText, lineText } from '../field-table.ts';
import { type OpenList, openList, type Structure, structured } from '../listing/structured.ts';
import { momentWriter } from '../moment-writer.ts';
import { headingText } from '../moments.ts';
import { tableStyleOf } from '../table-options.ts';
import { taskListLength } from '../task-list.ts';
import { BRIEF_FORMAT, COMPLETION_FORMAT, FIELDS, LONG_FORMAT, USUAL_FORMAT } from './fields.ts';
import { chosenSteps, cutToWindow, type Selection } from './filters.ts';
import { HELP, USAGE } from './help.ts';
import { aroundRuns, runValue } from './json.ts';
import { eachRun, type Search, type VisitRuns } from './look-up.ts';
import { OPTIONS, readSelection } from './options.ts';
import type { Run } from './runs.ts';
import { printScripts, refuseWithoutJobs, type Wanted } from './scripts.ts';
import type { Context, Row } from './values.ts';

export const sacct: SlurmCommand = { name: 'sacct', run: runSacct };

function* runSacct(invocation: Invocation): Program {
  const parsed = readCommandLine(OPTIONS, invocation.argv.slice(1), {
    command: 'sacct',
    positionals: 'anywhere',
    exitCode: 1,
    hint: false,
  });
  const { options: given, positionals, afterDashes } = parsed;
  const aboutItself = textAboutItself(given);
  if (aboutItself !== null) {
    yield* printOut(aboutItself);
    return 0;
  }
  refuseArguments([...positionals, ...(afterDashes ?? [])]);
  refuseFile(lastValue(given, 'file'));
  checkHetJob(given);
  return yield* answer(given, invocation);
}

function* answer(given: readonly GivenOption[], invocation: Invocation): Program {
  const { environment, timeZone, user, uid } = invocation;
  const columns = chooseFormat(given, invocation);
  const conversion = readConversion(given);
  const now = yield* clock();
  const policy = yield* query('policy', {});
  const { name: cluster } = yield* query('yard', {});
  const selection = readSelection(given, { name: user, uid }, policy, now, timeZone);
  yield* checkUsers(given, selection);
  yield* tellWindow(given, selection, timeZone);

  const users = knownUsers();
  const search: Search = {
    selection,
    now,
    policy,
    taskListLength: taskListLength(variableOf(environment, 'SLURM_BITSTR_LEN')),
    duplicates: isGiven(given, 'duplicates'),
    users,
  };
  const isHere = isOurs(lastValue(given, 'clusters'), cluster);
  const each = function* (visit: VisitRuns): Asking<void> {
    if (!isHere) return;
    yield* eachRun(search, (runs) =>
      visit(isGiven(given, 'truncate') ? runs.map((run) => cutToWindow(run, selection.window)) : runs),
    );
  };
  const scripts = scriptsAsked(given);
  if (scripts !== null) {
    refuseWithoutJobs(scripts, selection);
    yield* each((runs) => printScripts(runs, scripts));
    return 0;
  }
  const writer = momentWriter(variableOf(environment, 'SLURM_TIME_FORMAT'), timeZone, now);
  const context: Context = { now, users: users.byName, policy, cluster, conversion, moment: writer.write };
  const structure = lastGiven(given, ['json', 'yaml']);
  if (structure !== null) {
    yield* printStructured(structure.name === 'json' ? 'json' : 'yaml', each, context);
    return 0;
  }
  const style = tableStyleOf(given, lastValue(given, 'delimiter') ?? '|');
  yield* printOut(headerText(columns, style));
  yield* each(function* (runs) {
    yield* printPieces(
      runs
        .flatMap((run) => rowsOf(run, given, selection, context))
        .map((row) => lineText(columns, row, style)),
    );
  });
  if (writer.complaint !== null) yield* printErr(`sacct: error: ${writer.complaint}\n`);
  return 0;
}

type EachRun = (visit: VisitRuns) => Asking<void>;

/** Whether there is anything stands ahead of the runs, so nothing is written before the first one is found. */
function* printStructured(structure: Structure, each: EachRun, context: Context): Asking<void> {
  let list: OpenList | null = null;
  yield* each(function* (runs) {
    if (list === null) {
      list = openList(aroundRuns(true), structure);
      yield* printOut(list.head);
    }
    yield* printPieces(recordsOf(list, runs, context));
  });
  const rest = list as OpenList | null;
  yield* printOut(rest === null ? structured(aroundRuns(false), structure) : rest.end());
}

function* recordsOf(list: OpenList, runs: readonly Run[], context: Context): Generator<string> {
  for (const run of runs) yield list.next(runValue(run, context));
}

function scriptsAsked(given: readonly GivenOption[]): Wanted | null {
  if (isGiven(given, 'batch-script')) return 'script';
  return isGiven(given, 'env-vars') ? 'environment' : null;
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

function refuseArguments(words: readonly string[]): void {
  if (words.length === 0) return;
  const lines = ['sacct: error: Unknown arguments:', ...words.map((word) => `sacct: error:  ${word}`)];
  throw new SlurmFailure(lines, 1);
}

/** A yard keeps its accounts itself, and in no file that could be named. */
function refuseFile(path: string | null): void {
  if (path !== null) throw new SlurmFailure([`${path} is not a valid file`], 1);
}

function checkHetJob(given: readonly GivenOption[]): void {
  const value = lastValue(given, 'whole-hetjob');
  if (value === null || /^(?:yes|no)$/i.test(value)) return;
  throw failure('sacct', `Invalid --whole-hetjob value "${value}". Valid values: [yes|no].`);
}

function chooseFormat(given: readonly GivenOption[], { environment }: Invocation): readonly Column<Row>[] {
  const words = formatOf(given, variableOf(environment, 'SACCT_FORMAT')).split(',');
  const end = words.indexOf('');
  const wanted = (end === -1 ? words : words.slice(0, end)).flatMap((word) =>
    word.toLowerCase() === 'all' ? FIELDS.map(({ name }) => name) : [word],
  );
  const chosen = chooseColumns(FIELDS, wanted);
  if (chosen.ok) return chosen.columns;
  throw failure('sacct', `Invalid field requested: "${chosen.unknown}"`);
}

function formatOf(given: readonly GivenOption[], variable: string | null): string {
  if (isGiven(given, 'format')) return allValues(given, 'format').join(',');
  const preset = lastGiven(given, ['brief', 'long'])?.name;
  if (preset !== undefined) return preset === 'brief' ? BRIEF_FORMAT : LONG_FORMAT;
  if (variable !== null && variable !== '') return variable;
  return isGiven(given, 'completion') ? COMPLETION_FORMAT : USUAL_FORMAT;
}

function readConversion(given: readonly GivenOption[]): Conversion {
  const unit = lastValue(given, 'units');
  if (unit === null) return isGiven(given, 'noconvert') ? 'none' : 'largest';
  const known = unitNamed(unit.toUpperCase());
  if (known !== null) return known;
  const lines = [`sacct: error: Invalid unit type '${unit}'. Possible options are 'KMGTP'`];
  throw new SlurmFailure([...lines, 'sacct: fatal: Invalid unit type'], 1);
}

/** Numbers are taken as they are; names must be somebody's. */
function* checkUsers(given: readonly GivenOption[], { users }: Selection): Asking<void> {
  if (!isGiven(given, 'uid')) return;
  const names = (users ?? []).filter((user) => !/^\d+$/.test(user));
  const known = yield* query('users', { names });
  const unknown = names.find((_name, i) => known[i] === null);
  if (unknown !== undefined) throw failure('sacct', `Invalid user id: ${unknown}`);
}

function* tellWindow(
  given: readonly GivenOption[],
  { states, window }: Selection,
  zone: string,
): Asking<void> {
  if (!isGiven(given, 'verbose')) return;
  const [from, until] = [window.from, window.until].map((at) =>
    at === 0 ? 'Epoch 0' : headingText(at, zone),
  );
  const what = states === null ? 'Eligible' : states.join(',');
  yield* printErr(`sacct: Jobs ${what} in the time window from ${from} to ${until}\n`);
}

/** A yard is the one cluster it knows; of any other there is nothing to tell. */
function isOurs(clusters: string | null, cluster: string): boolean {
  return clusters === null || clusters === 'all' || clusters.split(',').includes(cluster);
}

function rowsOf(
  run: Run,
  given: readonly GivenOption[],
  { jobs }: Selection,
  context: Context,
): readonly Row[] {
  const whole: Row = { run, step: null, context };
  if (isGiven(given, 'completion')) return run.endedAt === null ? [] : [whole];
  if (isGiven(given, 'allocations')) return [whole];
  const chosen = chosenSteps(run, jobs);
  const steps = (chosen ?? run.steps).map((step) => ({ run, step, context }));
  return chosen === null ? [whole, ...steps] : steps;
}
