/**
 * Letters about jobs to those who asked for them. Follows what the yard records, keeps in mind which jobs somebody
 * wants to hear of, and tells the correspondent who writes about jobs in their words. A letter that was lost with the
 * process is not written again.
 */

import type { LetterSurroundings } from '../../dialects/gridengine/letters.ts';
import { GRID_ENGINE } from '../../dialects/gridengine/words.ts';
import type { Event, RecordedEvent } from '../../model/event.ts';
import type { JobId } from '../../model/ids.ts';
import type { Job } from '../../model/job.ts';
import { ANY_JOB } from '../../model/query.ts';
import type { Yard } from '../yard.ts';
import type { Correspondent } from './correspondent.ts';
import { gridEngineCorrespondent } from './grid-engine-correspondent.ts';
import type { Sender } from './sender.ts';
import { slurmCorrespondent } from './slurm-correspondent.ts';

export interface PostOffice {
  close(): Promise<void>;
}

export interface PostOfficeParts {
  readonly yard: Pick<Yard, 'query' | 'onCommit' | 'now'>;
  readonly sender: Sender;
  readonly yardName: string;
  readonly surroundings: LetterSurroundings;
  readonly log: (line: string) => void;
}

const ALL_JOBS = 10_000_000;

export function openPostOffice({ yard, sender, yardName, surroundings, log }: PostOfficeParts): PostOffice {
  const parts = { yard, jobOf, send: sender.send };
  const inGridEngine = gridEngineCorrespondent(parts, surroundings);
  const inOthers = slurmCorrespondent(parts, yardName);
  /** Jobs that somebody wants to hear of, and elements of arrays of that kind, with who writes about them. */
  const followed = new Map<JobId, Correspondent>();

  for (const { job } of yard.query('jobs', { ...ANY_JOB, limit: ALL_JOBS }))
    if (wantsMail(job)) follow(job, hasBegun(job));
  const stop = yard.onCommit(hear);

  function writerFor({ spec }: Pick<Job, 'spec'>): Correspondent {
    return spec.origin.dialect === GRID_ENGINE ? inGridEngine : inOthers;
  }

  function follow(job: Job, begun: boolean): void {
    const writer = writerFor(job);
    followed.set(job.id, writer);
    writer.follow(job, begun);
  }

  function forget(id: JobId): void {
    followed.get(id)?.forget(id);
    followed.delete(id);
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
        return submitted(event.job, wantsMail(event));
      case 'elementSplit':
        return takeAlong(event.array, event.job);
      case 'jobUpdated':
        if (event.changes.mail !== undefined) return wishChanged(event.job);
        break;
      case 'jobRequeued':
        comesBack(event.job);
        break;
      case 'clockJumped':
        for (const [id, writer] of followed) writer.hear(event, id);
        return;
    }
    if (!('job' in event) || event.job === null) return;
    followed.get(event.job)?.hear(event, event.job);
    if (event.type === 'jobEnded') forget(event.job);
  }

  function submitted(id: JobId, wanted: boolean): void {
    const job = wanted ? jobOf(id) : null;
    if (job !== null) follow(job, false);
  }

  function takeAlong(array: JobId, element: JobId): void {
    const writer = followed.get(array);
    if (writer !== undefined) followed.set(element, writer);
  }

  function wishChanged(id: JobId): void {
    const job = jobOf(id);
    if (job === null) return;
    forget(id);
    if (wantsMail(job) && job.phase !== 'ended') follow(job, hasBegun(job));
  }

  /** A job that had ended may be somebody's whom nobody follows any more. */
  function comesBack(id: JobId): void {
    if (followed.has(id)) return;
    const job = jobOf(id);
    if (job !== null && wantsMail(job)) followed.set(id, writerFor(job));
  }

  return {
    close() {
      stop();
      for (const writer of [inGridEngine, inOthers]) writer.close();
      return sender.close();
    },
  };
}

function wantsMail({ spec }: Pick<Job, 'spec'>): boolean {
  return (spec.mail?.on.length ?? 0) > 0;
}

/** Whether any element of an array has. */
function hasBegun({ array }: Job): boolean {
  return array !== null && (array.live > 0 || Object.keys(array.ended).length > 0);
}
