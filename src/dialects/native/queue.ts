/** `trainyard queue`: what waits and what runs. An array is one row, plus a row for each element under way. */

import type { JobId } from '../../model/ids.ts';
import { displayId, isLive, type Job, type JobPhase } from '../../model/job.ts';
import { ANY_JOB, type JobFilter, type JobView } from '../../model/query.ts';
import { formatDuration } from '../../model/units.ts';
import { chosen, gathered, liveJobs, sorted } from '../job-pages.ts';
import { allValues } from '../options.ts';
import { printPieces } from '../print-pieces.ts';
import { type Asking, clock, type Program, printOut, query } from '../program.ts';
import { type Column, type Row, rowsText, titleText, titleWidths, widened } from '../text/table.ts';
import { quoted } from '../text/words.ts';
import type { Call, NativeCommand } from './call.ts';
import { usageError } from './failure.ts';
import { FILTER_OPTIONS, filtersFrom, orAny } from './filters.ts';
import { jobsIn, placeText, resourcesText, runTimeMs, unstartedText } from './job-facts.ts';
import { jobJson } from './json.ts';
import { ALL_LIVE, parseJobRefs } from './look-up.ts';
import { shortReason } from './reasons.ts';
import { ATTEMPT_WORDS, LIVE_PHASES, PHASE_WORDS, type StateWord, stateCell, stateOf } from './states.ts';

export const queue: NativeCommand = {
  name: 'queue',
  aliases: ['q', 'ls', 'jobs'],
  group: 'jobs',
  summary: 'what waits and what runs',
  usage: ['[options] [JOB…]'],
  about: [],
  examples: [
    { line: 'trainyard queue', says: 'everything that has not ended' },
    { line: 'trainyard queue --state running -u ada', says: 'what ada runs' },
    { line: 'trainyard cancel $(trainyard queue -q --state held)', says: 'numbers only, for other commands' },
  ],
  options: [
    ...FILTER_OPTIONS,
    {
      name: 'state',
      short: 's',
      value: 'required',
      argument: 'STATE',
      help: 'only held, waiting, queued or running ones',
    },
  ],
  positionals: 'anywhere',
  arguments: 'some',
  run: runQueue,
};

function* runQueue(call: Call): Program {
  const states = allValues(call.options, 'state').map(phaseOf);
  const filters = {
    refs: orAny(parseJobRefs(call.positionals)),
    ...filtersFrom(call.options),
  };
  const phases = states.length > 0 ? states : LIVE_PHASES;
  const found = yield* find({ ...ANY_JOB, ...filters, phases, limit: ALL_LIVE }, phases);
  const shown = yield* chosen(found, ({ job }) => job.array === null || jobsIn(job) > 0);
  const views = yield* sorted(shown, byTurn);
  const now = yield* clock();
  if (call.json) {
    yield* printPieces(jsonPieces(views, now, call));
  } else if (call.quiet) {
    yield* printPieces(idPieces(views));
  } else if (views.length === 0) {
    const isFiltered = states.length > 0 || Object.values(filters).some((filter) => filter !== null);
    yield* printOut(isFiltered ? NOTHING_MATCHES : NOTHING_QUEUED);
  } else {
    yield* printTable(views, now, call);
  }
  return 0;
}

function* find(filter: JobFilter, phases: readonly JobPhase[]): Asking<readonly JobView[]> {
  if (filter.refs === null) return yield* liveJobs(filter);
  return yield* withElements(yield* query('jobs', filter), phases);
}

function* jsonPieces(views: readonly JobView[], now: number, call: Call): Generator<string> {
  yield '{"jobs":[';
  for (const [at, view] of views.entries())
    yield `${at === 0 ? '' : ','}${JSON.stringify(jobJson(view, now, call.zone))}`;
  yield ']}\n';
}

function* idPieces(views: readonly JobView[]): Generator<string> {
  for (const { job } of views) yield `${displayId(job)}\n`;
}

function* printTable(views: readonly JobView[], now: number, call: Call): Asking<void> {
  const named = yield* gathered(views, ({ job }) => [[job.id, displayId(job)] as const]);
  const byId = new Map(named);
  const called = (job: JobId) => byId.get(job) ?? `${job}`;
  let widths = titleWidths(COLUMNS, call);
  const rows = yield* gathered(views, (view) => {
    const row = rowOf(view, now, call, called);
    widths = widened(COLUMNS, widths, [row]);
    return [row];
  });
  yield* printPieces(tablePieces(rows, widths, call));
  yield* printOut(`${call.paint('grey', summary(views))}\n`);
}

