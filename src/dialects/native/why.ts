/** `trainyard why`: in words, why a job waits, what it waits for and when it should start; or how it ended. */

import { printable } from '../../model/bytes.ts';
import type { JobId, JobRef } from '../../model/ids.ts';
import { type Attempt, displayId, type Job, type StopCause } from '../../model/job.ts';
import type { Answer, JobView } from '../../model/query.ts';
import { countOf } from '../../model/ranges.ts';
import type { Explanation, PriorityBreakdown, Reason } from '../../model/reason.ts';
import { formatDuration } from '../../model/units.ts';
import { type Asking, clock, type Program, printOut, query } from '../program.ts';
import { requeueSentences } from '../requeue-sentences.ts';
import { table } from '../text/table.ts';
import { fromNow, shortTime } from '../text/times.ts';
import { capitalised, counted, plainNumber } from '../text/words.ts';
import type { Call, NativeCommand } from './call.ts';
import { noteText } from './checkpoints-table.ts';
import { exitWord } from './endings.ts';
import { holdingSentences, wantingSentences } from './gpu-sentences.ts';
import { latestEndAt, placeText, runTimeMs } from './job-facts.ts';
import { isoOrNull, printJson, reasonJson } from './json.ts';
import { findJob, findLive, oneJobRef, refText } from './look-up.ts';
import { whyItWaits } from './reasons.ts';
import type { OtherJob, Surroundings } from './surroundings.ts';
import { endedSentence } from './waiting.ts';

export const why: NativeCommand = {
  name: 'why',
  aliases: ['explain'],
  group: 'jobs',
  summary: 'why a job waits, and when it should start; where it runs; or how it ended',
  usage: ['JOB'],
  about: [],
  examples: [{ line: 'trainyard why 17', says: 'in words' }],
  options: [],
  positionals: 'anywhere',
  arguments: 'some',
  run: runWhy,
};

function* runWhy(call: Call): Program {
  const ref = oneJobRef(call.positionals, 'why');
  const found = yield* findJob(ref);
  // An element that has not started waits for what its array waits for.
  const asked = found.unstartedIndex === null ? ref : { job: ref.job, index: null };
  const explained = yield* query('explain', { ref: asked });
  const now = yield* clock();
  const view = explained?.view ?? found.detail.view;
  const reason = explained?.explanation.reason ?? view.reason;
  const holds = explained?.explanation.gpus?.holds ?? [];
  const named = [...(reason === null ? [] : namedJobs(reason)), ...holds.flatMap((hold) => hold.neighbours)];
  const others = yield* jobsNamed(named);
  const around: Surroundings = { now, zone: call.zone, caller: call.invocation.user, others };
  const sentences =
    view.job.phase === 'ended'
      ? endedParagraph(endedSentence(found.detail), view)
      : liveParagraph(ref, view, reason, explained?.explanation ?? null, around);
  if (call.json) yield* printJson(whyJson(ref, view, reason, explained, sentences, call, now));
  else {
    yield* printOut(`${printable(sentences)}\n`);
    if (!call.quiet) yield* printOut(afterwards(view, explained, call));
  }
  return 0;
}

/** How people call them, and when they end at the latest. */
function* jobsNamed(ids: readonly JobId[]): Asking<ReadonlyMap<JobId, OtherJob>> {
  if (ids.length === 0) return new Map();
  const views = yield* findLive(ids.map((job) => ({ job, index: null })));
  return new Map(views.map(({ job }) => [job.id, { called: displayId(job), endsBy: latestEndAt(job) }]));
}

function namedJobs(reason: Reason): readonly JobId[] {
  if (reason.kind === 'resources') return reason.waitsFor;
  if (reason.kind === 'priority') return reason.behind === null ? [] : [reason.behind];
  if (reason.kind === 'place' || reason.kind === 'learning') return [reason.job];
  if (reason.kind !== 'dependency') return [];
  return reason.unmet.flatMap(({ term }) => (term.kind === 'singleton' ? [] : [term.job]));
}

