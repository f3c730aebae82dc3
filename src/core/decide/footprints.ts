/** What kinds of jobs use: said by people, and forgotten at their word. What runs teach is in ../footprints/learn.ts. */

import type { UserCommand } from '../../model/command.ts';
import type { Footprint } from '../../model/footprint.ts';
import { type Refusal, refusal } from '../../model/refusal.ts';
import type { YardState } from '../state.ts';
import { record, type Turn } from '../turn.ts';

export function setFootprint(
  turn: Turn,
  { key, device, by, memoryBytes, loadMillis }: Extract<UserCommand, { type: 'setFootprint' }>,
): null | Refusal {
  const found = pagesFor(turn.state, [key], device);
  if (found.length === 0) return notKnown(key, device);
  const wrong = whyWrong(memoryBytes, loadMillis);
  if (wrong !== null) return refusal('badRequest', wrong);
  for (const footprint of found) {
    const { setBytes, setLoadMillis, ...seen } = footprint;
    const bytes = memoryBytes === undefined ? setBytes : (memoryBytes ?? undefined);
    const load = loadMillis === undefined ? setLoadMillis : (loadMillis ?? undefined);
    if (bytes === setBytes && load === setLoadMillis) continue;
    const changed: Footprint = {
      ...seen,
      ...(bytes === undefined ? {} : { setBytes: bytes }),
      ...(load === undefined ? {} : { setLoadMillis: load }),
    };
    record(turn, { type: 'footprintLearned', footprint: changed, attempt: null, by });
  }
  return null;
}

export function forgetFootprints(
  turn: Turn,
  { keys, device, by }: Extract<UserCommand, { type: 'forgetFootprints' }>,
): null | Refusal {
  const found = pagesFor(turn.state, keys, device);
  const missing = keys?.find((key) => !found.some((footprint) => footprint.key.text === key));
  if (missing !== undefined) return notKnown(missing, device);
  for (const footprint of found)
    record(turn, {
      type: 'footprintForgotten',
      key: footprint.key.text,
      device: footprint.device,
      by,
    });
  return null;
}

function pagesFor(
  { footprints }: YardState,
  keys: readonly string[] | null,
  device: string | null,
): readonly Footprint[] {
  const wanted = keys === null ? null : new Set(keys);
  return [...footprints.values()].filter(
    (footprint) =>
      (wanted === null || wanted.has(footprint.key.text)) && (device === null || footprint.device === device),
  );
}

function notKnown(key: string, device: string | null): Refusal {
  const where = device === null ? '' : ` on a GPU ${device}`;
  return refusal('badRequest', `nothing is known of '${key}'${where}`, 'see `trainyard footprints`');
}

function whyWrong(memoryBytes?: number | null, loadMillis?: number | null): string | null {
  if (memoryBytes != null && !(Number.isSafeInteger(memoryBytes) && memoryBytes >= 1))
    return `a job cannot use ${memoryBytes} bytes of a GPU`;
  if (loadMillis != null && !(Number.isSafeInteger(loadMillis) && loadMillis >= 0 && loadMillis <= 1000))
    return `a job cannot keep ${loadMillis} thousandths of a GPU busy`;
  return null;
}
