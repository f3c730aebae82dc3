/** What cannot be kept, however it was asked for. */

import { bytesFromText, printable } from '../../model/bytes.ts';
import type { JobSpec } from '../../model/job-spec.ts';
import type { Keeping } from '../../model/keeping.ts';
import { leadsNowhere, partsWithName } from '../../model/pattern.ts';
import { type Refusal, refusal } from '../../model/refusal.ts';

/** Whoever translated the wish should have seen to this; the core does not rely on it. */
export function malformedKeeping({ keeping, name }: Pick<JobSpec, 'keeping' | 'name'>): Refusal | null {
  if (keeping === undefined) return null;
  const { keepCount, keepForMs, scratch } = keeping;
  if (keepCount !== null && !(Number.isSafeInteger(keepCount) && keepCount >= 1))
    return refusal('badRequest', `${keepCount} checkpoints cannot be kept`, 'keep one at least');
  if (keepForMs !== null && !(keepForMs > 0))
    return refusal('badRequest', 'checkpoints must be kept for more than nothing');
  const maxBytes = scratch?.maxBytes ?? null;
  if (maxBytes !== null && !(Number.isSafeInteger(maxBytes) && maxBytes >= 1))
    return refusal('badRequest', `a scratch directory cannot have ${maxBytes} bytes`);
  return unfitName(keeping, name);
}

/** File systems have no longer names. */
const MAX_NAME_BYTES = 255;

/** With `%x` a name becomes a part of a path: `ck/..` would be the directory around all checkpoints. */
function unfitName({ checkpoints, persist, logs }: Keeping, name: string): Refusal | null {
  const patterns = [checkpoints, persist, ...logs.flatMap(({ from, to }) => [from, to])];
  for (const pattern of patterns) {
    const isUnfit = pattern !== null && partsWithName(pattern, name).some(isNoDirectoryName);
    if (isUnfit)
      return refusal(
        'badRequest',
        `a directory cannot be called after a job with the name '${printable(name)}', as %x in ${printable(pattern)} asks`,
        'give the job a plain name, or write %j, its number, instead of %x',
      );
  }
  return null;
}

function isNoDirectoryName(part: string): boolean {
  const bytes = bytesFromText(part).length;
  return leadsNowhere(part) || /[\u0000-\u001f\u007f]/.test(part) || bytes > MAX_NAME_BYTES;
}
