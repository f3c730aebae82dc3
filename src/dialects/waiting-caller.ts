/**
 * A caller that stays until its job has ended. The yard may go meanwhile, and the job goes on: the caller comes to the
 * next yard with a ticket that says what it waits for, and waits there.
 */

import type { JobId } from '../model/ids.ts';
import { type Asking, giveTicket, type Invocation } from './program.ts';

/** To be said once the job is taken, and its number announced. */
export function* keepWaitingFor(job: JobId): Asking<void> {
  yield* giveTicket(`waits ${job}`);
}

/** The job that the caller waited for at an earlier yard; null: it comes for the first time. */
export function jobWaitedFor({ ticket }: Pick<Invocation, 'ticket'>): JobId | null {
  const match = /^waits (\d{1,15})$/.exec(ticket ?? '');
  return match === null ? null : Number(match[1]);
}
