/**
 * Which of the limits of the submitter's shell a job can have. No process may give another more than it could have
 * itself, so what is beyond the yard's own hard limits becomes as much as those allow, and the difference is told.
 */

import type { LoweredLimit } from '../model/job.ts';
import { isMore, type Ulimits } from '../platform/ulimits.ts';

export interface GrantedLimits {
  readonly ulimits: Ulimits;
  readonly lowered: readonly LoweredLimit[];
}

export function grantedLimits(wanted: Ulimits, hard: Ulimits): GrantedLimits {
  const lowered: LoweredLimit[] = [];
  const ulimits: Record<string, string> = {};
  for (const [letter, value] of Object.entries(wanted)) {
    const most = hard[letter];
    const isTooMuch = most !== undefined && isMore(value, most);
    ulimits[letter] = isTooMuch ? most : value;
    if (isTooMuch) lowered.push({ letter, wanted: value, given: most });
  }
  return { ulimits, lowered };
}
