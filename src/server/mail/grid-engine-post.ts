/**
 * Writes letters about jobs that were submitted in Grid Engine's words. Follows what the yard records and hands each
 * letter to the sender; what a letter says is the dialect's business. Others' letters are written by post-office.ts.
 */

import { type LetterSurroundings, letterOf, type News } from '../../dialects/gridengine/letters.ts';
import { GRID_ENGINE } from '../../dialects/gridengine/words.ts';
import type { Event, RecordedEvent } from '../../model/event.ts';
import type { AttemptId, JobId } from '../../model/ids.ts';
import type { Job } from '../../model/job.ts';
import type { JobSpec } from '../../model/job-spec.ts';
import { ANY_JOB } from '../../model/query.ts';
import { countOf } from '../../model/ranges.ts';
import type { Yard } from '../yard.ts';
import type { Sender } from './sender.ts';

export interface GridEnginePostParts {
  readonly yard: Pick<Yard, 'query' | 'onCommit'>;
  readonly sender: Pick<Sender, 'send'>;
  readonly surroundings: LetterSurroundings;
  readonly log: (line: string) => void;
}

const ALL_JOBS = 10_000_000;

/** Gives the way to stop it. */
export function openGridEnginePost({ yard, sender, surroundings, log }: GridEnginePostParts): () => void {
  /** Jobs that somebody wants to hear of, and tasks of arrays of that kind. */
  const followed = new Set<JobId>();
  for (const { job } of yard.query('jobs', { ...ANY_JOB, limit: ALL_JOBS }))
    if (isOurs(job.spec)) followed.add(job.id);

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
        if (isOurs(event.spec)) followed.add(event.job);
        return;
      case 'elementSplit':
        if (followed.has(event.array)) followed.add(event.job);
        return;
      case 'jobUpdated':
        return updated(event.job, event.changes.mail !== undefined);
      case 'attemptStarted':
        return tell(event.job, event.attempt, { kind: 'started' });
      case 'attemptSuspended':
        return tell(event.job, event.attempt, { kind: 'suspended' });
      case 'attemptResumed':
        return tell(event.job, event.attempt, { kind: 'continued' });
      case 'stopRequested':
        if (event.cause === 'cancelled')
          tell(event.job, event.attempt, { kind: 'killed', by: event.by ?? '<unknown>' });
        return;
      case 'attemptEnded':
      case 'attemptLost':
        return tell(event.job, event.attempt, { kind: 'ended' });
      case 'jobRequeued':
        return updated(event.job, true);
      case 'jobEnded':
        if (event.outcome === 'cancelled') killedUnstarted(event.job, event.by);
        followed.delete(event.job);
    }
  }

  function updated(id: JobId, mayMatter: boolean): void {
    if (!mayMatter) return;
    const job = jobOf(id);
    if (job !== null && isOurs(job.spec)) followed.add(id);
    else followed.delete(id);
  }

  function jobOf(id: JobId): Job | null {
    return yard.query('jobs', { ...ANY_JOB, refs: [{ job: id, index: null }] })[0]?.job ?? null;
  }

  function tell(id: JobId, attempt: AttemptId, news: News): void {
    if (!followed.has(id)) return;
    const refs = [{ job: id, index: null }];
    const known = yard.query('accounting', { ...ANY_JOB, refs })[0];
    const run = known?.attempts.find((each) => each.id === attempt);
    if (known === undefined || run === undefined) return;
    // It may stay suspended for another cause.
    if (news.kind === 'continued' && run.suspendedAt !== null) return;
    write(known.view.job, run, news);
  }

  /** Of an array: none of whose tasks had begun. */
  function killedUnstarted(id: JobId, by: string | null): void {
    const job = followed.has(id) ? jobOf(id) : null;
    if (job === null || job.attempt !== null) return;
    if (job.array !== null && countOf(job.array.dropped) < countOf(job.spec.array?.indices ?? [])) return;
    write(job, null, { kind: 'killed', by: by ?? '<unknown>' });
  }

  function write(job: Job, attempt: Job['attempt'], news: News): void {
    const { mail } = job.spec;
    const letter = letterOf(job, attempt, news, surroundings);
    if (mail === null || letter === null || !letter.wantedBy.some((each) => mail.on.includes(each))) return;
    sender.send({ to: mail.to, subject: letter.subject, body: letter.body, variables: {} });
  }

  return yard.onCommit(hear);
}

function isOurs({ origin, mail }: Pick<JobSpec, 'origin' | 'mail'>): boolean {
  return origin.dialect === GRID_ENGINE && (mail?.on.length ?? 0) > 0;
}
