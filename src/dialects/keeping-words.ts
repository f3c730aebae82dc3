/**
 * What a job asks to be kept, in the same words everywhere: `#YARD checkpoints=DIR persist=DIR keep=3 chain` in a script
 * of any system, and options of `trainyard submit`. Owns which words there are, what they mean, and what is wrong with
 * them; how a mistake is told is the business of each command.
 */

import type { JobChanges } from '../model/command.ts';
import type { JobSpec } from '../model/job-spec.ts';
import { type Keeping, type LogsKept, NOTHING_KEPT } from '../model/keeping.ts';
import { isInScratch } from '../model/keeping-paths.ts';
import { parseBytes, parseDuration } from '../model/units.ts';
import {
  type Around,
  asPattern,
  differsByElement,
  directoryPattern,
  isWithin,
  KeepingMistake,
  lettersOfRun,
} from './kept-directories.ts';
import { type GivenOption, isGiven, lastGiven, type OptionSpec } from './options.ts';
import { quoted } from './text/words.ts';

interface KeepingOption extends OptionSpec {
  readonly argument?: string;
  readonly help: string;
}

export const KEEPING_OPTIONS: readonly KeepingOption[] = [
  { name: 'checkpoints', value: 'required', argument: 'DIR', help: 'where its program writes checkpoints' },
  { name: 'persist', value: 'required', argument: 'DIR', help: 'where whole copies of them last' },
  { name: 'keep', value: 'required', argument: 'N', help: 'so many of the newest there; default: all' },
  { name: 'keep-for', value: 'required', argument: 'TIME', help: 'no older ones, but always the last: 7d' },
  { name: 'logs', value: 'required', argument: 'FROM:TO', help: 'a directory copied as it grows' },
  { name: 'chain', value: 'none', help: 'goes on in another run when its time limit ends one' },
  { name: 'scratch', value: 'optional', argument: '[=SIZE]', help: 'a directory on local disk, $SCRATCH' },
  { name: 'snapshot', value: 'none', help: 'runs the code as it is now, whatever is edited meanwhile' },
];

const NAMES: ReadonlySet<string> = new Set(KEEPING_OPTIONS.map(({ name }) => name));

export function isKeepingWord(name: string): boolean {
  return NAMES.has(name);
}

export interface KeepingContext extends Around {
  readonly isArray: boolean;
  /** What was said in so many words about being started again; null: nothing. */
  readonly requeue: 'yes' | 'no' | null;
}

export interface KeepingAsked {
  /** For the job's spec; nothing when nothing was asked. */
  readonly parts: Pick<JobSpec, 'keeping' | 'chain'>;
  /** The code is yet to be kept. */
  readonly wantsSnapshot: boolean;
  /** Sentences about what will not go as somebody may think. */
  readonly warnings: readonly string[];
}

/** Throws a KeepingMistake. Options of others may be among those given. */
export function keepingFrom(given: readonly GivenOption[], context: KeepingContext): KeepingAsked {
  const wantsSnapshot = isGiven(given, 'snapshot');
  const directories = directoriesFrom(given, context);
  const keeping: Keeping = {
    ...NOTHING_KEPT,
    ...directories,
    keepCount: countFrom(given),
    keepForMs: ageFrom(given),
    scratch: scratchFrom(given) ?? (usesScratch(directories) ? { maxBytes: null } : null),
  };
  checkTogether(given, keeping);
  checkOwnDirectory(given, keeping, context);
  const chain = chainFrom(given, keeping, context);
  const isAsked = given.some(({ name }) => isKeepingWord(name) && name !== 'chain');
  return {
    parts: { ...(isAsked ? { keeping } : {}), ...(chain ? { chain } : {}) },
    wantsSnapshot,
    warnings: context.isArray ? sharedPlaces(keeping) : [],
  };
}

type Directories = Pick<Keeping, 'checkpoints' | 'persist' | 'logs'>;

