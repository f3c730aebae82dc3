/** `--moved` and `--copied` of `trainyard up`: for this start only, so they are never kept with the other options. */

import { usageError } from '../dialects/native/failure.ts';
import { type GivenOption, isGiven } from '../dialects/options.ts';
import type { Said } from '../server/arrival.ts';

/** Throws a UsageError. */
export function saidInOptions(given: readonly GivenOption[]): Said {
  const [moved, copied] = [isGiven(given, 'moved'), isGiven(given, 'copied')];
  if (moved && copied) throw usageError('--moved and --copied exclude each other');
  return moved ? 'moved' : copied ? 'copied' : null;
}

export function formatSaid(said: Said): readonly string[] {
  return said === null ? [] : [`--${said}`];
}

/** Takes what formatSaid wrote out of a daemon's words. */
export function takeSaid(words: readonly string[]): {
  readonly said: Said;
  readonly rest: readonly string[];
} {
  const isSaid = (word: string) => word === '--moved' || word === '--copied';
  const word = words.find(isSaid);
  const said = word === '--moved' ? 'moved' : word === '--copied' ? 'copied' : null;
  return { said, rest: words.filter((each) => !isSaid(each)) };
}
