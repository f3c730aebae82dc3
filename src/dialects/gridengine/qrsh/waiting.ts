/** How `qrsh` and `qlogin` wait for a place, and what they say when there is none. */

import type { AllocationCustoms } from '../../allocation.ts';
import { GridEngineFailure } from '../failure.ts';
import { lastWord } from '../flags.ts';
import { isYes } from '../submit/job-request.ts';
import type { Session } from './session.ts';

export function waitingCustoms(session: Session): AllocationCustoms {
  const { command, invocation } = session;
  const unscheduled = () => [`Your "${command}" request could not be scheduled, try again later.`];
  return {
    user: invocation.user,
    messages: {
      queued: () => [],
      allocated: () => [],
      busy: unscheduled,
      late: unscheduled,
      interrupted: () => [],
      revoked: (job) => [`error: job ${job} has been deleted`],
    },
    quiet: true,
    patienceMs: isImmediate(session) ? 0 : null,
    exitImpatient: 1,
    exitError: 1,
    failure: (lines, exitCode) => new GridEngineFailure(lines, exitCode),
  };
}

/** Unless told otherwise there is a place at once, or none. */
export function isImmediate({ given }: Session): boolean {
  return lastWord(given, '-now') === null || isYes(given, '-now');
}
