/**
 * A hundred thousand waiting jobs mostly ask for the same: those parts of their specs that are alike become one
 * object in memory. Specs are never changed in place, so nobody can tell the difference.
 */

import type { JobSpec } from './job-spec.ts';

export type SharedParts = (spec: JobSpec) => JobSpec;

/** Beyond so many different ones, what was kept is let go and sharing begins anew. */
const MOST_KEPT = 10_000;

export function sharedParts(): SharedParts {
  const kept = new Map<string, unknown>();

  function shared<T>(part: T): T {
    const key = JSON.stringify(part) ?? '';
    const known = kept.get(key);
    if (known !== undefined) return known as T;
    if (kept.size >= MOST_KEPT) kept.clear();
    kept.set(key, part);
    return part;
  }

  return (spec) => ({
    ...spec,
    name: shared(spec.name),
    user: shared(spec.user),
    queue: shared(spec.queue),
    ...(spec.queueChoices === undefined ? {} : { queueChoices: shared(spec.queueChoices) }),
    ...(spec.aftermath === undefined ? {} : { aftermath: shared(spec.aftermath) }),
    ...(spec.keeping === undefined ? {} : { keeping: shared(spec.keeping) }),
    workDir: shared(spec.workDir),
    program: shared(spec.program),
    streams: shared(spec.streams),
    resources: shared(spec.resources),
    origin: shared(spec.origin),
  });
}