function* tablePieces(rows: readonly Row[], widths: readonly number[], call: Call): Generator<string> {
  yield titleText(COLUMNS, widths, call);
  for (const row of rows) yield rowsText(COLUMNS, [row], widths, call);
}

/** Who names an array means its elements too. */
function* withElements(named: readonly JobView[], phases: readonly JobPhase[]): Asking<readonly JobView[]> {
  const byId = new Map(named.map((view) => [view.job.id, view]));
  for (const { job } of named) {
    if (job.array === null) continue;
    const detail = yield* query('job', { ref: { job: job.id, index: null } });
    for (const element of detail?.elements ?? []) {
      if (phases.includes(element.job.phase)) byId.set(element.job.id, element);
    }
  }
  return [...byId.values()];
}

const NOTHING_QUEUED = [
  'nothing waits and nothing runs',
  '  try: trainyard submit -- echo hello',
  '       trainyard history    what has ended',
  '',
].join('\n');

const NOTHING_MATCHES =
  'no job that waits or runs matches\n  try: trainyard queue, or trainyard history for what has ended\n';

const COLUMNS: readonly Column[] = [
  { title: 'ID', shrinkTo: 7 },
  { title: 'NAME', shrinkTo: 5 },
  { title: 'USER', shrinkTo: 4 },
  { title: 'QUEUE', shrinkTo: 4 },
  { title: 'STATE' },
  { title: 'TIME', align: 'right' },
  { title: 'LIMIT', align: 'right' },
  { title: 'RESOURCES', shrinkTo: 5 },
  { title: 'WHERE/REASON', shrinkTo: 8 },
];

function rowOf(view: JobView, now: number, call: Call, called: (job: JobId) => string): Row {
  const { job } = view;
  const elapsedMs = job.phase === 'active' ? runTimeMs(job.attempt, now) : null;
  return [
    job.array === null ? displayId(job) : unstartedText(job),
    job.spec.name,
    job.spec.user,
    job.spec.queue,
    stateCell(queueState(job)),
    elapsedMs === null ? '-' : formatDuration(elapsedMs),
    job.spec.limitMs === null ? '-' : formatDuration(job.spec.limitMs),
    resourcesText(job.spec.resources),
    whereOrWhy(view, now, call.zone, called),
  ];
}

/** An array's row is about its elements that have not started, whatever the others do. */
function queueState(job: Job): StateWord {
  return job.array !== null && job.phase === 'active' ? PHASE_WORDS.pending : stateOf(job);
}

function whereOrWhy(view: JobView, now: number, zone: string, called: (job: JobId) => string): string {
  const { job, reason } = view;
  if (isSaving(job)) return job.attempt?.trouble ?? 'its run is over, its checkpoints are being copied';
  if (isLive(job.attempt) && job.phase === 'active') return placeText(job.attempt.placement);
  return reason === null ? '' : shortReason(reason, now, zone, called);
}

const TURN: Readonly<Record<JobPhase, number>> = { active: 0, pending: 1, waiting: 2, held: 3, ended: 4 };

/** What runs first, then what starts next. */
function byTurn(a: JobView, b: JobView): number {
  return (
    TURN[turnOf(a.job)] - TURN[turnOf(b.job)] || (b.priority ?? 0) - (a.priority ?? 0) || a.job.id - b.job.id
  );
}

function turnOf(job: Job): JobPhase {
  return job.array !== null && job.phase === 'active' ? 'pending' : job.phase;
}

function summary(views: readonly JobView[]): string {
  const counts = new Map<string, number>();
  for (const { job } of views) {
    const { word } = isSaving(job) ? ATTEMPT_WORDS.syncing : PHASE_WORDS[turnOf(job)];
    counts.set(word, (counts.get(word) ?? 0) + jobsIn(job));
  }
  return [...counts].map(([word, count]) => `${count} ${word}`).join(', ');
}

/** It holds no place any more. */
function isSaving(job: Job): boolean {
  return job.phase === 'active' && job.array === null && job.attempt?.phase === 'syncing';
}

function phaseOf(text: string): JobPhase {
  const wanted = text.toLowerCase();
  const phase = LIVE_PHASES.find((each) => each === wanted || PHASE_WORDS[each].word === wanted);
  if (phase !== undefined) return phase;
  const choices = LIVE_PHASES.map((each) => PHASE_WORDS[each].word);
  throw usageError(`--state ${quoted(text)} is no state of a job in the queue`, null, choices);
}
