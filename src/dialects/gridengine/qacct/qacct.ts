/** `qacct`: what jobs that have ended used, one by one or summed up. */

import { printable } from '../../../model/bytes.ts';
import { printPieces } from '../../print-pieces.ts';
import {
  type Asking,
  clock,
  type Invocation,
  type Program,
  pause,
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
import { eachRecord, type VisitRecords } from './records.ts';
import { isSelected } from './selection.ts';
import { newSummary } from './summary.ts';

export const qacct: GridEngineCommand = { name: 'qacct', run };

function* run({ argv, timeZone }: Invocation): Program {
  const now = yield* clock();
  const asked = readQacctOptions(argv.slice(1), now, timeZone);
  if (asked.isHelp) {
    yield* printOut(QACCT_HELP);
    return 0;
  }
  const options = yield* withGroupName(asked);
  const { jobs, groups } = options;
  const each = yield* offered(
    (visit) =>
      eachRecord(options, (records) => visit(records.filter((record) => isSelected(record, options)))),
    options,
  );
  const summary = newSummary(groups);
  const found = new Set<number>();
  yield* each(function* (records) {
    summary.add(records);
    if (jobs === null) return;
    yield* printPieces(textsOf(records, timeZone));
    if (jobs.kind !== 'all') for (const { jobnumber } of records) found.add(jobnumber);
  });
  if (jobs !== null && jobs.kind !== 'all') return yield* sayMissing(jobs, found);
  yield* printOut(summary.text());
  return 0;
}

type EachRecord = (visit: VisitRecords) => Asking<void>;

function* textsOf(records: readonly AccountingRecord[], zone: string): Generator<string> {
  for (const record of records) yield jobText(record, zone);
}

/** A group may be given by its number. */
function* withGroupName(options: QacctOptions): Asking<QacctOptions> {
  const word = options.groups.get('group') ?? null;
  if (word === null || !/^\d+$/.test(word)) return options;
  const names = new Set<string>();
  yield* eachRecord({ file: null, jobs: null, groups: new Map() }, function* (records) {
    for (const { owner } of records) names.add(owner);
    yield* pause();
  });
  const owners = yield* query('users', { names: [...names] });
  const named = owners.find((user) => user?.gid === Number(word));
  return named == null
    ? options
    : { ...options, groups: new Map([...options.groups, ['group', named.group]]) };
}

/** Those that ran where what `-l` asks for is offered. How many cannot be judged is said first. */
function* offered(each: EachRecord, { resources }: QacctOptions): Asking<EachRecord> {
  if (resources === null) return each;
  const verdictOn = yield* findOffers(resources);
  let ignored = 0;
  yield* each(function* (records) {
    ignored += records.filter((record) => verdictOn(record) === null).length;
    yield* pause();
  });
  if (ignored > 0) {
    yield* printErr(`${ignored} jobs ignored for accounting. Jobs' master queue no longer exists.\n`);
    yield* printOut('\n');
  }
  return (visit) => each((records) => visit(records.filter((record) => verdictOn(record) === true)));
}

/** Of several numbers, those that are missing are named, and it is a failure only if none is there. */
function* sayMissing(jobs: Exclude<JobsAsked, { kind: 'all' }>, found: ReadonlySet<number>): Program {
  const lines = missingLines(jobs, found);
  if (found.size === 0) throw new GridEngineFailure(lines, 1);
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
