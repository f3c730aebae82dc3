/** What was asked of `qmod`: deeds, one for each flag, in the order given. */

import { GridEngineFailure } from '../failure.ts';
import { type JobWord, readJobWord, withTasks } from '../job-list.ts';
import { notAJob } from '../job-words.ts';
import { readTaskRange } from '../task-ranges.ts';
import { QMOD_HELP } from './help.ts';

export type Verb = 'clear' | 'disable' | 'enable' | 'reschedule' | 'suspend' | 'unsuspend';

export type Deed =
  | { readonly verb: Verb; readonly on: 'job'; readonly word: JobWord; readonly otherwise: string }
  | { readonly verb: Verb; readonly on: 'queue'; readonly text: string; readonly otherwise: string };

export interface QmodCall {
  readonly help: boolean;
  readonly force: boolean;
  readonly deeds: readonly Deed[];
}

interface ListFlag {
  readonly verb: Verb;
  readonly takes: 'jobs' | 'queues' | 'both';
  /** What a word is called that is neither. */
  readonly otherwise: string;
  /** Commas stand between queues. */
  readonly split: boolean;
}

const QUEUE = 'queue';
const QUEUE_OR_JOB = 'queue or job';

const FLAGS: Readonly<Record<string, ListFlag>> = {
  '-c': { verb: 'clear', takes: 'both', otherwise: QUEUE, split: true },
  '-cj': jobs('clear'),
  '-cq': queues('clear'),
  '-d': queues('disable'),
  '-e': queues('enable'),
  '-r': { verb: 'reschedule', takes: 'both', otherwise: QUEUE, split: true },
  '-rj': jobs('reschedule'),
  '-rq': queues('reschedule'),
  '-s': { verb: 'suspend', takes: 'both', otherwise: QUEUE_OR_JOB, split: false },
  '-sj': jobs('suspend'),
  '-sq': queues('suspend'),
  '-us': { verb: 'unsuspend', takes: 'both', otherwise: QUEUE_OR_JOB, split: false },
  '-usj': jobs('unsuspend'),
  '-usq': queues('unsuspend'),
};

function jobs(verb: Verb): ListFlag {
  return { verb, takes: 'jobs', otherwise: QUEUE_OR_JOB, split: false };
}

function queues(verb: Verb): ListFlag {
  return { verb, takes: 'queues', otherwise: QUEUE, split: true };
}

export function readCall(argv: readonly string[]): QmodCall {
  let [help, force] = [false, false];
  const deeds: Deed[] = [];
  let at = 0;
  while (at < argv.length) {
    const flag = argv[at] as string;
    at += 1;
    const list = Object.hasOwn(FLAGS, flag) ? FLAGS[flag] : undefined;
    if (flag === '-help') help = true;
    else if (flag === '-f') force = true;
    else if (list === undefined) throw usage(`invalid option argument "${flag}"`);
    else at = readList(list, flag, argv, at, deeds);
  }
  return { help, force, deeds };
}

/** Where the list ends. */
function readList(
  list: ListFlag,
  flag: string,
  argv: readonly string[],
  from: number,
  deeds: Deed[],
): number {
  const before = deeds.length;
  let at = from;
  for (; at < argv.length; at++) {
    const word = argv[at] as string;
    const last = deeds.at(-1);
    if (word === '-t' && deeds.length > before && last?.on === 'job') {
      at += 1;
      deeds[deeds.length - 1] = { ...last, word: withTaskRange(last.word, argv[at] ?? '') };
    } else if (word.startsWith('-')) break;
    else deeds.push(...deedsOf(list, word));
  }
  if (deeds.length === before && argv[from] === '') {
    throw usage(`${flag} option must have argument`, 'invalid option argument ""');
  }
  if (deeds.length === before) throw new GridEngineFailure([`${flag} option must have argument`], 1);
  return at;
}

function deedsOf({ verb, takes, otherwise, split }: ListFlag, word: string): readonly Deed[] {
  const texts = (split ? word.split(',') : [word]).filter((text) => text !== '');
  return texts.map((text) => {
    if (takes === 'queues' || (takes === 'both' && !/^\d/.test(text)))
      return { verb, on: 'queue', text, otherwise };
    const read = readJobWord(text);
    if (read === null) throw new GridEngineFailure([notAJob(text)], 1);
    return { verb, on: 'job', word: read, otherwise };
  });
}

function withTaskRange(word: JobWord, text: string): JobWord {
  const range = readTaskRange(text);
  if (!range.ok) throw usage(...range.lines);
  return withTasks(word, range.tasks);
}

export function usage(...lines: readonly string[]): GridEngineFailure {
  return new GridEngineFailure([...QMOD_HELP.trimEnd().split('\n'), ...lines], 1);
}
