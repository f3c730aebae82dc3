/** Where `qacct` has its records from: what the yard remembers of runs that have ended, or an accounting file. */

import { printable, textFromBytes } from '../../../model/bytes.ts';
import { ANY_JOB, type JobFilter, type JobRecord } from '../../../model/query.ts';
import { type Asking, printErr, query, type ReadResult, readFile, readStdin } from '../../program.ts';
import { recordOf } from '../accounting/of-job.ts';
import { type AccountingRecord, parseRecord } from '../accounting/record.ts';
import { GridEngineFailure } from '../failure.ts';
import { isPattern } from '../patterns.ts';
import type { QacctOptions } from './options.ts';

/** More than any yard remembers. */
const MOST_JOBS = 10_000_000;
const MOST_BYTES = 1 << 30;

type Asked = Pick<QacctOptions, 'file' | 'jobs' | 'groups'>;

export function* findRecords(asked: Asked): Asking<readonly AccountingRecord[]> {
  return asked.file === null ? yield* fromYard(asked) : yield* fromFile(asked.file);
}

/** In the order in which the runs ended, as they are in the file. */
function* fromYard(asked: Asked): Asking<readonly AccountingRecord[]> {
  const known = yield* query('accounting', filterFor(asked));
  const groups = yield* groupsOf(known);
  const ended = known.flatMap(({ view: { job }, attempts }) =>
    attempts.flatMap((attempt) => {
      const record = recordOf(job, attempt, { group: groups.get(job.spec.user) ?? 'NONE' });
      return record === null ? [] : [{ record, endedAt: attempt.endedAt ?? attempt.assignedAt }];
    }),
  );
  return ended.sort((a, b) => a.endedAt - b.endedAt).map(({ record }) => record);
}

/** What the yard can sort out itself is left to it. */
function filterFor({ jobs, groups }: Asked): JobFilter {
  const owner = groups.get('owner') ?? null;
  return {
    ...ANY_JOB,
    refs: jobs?.kind === 'numbers' ? jobs.numbers.map((job) => ({ job, index: null })) : null,
    names: jobs?.kind === 'name' && !isPattern(jobs.pattern) ? [jobs.pattern] : null,
    users: owner === null ? null : [owner],
    limit: MOST_JOBS,
  };
}

function* groupsOf(known: readonly JobRecord[]): Asking<ReadonlyMap<string, string>> {
  const names = [...new Set(known.map(({ view }) => view.job.spec.user))];
  const users = yield* query('users', { names });
  return new Map(users.flatMap((user) => (user === null ? [] : [[user.name, user.group] as const])));
}

function* fromFile(path: string): Asking<readonly AccountingRecord[]> {
  const read = path === '-' ? yield* readStdin(MOST_BYTES) : yield* readFile(path, MOST_BYTES);
  if (!read.ok) {
    yield* printErr(`${printable(path)}: ${ERROR_WORDS[read.error]}\n`);
    throw new GridEngineFailure(['no jobs running since startup'], 1, 'stdout');
  }
  const records: AccountingRecord[] = [];
  let number = 0;
  for (const line of textFromBytes(read.bytes).split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    number += 1;
    const record = parseRecord(line);
    if (record === null) yield* printErr(`error: ignoring invalid entry in line ${number}\n`);
    else records.push(record);
  }
  return records;
}

const ERROR_WORDS: Readonly<Record<Extract<ReadResult, { ok: false }>['error'], string>> = {
  missing: 'No such file or directory',
  directory: 'Is a directory',
  denied: 'Permission denied',
  tooLarge: 'File too large',
  unreadable: 'Input/output error',
};
