/** What a job still waits for, as Slurm writes it: `afterok:6(unfulfilled),singleton(unfulfilled)`. */

import type { DependencyTerm } from '../../model/job-spec.ts';
import type { JobView } from '../../model/query.ts';
import type { UnmetDependency } from '../../model/reason.ts';

/** Null when it waits for no other job. */
export function dependencyText({ job, reason }: Pick<JobView, 'job' | 'reason'>): string | null {
  const { dependencies } = job.spec;
  if (dependencies === null || (job.phase !== 'held' && job.phase !== 'waiting')) return null;
  const separator = dependencies.need === 'any' ? '?' : ',';
  if (reason?.kind === 'dependency')
    return reason.unmet.map((unmet) => termText(unmet.term, hasFailed(unmet))).join(separator);
  // Whoever holds a job keeps everybody from looking at what else it waits for.
  if (job.phase === 'held') return dependencies.terms.map((term) => termText(term, false)).join(separator);
  return null;
}

/** The other job has ended otherwise than was wanted; after one that began, only a delay is left to wait for. */
export function hasFailed({ term, other }: UnmetDependency): boolean {
  return term.kind !== 'after' && other !== null && other.outcome !== null;
}

const MINUTE_MS = 60_000;

function termText(term: DependencyTerm, failed: boolean): string {
  const standing = failed ? '(failed)' : '(unfulfilled)';
  if (term.kind === 'singleton') return `singleton${standing}`;
  const element = term.index === null ? '' : `_${term.index}`;
  const delay = term.delayMs ? `+${Math.ceil(term.delayMs / MINUTE_MS)}` : '';
  // Slurm has no word for pairs of elements of which the first may end as it likes.
  const kind = term.kind === 'aftercorrany' ? 'afterany' : term.kind;
  return `${kind}:${term.job}${element}${delay}${standing}`;
}
