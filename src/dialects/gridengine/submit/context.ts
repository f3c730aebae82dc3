/** `-ac`, `-dc` and `-sc`: what a job carries along for its owner, from the order in which they were given. */

import type { AskedFlag } from './layers.ts';
import { splitList } from './values.ts';

/** `a=1,b`; what was there is where `-ac` adds to it. */
export function contextFrom(given: readonly AskedFlag[], before = ''): string {
  let context = new Map(pairsOf(before));
  for (const { flag, words } of given) {
    const pairs = pairsOf(words[0] ?? '');
    if (flag === '-sc') context = new Map(pairs);
    else if (flag === '-ac') for (const [name, value] of pairs) context.set(name, value);
    else if (flag === '-dc') for (const [name] of pairs) context.delete(name);
  }
  return [...context].map(([name, value]) => (value === null ? name : `${name}=${value}`)).join(',');
}

function pairsOf(list: string): readonly (readonly [string, string | null])[] {
  return splitList(list).map((part) => {
    const equals = part.indexOf('=');
    return equals < 0 ? ([part, null] as const) : ([part.slice(0, equals), part.slice(equals + 1)] as const);
  });
}
