/** The code of a job that asked for a snapshot, kept at the moment when everything else about it is settled. */

import type { JobSpec } from '../model/job-spec.ts';
import { NOTHING_KEPT } from '../model/keeping.ts';
import type { Refusal } from '../model/refusal.ts';
import { type Asking, takeSnapshot } from './program.ts';

export type KeptCode =
  | { readonly ok: true; readonly spec: JobSpec }
  | { readonly ok: false; readonly refusal: Refusal };

export function* withKeptCode(spec: JobSpec, wantsSnapshot: boolean): Asking<KeptCode> {
  if (!wantsSnapshot) return { ok: true, spec };
  const taken = yield* takeSnapshot(spec.workDir);
  if (!taken.ok) return taken;
  const keeping = { ...(spec.keeping ?? NOTHING_KEPT), snapshot: taken.snapshot };
  return { ok: true, spec: { ...spec, keeping } };
}