function endedParagraph(sentence: string, view: JobView): string {
  const { note, attempt } = view.job;
  const isSaid = note === null || sentence.includes(note) || note === attempt?.trouble;
  const more = isSaid ? '' : ` ${capitalised(note)}.`;
  const said = `${sentence}.${more}`;
  if (attempt?.trouble === undefined) return said;
  const unsafe = said.includes(attempt.trouble)
    ? ''
    : ` Not all that it wrote could be made safe: ${attempt.trouble}.`;
  return `${said}${unsafe} To try again: trainyard checkpoints flush ${displayId(view.job)}`;
}

function liveParagraph(
  ref: JobRef,
  view: JobView,
  reason: Reason | null,
  explanation: Explanation | null,
  around: Surroundings,
): string {
  const { job } = view;
  const called = job.array === null ? `job ${displayId(job)}` : arrayCalled(ref, job);
  const gpus = explanation?.gpus;
  if (job.phase === 'active' && job.array === null) {
    const packing = gpus === undefined ? [] : holdingSentences(gpus, around);
    return [activeSentence(called, job, around.now), ...packing, ...requeueSentences(job)].join(' ');
  }
  const waits = reason === null ? 'is about to start' : whyItWaits(reason, around);
  const wants = gpus === undefined ? [] : wantingSentences(gpus, reason);
  const sentences = [`${called} ${waits}.`, ...wants, ...expectation(job, reason, explanation, around)];
  const hint = reason === null ? null : wayOut(reason, refText(ref));
  return [...sentences, ...requeueSentences(job), ...(hint === null ? [] : [hint])].join(' ');
}

function arrayCalled(ref: JobRef, job: Job): string {
  if (ref.index !== null) return `job ${refText(ref)}`;
  const left = countOf(job.array?.unstarted ?? []);
  return `array ${job.id} has ${counted(left, 'element')} left to start and ${job.array?.live ?? 0} under way; the next one`;
}

function activeSentence(called: string, job: Job, now: number): string {
  const { attempt } = job;
  if (attempt === null) return `${called} is under way.`;
  const where = placeText(attempt.placement);
  const ranMs = runTimeMs(attempt, now);
  if (attempt.phase === 'stopping') {
    return `${called} is being stopped on ${where}${attempt.stop === null ? '' : ` (${STOP_WORDS[attempt.stop.cause]})`}.`;
  }
  if (attempt.phase === 'syncing') return syncingSentence(called, where, attempt);
  if (ranMs === null) return `${called} is starting on ${where}.`;
  if (attempt.suspendedAt !== null) {
    const since = `on ${where} ${fromNow(attempt.suspendedAt, now)}; it had run for ${formatDuration(ranMs)}`;
    if (attempt.suspendedFor?.every((cause) => cause === 'preemption') === true) {
      const whom = attempt.makesRoomFor == null ? 'a job that goes first' : `job ${attempt.makesRoomFor}`;
      return `${called} was suspended to make room for ${whom}, ${since}. It goes on when there is room again.`;
    }
    return `${called} was suspended ${since}. To let it go on: trainyard resume ${displayId(job)}`;
  }
  const endsBy = latestEndAt(job);
  const rest = endsBy === null ? 'it has no time limit' : `its time limit is reached ${fromNow(endsBy, now)}`;
  const running = `${called} is running on ${where}, for ${formatDuration(ranMs)} now; ${rest}.`;
  return [running, ...checkpointSentences(job, now)].join(' ');
}

/** Its place is free already; only its end waits. */
function syncingSentence(called: string, where: string, { exit, trouble }: Attempt): string {
  const how = exitWord(exit);
  const ended =
    how === '' ? 'has ended its run' : `has ended its run (${/^\d/.test(how) ? `exit code ${how}` : how})`;
  const safe = `${called} ${ended} and left ${where} to others; what it wrote is being made safe.`;
  return trouble === undefined ? safe : `${safe} For now it cannot be: ${trouble}.`;
}

