/**
 * Command lines as Grid Engine's commands have them: flags of one dash and any number of letters, each with a fixed
 * number of words after it. What went wrong is data: each command has its own words for it. Knows no flag.
 */

export interface FlagSpec {
  /** With its dash: `-pe`. */
  readonly flag: string;
  /** How many words follow. */
  readonly words: number;
  /** With one word: it may be left out, and is when the next one begins with a dash or there is none. */
  readonly optional?: boolean;
  /** First words after which one more follows. */
  readonly ahead?: readonly string[];
}

/** One flag as it was given. */
export interface GivenFlag {
  readonly flag: string;
  readonly words: readonly string[];
}

export interface ReadFlags {
  /** In the order given. */
  readonly flags: readonly GivenFlag[];
  readonly positionals: readonly string[];
}

export type FlagError =
  | { readonly kind: 'unknown'; readonly written: string }
  /** `missing`: which of its words is not there, from 1. */
  | { readonly kind: 'missingWord'; readonly flag: string; readonly missing: number };

export type FlagOutcome =
  | { readonly ok: true; readonly read: ReadFlags }
  | { readonly ok: false; readonly error: FlagError };

/** Whether flags may follow positionals, or the first positional ends them (a script and its arguments). */
export type FlagStyle = 'anywhere' | 'endFlags';

export function readFlags(
  specs: readonly FlagSpec[],
  argv: readonly string[],
  style: FlagStyle,
): FlagOutcome {
  const flags: GivenFlag[] = [];
  const positionals: string[] = [];
  let at = 0;
  while (at < argv.length) {
    const word = argv[at] as string;
    if (word === '-' || !word.startsWith('-')) {
      if (style === 'endFlags') {
        for (const rest of argv.slice(at)) positionals.push(rest);
        break;
      }
      positionals.push(word);
      at += 1;
      continue;
    }
    const spec = specs.find(({ flag }) => flag === word);
    if (spec === undefined) return { ok: false, error: { kind: 'unknown', written: word } };
    const next = argv[at + 1];
    const isLeftOut = spec.optional === true && (next === undefined || next.startsWith('-'));
    const more = next !== undefined && spec.ahead?.includes(next) ? 1 : 0;
    const words = isLeftOut ? 0 : spec.words + more;
    const given = argv.slice(at + 1, at + 1 + words);
    if (given.length < words) {
      return { ok: false, error: { kind: 'missingWord', flag: word, missing: given.length + 1 } };
    }
    flags.push({ flag: word, words: given });
    at += 1 + words;
  }
  return { ok: true, read: { flags, positionals } };
}

export function hasFlag(given: readonly GivenFlag[], flag: string): boolean {
  return byName(given).has(flag);
}

/** The first word of the last time it was given; null when it was not, or came without one. */
export function lastWord(given: readonly GivenFlag[], flag: string): string | null {
  return byName(given).get(flag)?.at(-1)?.words[0] ?? null;
}

/** The first word of each time it was given, in order. */
export function allWords(given: readonly GivenFlag[], flag: string): readonly string[] {
  const found = byName(given).get(flag) ?? [];
  return found.flatMap(({ words: [word] }) => (word === undefined ? [] : [word]));
}

/** A command asks for dozens of flags, and a script may give thousands: each list is gone through once. */
const KNOWN = new WeakMap<readonly GivenFlag[], ReadonlyMap<string, readonly GivenFlag[]>>();

function byName(given: readonly GivenFlag[]): ReadonlyMap<string, readonly GivenFlag[]> {
  const known = KNOWN.get(given);
  if (known !== undefined) return known;
  const found = new Map<string, GivenFlag[]>();
  for (const each of given) {
    const others = found.get(each.flag);
    if (others === undefined) found.set(each.flag, [each]);
    else others.push(each);
  }
  KNOWN.set(given, found);
  return found;
}
