/** `qacct`: what jobs that have ended used, one by one or summed up. */

import { printable } from '../../../model/bytes.ts';
import { printPieces } from '../../print-pieces.ts';
import {
  type Asking,
  clock,
  type Invocation,
  type Program,
  printErr,
  printOut,
  query,
} from '../../program.ts';
import type { AccountingRecord } from '../accounting/record.ts';
import type { GridEngineCommand } from '../command.ts';
import { GridEngineFailure } from '../failure.ts';
import { rangeText } from '../task-ranges.ts';
import { QACCT_HELP } from './help.ts';
import { jobText } from './job-text.ts';
import { findOffers } from './offers.ts';
import { type JobsAsked, type QacctOptions, readQacctOptions } from './options.ts';
import { findRecords } from './records.ts';
import { isSelected } from './selection.ts';
import { summaryText } from './summary.ts';

export const qacct: GridEngineCommand = { name: 'qacct', run };

function* run({ argv, timeZone }: Invocation): Program {
  const now = yield* clock();
  const asked = readQacctOptions(argv.slice(1), now, timeZone);
  if (asked.isHelp) {
    yield* printOut(QACCT_HELP);
    return 0;
  }
  const options = yield* withGroupName(asked);
  const known = yield* findRecords(options);
  const records = yield* offered(
    known.filter((record) => isSelected(record, options)),
    options,
  );
  const { jobs, groups } = options;
  if (jobs !== null) {
    yield* printPieces(textsOf(records, timeZone));
    if (jobs.kind !== 'all') return yield* sayMissing(jobs, records);
  }
  yield* printOut(summaryText(records, groups));
  return 0;
}

function* textsOf(records: readonly AccountingRecord[], zone: string): Generator<string> {
  for (const record of records) yield jobText(record, zone);
}

/** A group may be given by its number. */
function* withGroupName(options: QacctOptions): Asking<QacctOptions> {
  const word = options.groups.get('group') ?? null;
  if (word === null || !/^\d+$/.test(word)) return options;
  const records = yield* findRecords({ file: null, jobs: null, groups: new Map() });
  const owners = yield* query('users', { names: [...new Set(records.map(({ owner }) => owner))] });
  const named = owners.find((user) => user?.gid === Number(word));
  return named == null
    ? options
    : { ...options, groups: new Map([...options.groups, ['group', named.group]]) };
}

/** Those that ran where what `-l` asks for is offered. */
function* offered(
  records: readonly AccountingRecord[],
  { resources }: QacctOptions,
): Asking<readonly AccountingRecord[]> {
  if (resources === null) return records;
  const verdictOn = yield* findOffers(resources);
  const verdicts = records.map(verdictOn);
  const ignored = verdicts.filter((verdict) => verdict === null).length;
  if (ignored > 0) {
    yield* printErr(`${ignored} jobs ignored for accounting. Jobs' master queue no longer exists.\n`);
    yield* printOut('\n');
  }
  return records.filter((_, at) => verdicts[at] === true);
}

/** Of several numbers, those that are missing are named, and it is a failure only if none is there. */
function* sayMissing(
  jobs: Exclude<JobsAsked, { kind: 'all' }>,
  records: readonly AccountingRecord[],
): Program {
  const lines = missingLines(jobs, new Set(records.map(({ jobnumber }) => jobnumber)));
  if (records.length === 0) throw new GridEngineFailure(lines, 1);
  for (const line of lines) yield* printErr(`${printable(line)}\n`);
  return 0;
}

function missingLines(
  jobs: Exclude<JobsAsked, { kind: 'all' }>,
  found: ReadonlySet<number>,
): readonly string[] {
  const tasks = jobs.tasks?.map((run) => rangeText([run])).join(',') ?? null;
  if (jobs.kind === 'name') {
    if (found.size > 0) return [];
    return [
      tasks === null
        ? `error: job name ${jobs.pattern} not found`
        : `error: Job-array tasks "${jobs.pattern}".${tasks} not found`,
    ];
  }
  return jobs.numbers
    .filter((number) => !found.has(number))
    .map((number) =>
      tasks === null
        ? `error: job id ${number} not found`
        : `error: Job-array tasks ${number}.${tasks} not found`,
    );
}