function directoriesFrom(given: readonly GivenOption[], around: Around): Directories {
  const patternOf = (name: string) => {
    const option = lastGiven(given, [name]);
    return option === null ? null : directoryPattern(option.written, ownValue(option), around);
  };
  const logs = given.filter(({ name }) => name === 'logs').map((option) => logsFrom(option, around));
  return { checkpoints: patternOf('checkpoints'), persist: patternOf('persist'), logs };
}

/** Who is used to other systems puts commas between words. */
function ownValue({ written, value }: GivenOption): string {
  const text = value ?? '';
  const next = /[,;]([a-z-]+)(?:=|$)/.exec(text)?.[1];
  if (next === undefined || !isKeepingWord(next)) return text;
  throw new KeepingMistake(
    `${written} ${quoted(text)}: ${next} is a word of its own`,
    'put a space before it',
  );
}

function logsFrom({ written, value }: GivenOption, around: Around): LogsKept {
  const [from, to, more] = (value ?? '').split(':');
  if (from === undefined || to === undefined || more !== undefined) {
    throw new KeepingMistake(
      `${written} ${quoted(value ?? '')}: two directories are wanted, with one colon between them`,
      `as in ${written}=runs:~/results/%x`,
    );
  }
  return { from: directoryPattern(written, from, around), to: directoryPattern(written, to, around) };
}

function usesScratch({ checkpoints, logs }: Directories): boolean {
  return [checkpoints ?? '', ...logs.map(({ from }) => from)].some(isInScratch);
}

function countFrom(given: readonly GivenOption[]): number | null {
  const option = lastGiven(given, ['keep']);
  if (option === null) return null;
  const text = option.value ?? '';
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new KeepingMistake(
    `${option.written} ${quoted(text)}: a whole number of at least 1 is wanted`,
    'the last one and the best one always stay',
  );
}

function ageFrom(given: readonly GivenOption[]): number | null {
  const option = lastGiven(given, ['keep-for']);
  return option === null ? null : keptFor(option);
}

/** How long checkpoints are to stay. A bare number would be minutes, which nobody means here. */
export function keptFor({ written, value }: GivenOption): number {
  const keepForMs = parseDuration(value ?? '');
  if (keepForMs !== null && keepForMs > 0 && !/^\d+$/.test(value ?? '')) return keepForMs;
  throw new KeepingMistake(`${written} ${quoted(value ?? '')}: a time with its unit is wanted, as 36h or 7d`);
}

/** Less than any file takes: somebody left out the unit. */
const LEAST_SCRATCH_BYTES = 4096;

function scratchFrom(given: readonly GivenOption[]): Keeping['scratch'] {
  const option = lastGiven(given, ['scratch']);
  if (option === null) return null;
  if (option.value === null) return { maxBytes: null };
  const maxBytes = parseBytes(option.value);
  if (maxBytes !== null && maxBytes >= LEAST_SCRATCH_BYTES) return { maxBytes };
  throw new KeepingMistake(
    `${option.written} ${quoted(option.value)}: a size with its unit is wanted, as 50G`,
    'without a size there is as much as the disk has',
  );
}

function checkTogether(given: readonly GivenOption[], keeping: Keeping): void {
  const { checkpoints, persist, logs } = keeping;
  const wordFor = (name: string) => lastGiven(given, [name])?.written ?? name;
  if (checkpoints === null) {
    const stray = lastGiven(given, ['persist', 'keep', 'keep-for']);
    if (stray === null) return checkLogs(wordFor('logs'), keeping);
    throw new KeepingMistake(
      `${stray.written} says what becomes of checkpoints, but nothing says where they are written`,
      `add ${stray.written.startsWith('-') ? '--checkpoints DIR' : 'checkpoints=DIR'}`,
    );
  }
  const [here, there] = [wordFor('checkpoints'), wordFor('persist')];
  if (persist === null && isInScratch(checkpoints)) {
    throw new KeepingMistake(
      `${here} ${quoted(checkpoints)}: that is removed when a run ends, and nothing lasts of it`,
      `say where they are to last: ${here.startsWith('-') ? '--persist DIR' : 'persist=DIR'}`,
    );
  }
  if (persist !== null) checkApart(here, checkpoints, there, persist);
  const differing = lettersOfRun(persist ?? checkpoints);
  if (differing !== null) {
    throw new KeepingMistake(
      `${persist === null ? here : there}: ${differing} differs from run to run, so that no run would find what the one before has kept`,
      "%j is the job's number, which stays",
    );
  }
  if (logs.some(({ from }) => isWithin(from, checkpoints))) {
    throw new KeepingMistake(
      `${wordFor('logs')}: what is in ${quoted(checkpoints)} counts as checkpoints`,
      'let logs be written to a directory of their own',
    );
  }
  checkLogs(wordFor('logs'), keeping);
}

