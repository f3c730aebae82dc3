/** What cannot be kept, however it was asked for. */

import type { Keeping } from '../../model/keeping.ts';
import { type Refusal, refusal } from '../../model/refusal.ts';

/** Whoever translated the wish should have seen to this; the core does not rely on it. */
export function malformedKeeping(keeping: Keeping | undefined): Refusal | null {
  if (keeping === undefined) return null;
  const { keepCount, keepForMs, scratch } = keeping;
  if (keepCount !== null && !(Number.isSafeInteger(keepCount) && keepCount >= 1))
    return refusal('badRequest', `${keepCount} checkpoints cannot be kept`, 'keep one at least');
  if (keepForMs !== null && !(keepForMs > 0))
    return refusal('badRequest', 'checkpoints must be kept for more than nothing');
  const maxBytes = scratch?.maxBytes ?? null;
  if (maxBytes !== null && !(Number.isSafeInteger(maxBytes) && maxBytes >= 1))
    return refusal('badRequest', `a scratch directory cannot have ${maxBytes} bytes`);
  return null;
}
