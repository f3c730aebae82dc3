/**
 * `scontrol top JOBS`: these go first among the jobs of the same user, partition, account and QOS. The priorities of
 * the group are dealt out anew, so that nobody outside of it loses or gains.
 */

import type { JobId } from '../../../model/ids.ts';
import { ANY_JOB, type JobView } from '../../../model/query.ts';
import { liveJobs } from '../../job-pages.ts';
import { type Asking, command } from '../../program.ts';
import { findJob } from '../find-job.ts';
import { splitOutsideBrackets } from '../host-list.ts';
import { parseJobWord } from '../job-words.ts';
import { atLeast, type Call, complain, EXIT_OK } from './call.ts';
import { HELD, NO_SUCH_JOB, NOT_PENDING, sentenceFor } from './sentences.ts';

export function* top(call: Call): Asking<number> {
  atLeast(call, 1);
  const wanted: JobView[] = [];
  for (const word of call.words.flatMap(splitOutsideBrackets)) {
    const parsed = parseJobWord(word);
    const view = parsed === null ? null : yield* findJob({ job: parsed.job, index: null });
    const sentence = view === null ? NO_SUCH_JOB : objection(view, call.invocation.user);
    if (sentence !== null) return yield* complain(call, `${sentence} for job ${word}`);
    if (view !== null) wanted.push(view);
  }
  const first = wanted[0];
  if (first === undefined) return EXIT_OK;
  const group = wanted.filter((view) => isAlike(view, first));
  const phases = ['pending'] as const;
  const users = [first.job.spec.user];
  const pending = yield* liveJobs({ ...ANY_JOB, phases, users });
  return yield* deal(
    call,
    group,
    pending.filter((view) => isAlike(view, first)),
  );
}

function objection({ job }: JobView, user: string): string | null {
  if (job.spec.user !== user && user !== 'root') return 'Access/permission denied';
  if (job.phase === 'held') return HELD;
  return job.phase === 'active' || job.phase === 'ended' ? NOT_PENDING : null;
}

function isAlike({ job: { spec } }: JobView, { job: { spec: other } }: JobView): boolean {
  return (
    spec.user === other.user &&
    spec.queue === other.queue &&
    spec.account === other.account &&
    spec.qos === other.qos
  );
}

function* deal(call: Call, firsts: readonly JobView[], pending: readonly JobView[]): Asking<number> {
  const ids = new Set<JobId>(firsts.map(({ job }) => job.id));
  const inOrder = [...pending].sort((a, b) => priorityOf(b) - priorityOf(a) || a.job.id - b.job.id);
  const order = [
    ...firsts.filter(({ job }) => job.phase === 'pending'),
    ...inOrder.filter(({ job }) => !ids.has(job.id)),
  ];
  const given = inOrder.map(priorityOf);
  // Equal numbers would leave the older job first.
  for (let at = firsts.length - 1; at >= 0; at--)
    given[at] = Math.max(given[at] ?? 0, (given[at + 1] ?? Number.NEGATIVE_INFINITY) + 1);
  for (const [at, view] of order.entries()) {
    const by = call.invocation.user;
    const change = Math.round((given[at] ?? 0) - priorityOf(view));
    if (change === 0) continue;
    const target = { job: view.job.id, index: null };
    const changes = { priority: view.job.spec.priority + change };
    const result = yield* command({ type: 'update', target, by, changes });
    if (!result.ok)
      return yield* complain(call, `${sentenceFor('top', result.refusal, 'active')} for job ${view.job.id}`);
  }
  return EXIT_OK;
}

function priorityOf({ priority }: JobView): number {
  return Math.round(priority ?? 0);
}
