/** In which order checkpoints are made safe, and which of the pointers to them may be. */

import { pointedTo } from './pointed-units.ts';
import { openIfThere } from './scan.ts';
import { newestFirst, type Unit } from './units.ts';

/** Newest first; pointers last, when what they point to is there. */
export function inOrder(units: readonly Unit[]): readonly Unit[] {
  return [
    ...newestFirst(units.filter(({ kind }) => kind !== 'pointer')),
    ...units.filter(({ kind }) => kind === 'pointer'),
  ];
}

/** Whether a pointer names one of these. One that does so before they are safe would lead nowhere. */
export async function leadsToAny(path: string, pointer: Unit, units: readonly Unit[]): Promise<boolean> {
  if (pointer.kind !== 'pointer' || units.length === 0) return false;
  const directory = await openIfThere(path);
  if (directory === null) return false;
  try {
    const ofAnyAge = { ...pointer, writtenAt: Number.POSITIVE_INFINITY };
    return (await pointedTo(directory, [ofAnyAge, ...units])).size > 0;
  } finally {
    directory.close();
  }
}
