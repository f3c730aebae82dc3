/**
 * Writes about jobs that were submitted in Grid Engine's words, about each task of an array by itself, and about none
 * that never ran, as Grid Engine does. Knows when a letter is due; what it says is the dialect's business.
 */

import { type LetterSurroundings, letterOf, type News } from '../../dialects/gridengine/letters.ts';
import type { Event } from '../../model/event.ts';
import type { AttemptId, JobId } from '../../model/ids.ts';
import type { Attempt, Job } from '../../model/job.ts';
import { ANY_JOB } from '../../model/query.ts';
import type { Correspondent, CorrespondentParts } from './correspondent.ts';

export function gridEngineCorrespondent(
  { yard, send }: CorrespondentParts,
  surroundings: LetterSurroundings,
): Correspondent {
  function hear(event: Event, job: JobId): void {
    switch (event.type) {
      case 'attemptStarted':
        return tell(job, event.attempt, { kind: 'started' });
      case 'attemptSuspended':
        return tell(job, event.attempt, { kind: 'suspended' });
      case 'attemptResumed':
        return tell(job, event.attempt, { kind: 'continued' });
      case 'stopRequested':
        if (event.cause === 'cancelled')
          return tell(job, event.attempt, { kind: 'killed', by: event.by ?? '<unknown>' });
        if (event.cause === 'requeued') tell(job, event.attempt, { kind: 'startedAgain' });
        return;
      case 'attemptEnded':
      case 'attemptLost':
        return tell(job, event.attempt, { kind: 'ended' });
    }
  }

  function tell(id: JobId, attempt: AttemptId, news: News): void {
    const known = yard.query('accounting', { ...ANY_JOB, refs: [{ job: id, index: null }] })[0];
    const run = known?.attempts.find((each) => each.id === attempt);
    if (known === undefined || run === undefined) return;
    // It may stay suspended for another cause.
    if (news.kind === 'continued' && run.suspendedAt !== null) return;
    write(known.view.job, run, news);
  }

  function write(job: Job, attempt: Attempt, news: News): void {
    const { mail } = job.spec;
    const letter = letterOf(job, attempt, news, surroundings);
    if (mail === null || letter === null || !letter.wantedBy.some((each) => mail.on.includes(each))) return;
    send({ to: mail.to, subject: letter.subject, body: letter.body, variables: {} });
  }

  return { hear, follow: () => {}, forget: () => {}, close: () => {} };
}
