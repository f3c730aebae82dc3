/** `trainyard events`: what has happened, a sentence each, and what happens from now on. */

import { printable } from '../../model/bytes.ts';
import type { RecordedEvent } from '../../model/event.ts';
import type { JobId } from '../../model/ids.ts';
import { isGiven, lastValue } from '../options.ts';
import { type Asking, awaitEvent, type Program, printOut, query } from '../program.ts';
import { isoUtc } from '../text/calendar.ts';
import { fullTime } from '../text/times.ts';
import type { Call, NativeCommand } from './call.ts';
import { eventSentence } from './event-sentences.ts';
import { usageError } from './failure.ts';
import { printJson } from './json.ts';
import { findJob, oneJobRef } from './look-up.ts';
import { countFrom } from './resource-words.ts';

const DEFAULT_LINES = 30;
const BATCH = 1000;

export const events: NativeCommand = {
  name: 'events',
  aliases: [],
  group: 'yard',
  summary: 'what has happened, newest last',
  usage: ['[options]'],
  about: [],
  examples: [
    { line: 'trainyard events -f', says: 'watch the yard' },
    { line: 'trainyard events --job 17', says: 'the story of one job' },
  ],
  options: [
    { name: 'job', short: 'j', value: 'required', argument: 'JOB', help: 'only what happened to this job' },
    { name: 'follow', short: 'f', value: 'none', help: 'go on showing what happens' },
    {
      name: 'lines',
      short: 'n',
      value: 'required',
      argument: 'N',
      help: `the last N; default ${DEFAULT_LINES}`,
    },
  ],
  positionals: 'anywhere',
  arguments: 'none',
  run: runEvents,
};

function* runEvents(call: Call): Program {
  const follows = isGiven(call.options, 'follow');
  if (follows && call.json)
    throw usageError('--follow has no JSON form', 'the HTTP API has a stream of events');
  const limit = countFrom(call.options, 'lines', follows ? 0 : 1) ?? DEFAULT_LINES;
  const job = yield* jobFrom(call);
  const { lastSeq } = yield* query('yard', {});
  const found = limit === 0 ? [] : yield* query('events', { job, afterSeq: 0, limit, newest: true });
  if (call.json) yield* printJson({ events: found.map(eventJson) });
  else {
    yield* printEvents(call, found);
    if (found.length === 0 && !follows && !call.quiet) yield* printOut('nothing has happened yet\n');
  }
  if (follows) yield* followEvents(call, job, Math.max(lastSeq, found.at(-1)?.seq ?? 0));
  return 0;
}

/** Ends only when its caller goes away. */
function* followEvents(call: Call, job: JobId | null, seenSeq: number): Asking<never> {
  let afterSeq = seenSeq;
  for (;;) {
    yield* awaitEvent(afterSeq);
    const { lastSeq } = yield* query('yard', {});
    const fresh = yield* query('events', { job, afterSeq, limit: BATCH, newest: false });
    yield* printEvents(call, fresh);
    // A full batch may have more behind it; anything else was all there was up to then.
    afterSeq =
      fresh.length === BATCH ? (fresh.at(-1)?.seq ?? afterSeq) : Math.max(lastSeq, fresh.at(-1)?.seq ?? 0);
  }
}

function* printEvents(call: Call, recorded: readonly RecordedEvent[]): Asking<void> {
  if (recorded.length === 0) return;
  const lines = recorded.map(({ event }) => {
    const time = call.paint('grey', fullTime(event.at, call.zone));
    return `${time}  ${printable(eventSentence(event))}\n`;
  });
  yield* printOut(lines.join(''));
}

function* jobFrom(call: Call): Asking<JobId | null> {
  const text = lastValue(call.options, 'job');
  if (text === null) return null;
  const found = yield* findJob(oneJobRef([text], 'events --job'));
  return found.detail.view.job.id;
}

function eventJson({ seq, event }: RecordedEvent): Record<string, unknown> {
  return { seq, ...event, at: isoUtc(event.at), sentence: eventSentence(event) };
}
