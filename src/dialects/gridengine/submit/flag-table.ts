/**
 * Every flag of those commands that submit or change jobs: which of them know it, how many words follow, what is said
 * when they do not, and what is said of a value that makes no sense. What the flags mean is in the files around.
 */

import type { FlagSpec } from '../flags.ts';
import { type Complaint, complaint, EXIT_USAGE, EXIT_VALUE } from './complaints.ts';
import { parseSlotRange, parseTaskRange, parseTimeMs, parseYesNo, splitList } from './values.ts';

export type Submitter = 'qsub' | 'qalter' | 'qrsh' | 'qlogin' | 'qsh' | 'qresub';

export interface SubmitFlag extends FlagSpec {
  readonly by: readonly Submitter[];
  /** What it must have, in the original's words: by default `argument`; one for each word. */
  readonly needs?: readonly string[];
  readonly check?: (words: readonly string[], flag: string) => Complaint | null;
  /** Given twice in one place, the original says so. */
  readonly once?: boolean;
  /** Why it changes nothing here, for a warning. */
  readonly noEffect?: string;
}

const ALL: readonly Submitter[] = ['qsub', 'qalter', 'qrsh', 'qlogin', 'qsh'];
const NEW: readonly Submitter[] = ['qsub', 'qrsh', 'qlogin', 'qsh'];
const BATCH: readonly Submitter[] = ['qsub', 'qalter'];
const QUEUE_LIST = ['queue list argument'];

