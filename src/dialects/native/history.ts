/** `trainyard history`: what has ended, newest first. */

import type { JobId, JobRef } from '../../model/ids.ts';
import { displayId, type Outcome } from '../../model/job.ts';
import { ANY_JOB, type JobFilter, type JobRecord, type JobView } from '../../model/query.ts';
import { formatDuration } from '../../model/units.ts';
import { eachOfThese, eachPage, sorted } from '../job-pages.ts';
import { allValues, lastGiven, lastValue } from '../options.ts';
import { printPieces } from '../print-pieces.ts';
import { type Asking, clock, type Program, pause, printOut, query } from '../program.ts';
import { parseMoment } from '../text/moments.ts';
import { type Column, type Row, rowsText, titleText, titleWidths, widened } from '../text/table.ts';
import { shortTime } from '../text/times.ts';
import { quoted } from '../text/words.ts';
import type { Call, NativeCommand } from './call.ts';
import { exitText } from './endings.ts';
import { badValue, usageError } from './failure.ts';
import { FILTER_OPTIONS, filtersFrom, orAny } from './filters.ts';
import { runTimeMs } from './job-facts.ts';
import { jobJson } from './json.ts';
import { parseJobRefs } from './look-up.ts';
import { countFrom } from './resource-words.ts';
import { OUTCOME_WORDS, stateCell, stateOf } from './states.ts';

const DEFAULT_ROWS = 20;

export const history: NativeCommand = {
  name: 'history',
  aliases: ['hist'],
  group: 'jobs',
  summary: 'what has ended, newest first',
  usage: ['[options] [JOB…]'],
  about: [],
  examples: [
    { line: 'trainyard history', says: `the last ${DEFAULT_ROWS} jobs` },
    { line: 'trainyard history --since yesterday --state failed', says: 'what went wrong since yesterday' },
    { line: 'trainyard history --since 2d -n 1000 --json', says: 'for a program' },
  ],
  options: [
    {
      name: 'since',
      short: 'S',
      value: 'required',
      argument: 'TIME',
      help: 'ended after: 2d, yesterday, 08:00',
    },
    {
      name: 'state',
      short: 's',
      value: 'required',
      argument: 'STATE',
      help: 'only these: failed, timeout, …',
    },
    ...FILTER_OPTIONS,
    {
      name: 'lines',
      short: 'n',
      value: 'required',
      argument: 'N',
      help: `at most so many; default ${DEFAULT_ROWS}`,
    },
  ],
  positionals: 'anywhere',
  arguments: 'some',
  run: runHistory,
};

function* runHistory(call: Call): Program {
  const { options } = call;
  const now = yield* clock();
  const limit = countFrom(options, 'lines', 1) ?? DEFAULT_ROWS;
  const refs = orAny(parseJobRefs(call.positionals));
  const filter: JobFilter = {
    ...ANY_JOB,
    phases: ['ended'],
    outcomes: orAny(allValues(options, 'state').map(outcomeOf)),
    ...filtersFrom(options),
    endedAfter: sinceFrom(call, now),
  };
  const ids = refs === null ? null : yield* numbersOf(refs);
  const each: EachEnded = (visit) => eachEnded(ids, filter, limit, visit);
  if (call.json) yield* printAsJson(call, now, each);
  else if (call.quiet)
    yield* each(function* (views) {
      yield* printOut(views.map(({ job }) => `${displayId(job)}\n`).join(''));
    });
  else yield* printTable(call, now, limit, each);
  return 0;
}

type EachEnded = (visit: (views: readonly JobView[]) => Asking<void>) => Asking<void>;

/** Newest first. */
function* eachEnded(
  ids: readonly JobId[] | null,
  filter: JobFilter,
  limit: number,
  visit: (views: readonly JobView[]) => Asking<void>,
): Asking<void> {
  let left = limit;
  const look = function* (records: readonly JobRecord[]): Asking<'enough' | undefined> {
    const views = records.slice(0, left).map(({ view }) => view);
    left -= views.length;
    yield* visit(views);
    return left === 0 ? 'enough' : undefined;
  };
  if (ids === null) yield* eachPage({ filter, order: { by: 'newest' } }, look);
  else yield* eachOfThese(ids, look, filter);
}

