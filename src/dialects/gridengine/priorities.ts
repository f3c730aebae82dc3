/**
 * The numbers between 0 and 1 by which Grid Engine shows in which order jobs will start. Here that order is the
 * yard's own: the job with the highest priority of all that wait has 0.75, the one with the lowest 0.25, and the
 * others what lies between; one job alone, or all of them alike, has 0.5, and so has what runs. What nobody can start
 * yet (held, waiting for another job or a time, kept back by its array) has 0. Half of each number is the share of
 * tickets, of which everybody has the same here.
 */

import type { JobId } from '../../model/ids.ts';
import type { JobView } from '../../model/query.ts';
import type { PriorityBreakdown, Reason } from '../../model/reason.ts';
import { gathered, sorted } from '../job-pages.ts';
import type { Asking } from '../program.ts';
import type { JobFacts } from './job-facts.ts';
import { isInError } from './states.ts';
import { wordOf } from './words.ts';

export interface Priority {
  /** `prior`. */
  readonly prior: number;
  /** The urgency and the tickets it is half made of each. */
  readonly urgency: number;
  readonly tickets: number;
  /** What was asked for with `-p`, from 0 to 1: 0.5 is nothing. */
  readonly asked: number;
}

const MIDDLE = 0.5;
const NOT_YET: Priority = { prior: 0, urgency: 0, tickets: 0, asked: 0 };

/** How they compare is found out once, from everything that waits. */
export function prioritiesOf(views: readonly JobView[]): (facts: JobFacts) => Priority {
  let lowest = Number.POSITIVE_INFINITY;
  let highest = Number.NEGATIVE_INFINITY;
  for (const { priority } of views) {
    if (priority === null) continue;
    lowest = Math.min(lowest, priority);
    highest = Math.max(highest, priority);
  }
  const normal = (priority: number | null) =>
    priority === null || highest <= lowest ? MIDDLE : (priority - lowest) / (highest - lowest);
  return (facts) => {
    if (!mayStart(facts)) return NOT_YET;
    const urgency = normal(facts.section === 'pending' ? facts.view.priority : null);
    return {
      prior: MIDDLE * urgency + MIDDLE * MIDDLE,
      urgency,
      tickets: MIDDLE,
      asked: (askedPriority(facts) + HIGHEST_ASKED) / (2 * HIGHEST_ASKED),
    };
  };
}

/** Highest first; what is alike by its number. */
export function* inOrder(
  facts: readonly JobFacts[],
  priority: (facts: JobFacts) => Priority,
): Asking<readonly JobFacts[]> {
  const weighed = yield* gathered(facts, (each) => [{ each, prior: priority(each).prior }]);
  const ordered = yield* sorted(
    weighed,
    (a, b) => b.prior - a.prior || a.each.number - b.each.number || firstTask(a.each) - firstTask(b.each),
  );
  return yield* gathered(ordered, ({ each }) => [each]);
}

export interface Urgency {
  readonly total: number;
  /** For what it asks, and who asks. */
  readonly request: number;
  readonly waiting: number;
}

/** The yard's own priority, split into what grows with the time that it waits and the rest. */
export function urgencyOf(breakdown: PriorityBreakdown | undefined): Urgency {
  if (breakdown === undefined) return { total: 0, request: 0, waiting: 0 };
  const total = Math.round(breakdown.total);
  const waiting = Math.round(breakdown.age);
  return { total, request: total - waiting, waiting };
}

export type Breakdowns = ReadonlyMap<JobId, PriorityBreakdown>;

const HIGHEST_ASKED = 1024;
const LOWEST_ASKED = -1023;

/** As Grid Engine counts it; what other dialects ask for is brought into its bounds. */
export function askedPriority({ job }: Pick<JobFacts, 'job'>): number {
  const written = wordOf(job, 'priority');
  const asked = written === null ? job.spec.priority - job.spec.nice : Number(written);
  return Number.isFinite(asked) ? Math.min(HIGHEST_ASKED, Math.max(LOWEST_ASKED, Math.round(asked))) : 0;
}

function firstTask({ tasks }: JobFacts): number {
  return tasks?.[0]?.[0] ?? 0;
}

const NOT_LOOKED_AT: readonly Reason['kind'][] = ['throttle', 'notLookedAt'];

function mayStart({ section, job, view }: JobFacts): boolean {
  if (section === 'running' || isInError(job)) return true;
  if (section === 'finished' || job.phase !== 'pending') return false;
  return view.reason === null || !NOT_LOOKED_AT.includes(view.reason.kind);
}
