/** What was asked of `qalter`. Flags and jobs may stand in any order; a mistake in one flag stops it all. */

import { absolutePath } from '../../../model/paths.ts';
import { type Asking, type Invocation, readFile } from '../../program.ts';
import { GridEngineFailure } from '../failure.ts';
import type { GivenFlag } from '../flags.ts';
import type { HoldChange } from '../holds/kinds.ts';
import { type JobWord, listedWords } from '../job-list.ts';
import {
  collectJobWords,
  type JobWordComplaints,
  type JobWords,
  lonelyTasks,
  notAJob,
} from '../job-words.ts';
import { type Complaint, complaint, EXIT_UNKNOWN, EXIT_USAGE, EXIT_VALUE } from '../submit/complaints.ts';
import { requestWords } from '../submit/directives.ts';
import { missingWord, type SubmitFlag, submitFlag } from '../submit/flag-table.ts';
import { type AskedFlag, mergedFlags, repeatedFlags } from '../submit/layers.ts';
import { QALTER_HELP } from './help.ts';

export interface QalterCall {
  readonly help: boolean;
  readonly verifies: boolean;
  readonly given: readonly AskedFlag[];
  /** Flags that stand there twice although the last one counts. */
  readonly repeated: readonly string[];
  /** `-h`; null: it was not said. */
  readonly holds: HoldChange | null;
  /** `-u`: all jobs of these users, whatever else is named. */
  readonly users: readonly string[] | null;
  readonly words: readonly JobWord[];
}

interface Reading {
  readonly flags: GivenFlag[];
  readonly jobs: JobWords;
  readonly workDir: string;
}

const MOST_NESTED = 10;
const MOST_FILE_BYTES = 1024 * 1024;
/** Of the flags that `qalter` does not know some are strange to it altogether. */
const STRANGE: ReadonlySet<string> = new Set(['-b', '-shell']);
const OWN: Readonly<Record<string, Pick<SubmitFlag, 'flag' | 'words'>>> = {
  '-h': { flag: '-h', words: 1 },
  '-@': { flag: '-@', words: 1 },
};
const NOT_ABOUT_THE_JOB: ReadonlySet<string> = new Set(['-help', '-h', '-u', '-verify']);

export function* readCall({ argv, workDir }: Invocation): Asking<QalterCall> {
  const words = argv.slice(1);
  if (words.length === 0) throw usage('ERROR! no option argument');
  const reading: Reading = { flags: [], jobs: collectJobWords(COMPLAINTS), workDir };
  yield* readWords(reading, words, 0);
  const { flags } = reading;
  const last = (flag: string) => flags.findLast((each) => each.flag === flag)?.words[0];
  const holds = last('-h');
  const users = last('-u');
  const layer = { source: 'commandLine', flags, rest: [] } as const;
  return {
    help: flags.some(({ flag }) => flag === '-help'),
    verifies: flags.some(({ flag }) => flag === '-verify'),
    given: mergedFlags([layer]).filter(({ flag }) => !NOT_ABOUT_THE_JOB.has(flag)),
    repeated: repeatedFlags(layer),
    holds: holds === undefined ? null : holdChangeFrom(holds),
    users: users === undefined ? null : listedWords(users),
    words: reading.jobs.words,
  };
}

function* readWords(reading: Reading, words: readonly string[], depth: number): Asking<void> {
  const { jobs } = reading;
  jobs.pass();
  let at = 0;
  while (at < words.length) {
    const word = words[at] as string;
    if (word === '-t') {
      jobs.narrow(words[at + 1]);
      at += 2;
    } else if (word === '') {
      throw wrong(complaint(EXIT_VALUE, 'Wrong job id list format "" specified'));
    } else if (!word.startsWith('-')) {
      jobs.name(word);
      at += 1;
    } else {
      const flag = readFlag(word, words, at);
      at += 1 + flag.words.length;
      if (flag.flag === '-@') yield* readRequests(reading, flag.words[0] ?? '', depth);
      else reading.flags.push(flag);
      jobs.pass();
    }
  }
}

function readFlag(word: string, words: readonly string[], at: number): GivenFlag {
  const known = (Object.hasOwn(OWN, word) ? OWN[word] : undefined) ?? submitFlag(word);
  if (known === null || STRANGE.has(word))
    throw wrong(complaint(EXIT_USAGE, `invalid option argument "${word}"`));
  const spec: Partial<SubmitFlag> = Object.hasOwn(OWN, word) ? {} : known;
  const more = spec.ahead?.includes(words[at + 1] ?? '') === true ? 1 : 0;
  const given = words.slice(at + 1, at + 1 + known.words + more);
  if (given.length < known.words + more) {
    throw wrong(
      Object.hasOwn(OWN, word)
        ? complaint(EXIT_USAGE, `${word} option must have argument`)
        : missingWord(word, given.length + 1),
    );
  }
  const complaintOfValue = spec.check?.(given, word) ?? null;
  if (complaintOfValue !== null) throw wrong(complaintOfValue);
  if (spec.by !== undefined && !spec.by.includes('qalter')) {
    throw new GridEngineFailure([`Unknown option ${[word, ...given].join(' ')}`, ''], EXIT_UNKNOWN);
  }
  return { flag: word, words: given };
}

function* readRequests(reading: Reading, path: string, depth: number): Asking<void> {
  const read = yield* readFile(absolutePath(reading.workDir, path), MOST_FILE_BYTES);
  if (depth >= MOST_NESTED || !read.ok) throw usage('ERROR! no option argument');
  yield* readWords(reading, requestWords(read.bytes), depth + 1);
}

const COMPLAINTS: JobWordComplaints = {
  noJob: (text) => new GridEngineFailure([notAJob(text)], EXIT_USAGE),
  badTasks: (lines, text) => wrong(complaint(text === undefined ? EXIT_USAGE : EXIT_VALUE, ...lines)),
  lonelyTasks: (text) => new GridEngineFailure([lonelyTasks(text)], EXIT_USAGE),
};

const ALL_HOLDS = 'uos';

function holdChangeFrom(word: string): HoldChange {
  if (word === 'n') return { set: '', clear: ALL_HOLDS };
  if (!/^[uosUOS]+$/.test(word)) {
    throw wrong(complaint(EXIT_VALUE, `Unknown hold list "${word}" specified to -h option`));
  }
  const letters = [...word];
  return {
    set: letters.filter((letter) => /[uos]/.test(letter)).join(''),
    clear: letters
      .filter((letter) => /[UOS]/.test(letter))
      .join('')
      .toLowerCase(),
  };
}

function wrong({ lines, exitCode }: Complaint): GridEngineFailure {
  const [first = '', ...others] = lines;
  return new GridEngineFailure([`qalter: ${first}`, ...others], exitCode);
}

export function usage(...lines: readonly string[]): GridEngineFailure {
  return new GridEngineFailure([...QALTER_HELP.trimEnd().split('\n'), ...lines], 1);
}
