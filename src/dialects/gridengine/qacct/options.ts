/** What `qacct` was asked: its command line as values. */

import { type RangeSet, rangeOf } from '../../../model/ranges.ts';
import { DAY_MS } from '../../text/calendar.ts';
import { GridEngineFailure } from '../failure.ts';
import { type FlagSpec, type GivenFlag, hasFlag, lastWord, type ReadFlags, readFlags } from '../flags.ts';
import { readMoment } from '../written-moments.ts';
import { QACCT_HELP } from './help.ts';

export interface QacctOptions {
  readonly isHelp: boolean;
  /** Null: what the yard remembers. `-`: stdin. */
  readonly file: string | null;
  /** Null: summed up. */
  readonly jobs: JobsAsked | null;
  readonly groups: Groups;
  readonly window: TimeWindow;
  /** `-l`, as given; null: none. */
  readonly resources: string | null;
  readonly mastersOnly: boolean;
}

export type JobsAsked =
  | { readonly kind: 'all' }
  | { readonly kind: 'numbers'; readonly numbers: readonly number[]; readonly tasks: RangeSet | null }
  | { readonly kind: 'name'; readonly pattern: string; readonly tasks: RangeSet | null };

/** What it is summed up by. */
export type Group =
  | 'host'
  | 'queue'
  | 'group'
  | 'owner'
  | 'project'
  | 'department'
  | 'pe'
  | 'slots'
  | 'ar'
  | 'account';

/** A group that was asked for, with the one value that is wanted; null: each of them. */
export type Groups = ReadonlyMap<Group, string | null>;

export interface TimeWindow {
  readonly of: 'start' | 'end';
  readonly from: number | null;
  readonly until: number | null;
}

const GROUP_BY_FLAG: Readonly<Record<string, Group>> = {
  '-h': 'host',
  '-q': 'queue',
  '-g': 'group',
  '-o': 'owner',
  '-u': 'owner',
  '-P': 'project',
  '-D': 'department',
  '-pe': 'pe',
  '-slots': 'slots',
  '-ar': 'ar',
  '-A': 'account',
};

const FLAGS: readonly FlagSpec[] = [
  ...[...Object.keys(GROUP_BY_FLAG), '-j'].map((flag) => ({ flag, words: 1, optional: true })),
  ...['-b', '-d', '-e', '-f', '-l', '-t'].map((flag) => ({ flag, words: 1 })),
  ...['-E', '-m', '-help'].map((flag) => ({ flag, words: 0 })),
];

export function readQacctOptions(argv: readonly string[], now: number, zone: string): QacctOptions {
  const { flags, positionals } = readCommandLine(argv);
  const [bare, ...more] = positionals;
  if (more.length > 0) throw usage();
  return {
    isHelp: hasFlag(flags, '-help'),
    file: lastWord(flags, '-f') ?? bare ?? null,
    jobs: jobsIn(flags),
    groups: groupsIn(flags),
    window: windowIn(flags, now, zone),
    resources: lastWord(flags, '-l'),
    mastersOnly: hasFlag(flags, '-m'),
  };
}

function readCommandLine(argv: readonly string[]): ReadFlags {
  const outcome = readFlags(FLAGS, argv, 'anywhere');
  if (!outcome.ok) throw usage();
  return outcome.read;
}

function jobsIn(flags: readonly GivenFlag[]): JobsAsked | null {
  const tasksWord = lastWord(flags, '-t');
  const word = lastWord(flags, '-j');
  if (tasksWord !== null && word === null)
    throw usage('error: -t option requires -j option with an argument');
  if (!hasFlag(flags, '-j')) return null;
  if (word === null) return { kind: 'all' };
  const tasks = tasksWord === null ? null : tasksIn(tasksWord);
  if (!/^\d/.test(word)) return { kind: 'name', pattern: word, tasks };
  const numbers = word.split(',').map((number) => Number.parseInt(number, 10));
  return { kind: 'numbers', numbers: numbers.filter((number) => number > 0), tasks };
}

/** `3`, `1-5:2`, `1,4-6`. */
function tasksIn(word: string): RangeSet {
  return word.split(',').flatMap((range) => {
    const [, first, last, step] = /^(\d{1,9})(?:-(\d{1,9}))?(?::(\d{1,9}))?$/.exec(range) ?? [];
    if (first === undefined || Number(step ?? 1) === 0)
      throw usage(`invalid list of task id ranges: ${word}`);
    const ends = [Number(first), Number(last ?? first)];
    return rangeOf(Math.min(...ends), Math.max(...ends), Number(step ?? 1));
  });
}

/** A number of slots that is none asks for nothing. */
function groupsIn(flags: readonly GivenFlag[]): Groups {
  const groups = new Map<Group, string | null>();
  for (const { flag, words } of flags) {
    const group = GROUP_BY_FLAG[flag];
    if (group === undefined) continue;
    const word = words[0] ?? null;
    if (group === 'ar' && word !== null && !/^\d+$/.test(word))
      throw usage('invalid advance reservation id, must be an unsigned integer');
    if (group === 'slots' && word !== null && !/^[1-9]/.test(word)) groups.delete(group);
    else groups.set(group, word !== null && isNumbered(group) ? `${Number.parseInt(word, 10)}` : word);
  }
  return groups;
}

export function isNumbered(group: Group): boolean {
  return group === 'slots' || group === 'ar';
}

function windowIn(flags: readonly GivenFlag[], now: number, zone: string): TimeWindow {
  const from = momentIn(flags, '-b', now, zone);
  const until = momentIn(flags, '-e', now, zone);
  const of = hasFlag(flags, '-E') ? 'end' : 'start';
  const daysWord = lastWord(flags, '-d');
  if (daysWord !== null && !/^-?\d+$/.test(daysWord)) throw usage();
  const spanMs = Number(daysWord) * DAY_MS;
  if (daysWord === null || spanMs < 0 || (from !== null && until !== null)) return { of, from, until };
  if (from !== null) return { of, from, until: from + spanMs };
  if (until !== null) return { of, from: until - spanMs, until };
  return { of, from: now - spanMs, until: now };
}

function momentIn(flags: readonly GivenFlag[], flag: string, now: number, zone: string): number | null {
  const word = lastWord(flags, flag);
  if (word === null) return null;
  const moment = readMoment(word, now, zone);
  if (!moment.ok) throw usage('', moment.complaint);
  return moment.at;
}

function usage(...lines: readonly string[]): GridEngineFailure {
  return new GridEngineFailure([...lines, ...QACCT_HELP.trimEnd().split('\n')], 1);
}
