/** Limits that a job has less of than its submitter, in words for `show` and `events`. */

import type { LoweredLimit } from '../../model/job.ts';
import { listed } from '../text/words.ts';

export function limitsText(lowered: readonly LoweredLimit[]): string {
  if (lowered.length === 0) return '';
  const each = lowered.map(({ letter, wanted, given }) => `ulimit -${letter} ${given} instead of ${wanted}`);
  return `${listed(each, 12)}: the yard itself may not have more`;
}
