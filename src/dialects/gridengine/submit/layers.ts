/**
 * Flags from several sources as one list, in the order in which the last one counts. Owns what becomes of those that
 * were given more than once: most are replaced, lists add up. What the flags mean is not known here.
 */

import type { GivenFlag } from '../flags.ts';
import { submitFlag } from './flag-table.ts';
import type { Layer } from './sources.ts';

/** A flag with what was said around it. */
export interface AskedFlag extends GivenFlag {
  /** Which source it is from, counted from the first. */
  readonly layer: number;
  /** After `-soft`, until `-hard`. */
  readonly isSoft: boolean;
}

/** `-clear` forgets all that was said before it, wherever. A source begins with hard requests. */
export function mergedFlags(layers: readonly Layer[]): readonly AskedFlag[] {
  let merged: AskedFlag[] = [];
  for (const [layer, { flags }] of layers.entries()) {
    let isSoft = false;
    for (const each of flags) {
      if (each.flag === '-clear') merged = [];
      else if (each.flag === '-soft') isSoft = true;
      else if (each.flag === '-hard') isSoft = false;
      else merged.push({ ...each, layer, isSoft });
    }
  }
  return merged;
}

/** Flags of one source that stand there twice although the last one counts. */
export function repeatedFlags({ flags }: Layer): readonly string[] {
  const seen = new Set<string>();
  const repeated: string[] = [];
  for (const { flag } of flags) {
    if (submitFlag(flag)?.once !== true) continue;
    if (seen.has(flag)) repeated.push(flag);
    seen.add(flag);
  }
  return repeated;
}

/** Of flags that the next source replaces as a whole: those of the last source that has any. */
export function ofLastSource(given: readonly AskedFlag[], flag: string): readonly AskedFlag[] {
  const all = given.filter((each) => each.flag === flag);
  const last = all.at(-1)?.layer;
  return all.filter(({ layer }) => layer === last);
}
