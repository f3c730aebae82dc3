/** How jobs came to their ends on simulated devices, and that those who ran out of memory had their second chance. */

import type { YardState } from '../../core/state.ts';
import type { Event } from '../../model/event.ts';
import type { JobId } from '../../model/ids.ts';
import type { Attempt, Job } from '../../model/job.ts';
import { invariant } from '../../model/refusal.ts';
import { type Behaviour, mostBytes } from './behaviour.ts';
import { type Boards, boardsIn } from './boards.ts';

export interface Endings {
  /** Before the event has taken effect on this state. */
  follow(state: YardState, event: Event): void;
  /** How many runs followed one that had wanted more memory than there was, with devices to themselves. */
  readonly rerun: number;
}

export function watchEndings(boards: Boards, behaviourOf: (job: Job) => Behaviour): Endings {
  let rerun = 0;
  const last = new Map<JobId, { readonly attempt: Attempt; readonly wasShared: boolean }>();
  return {
    get rerun() {
      return rerun;
    },
    follow(state, event) {
      if (event.type === 'attemptEnded' && event.exit.deviceOutOfMemory === true) {
        const attempt = state.jobs.get(event.job)?.attempt;
        if (attempt == null) return;
        last.set(event.job, { attempt, wasShared: isShared(attempt) });
      }
      if (event.type === 'attemptAssigned' && last.has(event.job)) {
        rerun++;
        const shares = event.placement.nodes.flatMap(({ devices }) => devices);
        invariant(
          shares.every(({ millis }) => millis === 1000),
          `job ${event.job} ran out of memory and is given a part of a device again`,
        );
        last.delete(event.job);
      }
      if (event.type !== 'jobEnded' || event.outcome !== 'deviceOutOfMemory') return;
      const job = state.jobs.get(event.job);
      const end = last.get(event.job);
      if (job?.attempt == null || end === undefined) return;
      invariant(
        !end.wasShared || !job.spec.requeue || job.spec.program.spread === 'caller',
        `job ${event.job} shared a device, ran out of its memory, and was not run again`,
      );
      if (!end.wasShared) wasTooMuch(job, end.attempt);
    },
  };

  /** Strangers may have come after it had started. */
  function wasTooMuch(job: Job, attempt: Attempt): void {
    const most = mostBytes(behaviourOf(job));
    const fits = boardsIn(boards, attempt.placement).every(
      ({ sizeBytes, everForeignBytes }) => most + everForeignBytes <= sizeBytes,
    );
    invariant(!fits, `job ${job.id} ran out of a device that it had alone, with ${most} bytes`);
  }
}

function isShared({ placement }: Attempt): boolean {
  return placement.nodes.some(({ devices }) => devices.some(({ millis }) => millis < 1000));
}