/** The jobs that are meant, the newest first; an array means its elements too. */
function* numbersOf(refs: readonly JobRef[]): Asking<readonly JobId[]> {
  const ids = new Set<JobId>();
  for (const ref of refs) {
    const detail = yield* query('jobs', { ...ANY_JOB, refs: [ref] });
    for (const { job } of detail) {
      ids.add(job.id);
      if (job.array === null) continue;
      yield* eachPage({ filter: ANY_JOB, order: { by: 'index', array: job.id } }, (records) => {
        for (const { view } of records) ids.add(view.job.id);
        return undefined;
      });
    }
  }
  return yield* sorted([...ids], (a, b) => b - a);
}

function* printAsJson(call: Call, now: number, each: EachEnded): Asking<void> {
  let separator = '';
  yield* printOut('{"jobs":[');
  yield* each(function* (views) {
    yield* printPieces(textsOf(views));
  });
  yield* printOut(']}\n');

  function* textsOf(views: readonly JobView[]): Generator<string> {
    for (const view of views) {
      yield `${separator}${JSON.stringify(jobJson(view, now, call.zone))}`;
      separator = ',';
    }
  }
}

/** A table that is too long to be held is looked at twice: for the widths of its columns, and to be printed. */
function* printTable(call: Call, now: number, limit: number, each: EachEnded): Asking<void> {
  const held: Row[] = [];
  let widths = titleWidths(COLUMNS, call);
  let count = 0;
  const rowsOf = (views: readonly JobView[]) => views.map((view) => rowOf(view, now, call.zone));
  yield* each(function* (views) {
    yield* pause();
    const rows = rowsOf(views);
    widths = widened(COLUMNS, widths, rows);
    if (count < MOST_HELD) held.push(...rows);
    count += rows.length;
  });
  if (count === 0) {
    yield* printOut('no job has ended that matches\n  try: trainyard queue\n');
    return;
  }
  yield* printOut(titleText(COLUMNS, widths, call));
  if (count === held.length) yield* printOut(rowsText(COLUMNS, held, widths, call));
  else
    yield* each(function* (views) {
      yield* printOut(rowsText(COLUMNS, rowsOf(views), widths, call));
    });
  if (count === limit) yield* printOut(`${call.paint('grey', `the newest ${limit}; -n shows more`)}\n`);
}

const MOST_HELD = 500;

const COLUMNS: readonly Column[] = [
  { title: 'ID' },
  { title: 'NAME', shrinkTo: 8 },
  { title: 'USER', shrinkTo: 6 },
  { title: 'QUEUE', shrinkTo: 5 },
  { title: 'STATE' },
  { title: 'EXIT' },
  { title: 'ENDED' },
  { title: 'RAN', align: 'right' },
  { title: 'NOTE', shrinkTo: 10 },
];

function rowOf({ job }: JobView, now: number, zone: string): Row {
  const ranMs = runTimeMs(job.attempt, now);
  return [
    displayId(job),
    job.spec.name,
    job.spec.user,
    job.spec.queue,
    stateCell(stateOf(job)),
    exitText(job) || '-',
    job.endedAt === null ? '-' : shortTime(job.endedAt, now, zone),
    ranMs === null ? '-' : formatDuration(ranMs),
    job.note ?? '',
  ];
}

function sinceFrom(call: Call, now: number): number | null {
  const option = lastGiven(call.options, ['since']);
  if (option === null) return null;
  const text = lastValue(call.options, 'since') ?? '';
  const at = parseMoment(text, now, call.zone, 'behind');
  if (at === null) {
    throw badValue(option.written, text, 'a time is wanted, as 2d, yesterday, 08:00 or 2026-11-16T08:00');
  }
  return at;
}

/** Accepts the word that is shown, and the one that --json uses. */
function outcomeOf(text: string): Outcome {
  const wanted = text.toLowerCase().replace(/[ _-]/g, '');
  const outcomes = Object.keys(OUTCOME_WORDS) as Outcome[];
  const found = outcomes.find((outcome) =>
    [outcome.toLowerCase(), OUTCOME_WORDS[outcome].word.replaceAll(' ', '')].includes(wanted),
  );
  if (found === undefined) throw usageError(`--state ${quoted(text)} is no way to end`, null, outcomes);
  return found;
}
