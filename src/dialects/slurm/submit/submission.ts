/** Handing a job to the yard. Jobs to depend on that do not exist count as done, as they do for Slurm. */

import type { JobId } from '../../../model/ids.ts';
import type { Dependencies, DependencyTerm, JobSpec } from '../../../model/job-spec.ts';
import { type Asking, command, query } from '../../program.ts';
import { submissionRefused } from './refusals.ts';

export interface Submitted {
  readonly job: JobId;
  readonly spec: JobSpec;
}

/** Throws what was said against it. */
export function* submitJob(wanted: JobSpec): Asking<Submitted> {
  let spec = wanted;
  for (;;) {
    const result = yield* command({ type: 'submit', spec });
    if (result.ok) return { job: result.job as JobId, spec };
    const dependencies = result.refusal.code === 'noSuchJob' ? yield* knownDependencies(spec) : null;
    // Nothing to leave out: then it was about something else.
    if (dependencies === null || dependencies.terms.length === spec.dependencies?.terms.length) {
      throw submissionRefused(result.refusal);
    }
    spec = { ...spec, dependencies: dependencies.terms.length === 0 ? null : dependencies };
  }
}

/** Null when there were none. */
function* knownDependencies({ dependencies }: JobSpec): Asking<Dependencies | null> {
  if (dependencies === null) return null;
  const terms: DependencyTerm[] = [];
  for (const term of dependencies.terms) if (yield* isKnown(term)) terms.push(term);
  const isAllMet = dependencies.need === 'any' && terms.length < dependencies.terms.length;
  return { need: dependencies.need, terms: isAllMet ? [] : terms };
}

function* isKnown(term: DependencyTerm): Asking<boolean> {
  if (term.kind === 'singleton') return true;
  return (yield* query('job', { ref: { job: term.job, index: null } })) !== null;
}