export const SUBMIT_FLAGS: readonly SubmitFlag[] = [
  { flag: '-@', words: 1, by: NEW, needs: ['file argument'] },
  { flag: '-a', words: 1, by: BATCH, once: true },
  { flag: '-A', words: 1, by: ALL, once: true },
  { flag: '-ac', words: 1, by: ALL, needs: ['a context_list list argument'], check: contextList },
  {
    flag: '-ar',
    words: 1,
    by: ALL,
    check: (words) => wholeNumber(words, 'invalid advance reservation id, must be an unsigned integer'),
  },
  { flag: '-b', words: 1, by: ['qsub', 'qrsh'], check: yesOrNo, once: true },
  {
    flag: '-binding',
    words: 1,
    ahead: ['env', 'pe', 'set'],
    by: ALL,
    check: binding,
    noEffect: 'the yard chooses the CPUs of a job',
  },
  { flag: '-c', words: 1, by: BATCH, check: occasions },
  { flag: '-C', words: 1, by: ['qsub', 'qrsh'], once: true },
  { flag: '-ckpt', words: 1, by: BATCH },
  { flag: '-clear', words: 0, by: NEW },
  { flag: '-cwd', words: 0, by: ['qsub', 'qalter', 'qrsh', 'qsh'] },
  { flag: '-dc', words: 1, by: ALL, needs: ['a simple_context_list list argument'], check: contextList },
  { flag: '-display', words: 1, by: ['qrsh', 'qsh'] },
  { flag: '-dl', words: 1, by: ALL, once: true },
  { flag: '-e', words: 1, by: ALL, check: listOf('stderr path') },
  { flag: '-h', words: 0, by: ['qsub', 'qrsh'], once: true },
  { flag: '-hard', words: 0, by: ALL },
  { flag: '-he', words: 1, by: [], check: yesOrNo },
  { flag: '-help', words: 0, by: [...ALL, 'qresub'] },
  { flag: '-hold_jid', words: 1, by: ['qsub', 'qalter', 'qrsh'], check: listOf('jid_hold') },
  { flag: '-hold_jid_ad', words: 1, by: ['qsub', 'qalter', 'qrsh'], check: listOf('jid_hold') },
  { flag: '-i', words: 1, by: BATCH, check: listOf('stdin path') },
  { flag: '-inherit', words: 0, by: ['qrsh'] },
  { flag: '-j', words: 1, by: ALL, check: yesOrNo, once: true },
  {
    flag: '-js',
    words: 1,
    by: ALL,
    check: (words) => wholeNumber(words, 'invalid jobshare, must be an unsigned integer'),
    noEffect: 'shares are by user here',
  },
  { flag: '-jsv', words: 1, by: NEW, noEffect: 'jobs are not given to scripts ahead of being submitted' },
  { flag: '-l', words: 1, by: ALL },
  { flag: '-M', words: 1, by: ALL, check: listOf('mail') },
  { flag: '-m', words: 1, by: ALL, check: mailOptions },
  { flag: '-masterq', words: 1, by: ALL, needs: QUEUE_LIST, check: listOf('queue') },
  { flag: '-N', words: 1, by: ALL, check: jobName, once: true },
  { flag: '-noshell', words: 0, by: ['qrsh'] },
  { flag: '-nostdin', words: 0, by: ['qrsh'] },
  { flag: '-notify', words: 0, by: ['qsub', 'qalter', 'qrsh'] },
  { flag: '-now', words: 1, by: NEW, check: yesOrNo, once: true },
  { flag: '-o', words: 1, by: ALL, check: listOf('stdout path') },
  { flag: '-ot', words: 1, by: ['qalter'] },
  { flag: '-P', words: 1, by: ALL, once: true },
  { flag: '-p', words: 1, by: ALL, check: priority },
  {
    flag: '-pe',
    words: 2,
    by: ALL,
    needs: ['pe_name argument', 'range as 2nd argument'],
    check: slots,
    once: true,
  },
  { flag: '-pty', words: 1, by: ['qsub', 'qrsh', 'qlogin'], check: yesOrNo },
  { flag: '-q', words: 1, by: ALL, needs: QUEUE_LIST, check: listOf('queue') },
  {
    flag: '-R',
    words: 1,
    by: ALL,
    check: yesOrNo,
    once: true,
  },
  { flag: '-r', words: 1, by: BATCH, check: yesOrNo, once: true },
  { flag: '-sc', words: 1, by: ALL, needs: ['context list argument'], check: contextList },
  { flag: '-shell', words: 1, by: ['qsub'], check: yesOrNo, once: true },
  { flag: '-soft', words: 0, by: ALL },
  { flag: '-sync', words: 1, by: ['qsub'], check: yesOrNo, once: true },
  {
    flag: '-S',
    words: 1,
    by: ['qsub', 'qalter', 'qsh'],
    needs: ['path_name argument'],
    check: listOf('shell'),
  },
  { flag: '-t', words: 1, by: BATCH, needs: ['a list of task id ranges'], check: tasks },
  { flag: '-tc', words: 1, by: BATCH, check: concurrency },
  { flag: '-terse', words: 0, by: ['qsub'] },
  {
    flag: '-u',
    words: 1,
    by: BATCH,
    needs: ['a list usernames'],
    noEffect: 'a job is submitted as whoever submits it',
  },
  {
    flag: '-v',
    words: 1,
    by: ['qsub', 'qalter', 'qrsh'],
    needs: ['variable list argument'],
    check: variables,
  },
  { flag: '-verbose', words: 0, by: ['qrsh'] },
  { flag: '-verify', words: 0, by: ALL },
  { flag: '-V', words: 0, by: ['qsub', 'qalter', 'qrsh', 'qsh'] },
  { flag: '-w', words: 1, by: ALL, check: validation, once: true },
  { flag: '-wd', words: 1, by: ['qsub', 'qalter', 'qrsh', 'qsh'] },
];

const BY_NAME = new Map(SUBMIT_FLAGS.map((row) => [row.flag, row]));

export function submitFlag(flag: string): SubmitFlag | null {
  return BY_NAME.get(flag) ?? null;
}

