/**
 * Runs that have ended, part by part. The yard has jobs in the order in which they ended. Most have run once, and that
 * run ended when the job did; of all other runs the keys are held until their place comes.
 */

import type { JobId } from '../../../model/ids.ts';
import type { Attempt, Job } from '../../../model/job.ts';
import type { JobFilter, JobRecord } from '../../../model/query.ts';
import { newHeap } from '../../heap.ts';
import { eachOfThese, eachPage, PART } from '../../job-pages.ts';
import type { Asking } from '../../program.ts';

export interface EndedRun {
  readonly job: Job;
  readonly attempt: Attempt;
}

export type VisitRuns = (runs: readonly EndedRun[]) => Asking<void>;

interface RunKey {
  readonly endedAt: number;
  readonly id: JobId;
  readonly n: number;
}

function compareKeys(a: RunKey, b: RunKey): number {
  return a.endedAt - b.endedAt || a.id - b.id || a.n - b.n;
}

function runsIn({ view: { job }, attempts }: JobRecord): EndedRun[] {
  return attempts
    .filter(({ phase }) => phase === 'ended' || phase === 'lost')
    .map((attempt) => ({ job, attempt }));
}

function keyOf({ job, attempt }: EndedRun): RunKey {
  return { endedAt: attempt.endedAt ?? attempt.assignedAt, id: job.id, n: attempt.n };
}

/** In no order that anybody should rely on. */
export function* everyRun(filter: JobFilter, visit: VisitRuns): Asking<void> {
  yield* eachPage({ filter, order: { by: 'newest' } }, function* (records) {
    yield* visit(records.flatMap(runsIn));
    return undefined;
  });
}

/** Of these jobs; the number of an array means its elements too. */
export function* namedRuns(numbers: readonly JobId[], filter: JobFilter, visit: VisitRuns): Asking<void> {
  const late = lateRuns(visit);
  const arrays: JobId[] = [];
  yield* eachOfThese(
    numbers,
    (records) => {
      for (const { view } of records) if (view.job.array !== null) arrays.push(view.job.id);
      return late.put(records);
    },
    filter,
  );
  for (const array of arrays)
    yield* eachPage({ filter, order: { by: 'index', array } }, (records) => {
      return late.put(records);
    });
  yield* late.tell(null);
}

export function* runsByEnd(filter: JobFilter, visit: VisitRuns): Asking<void> {
  const late = lateRuns(visit);
  const unended = new Set<JobId>();
  yield* eachPage({ filter: { ...filter, phases: UNENDED }, order: { by: 'newest' } }, (records) => {
    for (const { view } of records) unended.add(view.job.id);
    return late.put(records);
  });
  yield* eachPage({ filter, order: { by: 'newest' }, reruns: true }, (records) => {
    return late.put(records.filter(({ view }) => !unended.has(view.job.id)));
  });
  yield* eachPage({ filter, order: { by: 'end' } }, function* (records) {
    let runs: EndedRun[] = [];
    for (const record of records) {
      const { id, endedAt, attempt } = record.view.job;
      // Those that ran several times are held already, and so are those that had not ended a moment ago.
      if (attempt === null || attempt.n > 1 || unended.has(id)) continue;
      const key = { endedAt: endedAt ?? 0, id, n: attempt.n };
      if (late.isDue(key)) {
        yield* visit(runs);
        runs = [];
        yield* late.tell(key);
      }
      runs.push(...runsIn(record));
    }
    yield* visit(runs);
    return undefined;
  });
  yield* late.tell(null);
}

const UNENDED = ['held', 'waiting', 'pending', 'active'] as const;

interface LateRuns {
  put(records: readonly JobRecord[]): undefined;
  /** Whether one comes before this place. */
  isDue(before: RunKey | null): boolean;
  /** Gives those that come before this place; null: all of them. */
  tell(before: RunKey | null): Asking<void>;
}

function lateRuns(visit: VisitRuns): LateRuns {
  const keys = newHeap(compareKeys);
  const isDue = (before: RunKey | null) => {
    const first = keys.first();
    return first !== undefined && (before === null || compareKeys(first, before) < 0);
  };
  return {
    put(records) {
      for (const run of records.flatMap(runsIn)) keys.put(keyOf(run));
      return undefined;
    },
    isDue,
    *tell(before) {
      while (isDue(before)) {
        const due: RunKey[] = [];
        while (due.length < PART && isDue(before)) due.push(keys.take() as RunKey);
        yield* visit(yield* runsAt(due));
      }
    },
  };
}

function* runsAt(keys: readonly RunKey[]): Asking<readonly EndedRun[]> {
  const byJob = new Map<JobId, readonly EndedRun[]>();
  yield* eachOfThese([...new Set(keys.map(({ id }) => id))], (records) => {
    for (const record of records) byJob.set(record.view.job.id, runsIn(record));
    return undefined;
  });
  return keys.flatMap(({ id, n }) => byJob.get(id)?.filter(({ attempt }) => attempt.n === n) ?? []);
}
