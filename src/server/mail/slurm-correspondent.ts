/**
 * Writes about jobs when Slurm would: about an array as a whole unless each element is asked for, and when parts of
 * a time limit are over. What a letter says is in letters.ts.
 */

import type { Event } from '../../model/event.ts';
import type { JobId } from '../../model/ids.ts';
import type { Job, Outcome } from '../../model/job.ts';
import { type ArraySummaries, summarizeArrays } from './array-summary.ts';
import type { Correspondent, CorrespondentParts } from './correspondent.ts';
import { variablesFor } from './letter-variables.ts';
import { type LetterOccasion, subjectOf } from './letters.ts';
import { watchLimits } from './limit-watch.ts';

export function slurmCorrespondent(
  { yard, jobOf, send }: CorrespondentParts,
  yardName: string,
): Correspondent {
  const arrays: ArraySummaries = summarizeArrays();
  const limits = watchLimits({ now: yard.now, jobNow: jobOf, reached: write });

  function hear(event: Event, job: JobId): void {
    switch (event.type) {
      case 'attemptStarted':
        return withJob(job, began);
      case 'jobUpdated':
      case 'clockJumped':
      case 'attemptTimed':
      case 'attemptSuspended':
      case 'attemptResumed':
        return withJob(job, lookAtLimit);
      case 'stopRequested':
        if (event.cause === 'timeLimit') withJob(job, (known) => write(known, 'timeLimit'));
        return;
      case 'jobRequeued':
        limits.forget(job);
        return withJob(job, (known) => write(known, 'requeue'));
      case 'jobEnded':
        withJob(job, ended);
    }
  }

  function withJob(id: JobId, act: (job: Job) => void): void {
    const job = jobOf(id);
    if (job !== null) act(job);
  }

  function lookAtLimit(job: Job): void {
    if (wantsTimes(job)) limits.look(job);
  }

  function began(job: Job): void {
    lookAtLimit(job);
    if (isOwnMatter(job)) return write(job, 'begin');
    const array = job.element?.array;
    if (array !== undefined && arrays.begins(array)) withJob(array, (whole) => write(whole, 'begin'));
  }

  function ended(job: Job): void {
    if (job.array !== null) return arrayEnded(job);
    if (!isOwnMatter(job)) return arrays.elementEnded(job);
    if (job.outcome === 'dependencyFailed') write(job, 'invalidDependency');
    write(job, hasFailed(job.outcome) ? 'fail' : 'end');
  }

  /** Those who want to hear of its end alone hear of a bad one too. */
  function arrayEnded(job: Job): void {
    if (job.spec.mail?.on.includes('eachElement') === true) return;
    const failed = Object.keys(job.array?.ended ?? {}).some((outcome) => hasFailed(outcome as Outcome));
    const occasion = failed && job.spec.mail?.on.includes('fail') === true ? 'fail' : 'end';
    if (job.outcome === 'dependencyFailed') write(job, 'invalidDependency');
    write(job, occasion);
  }

  function write(job: Job, occasion: LetterOccasion): void {
    const { mail } = job.spec;
    if (mail === null || !mail.on.includes(occasion)) return;
    const durationMs = durationOf(job, occasion, yard.now());
    const letter = { job, occasion, durationMs, elements: arrays.exitsOf(job) };
    send({ to: mail.to, subject: subjectOf(letter), variables: variablesFor(letter, yardName) });
  }

  return {
    hear,
    follow(job, begun) {
      if (job.array !== null) arrays.add(job, begun);
      else lookAtLimit(job);
    },
    forget(id) {
      arrays.forget(id);
      limits.forget(id);
    },
    close: () => limits.close(),
  };
}

function wantsTimes({ spec }: Job): boolean {
  return spec.mail?.on.some((occasion) => /^timeLimit\d/.test(occasion)) === true;
}

/** An array is written about as a whole, unless each of its elements is asked for. */
function isOwnMatter({ element, spec }: Job): boolean {
  return element === null || spec.mail?.on.includes('eachElement') === true;
}

const NO_FAILURE: ReadonlySet<Outcome> = new Set<Outcome>(['completed', 'cancelled', 'dependencyFailed']);

function hasFailed(outcome: Outcome | null): boolean {
  return outcome !== null && !NO_FAILURE.has(outcome);
}

/** How long it waited for its start, or has been running. */
function durationOf(job: Job, occasion: LetterOccasion, now: number): number {
  const { attempt } = job;
  if (attempt === null || attempt.startedAt === null) return 0;
  if (occasion === 'begin') {
    const since = job.restarts > 0 ? (job.eligibleAt ?? job.submittedAt) : job.submittedAt;
    return attempt.startedAt - since;
  }
  const from = attempt.clockFrom ?? attempt.startedAt;
  return (attempt.endedAt ?? job.endedAt ?? attempt.suspendedAt ?? now) - from;
}