/** `-pe option must have range as 2nd argument`. */
export function missingWord(flag: string, missing: number): Complaint {
  const needed = submitFlag(flag)?.needs?.[missing - 1] ?? 'argument';
  return complaint(EXIT_USAGE, `${flag} option must have ${needed}`);
}

function yesOrNo([word = '']: readonly string[], flag: string): Complaint | null {
  return parseYesNo(word) === null ? invalidArgument(flag, word) : null;
}

function invalidArgument(flag: string, word: string): Complaint {
  return complaint(EXIT_VALUE, `invalid option argument "${flag} ${word}"`);
}

function wholeNumber([word = '']: readonly string[], text: string): Complaint | null {
  return /^\d{1,10}$/.test(word) ? null : complaint(EXIT_USAGE, text);
}

/** Any list that has something in it. */
function listOf(what: string): SubmitFlag['check'] {
  return ([word = ''], flag) => {
    if (/[^,]/.test(word)) return null;
    return complaint(EXIT_VALUE, `Wrong ${what} list format "${word}" specified to ${flag} option`);
  };
}

function contextList([word = '']: readonly string[], flag: string): Complaint | null {
  if (/[^,]/.test(word)) return null;
  return complaint(EXIT_VALUE, `Wrong context list format ${flag} "${word}"`);
}

function variables([word = '']: readonly string[], flag: string): Complaint | null {
  const parts = splitList(word);
  if (parts.length > 0 && !parts.some((part) => part.startsWith('='))) return null;
  return complaint(
    EXIT_VALUE,
    `Wrong variable list format ${flag} "${word}" or environment variable not set`,
  );
}

function binding(words: readonly string[]): Complaint | null {
  const strategy = words.at(-1) ?? '';
  if (/^linear(?:$|:)|^striding:\d+:\d+|^explicit:\d+,\d+/.test(strategy)) return null;
  return complaint(
    EXIT_USAGE,
    `-binding option contains errors: couldn't parse binding parameter (no strategy found)`,
  );
}

function occasions([word = '']: readonly string[]): Complaint | null {
  if (/^[nsmxr]+$/.test(word) || parseTimeMs(word) !== null) return null;
  return complaint(EXIT_USAGE, '-c specifier invalid');
}

function mailOptions([word = '']: readonly string[], flag: string): Complaint | null {
  if (/^[beasn]+$/.test(word)) return null;
  return complaint(EXIT_VALUE, `Wrong mail options list format "${word}" specified to ${flag} option`);
}

function jobName([word = '']: readonly string[], flag: string): Complaint | null {
  return word.includes('/') ? complaint(EXIT_USAGE, `argument to ${flag} option must not contain / `) : null;
}

const LOWEST_PRIORITY = -1023;
const HIGHEST_PRIORITY = 1024;

function priority([word = '']: readonly string[]): Complaint | null {
  const number = /^[+-]?\d{1,5}$/.test(word) ? Number(word) : Number.NaN;
  if (number >= LOWEST_PRIORITY && number <= HIGHEST_PRIORITY) return null;
  const range = `from ${LOWEST_PRIORITY} to ${HIGHEST_PRIORITY}`;
  return complaint(EXIT_VALUE, `invalid priority "${word}".  Must be an integer ${range}`);
}

function slots([, range = '']: readonly string[]): Complaint | null {
  const parsed = parseSlotRange(range);
  return parsed.ok ? null : parsed.complaint;
}

function tasks([word = '']: readonly string[]): Complaint | null {
  const parsed = parseTaskRange(word);
  return parsed.ok ? null : parsed.complaint;
}

function concurrency([word = '']: readonly string[]): Complaint | null {
  if (/^\d{1,10}$/.test(word)) return null;
  return complaint(
    EXIT_VALUE,
    `invalid task concurrency number "${word}". Must be an integer greater or equal to 0.`,
  );
}

function validation([word = '']: readonly string[], flag: string): Complaint | null {
  return /^[ewnpv]$/.test(word) ? null : invalidArgument(flag, word);
}
