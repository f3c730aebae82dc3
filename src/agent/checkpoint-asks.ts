/** What people ask about the checkpoints of a job, put to the keeper: of one that runs, and of one that is over. */

import type { Attempt, Job } from '../model/job.ts';
import type { CheckpointsAnswer, CheckpointsAsk } from '../model/keeping.ts';
import { Fault } from '../model/refusal.ts';
import type { Keeper } from '../storage/keeper.ts';
import type { KeepNotes } from './keep-notes.ts';
import { orderOf } from './keep-order.ts';
import type { LiveAttempt } from './live.ts';
import type { Safekeeping } from './safekeeping.ts';

export interface AskParts {
  readonly yardId: string;
  readonly notes: KeepNotes;
  readonly safekeeping: Safekeeping;
  readonly keeper: Keeper | null;
}

/** Rejects with a Fault. */
export async function askCheckpoints(
  { yardId, notes, safekeeping, keeper }: AskParts,
  live: LiveAttempt | null,
  job: Job,
  attempt: Attempt | null,
  ask: CheckpointsAsk,
): Promise<CheckpointsAnswer> {
  if (keeper === null) throw new Fault('this yard keeps no checkpoints', false);
  const noted = live?.kept ?? (attempt === null ? null : notes.of(attempt.id));
  const order = noted?.order ?? orderOf(job, attempt, yardId, null);
  if (order.from === null && order.to === null) return NOTHING;
  if (ask.what === 'list') return withTrouble(await keeper.ask(order, ask), attempt);
  if (ask.what !== 'flush' || live !== null || notes.ofJob(job.id).length === 0)
    return keeper.ask(order, ask);
  const before = namesOf(await keeper.ask(order, { what: 'list' }));
  const trouble = await safekeeping.retryOf(job.id);
  const left = trouble === null ? orderOf(job, attempt, yardId, null) : order;
  const after = await keeper.ask(left, { what: 'list' });
  const done = [...namesOf(after)].filter((name) => !before.has(name));
  return { ...after, done, trouble: trouble ?? after.trouble };
}

const NOTHING: CheckpointsAnswer = { from: null, to: null, checkpoints: [], done: [], trouble: null };

/** What was told of it while it ran, or when it ended, lasts until something else is told. */
function withTrouble(answer: CheckpointsAnswer, attempt: Attempt | null): CheckpointsAnswer {
  return { ...answer, trouble: answer.trouble ?? attempt?.trouble ?? null };
}

function namesOf({ checkpoints }: CheckpointsAnswer): ReadonlySet<string> {
  return new Set(checkpoints.flatMap(({ name, state }) => (state === 'kept' ? [name] : [])));
}
