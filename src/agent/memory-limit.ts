/** Which jobs may not use more memory than they asked for. */

import type { Job } from '../model/job.ts';

export function hasMemoryLimit({ spec }: Job): boolean {
  const { memory } = spec.resources;
  return memory !== null && memory.isUnlimited !== true;
}
