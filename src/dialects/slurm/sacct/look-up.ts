/**
 * Finds the runs that `sacct` is asked about, part by part and in order. Jobs are numbered as they are submitted, so
 * the yard gives them almost in the order of Slurm's database; a run that began as another one ended belongs further
 * down, and only its key is held until its place comes. Of jobs that were named, the keys are sorted first.
 */

import type { JobId } from '../../../model/ids.ts';
import type { Policy } from '../../../model/policy.ts';
import { ANY_JOB, type JobFilter, type JobRecord } from '../../../model/query.ts';
import { newHeap } from '../../heap.ts';
import { eachOfThese, eachPage, PART } from '../../job-pages.ts';
import type { KnownUsers } from '../../known-users.ts';
import { type Asking, query } from '../../program.ts';
import type { JobChoice } from '../job-choices.ts';
import { isSelected, type Selection, withoutDuplicates } from './filters.ts';
import { compareKeys, keyOf, type RunKey, secondOf } from './run-order.ts';
import { type Run, runsOf } from './runs.ts';
import { waitReason } from './values.ts';

export interface Search {
  readonly selection: Selection;
  readonly now: number;
  readonly policy: Policy;
  readonly taskListLength: number;
  /** Whether every run of a job is shown, or only the newest. */
  readonly duplicates: boolean;
  readonly users: KnownUsers;
}

export type VisitRuns = (runs: readonly Run[]) => Asking<void>;

export function* eachRun(search: Search, visit: VisitRuns): Asking<void> {
  const late = lateRuns(search, visit);
  const { jobs, names } = search.selection;
  if (jobs !== null) yield* collect(search, jobs, late);
  // An element may have got another name than its array, so names are looked for everywhere.
  else if (names !== null)
    yield* eachPage({ filter: filterOf(search), order: { by: 'newest' } }, late.putAll);
  else yield* walk(search, visit, late);
  yield* late.tell(null);
}

/** Runs whose place has not come yet. */
interface LateRuns {
  put(run: Run): void;
  putAll(records: readonly JobRecord[]): Asking<undefined>;
  /** Whether one comes before this place. */
  isDue(before: RunKey | null): boolean;
  /** Gives those that come before this place; null: all of them. */
  tell(before: RunKey | null): Asking<void>;
}

function lateRuns(search: Search, visit: VisitRuns): LateRuns {
  const keys = newHeap(compareKeys);
  const isDue = (before: RunKey | null) => {
    const first = keys.first();
    return first !== undefined && (before === null || compareKeys(first, before) < 0);
  };
  return {
    put: (run) => keys.put(keyOf(run)),
    *putAll(records) {
      for (const record of records) for (const run of yield* selected(search, record)) keys.put(keyOf(run));
      return undefined;
    },
    isDue,
    *tell(before) {
      while (isDue(before)) {
        const due: RunKey[] = [];
        while (due.length < PART && isDue(before)) due.push(keys.take() as RunKey);
        yield* visit(yield* runsAt(search, due));
      }
    },
  };
}

/** A run that is not there any more, because the job has begun another, is told by the newest. */
function* runsAt(search: Search, keys: readonly RunKey[]): Asking<readonly Run[]> {
  const byJob = new Map<JobId, readonly Run[]>();
  yield* eachOfThese([...new Set(keys.map(({ id }) => id))], function* (records) {
    for (const record of records) byJob.set(record.view.job.id, yield* selected(search, record));
    return undefined;
  });
  return keys.flatMap((key) => {
    const runs = byJob.get(key.id) ?? [];
    const same = runs.filter((run) => compareKeys(keyOf(run), key) === 0);
    return same.length > 0 ? same : runs.slice(-1);
  });
}

