/** Reads the command line of `qhost`. What went wrong is said as the original says it. */

import { GridEngineFailure } from '../failure.ts';
import { allWords, type FlagSpec, hasFlag } from '../flags.ts';
import { helpText } from '../help-text.ts';
import { type ListingVoice, listOf, readListingFlags, withUsage } from '../listing-flags.ts';
import { type ResourceWish, readWishes } from '../resource-match.ts';

export interface QhostCall {
  readonly isHelp: boolean;
  /** What of their attributes is shown: none, all, or these. */
  readonly attributes: readonly string[] | 'all' | null;
  /** Null: all of them. */
  readonly hosts: readonly string[] | null;
  readonly wishes: readonly ResourceWish[] | null;
  readonly withJobs: boolean;
  readonly withQueues: boolean;
  readonly withTopology: boolean;
  /** Whose jobs; null: everybody's. */
  readonly users: readonly string[] | null;
  readonly xml: boolean;
}

export const QHOST_HELP = helpText(
  'qhost [options]',
  [
    ['[-F [attribute,...]]', 'add what each host has of (these) attributes'],
    ['[-h host,...]', 'only these hosts'],
    ['[-help]', 'say this'],
    ['[-j]', 'add the jobs that run there'],
    ['[-l resource=value,...]', 'only hosts that have this'],
    ['[-ncb]', 'leave out sockets, cores and threads'],
    ['[-q]', 'add the queues that reach it'],
    ['[-u user,...]', 'add the jobs of these users'],
    ['[-xml]', 'for programs'],
  ],
  [],
);

const FLAGS: readonly FlagSpec[] = [
  ...['-help', '-j', '-ncb', '-q', '-xml'].map((flag) => ({ flag, words: 0 })),
  ...['-h', '-l', '-u'].map((flag) => ({ flag, words: 1 })),
  { flag: '-F', words: 1, optional: true },
];

const VOICE: ListingVoice = { help: QHOST_HELP, prefix: 'error: ' };

export function readQhostCall(words: readonly string[]): QhostCall {
  const given = readListingFlags(FLAGS, words, VOICE);
  const has = (flag: string) => hasFlag(given, flag);
  const lists = (flag: string) => (has(flag) ? allWords(given, flag).flatMap(listOf) : null);
  const attributes = lists('-F');
  return {
    isHelp: has('-help'),
    attributes: attributes?.length === 0 ? 'all' : attributes,
    hosts: lists('-h'),
    wishes: has('-l') ? allWords(given, '-l').flatMap(wishesIn) : null,
    withJobs: has('-j') || has('-u'),
    withQueues: has('-q'),
    withTopology: !has('-ncb'),
    users: lists('-u'),
    xml: has('-xml'),
  };
}

/** A host that nobody knows, as if its name could not be found anywhere. */
export function unknownHost(name: string): GridEngineFailure {
  return withUsage(VOICE, `can't resolve hostname "${name}"`);
}

function wishesIn(text: string): readonly ResourceWish[] {
  const read = readWishes(text);
  if (!read.ok) throw new GridEngineFailure([`error: ${read.complaint}`], 1);
  return read.wishes;
}
