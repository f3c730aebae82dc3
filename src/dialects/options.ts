/**
 * Command-line options, read as getopt_long reads them, for every dialect. What went wrong is data: each
 * dialect has its own words for it. This file knows no option of any command and prints nothing.
 */

import { nearest } from '../model/nearest.ts';

export interface OptionSpec {
  /** The long form without its dashes, and the name under which it is found afterwards. */
  readonly name: string;
  /** Other long forms. */
  readonly aliases?: readonly string[];
  /** One letter. */
  readonly short?: string;
  /** An optional value is only taken when attached: `--colour=never`, `-cnever`. */
  readonly value: 'none' | 'required' | 'optional';
}

/** One option as it was given. */
export interface GivenOption {
  readonly name: string;
  readonly value: string | null;
  /** As written, for messages: `--cpu`, `-c`. */
  readonly written: string;
}

export interface ParsedArguments {
  /** In the order given. */
  readonly options: readonly GivenOption[];
  readonly positionals: readonly string[];
  /** What came after `--`; null when there was none. */
  readonly afterDashes: readonly string[] | null;
}

export type OptionError =
  /** `word`: the whole argument, with a value that is attached to it. */
  | {
      readonly kind: 'unknown';
      readonly written: string;
      readonly word: string;
      readonly nearest: readonly string[];
    }
  | {
      readonly kind: 'ambiguous';
      readonly written: string;
      readonly word: string;
      readonly choices: readonly string[];
    }
  | { readonly kind: 'missingValue'; readonly written: string; readonly name: string }
  | { readonly kind: 'unexpectedValue'; readonly written: string; readonly name: string };

export type ParseOutcome =
  | { readonly ok: true; readonly arguments: ParsedArguments }
  | { readonly ok: false; readonly error: OptionError };

/** Whether options may follow positionals, or the first positional ends them (it starts another command line). */
export type PositionalStyle = 'anywhere' | 'endOptions';

export function parseOptions(
  specs: readonly OptionSpec[],
  argv: readonly string[],
  style: PositionalStyle,
): ParseOutcome {
  const options: GivenOption[] = [];
  const positionals: string[] = [];
  let at = 0;
  while (at < argv.length) {
    const word = argv[at] as string;
    if (word === '--') {
      return { ok: true, arguments: { options, positionals, afterDashes: argv.slice(at + 1) } };
    }
    if (word === '-' || !word.startsWith('-')) {
      if (style === 'endOptions') {
        for (const rest of argv.slice(at)) positionals.push(rest);
        break;
      }
      positionals.push(word);
      at += 1;
      continue;
    }
    const read = word.startsWith('--') ? readLong(specs, argv, at) : readCluster(specs, argv, at);
    if (!read.ok) return read;
    for (const option of read.options) options.push(option);
    at = read.next;
  }
  return { ok: true, arguments: { options, positionals, afterDashes: null } };
}

/** The value of the last time it was given; null when it was not, or came without one. */
export function lastValue(given: readonly GivenOption[], name: string): string | null {
  return lastGiven(given, [name])?.value ?? null;
}

/** Every value, in order. */
export function allValues(given: readonly GivenOption[], name: string): readonly string[] {
  return given.flatMap((option) => (option.name === name && option.value !== null ? [option.value] : []));
}

export function isGiven(given: readonly GivenOption[], name: string): boolean {
  return given.some((option) => option.name === name);
}

/** Of options that exclude each other, the one given last. */
export function lastGiven(given: readonly GivenOption[], names: readonly string[]): GivenOption | null {
  return given.findLast((option) => names.includes(option.name)) ?? null;
}

type Read =
  | { readonly ok: true; readonly options: readonly GivenOption[]; readonly next: number }
  | { readonly ok: false; readonly error: OptionError };

function readLong(specs: readonly OptionSpec[], argv: readonly string[], at: number): Read {
  const word = argv[at] as string;
  const equals = word.indexOf('=');
  const written = equals === -1 ? word : word.slice(0, equals);
  const attached = equals === -1 ? null : word.slice(equals + 1);
  const found = findLong(specs, written, word);
  if ('kind' in found) return { ok: false, error: found };
  const { name } = found;
  if (found.value === 'none') {
    if (attached !== null) return { ok: false, error: { kind: 'unexpectedValue', written, name } };
    return { ok: true, options: [{ name, value: null, written }], next: at + 1 };
  }
  if (attached !== null || found.value === 'optional') {
    return { ok: true, options: [{ name, value: attached, written }], next: at + 1 };
  }
  return readNextWord(argv, at, found, written, []);
}

function findLong(specs: readonly OptionSpec[], written: string, word: string): OptionSpec | OptionError {
  const text = written.slice(2);
  const matches: { readonly spec: OptionSpec; readonly long: string }[] = [];
  for (const spec of specs) {
    for (const long of longForms(spec)) {
      if (long === text) return spec;
      if (long.startsWith(text) && text !== '') matches.push({ spec, long });
    }
  }
  const first = matches[0];
  if (first === undefined) {
    const names = specs.flatMap(longForms);
    return { kind: 'unknown', written, word, nearest: nearest(text, names).map((name) => `--${name}`) };
  }
  if (matches.some((match) => match.spec !== first.spec)) {
    return { kind: 'ambiguous', written, word, choices: matches.map((match) => `--${match.long}`) };
  }
  return first.spec;
}

function longForms(spec: OptionSpec): readonly string[] {
  return [spec.name, ...(spec.aliases ?? [])];
}

/** `-abc`, `-n5`, `-n 5`. */
function readCluster(specs: readonly OptionSpec[], argv: readonly string[], at: number): Read {
  const letters = Array.from((argv[at] as string).slice(1));
  const options: GivenOption[] = [];
  for (const [i, letter] of letters.entries()) {
    const written = `-${letter}`;
    const spec = specs.find((candidate) => candidate.short === letter);
    if (spec === undefined) return { ok: false, error: unknownLetter(specs, letters, written) };
    if (spec.value === 'none') {
      options.push({ name: spec.name, value: null, written });
      continue;
    }
    const attached = letters.slice(i + 1).join('');
    if (attached !== '' || spec.value === 'optional') {
      options.push({ name: spec.name, value: attached === '' ? null : attached, written });
      return { ok: true, options, next: at + 1 };
    }
    return readNextWord(argv, at, spec, written, options);
  }
  return { ok: true, options, next: at + 1 };
}

/** `-name` is most likely `--name` with a dash too few. */
function unknownLetter(
  specs: readonly OptionSpec[],
  letters: readonly string[],
  written: string,
): OptionError {
  const text = letters.join('');
  const meant = specs.flatMap(longForms).filter((long) => text.length > 1 && long === text.split('=')[0]);
  return { kind: 'unknown', written, word: written, nearest: meant.map((long) => `--${long}`) };
}

function readNextWord(
  argv: readonly string[],
  at: number,
  spec: OptionSpec,
  written: string,
  before: readonly GivenOption[],
): Read {
  const value = argv[at + 1];
  if (value === undefined) {
    return { ok: false, error: { kind: 'missingValue', written, name: spec.name } };
  }
  return { ok: true, options: [...before, { name: spec.name, value, written }], next: at + 2 };
}
