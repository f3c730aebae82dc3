/** What time alone brings about: begin times, warnings, limits, the end of a grace, deadlines. */

import { isUnderWay, type Job } from '../../model/job.ts';
import { enter, takeDue } from '../agenda.ts';
import { dueAt, limitAt, suspendAt, warningAt } from '../due.ts';
import { record, type Turn } from '../turn.ts';
import { requestStop } from './control.ts';
import { endJob } from './ending.ts';
import { suspendAsAnnounced } from './suspending.ts';
import { settleWaiting } from './waiting.ts';

export function tick(turn: Turn): null {
  const { state, now } = turn;
  for (let id = takeDue(state.agenda, now); id !== null; id = takeDue(state.agenda, now)) {
    const job = state.jobs.get(id);
    if (job === undefined) continue;
    timePassed(turn, job);
    // What is due later still has to be remembered: the entry that was taken out stood for all of it.
    const next = state.jobs.get(id);
    const due = next === undefined ? null : dueAt(next, now);
    if (due !== null) enter(state.agenda, id, due);
  }
  return null;
}

function timePassed(turn: Turn, job: Job): void {
  const { now } = turn;
  const { spec, attempt } = job;
  if (attempt?.phase === 'syncing') return;
  if (isUnderWay(attempt) && attempt.stop !== null) {
    if (attempt.stop.step === 'term' && attempt.stop.killAt <= now)
      record(turn, { type: 'killDue', job: job.id, attempt: attempt.id });
    return;
  }
  if (spec.deadlineAt !== null && spec.deadlineAt <= now && job.phase !== 'ended')
    return missDeadline(turn, job);
  if (job.phase === 'waiting') return settleWaiting(turn, job.id);
  if (!isUnderWay(attempt)) return;
  const limit = limitAt(job);
  if (limit !== null && limit <= now) return requestStop(turn, job.id, 'timeLimit', null);
  const warning = warningAt(job);
  if (warning !== null && warning <= now)
    record(turn, { type: 'warningDue', job: job.id, attempt: attempt.id });
  const suspension = suspendAt(job);
  if (suspension !== null && suspension <= now) suspendAsAnnounced(turn, job, attempt);
}

function missDeadline(turn: Turn, job: Job): void {
  if (isUnderWay(job.attempt)) requestStop(turn, job.id, 'deadline', null);
  else endJob(turn, job.id, 'deadline', 'its deadline came before it could run', null);
}
