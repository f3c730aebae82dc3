/**
 * Where the yard is that shares out GPUs to programs outside of it. The Python package follows the same rule
 * (python/trainyard/_balancers.py).
 *
 *   1. TRAINYARD_GLB_DIR, and then nothing else.
 *   2. In a batch job, a yard of the job's own in /tmp/trainyard-glb-UID: job-YARD-17 in a job of a yard that has GPUs,
 *      slurm-17 or sge-17 in one of another system's.
 *   3. Where every yard is looked for (places.ts).
 *
 * It must not look at any file.
 */

import { basename, resolve } from 'node:path';
import { type PlaceFacts, type Places, yardPlaces } from './places.ts';

export interface GlbPlaces extends Places {
  /** The directory is a batch job's own: nobody but this job looks there, and nothing in it lasts. */
  readonly ownOfJob: boolean;
}

export function glbPlaces(facts: PlaceFacts): GlbPlaces {
  const { environment, workDir, uid } = facts;
  const named = environment.TRAINYARD_GLB_DIR;
  if (named) return { ...only(resolve(workDir, named), false, uid), ownOfJob: false };
  const job = batchJob(environment);
  if (job !== null) return { ...only(`/tmp/trainyard-glb-${uid}/${job}`, true, uid), ownOfJob: true };
  return { ...yardPlaces(facts), ownOfJob: false };
}

function only(path: string, inSharedDirectory: boolean, uid: number): Places {
  return { uid, explicit: true, directories: [{ path, inSharedDirectory }] };
}

/** A number is all that such a name has in practice; nobody's variable leads anywhere else. */
function batchJob(environment: PlaceFacts['environment']): string | null {
  const { TRAINYARD_JOB_ID, TRAINYARD_YARD, CUDA_VISIBLE_DEVICES } = environment;
  const { SLURM_JOB_ID, JOB_ID, SGE_ROOT } = environment;
  if (TRAINYARD_JOB_ID) {
    // Two yards of one machine have jobs of the same number.
    const yard = TRAINYARD_YARD ? `${basename(TRAINYARD_YARD)}-` : '';
    return CUDA_VISIBLE_DEVICES ? `job-${yard}${basename(TRAINYARD_JOB_ID)}` : null;
  }
  if (SLURM_JOB_ID) return `slurm-${basename(SLURM_JOB_ID)}`;
  return JOB_ID && SGE_ROOT ? `sge-${basename(JOB_ID)}` : null;
}
