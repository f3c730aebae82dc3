/** `trainyard history`: what has ended, newest first. */

import { displayId, type Outcome } from '../../model/job.ts';
import { ANY_JOB, type JobView } from '../../model/query.ts';
import { formatDuration } from '../../model/units.ts';
import { allValues, lastGiven, lastValue } from '../options.ts';
import { clock, type Program, printOut, query } from '../program.ts';
import { parseMoment } from '../text/moments.ts';
import { type Column, type Row, table } from '../text/table.ts';
import { shortTime } from '../text/times.ts';
import { quoted } from '../text/words.ts';
import type { Call, NativeCommand } from './call.ts';
import { exitText } from './endings.ts';
import { badValue, usageError } from './failure.ts';
import { FILTER_OPTIONS, filtersFrom, orAny } from './filters.ts';
import { runTimeMs } from './job-facts.ts';
import { jobJson, printJson } from './json.ts';
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
  const views = yield* query('history', {
    refs: orAny(parseJobRefs(call.positionals)),
    phases: ['ended'],
    outcomes: orAny(allValues(options, 'state').map(outcomeOf)),
    ...filtersFrom(options),
    endedAfter: sinceFrom(call, now),
    submittedAfter: ANY_JOB.submittedAfter,
    submittedBefore: ANY_JOB.submittedBefore,
    limit,
  });
  if (call.json) yield* printJson({ jobs: views.map((view) => jobJson(view, now, call.zone)) });
  else if (call.quiet) yield* printOut(views.map(({ job }) => `${displayId(job)}\n`).join(''));
  else if (views.length === 0) yield* printOut('no job has ended that matches\n  try: trainyard queue\n');
  else {
    yield* printOut(
      table(
        COLUMNS,
        views.map((view) => rowOf(view, now, call.zone)),
        call,
      ),
    );
    if (views.length === limit) {
      yield* printOut(`${call.paint('grey', `the newest ${limit}; -n shows more`)}\n`);
    }
  }
  return 0;
}

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
