/** Finds the runs that `sacct` is asked about: asks the yard for the jobs, and for the users they belong to. */

import type { JobRef } from '../../../model/ids.ts';
import type { Policy } from '../../../model/policy.ts';
import { ANY_JOB, type JobFilter, type JobRecord, type UserView } from '../../../model/query.ts';
import { type Asking, query } from '../../program.ts';
import type { JobChoice } from '../job-choices.ts';
import { inOrder, isSelected, type Selection, withoutDuplicates } from './filters.ts';
import { type Run, runsOf } from './runs.ts';
import { waitReason } from './values.ts';

/** More than any yard remembers. */
const MOST_JOBS = 10_000_000;

export interface Found {
  readonly runs: readonly Run[];
  readonly users: ReadonlyMap<string, UserView>;
}

export function* findRuns(
  selection: Selection,
  how: { readonly now: number; readonly policy: Policy; readonly taskListLength: number },
  withDuplicates: boolean,
): Asking<Found> {
  const { policy, now, taskListLength } = how;
  const requeueCodes = [...policy.requeueExitCodes, ...policy.requeueHoldExitCodes];
  const records = yield* findRecords(selection);
  const runs = records.flatMap((record) => runsOf(record, { now, requeueCodes, taskListLength }));
  const users = yield* findUsers(runs);
  const knowledge = { users, policy, reasonOf: waitReason };
  const selected = inOrder(runs.filter((run) => isSelected(run, selection, knowledge)));
  return { runs: withDuplicates ? selected : withoutDuplicates(selected), users };
}

/** What the yard can sort out itself is left to it. */
function* findRecords({ jobs, window, users, names }: Selection): Asking<readonly JobRecord[]> {
  const filter: JobFilter = {
    ...ANY_JOB,
    refs: jobs === null ? null : refsOf(jobs),
    users: users?.some((user) => /^\d+$/.test(user)) ? null : users,
    names,
    endedAfter: window.from,
    submittedBefore: window.until,
    limit: MOST_JOBS,
  };
  const records = yield* query('accounting', filter);
  return jobs === null ? records : [...records, ...(yield* findWholeArrays(jobs, records))];
}

/** Elements that have not begun are in the record of their array. */
function* findWholeArrays(
  jobs: readonly JobChoice[],
  known: readonly JobRecord[],
): Asking<readonly JobRecord[]> {
  const elements = jobs.filter(({ job, index }) => {
    const isKnown = known.some(
      ({ view }) => view.job.element?.array === job && view.job.element.index === index,
    );
    return index !== null && !isKnown && !known.some(({ view }) => view.job.id === job);
  });
  const records: JobRecord[] = [];
  for (const job of new Set(elements.map((choice) => choice.job))) {
    const detail = yield* query('job', { ref: { job, index: null } });
    if (detail !== null) records.push({ view: detail.view, attempts: [], steps: [] });
  }
  return records.filter(({ view }) => view.job.array !== null);
}

function refsOf(jobs: readonly JobChoice[]): readonly JobRef[] {
  return jobs.map(({ job, index }) => ({ job, index }));
}

function* findUsers(runs: readonly Run[]): Asking<ReadonlyMap<string, UserView>> {
  const names = new Set<string>();
  for (const { job, endedBy, steps } of runs) {
    names.add(job.spec.user);
    if (endedBy !== null) names.add(endedBy);
    for (const { stoppedBy } of steps) if (stoppedBy !== null) names.add(stoppedBy);
  }
  const known = yield* query('users', { names: [...names] });
  return new Map(known.flatMap((user) => (user === null ? [] : [[user.name, user] as const])));
}