/** All that is in there counts as checkpoints, and of those the old ones may be removed. */
function checkOwnDirectory(
  given: readonly GivenOption[],
  { checkpoints }: Keeping,
  { workDir, home }: KeepingContext,
): void {
  if (checkpoints === null) return;
  const others = [workDir, ...(home === null ? [] : [home])].map((path) => asPattern(path));
  if (!others.some((other) => isWithin(other, checkpoints))) return;
  const { written = 'checkpoints' } = lastGiven(given, ['checkpoints']) ?? {};
  throw new KeepingMistake(
    `${written} ${quoted(checkpoints)}: there is more in there than checkpoints`,
    'give them a directory of their own',
  );
}

function checkApart(here: string, checkpoints: string, there: string, persist: string): void {
  if (isInScratch(persist)) {
    throw new KeepingMistake(`${there} ${quoted(persist)}: that is removed when a run ends`);
  }
  if (checkpoints === persist) {
    throw new KeepingMistake(
      `${here} and ${there} are the same directory, ${quoted(persist)}`,
      `leave out ${there} if what is written there lasts by itself`,
    );
  }
  if (isWithin(persist, checkpoints)) {
    throw new KeepingMistake(`${there} ${quoted(persist)} is inside ${here} ${quoted(checkpoints)}`, APART);
  }
  if (isWithin(checkpoints, persist)) {
    throw new KeepingMistake(`${here} ${quoted(checkpoints)} is inside ${there} ${quoted(persist)}`, APART);
  }
}

const APART = 'take two directories of which neither is in the other';

function checkLogs(called: string, { logs }: Keeping): void {
  for (const { from, to } of logs) {
    if (isInScratch(to)) {
      throw new KeepingMistake(`${called}: ${quoted(to)} is removed when a run ends`);
    }
    if (isWithin(from, to) || isWithin(to, from)) {
      throw new KeepingMistake(`${called}: ${quoted(from)} and ${quoted(to)} are not apart`, APART);
    }
  }
}

/** What it means for a job, once submitted, to be told that it may be started again, or may not. */
export function requeueChanges({ chain = false, keeping }: JobSpec, requeue: boolean): JobChanges {
  const goesOn = requeue && (chain || (keeping?.checkpoints ?? null) !== null);
  return goesOn === chain ? { requeue } : { requeue, chain: goesOn };
}

/** A job that says it may be started again, and that it can go on, is chained through its time limits. */
function chainFrom(
  given: readonly GivenOption[],
  { checkpoints }: Keeping,
  { requeue }: KeepingContext,
): boolean {
  const option = lastGiven(given, ['chain']);
  if (option !== null && requeue === 'no') {
    throw new KeepingMistake(
      `${option.written} starts the job again, and elsewhere it says that it may not be`,
      'leave out one of the two',
    );
  }
  return option !== null || (requeue === 'yes' && checkpoints !== null);
}

/** Two jobs never write to one place at once, and neither do two elements. */
function sharedPlaces({ checkpoints, persist }: Keeping): readonly string[] {
  const place = persist ?? checkpoints;
  if (place === null || differsByElement(place)) return [];
  return [
    `all elements keep their checkpoints in ${quoted(place)}, so they run one at a time; with %a in it each has its own`,
  ];
}
