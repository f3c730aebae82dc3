/** Where `qacct` has its records from: what the yard remembers of runs that have ended, or an accounting file. */

import { printable, textFromBytes } from '../../../model/bytes.ts';
import { ANY_JOB, type JobFilter } from '../../../model/query.ts';
import { type KnownUsers, knownUsers } from '../../known-users.ts';
import { type Asking, pause, printErr, type ReadResult, readFile, readStdin } from '../../program.ts';
import { recordOf } from '../accounting/of-job.ts';
import { type AccountingRecord, parseRecord } from '../accounting/record.ts';
import { GridEngineFailure } from '../failure.ts';
import { isPattern } from '../patterns.ts';
import { type EndedRun, everyRun, namedRuns, runsByEnd, type VisitRuns } from './ended-runs.ts';
import type { QacctOptions } from './options.ts';

const MOST_BYTES = 1 << 30;
const MOST_LINES_AT_ONCE = 500;

type Asked = Pick<QacctOptions, 'file' | 'jobs' | 'groups'>;

export type VisitRecords = (records: readonly AccountingRecord[]) => Asking<void>;

/** Part by part. Where jobs are told one by one, they come in the order in which their runs ended, as in the file. */
export function* eachRecord(asked: Asked, visit: VisitRecords): Asking<void> {
  if (asked.file !== null) return yield* fromFile(asked.file, visit);
  const users = knownUsers();
  const told: VisitRuns = (runs) => recordsOf(runs, users, visit);
  const { jobs } = asked;
  // Sums need no order.
  if (jobs === null) return yield* everyRun(filterFor(asked), told);
  if (jobs.kind === 'numbers') yield* namedRuns(jobs.numbers, filterFor(asked), told);
  else yield* runsByEnd(filterFor(asked), told);
}

/** What the yard can sort out itself is left to it. */
function filterFor({ jobs, groups }: Asked): JobFilter {
  const owner = groups.get('owner') ?? null;
  return {
    ...ANY_JOB,
    names: jobs?.kind === 'name' && !isPattern(jobs.pattern) ? [jobs.pattern] : null,
    users: owner === null ? null : [owner],
  };
}

function* recordsOf(runs: readonly EndedRun[], users: KnownUsers, visit: VisitRecords): Asking<void> {
  yield* users.learn(runs.map(({ job }) => job.spec.user));
  yield* visit(
    runs.flatMap(({ job, attempt }) => {
      const group = users.byName.get(job.spec.user)?.group ?? 'NONE';
      return recordOf(job, attempt, { group }) ?? [];
    }),
  );
}

function* fromFile(path: string, visit: VisitRecords): Asking<void> {
  const read = path === '-' ? yield* readStdin(MOST_BYTES) : yield* readFile(path, MOST_BYTES);
  if (!read.ok) {
    yield* printErr(`${printable(path)}: ${ERROR_WORDS[read.error]}\n`);
    throw new GridEngineFailure(['no jobs running since startup'], 1, 'stdout');
  }
  let records: AccountingRecord[] = [];
  let number = 0;
  for (const line of linesOf(read.bytes)) {
    if (line === '' || line.startsWith('#')) continue;
    number += 1;
    const record = parseRecord(line);
    if (record === null) yield* printErr(`error: ignoring invalid entry in line ${number}\n`);
    else records.push(record);
    if (records.length < MOST_LINES_AT_ONCE) continue;
    yield* visit(records);
    records = [];
    yield* pause();
  }
  yield* visit(records);
}

function* linesOf(bytes: Uint8Array): Generator<string> {
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(NEWLINE, from);
    const until = end === -1 ? bytes.length : end;
    yield textFromBytes(bytes.subarray(from, until));
    from = until + 1;
  }
}

const NEWLINE = 10;

const ERROR_WORDS: Readonly<Record<Extract<ReadResult, { ok: false }>['error'], string>> = {
  missing: 'No such file or directory',
  directory: 'Is a directory',
  denied: 'Permission denied',
  tooLarge: 'File too large',
  unreadable: 'Input/output error',
};
