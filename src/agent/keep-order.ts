/** What of a job is to be kept of one attempt, and who is needed for that. Pure. */

import { attemptId } from '../model/ids.ts';
import type { Attempt, Job } from '../model/job.ts';
import { isInScratch, keepingPaths } from '../model/keeping-paths.ts';
import type { KeepOrder } from '../storage/keeper.ts';

/** Whether anything is to be made ready before it starts. */
export function wantsReadying(job: Job): boolean {
  return job.spec.keeping !== undefined && (wantsCode(job) || keepsSomething(job));
}

export function wantsCode({ spec: { keeping } }: Job): boolean {
  return keeping !== undefined && keeping.snapshot !== null;
}

/** Whether something of it is to be looked after. */
export function keepsSomething(job: Job): boolean {
  return job.spec.keeping !== undefined && (wantsScratch(job) || wantsKeeper(job));
}

export function wantsScratch({ spec: { keeping } }: Job): boolean {
  if (keeping === undefined) return false;
  const { scratch, checkpoints, logs } = keeping;
  return scratch !== null || [checkpoints, ...logs.map(({ from }) => from)].some((path) => isIn(path));
}

/** Whether there is something to put back, or to copy at the end. */
export function wantsKeeper({ spec: { keeping } }: Job): boolean {
  return keeping !== undefined && (keeping.checkpoints !== null || keeping.logs.length > 0);
}

/** Without a scratch directory, what would be in it is nowhere. */
export function orderOf(
  job: Job,
  attempt: Pick<Attempt, 'id' | 'n'> | null,
  yardId: string,
  scratch: string | null,
): KeepOrder {
  const { keeping } = job.spec;
  const { checkpoints, persist, logs } = keepingPaths(job, attempt, scratch);
  const somewhere = (path: string | null) => (isIn(path) ? null : path);
  return {
    attempt: attempt?.id ?? attemptId(job.id, 0),
    owner: { yardId, job: job.id },
    from: somewhere(checkpoints),
    to: somewhere(persist),
    keepCount: keeping?.keepCount ?? null,
    keepForMs: keeping?.keepForMs ?? null,
    logs: logs.filter(({ from, to }) => !isIn(from) && !isIn(to)),
    scratch: scratch === null ? null : { directory: scratch, maxBytes: keeping?.scratch?.maxBytes ?? null },
    umask: job.spec.program.umask,
  };
}

/** Whether something that is to last is in its scratch directory now: then that must not go before it is safe. */
export function scratchHoldsKept({ from, to, logs, scratch }: KeepOrder): boolean {
  if (scratch === null) return false;
  const isHeld = (path: string) => path === scratch.directory || path.startsWith(`${scratch.directory}/`);
  return (from !== null && to !== null && isHeld(from)) || logs.some((each) => isHeld(each.from));
}

function isIn(path: string | null): boolean {
  return path !== null && isInScratch(path);
}
