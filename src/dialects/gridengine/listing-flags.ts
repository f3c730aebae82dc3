/**
 * The command lines of Grid Engine's listings (`qstat`, `qselect`, `qhost`): the same complaints in the same words, after
 * what `-help` says. Knows no flag.
 */

import { GridEngineFailure } from './failure.ts';
import { type FlagSpec, type GivenFlag, readFlags } from './flags.ts';

export interface ListingVoice {
  readonly help: string;
  /** What stands before each complaint: `error: `, or nothing. */
  readonly prefix: string;
}

/** What `-help` says, then what is wrong. */
export function withUsage({ help, prefix }: ListingVoice, ...lines: readonly string[]): GridEngineFailure {
  return new GridEngineFailure(
    [...help.trimEnd().split('\n'), ...lines.map((line) => `${prefix}${line}`)],
    1,
  );
}

export function readListingFlags(
  flags: readonly FlagSpec[],
  words: readonly string[],
  voice: ListingVoice,
): readonly GivenFlag[] {
  const outcome = readFlags(flags, words, 'anywhere');
  if (!outcome.ok) {
    const { error } = outcome;
    if (error.kind === 'missingWord') throw withoutArgument(error.flag, voice);
    throw withUsage(voice, `invalid option argument "${error.written}"`);
  }
  const { positionals, flags: given } = outcome.read;
  for (const { flag, words: itsWords } of given) {
    const [word] = itsWords;
    const isOptional = flags.find((spec) => spec.flag === flag)?.optional === true;
    if (word?.startsWith('-') === true) throw withoutArgument(flag, voice);
    if (word === '' && !isOptional) {
      throw withUsage(voice, `${flag} option must have argument`, 'invalid option argument ""');
    }
  }
  if (positionals.length > 0) throw withUsage(voice, `invalid option argument "${positionals[0]}"`);
  return given;
}

/** Words with commas or blanks between them. */
export function listOf(text: string): readonly string[] {
  return text.split(/[,\s]+/).filter((word) => word !== '');
}

function withoutArgument(flag: string, { prefix }: ListingVoice): GridEngineFailure {
  return new GridEngineFailure([`${prefix}${flag} option must have argument`], 1);
}
