/** What a name of `scontrol update JobId=…` does to a job, put together from a few forms. Knows no name. */

import type { JobChanges } from '../../../model/command.ts';
import type { JobSpec, ResourceRequest } from '../../../model/job-spec.ts';
import type { JobView } from '../../../model/query.ts';
import { failure, type SlurmFailure } from '../failure.ts';
import { NOT_PENDING } from './sentences.ts';

export interface Edit {
  /** From the job with what other names have done to it already. */
  readonly changes: (spec: JobSpec, view: JobView) => JobChanges;
  /** Why not, for this job; null: nothing is wrong. */
  readonly objection: (view: JobView) => string | null;
  /** The job is held besides. */
  readonly holds: boolean;
  /** Said once, after `warning: `. */
  readonly warning: string | null;
}

const NOTHING: Edit = { changes: () => ({}), objection: () => null, holds: false, warning: null };

export const KEEP_FROM_RUNNING: Edit = { ...NOTHING, holds: true };

export function set(changes: JobChanges): Edit {
  return { ...NOTHING, changes: () => changes };
}

/** Only of a job that has not begun. */
export function setBefore(changes: JobChanges): Edit {
  return {
    ...set(changes),
    objection: ({ job }) => (job.phase === 'active' ? NOT_PENDING : null),
  };
}

export function derive(changes: Edit['changes']): Edit {
  return { ...NOTHING, changes };
}

export function demand(change: (resources: ResourceRequest) => Partial<ResourceRequest>): Edit {
  return derive(({ resources }) => ({ resources: { ...resources, ...change(resources) } }));
}

/** Refused for every job, with Slurm's sentence. */
export function refused(sentence: string): Edit {
  return { ...NOTHING, objection: () => sentence };
}

export function objecting(edit: Edit, objection: Edit['objection']): Edit {
  return { ...edit, objection: (view) => edit.objection(view) ?? objection(view) };
}

export function warning(edit: Edit | null, sentence: string): Edit {
  return { ...(edit ?? NOTHING), warning: sentence };
}

/** A value that makes no sense ends the command. */
export function invalid(message: string): SlurmFailure {
  return failure('scontrol', message);
}
