/**
 * Keeps the accounting file of a yard: a line for each run that ended, in Grid Engine's layout, whoever submitted it in
 * whatever words. Follows what the yard records and begins where the file ends, so that none is missed and none is told
 * twice. Everything that ends within a moment is written together: nobody waits for it.
 */

import { recordOf } from '../../dialects/gridengine/accounting/of-job.ts';
import { formatRecord } from '../../dialects/gridengine/accounting/record.ts';
import type { RecordedEvent } from '../../model/event.ts';
import type { AttemptId } from '../../model/ids.ts';
import { ANY_JOB, type JobRecord } from '../../model/query.ts';
import { errorWords } from '../../platform/files.ts';
import type { Yard } from '../yard.ts';
import type { AccountingFile } from './accounting-file.ts';

export interface Bookkeeper {
  /** Writes what is left to be written, and stops. */
  close(): Promise<void>;
}

export interface BookkeeperParts {
  readonly yard: Pick<Yard, 'query' | 'onCommit' | 'lastSeq'>;
  readonly file: AccountingFile;
  readonly log: (line: string) => void;
  readonly times?: Partial<BookkeeperTimes>;
}

export interface BookkeeperTimes {
  /** What ends meanwhile is written together. */
  readonly soonMs: number;
  /** At most once in so long. */
  readonly everyMs: number;
}

const TIMES: BookkeeperTimes = { soonMs: 50, everyMs: 1000 };
/** So much of the log is looked at in one go; others get their turn in between. */
const EVENTS_AT_ONCE = 2000;

export function openBookkeeper({ yard, file, log, times }: BookkeeperParts): Bookkeeper {
  const { soonMs, everyMs } = { ...TIMES, ...times };
  /** What is later than this may not have survived yet. */
  let toldSeq = yard.lastSeq();
  let readSeq = Math.min(file.seq(), toldSeq);
  let timer: NodeJS.Timeout | null = null;
  let writing: Promise<void> | null = null;
  let isDue = false;
  let wroteAt = -everyMs;
  let trouble: string | null = null;

  const stop = yard.onCommit((events) => {
    toldSeq = events.at(-1)?.seq ?? toldSeq;
    if (events.some(isEndOfRun)) writeSoon();
  });
  if (readSeq < toldSeq) writeSoon();

  function writeSoon(): void {
    isDue = true;
    if (timer !== null || writing !== null) return;
    timer = setTimeout(
      () => {
        timer = null;
        void write();
      },
      Math.max(soonMs, wroteAt + everyMs - performance.now()),
    );
    timer.unref();
  }

  function write(): Promise<void> {
    isDue = false;
    writing = writeAll().finally(() => {
      writing = null;
      wroteAt = performance.now();
      if (isDue || trouble !== null) writeSoon();
    });
    return writing;
  }

  /** Nothing that goes wrong with the file may disturb the yard: it is tried again. */
  async function writeAll(): Promise<void> {
    try {
      while (await writeSome());
      if (trouble !== null) log('the accounting file can be written again');
      trouble = null;
    } catch (error) {
      const words = errorWords(error);
      if (trouble !== words) log(`the accounting file cannot be written: ${words}`);
      trouble = words;
    }
  }

  /** Whether there may be more. */
  async function writeSome(): Promise<boolean> {
    const filter = { job: null, afterSeq: readSeq, limit: EVENTS_AT_ONCE, newest: false };
    const events = yard.query('events', filter).filter(({ seq }) => seq <= toldSeq);
    const upTo = events.at(-1)?.seq;
    if (upTo === undefined) return false;
    const lines = linesOf(yard, events.filter(isEndOfRun));
    if (lines.length > 0) await file.add(lines, upTo);
    else await nextTurn();
    readSeq = upTo;
    return events.length === EVENTS_AT_ONCE;
  }

  return {
    async close() {
      stop();
      if (timer !== null) clearTimeout(timer);
      timer = null;
      await writing;
      if (readSeq < toldSeq) await write();
      if (timer !== null) clearTimeout(timer);
    },
  };
}

type EndOfRun = RecordedEvent & { readonly event: { readonly type: 'attemptEnded' | 'attemptLost' } };

function isEndOfRun(recorded: RecordedEvent): recorded is EndOfRun {
  return recorded.event.type === 'attemptEnded' || recorded.event.type === 'attemptLost';
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** In the order in which they ended. What the yard has forgotten cannot be told. */
function linesOf(yard: Pick<Yard, 'query'>, ends: readonly EndOfRun[]): readonly string[] {
  if (ends.length === 0) return [];
  const refs = [...new Set(ends.map(({ event }) => event.job))].map((job) => ({ job, index: null }));
  const records = yard.query('accounting', { ...ANY_JOB, refs, limit: refs.length });
  const byJob = new Map(records.map((record) => [record.view.job.id, record]));
  return ends.flatMap(({ event }) => lineOf(yard, byJob.get(event.job), event.attempt) ?? []);
}

function lineOf(yard: Pick<Yard, 'query'>, known: JobRecord | undefined, attempt: AttemptId): string | null {
  const run = known?.attempts.find(({ id }) => id === attempt);
  if (known === undefined || run === undefined) return null;
  const { job } = known.view;
  const group = yard.query('users', { names: [job.spec.user] })[0]?.group ?? job.spec.user;
  const record = recordOf(job, run, { group });
  return record === null ? null : formatRecord(record);
}
