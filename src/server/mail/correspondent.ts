/**
 * Who writes about jobs: one correspondent for each manner of letter. The post office tells it which jobs somebody
 * wants to hear of, and what became of them; it knows nothing of other jobs.
 */

import type { Event } from '../../model/event.ts';
import type { JobId } from '../../model/ids.ts';
import type { Job } from '../../model/job.ts';
import type { Yard } from '../yard.ts';
import type { Sender } from './sender.ts';

export interface Correspondent {
  /** Somebody wants to hear of it from now on. `begun`: of an array, whether anything of it has begun. */
  follow(job: Job, begun: boolean): void;
  forget(job: JobId): void;
  /** What became of a job that is followed, or of an element of an array that is. */
  hear(event: Event, job: JobId): void;
  close(): void;
}

export interface CorrespondentParts {
  readonly yard: Pick<Yard, 'query' | 'now'>;
  readonly jobOf: (id: JobId) => Job | null;
  readonly send: Sender['send'];
}
