/**
 * Writes letters about jobs to those who asked for them. Follows what the yard records, keeps in mind which jobs
 * somebody wants to hear of, and hands each letter to the sender. A letter that was lost with the process is not
 * written again.
 */

import { GRID_ENGINE } from '../../dialects/gridengine/words.ts';
import type { Event, RecordedEvent } from '../../model/event.ts';
import type { JobId } from '../../model/ids.ts';
import type { Job, Outcome } from '../../model/job.ts';
import { ANY_JOB } from '../../model/query.ts';
import type { Yard } from '../yard.ts';
import { type ArraySummaries, summarizeArrays } from './array-summary.ts';
import { variablesFor } from './letter-variables.ts';
import { type LetterOccasion, subjectOf } from './letters.ts';
import { watchLimits } from './limit-watch.ts';
import type { Sender } from './sender.ts';

export interface PostOffice {
  close(): Promise<void>;
}

export interface PostOfficeParts {
  readonly yard: Pick<Yard, 'query' | 'onCommit' | 'now'>;
  readonly sender: Sender;
  readonly yardName: string;
  readonly log: (line: string) => void;
}

const ALL_JOBS = 10_000_000;

export function openPostOffice({ yard, sender, yardName, log }: PostOfficeParts): PostOffice {
  /** Jobs that somebody wants to hear of, and elements of arrays of that kind. */
  const followed = new Set<JobId>();
  const arrays: ArraySummaries = summarizeArrays();
  const limits = watchLimits({
    now: yard.now,
    jobNow: jobOf,
    reached: (job, occasion) => write(job, occasion),
  });

  for (const { job } of yard.query('jobs', { ...ANY_JOB, limit: ALL_JOBS }))
    if (wantsMail(job)) follow(job, hasBegun(job));
  const stop = yard.onCommit(hear);

  function follow(job: Job, begun: boolean): void {
    followed.add(job.id);
    if (job.array !== null) arrays.add(job, begun);
    else if (wantsTimes(job)) limits.look(job);
  }

  function forget(id: JobId): void {
    followed.delete(id);
    arrays.forget(id);
    limits.forget(id);
  }

  function jobOf(id: JobId): Job | null {
    const refs = [{ job: id, index: null }];
    return yard.query('jobs', { ...ANY_JOB, refs })[0]?.job ?? null;
  }

  /** Nothing that goes wrong with a letter may disturb the yard. */
  function hear(events: readonly RecordedEvent[]): void {
    for (const { event } of events) {
      try {
        hearOf(event);
      } catch (error) {
        log(`a letter could not be written: ${error instanceof Error ? error.stack : error}`);
      }
    }
  }

  function hearOf(event: Event): void {
    switch (event.type) {
      case 'jobSubmitted':
        if (wantsMail(event)) withJob(event.job, (job) => follow(job, false));
        return;
      case 'elementSplit':
        if (followed.has(event.array)) followed.add(event.job);
        return;
      case 'jobUpdated':
        return updated(event.job, event.changes.mail !== undefined);
      case 'clockJumped':
        for (const id of followed) withJob(id, lookAtLimit);
        return;
      case 'attemptStarted':
        return ifFollowed(event.job, began);
      case 'attemptTimed':
      case 'attemptSuspended':
      case 'attemptResumed':
        return ifFollowed(event.job, lookAtLimit);
      case 'stopRequested':
        if (event.cause === 'timeLimit') ifFollowed(event.job, (job) => write(job, 'timeLimit'));
        return;
      case 'jobRequeued':
        return withJob(event.job, requeued);
      case 'jobEnded':
        ifFollowed(event.job, ended);
        return forget(event.job);
    }
  }

  function withJob(id: JobId, act: (job: Job) => void): void {
    const job = jobOf(id);
    if (job !== null) act(job);
  }

  function ifFollowed(id: JobId, act: (job: Job) => void): void {
    if (followed.has(id)) withJob(id, act);
  }

  function updated(id: JobId, mailChanged: boolean): void {
    if (!mailChanged) return ifFollowed(id, lookAtLimit);
    withJob(id, (job) => {
      forget(id);
      if (wantsMail(job) && job.phase !== 'ended') follow(job, hasBegun(job));
    });
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

  /** A job that had ended may be somebody's whom nobody follows any more. */
  function requeued(job: Job): void {
    if (!followed.has(job.id) && !wantsMail(job)) return;
    limits.forget(job.id);
    followed.add(job.id);
    write(job, 'requeue');
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
    const variables = variablesFor(letter, yardName);
    sender.send({ to: mail.to, subject: subjectOf(letter), variables });
  }

  return {
    close() {
      stop();
      limits.close();
      return sender.close();
    },
  };
}

/** Whether any element of an array has. */
function hasBegun({ array }: Job): boolean {
  return array !== null && (array.live > 0 || Object.keys(array.ended).length > 0);
}

/** About jobs that were submitted in Grid Engine's words, others write. */
function wantsMail({ spec }: Pick<Job, 'spec'>): boolean {
  return (spec.mail?.on.length ?? 0) > 0 && spec.origin.dialect !== GRID_ENGINE;
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
