/** What is decided about a queue while the yard runs: whether it starts jobs, and whether its jobs may go on. */

import type { UserCommand } from '../../model/command.ts';
import type { QueueName } from '../../model/ids.ts';
import { type Attempt, isUnderWay, type Job } from '../../model/job.ts';
import type { Refusal } from '../../model/refusal.ts';
import { queueNamed } from '../priority.ts';
import { jobOf, queueState } from '../state.ts';
import { record, type Turn } from '../turn.ts';
import { noSuchQueue } from './submit.ts';
import { resumeAttempt, suspendAttempt } from './suspending.ts';

export function setQueue(
  turn: Turn,
  { queue, by, disabled, suspended }: Extract<UserCommand, { type: 'setQueue' }>,
): null | Refusal {
  if (queueNamed(turn.policy, queue) === null) return noSuchQueue(queue, turn.policy);
  const before = queueState(turn.state, queue);
  const state = { disabled: disabled ?? before.disabled, suspended: suspended ?? before.suspended };
  if (state.disabled !== before.disabled || state.suspended !== before.suspended)
    record(turn, { type: 'queueChanged', queue, state, by });
  if (state.suspended === before.suspended) return null;
  for (const [job, attempt] of runningIn(turn, queue)) {
    if (state.suspended) suspendAttempt(turn, job, attempt, by, 'queue');
    else resumeAttempt(turn, job, attempt, by, 'queue');
  }
  return null;
}

function runningIn({ state }: Turn, queue: QueueName): [Job, Attempt][] {
  return [...state.live].flatMap((id): [Job, Attempt][] => {
    const job = jobOf(state, id);
    const { attempt, spec } = job;
    if (spec.queue !== queue || !isUnderWay(attempt) || attempt.startedAt === null || attempt.stop !== null)
      return [];
    return [[job, attempt]];
  });
}