function checkpointSentences({ attempt, checkpoint }: Job, now: number): readonly string[] {
  return [
    ...(checkpoint === undefined ? [] : [`Its newest safe checkpoint is ${noteText(checkpoint, now)}.`]),
    ...(attempt?.trouble === undefined
      ? []
      : [`Its checkpoints cannot be made safe now: ${attempt.trouble}.`]),
  ];
}

const STOP_WORDS: Readonly<Record<StopCause, string>> = {
  cancelled: 'cancelled',
  timeLimit: 'its time is up',
  preempted: 'a job of a higher queue needs its place',
  requeued: 'to be started again',
  requeuedHeld: 'to be queued again, and held',
  memory: 'it used more memory than it had',
  scratch: 'it wrote more to its scratch directory than it may',
  deadline: 'its deadline has passed',
};

/** Held jobs and impossible ones have no expected start to speak of. */
function expectation(
  job: Job,
  reason: Reason | null,
  explanation: Explanation | null,
  { now, zone }: Surroundings,
): readonly string[] {
  if (reason === null || explanation === null || job.phase === 'held') return [];
  if (reason.kind === 'neverPossible' || reason.kind === 'held') return [];
  const { expectedStartAt } = explanation;
  if (expectedStartAt === null) {
    return reason.kind === 'resources' || reason.kind === 'priority'
      ? ['When it starts cannot be foretold: something ahead of it has no time limit.']
      : [];
  }
  if (reason.kind === 'begin') return [];
  return [
    `Expected start: about ${shortTime(expectedStartAt, now, zone)} (${fromNow(expectedStartAt, now)}).`,
  ];
}

/** What the person can do about it. */
function wayOut(reason: Reason, job: string): string | null {
  if (reason.kind === 'held') return `To let it start: trainyard release ${job}`;
  if (reason.kind === 'neverPossible') return `To take it out of the queue: trainyard cancel ${job}`;
  return null;
}

function afterwards(view: JobView, explained: Answer<'explain'>, call: Call): string {
  const { job } = view;
  if (job.phase === 'ended') {
    return job.attempt === null ? '' : `  its output: trainyard logs ${displayId(job)}\n`;
  }
  const breakdown = explained?.explanation.priority ?? null;
  if (job.phase !== 'pending' || breakdown === null || explained === null) return '';
  const { ahead } = explained.explanation;
  const turn = ahead === 0 ? 'next in line' : `${counted(ahead, 'job')} ahead`;
  const title = `priority ${plainNumber(breakdown.total)}, ${turn}`;
  const columns = [{ title: '' }, { title: '', align: 'right' as const }];
  const rows = PARTS.map(([key, name]) => [name, plainNumber(breakdown[key])]);
  return `${call.paint('grey', title)}\n${table(columns, rows, { ...call, indent: '  ', titles: false })}`;
}

const PARTS: readonly (readonly [Exclude<keyof PriorityBreakdown, 'total'>, string])[] = [
  ['age', 'waiting time'],
  ['fairShare', 'fair share'],
  ['queue', 'queue'],
  ['qos', 'QOS'],
  ['size', 'size'],
  ['asked', 'asked for'],
];

function whyJson(
  ref: JobRef,
  view: JobView,
  reason: Reason | null,
  explained: Answer<'explain'>,
  sentence: string,
  call: Call,
  now: number,
): Record<string, unknown> {
  const explanation = explained?.explanation ?? null;
  return {
    id: view.job.id,
    ref: refText(ref),
    phase: view.job.phase,
    outcome: view.job.outcome,
    sentence,
    reason: view.job.phase === 'ended' ? null : reasonJson(reason, now, call.zone),
    expectedStartAt: isoOrNull(explanation?.expectedStartAt ?? null),
    ahead: explanation?.ahead ?? null,
    priority: explanation?.priority ?? null,
    gpus: explanation?.gpus ?? null,
  };
}