/** Everything that there is, by the second of submission; arrays after the other jobs of that second. */
function* walk(search: Search, visit: VisitRuns, late: LateRuns): Asking<void> {
  let second = Number.NEGATIVE_INFINITY;
  let arrays: JobRecord[] = [];

  function* tellArrays(): Asking<void> {
    for (const array of arrays) {
      const list = { filter: filterOf(search), order: { by: 'index', array: array.view.job.id } } as const;
      yield* eachPage(list, function* (elements) {
        yield* tell(elements);
        return undefined;
      });
      yield* tell([array]);
    }
    arrays = [];
  }

  function* tell(records: readonly JobRecord[]): Asking<void> {
    let told: Run[] = [];
    for (const record of records) {
      for (const run of yield* selected(search, record)) {
        const key = keyOf(run);
        if (key.second > second) late.put(run);
        else {
          if (late.isDue(key)) {
            yield* visit(told);
            told = [];
            yield* late.tell(key);
          }
          told.push(run);
        }
      }
    }
    if (told.length > 0) yield* visit(told);
  }

  yield* eachPage({ filter: filterOf(search), order: { by: 'oldest' } }, function* (records) {
    let alike: JobRecord[] = [];
    for (const record of records) {
      const at = secondOf(record.view.job.submittedAt);
      if (at !== second) {
        yield* tell(alike);
        alike = [];
        yield* tellArrays();
        second = at;
      }
      if (record.view.job.array === null) alike.push(record);
      else arrays.push(record);
    }
    yield* tell(alike);
    return undefined;
  });
  yield* tellArrays();
}

/** What the yard can sort out itself is left to it. */
function filterOf({ selection: { window, users, names } }: Search): JobFilter {
  return {
    ...ANY_JOB,
    users: users?.some((user) => /^\d+$/.test(user)) ? null : users,
    names,
    endedAfter: window.from,
    submittedBefore: window.until,
  };
}

/** The jobs that were named, elements of arrays among them. */
function* collect(search: Search, jobs: readonly JobChoice[], late: LateRuns): Asking<void> {
  const filter = filterOf(search);
  const indices = new Map<JobId, number[]>();
  const whole = new Set<JobId>();
  for (const { job, index } of jobs) {
    if (index === null) whole.add(job);
    else indices.set(job, [...(indices.get(job) ?? []), index]);
  }
  const arrays: JobId[] = [];
  yield* eachOfThese(
    [...whole],
    function* (records) {
      for (const { view } of records) if (view.job.array !== null) arrays.push(view.job.id);
      return yield* late.putAll(records);
    },
    filter,
  );
  for (const array of arrays) yield* eachPage({ filter, order: { by: 'index', array } }, late.putAll);
  const apart = [...indices].filter(([array]) => !whole.has(array));
  // Elements that have not begun are in the record of their array.
  yield* eachOfThese(
    apart.map(([array]) => array),
    (records) => late.putAll(records.filter(({ view }) => view.job.array !== null)),
  );
  for (const [array, asked] of apart) yield* eachElement(array, asked, filter, late);
}

function* eachElement(
  array: JobId,
  indices: readonly number[],
  filter: JobFilter,
  late: LateRuns,
): Asking<void> {
  for (let at = 0; at < indices.length; at += PART) {
    const refs = indices.slice(at, at + PART).map((index) => ({ job: array, index }));
    const records = yield* query('accounting', { ...filter, refs });
    yield* late.putAll(records.filter(({ view }) => view.job.element !== null));
  }
}

/** The runs of one job that are shown, in order. */
function* selected(search: Search, record: JobRecord): Asking<readonly Run[]> {
  const { selection, now, policy, taskListLength, duplicates, users } = search;
  const requeueCodes = [...policy.requeueExitCodes, ...policy.requeueHoldExitCodes];
  const runs = runsOf(record, { now, requeueCodes, taskListLength });
  yield* users.learn(namesIn(runs));
  const knowledge = { users: users.byName, policy, reasonOf: waitReason };
  const shown = runs.filter((run) => isSelected(run, selection, knowledge));
  if (shown.length < 2) return shown;
  const inOrder = shown
    .map((run) => ({ run, key: keyOf(run) }))
    .sort((a, b) => compareKeys(a.key, b.key))
    .map(({ run }) => run);
  return duplicates ? inOrder : withoutDuplicates(inOrder);
}

function namesIn(runs: readonly Run[]): string[] {
  const names: string[] = [];
  for (const { job, endedBy, steps } of runs) {
    names.push(job.spec.user);
    if (endedBy !== null) names.push(endedBy);
    for (const { stoppedBy } of steps) if (stoppedBy !== null) names.push(stoppedBy);
  }
  return names;
}
