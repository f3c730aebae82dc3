/** Environments by their hash, taken apart once for the many jobs that share one. */

import type { BlobHash } from '../model/ids.ts';
import { parseEnvironment, type SubmittedEnvironment } from './environment.ts';

const MOST_KEPT = 64;

/** Gives the environment of a hash, or null when nobody has its bytes any more. */
export function createEnvironments(
  blob: (hash: BlobHash) => Uint8Array | null,
): (hash: BlobHash) => SubmittedEnvironment | null {
  const kept = new Map<BlobHash, SubmittedEnvironment>();
  return (hash) => {
    const known = kept.get(hash);
    if (known !== undefined) return known;
    const bytes = blob(hash);
    if (bytes === null) return null;
    const environment = parseEnvironment(bytes);
    kept.set(hash, environment);
    const oldest = kept.keys().next().value;
    if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
    return environment;
  };
}
