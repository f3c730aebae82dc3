/** For tests: jobs as Grid Engine's commands meet them. Nothing here runs in the product. */

import type { Attempt, Job } from '../../model/job.ts';
import type { JobSpec } from '../../model/job-spec.ts';
import type { JobView } from '../../model/query.ts';
import { countOf, fromIndices, indicesOf, type RangeSet } from '../../model/ranges.ts';
import { aJob, anAttempt, aView, NOW } from '../fake-yard.ts';
import { GRID_ENGINE, type GridEngineWords } from './words.ts';

export function inWords(words: GridEngineWords): Pick<JobSpec, 'origin'> {
  return { origin: { dialect: GRID_ENGINE, words: { by: 'qsub', ...words } } };
}

export function waiting(id: number, spec: Partial<JobSpec> = {}): JobView {
  return aView(aJob({ id }, { ...inWords({}), ...spec }));
}

export function held(id: number, spec: Partial<JobSpec> = {}): JobView {
  return aView({ ...waiting(id, spec).job, phase: 'held', hold: { by: 'user', reason: null } });
}

export function inError(id: number, spec: Partial<JobSpec> = {}): JobView {
  const hold = { by: 'yard', reason: 'exit_status of job start = 100', isError: true } as const;
  return aView({
    ...waiting(id, spec).job,
    phase: 'held',
    hold,
    attempt: anAttempt({ id: `${id}.1`, phase: 'ended' }),
  });
}

export function running(id: number, spec: Partial<JobSpec> = {}, attempt: Partial<Attempt> = {}): JobView {
  return aView({
    ...waiting(id, spec).job,
    phase: 'active',
    attempt: anAttempt({ id: `${id}.1`, ...attempt }),
  });
}

/** Somebody has deleted it, and it is not over yet. */
export const IN_DELETION: Partial<Attempt> = {
  stop: { cause: 'cancelled', by: 'ada', requestedAt: NOW, killAt: NOW + 60_000, step: 'kill' },
};

/** The array's own record, and those of the tasks that have one. */
export function arrayOf(
  id: number,
  tasks: RangeSet,
  elements: Readonly<Record<number, JobView>> = {},
  spec: Partial<JobSpec> = {},
  changes: Partial<Job> = {},
): readonly JobView[] {
  const records = Object.entries(elements).map(([index, { job }]) =>
    aView({ ...job, element: { array: id, index: Number(index) }, spec: { ...job.spec, ...spec } }),
  );
  const unstarted = fromIndices([...indicesOf(tasks)].filter((index) => !(index in elements)));
  const own = waiting(id, { ...spec, array: { indices: tasks, throttle: null } }).job;
  const array = { unstarted, dropped: [], live: records.length, ended: {} };
  const isStarted = countOf(unstarted) === 0 ? ({ phase: 'active', hold: null } as const) : {};
  return [aView({ ...own, array, ...isStarted, ...changes }), ...records];
}
