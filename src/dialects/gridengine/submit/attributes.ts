/** `-l` as text: attributes and what was asked of each, from one flag or from all of them together. */

import { complexNamed } from '../complexes.ts';
import type { AskedFlag } from './layers.ts';

export interface AskedAttribute {
  /** As it was written: the name or its shortcut. */
  readonly name: string;
  /** Null: nothing follows its name. */
  readonly value: string | null;
}

/** One list, separated by commas or blanks. */
export function attributesOf(list: string): readonly AskedAttribute[] {
  return list
    .split(/[,\s]+/)
    .filter((part) => part !== '')
    .map((part) => {
      const equals = part.indexOf('=');
      if (equals < 0) return { name: part, value: null };
      return { name: part.slice(0, equals), value: part.slice(equals + 1) };
    });
}

/** All that was asked for, hard or soft; of an attribute that was asked for again the last value, at its first place. */
export function askedAttributes(
  given: readonly AskedFlag[],
  kind: 'hard' | 'soft',
): readonly AskedAttribute[] {
  const byName = new Map<string, AskedAttribute>();
  for (const { flag, words, isSoft } of given) {
    if (flag !== '-l' || isSoft !== (kind === 'soft')) continue;
    for (const asked of attributesOf(words[0] ?? '')) {
      byName.set(complexNamed(asked.name)?.name ?? asked.name, asked);
    }
  }
  return [...byName.values()];
}

/** `h_rt=1:0:0,mf=1G`; what has no value is asked to be true. */
export function attributesText(asked: readonly AskedAttribute[]): string {
  return asked.map(({ name, value }) => `${name}=${value ?? 'TRUE'}`).join(',');
}
