/**
 * The table that `qacct` prints: what the runs used together, for all of them or by queue, owner and so on. Widths are
 * the original's, whose table of one line (each group with its value given) is a little narrower than that of many.
 */

import { printable } from '../../../model/bytes.ts';
import type { AccountingRecord } from '../accounting/record.ts';
import { type Group, type Groups, isNumbered } from './options.ts';

interface Sums {
  readonly keys: readonly (string | number)[];
  readonly used: number[];
}

const HEADERS: readonly (readonly [Group, string])[] = [
  ['host', 'HOST'],
  ['queue', 'CLUSTER QUEUE'],
  ['group', 'GROUP'],
  ['owner', 'OWNER'],
  ['project', 'PROJECT'],
  ['department', 'DEPARTMENT'],
  ['pe', 'PE'],
  ['slots', 'SLOTS'],
  ['ar', 'AR'],
  ['account', 'ACCOUNT'],
];

const VALUES: Readonly<Record<Group, (record: AccountingRecord) => string | number>> = {
  host: ({ hostname }) => hostname,
  queue: ({ qname }) => qname,
  group: ({ group }) => group,
  owner: ({ owner }) => owner,
  project: ({ project }) => project,
  department: ({ department }) => department,
  pe: ({ grantedPe }) => grantedPe,
  slots: ({ slots }) => slots,
  ar: ({ arid }) => arid,
  account: ({ account }) => account,
};

/** Header, width, digits after the point. */
const AMOUNTS: readonly (readonly [string, number, number, (record: AccountingRecord) => number])[] = [
  ['WALLCLOCK', 13, 0, ({ wallclock }) => wallclock],
  ['UTIME', 14, 3, ({ utime }) => utime],
  ['STIME', 14, 3, ({ stime }) => stime],
  ['CPU', 14, 3, ({ cpu }) => cpu],
  ['MEMORY', 19, 3, ({ mem }) => mem],
  ['IO', 19, 3, ({ io }) => io],
  ['IOW', 19, 3, ({ iow }) => iow],
];

const NUMBER_WIDTH = 5;

export interface Summary {
  add(records: readonly AccountingRecord[]): void;
  text(): string;
}

export function newSummary(asked: Groups): Summary {
  const groups = withHosts(asked);
  const columns = HEADERS.filter(([group]) => groups.has(group));
  const sums = new Map<string, Sums>();
  return {
    add: (records) => addTo(sums, records, columns, groups),
    text: () => summaryText([...sums.values()].sort(byKeys), columns, groups),
  };
}

function summaryText(rows: readonly Sums[], columns: typeof HEADERS, groups: Groups): string {
  const widths = columns.map(([group, header], at) => widthOf(group, header, at, rows, groups));
  const head = columns.map(([, header], at) => header.padEnd(widths[at] as number)).join('');
  const title = `${head}${AMOUNTS.map(([header, width]) => header.padStart(width)).join('')}`;
  const lines = rows.map((row) => rowText(row, columns, widths));
  const top = columns.length === 0 ? 'Total System Usage\n' : '';
  return `${top}${title}\n${'='.repeat(title.length)}\n${lines.join('')}`;
}

/** Queues that were named are told apart by host. */
function withHosts(groups: Groups): Groups {
  const queue = groups.get('queue');
  if (queue === undefined || queue === null || groups.has('host')) return groups;
  return new Map([...groups, ['host', null]]);
}

function addTo(
  sums: Map<string, Sums>,
  records: readonly AccountingRecord[],
  columns: typeof HEADERS,
  groups: Groups,
): void {
  for (const record of records) {
    const keys = columns.map(([group]) => shownKey(keyOf(group, record, groups)));
    const name = keys.join('\0');
    const row = sums.get(name) ?? { keys, used: AMOUNTS.map(() => 0) };
    for (const [at, [, , , amountOf]] of AMOUNTS.entries())
      row.used[at] = (row.used[at] as number) + amountOf(record);
    sums.set(name, row);
  }
}

function shownKey(key: string | number): string | number {
  return typeof key === 'string' ? printable(key) : key;
}

/** A host is shown as it was written. */
function keyOf(group: Group, record: AccountingRecord, groups: Groups): string | number {
  return (group === 'host' ? groups.get('host') : null) ?? VALUES[group](record);
}

function byKeys(a: Sums, b: Sums): number {
  for (const [at, key] of a.keys.entries()) {
    const other = b.keys[at] as string | number;
    if (key !== other) return key < other ? -1 : 1;
  }
  return 0;
}

function widthOf(group: Group, header: string, at: number, rows: readonly Sums[], groups: Groups): number {
  const longest = rows.reduce((most, { keys }) => Math.max(most, `${keys[at]}`.length), 0);
  if (isNumbered(group)) {
    if (hasOneLine(groups)) return NUMBER_WIDTH;
    return (group === 'ar' ? NUMBER_WIDTH : Math.max(NUMBER_WIDTH, longest)) + 1;
  }
  const wanted = group === 'queue' ? 0 : (groups.get(group)?.length ?? 0);
  return Math.max(header.length, longest, wanted) + 1;
}

function hasOneLine(groups: Groups): boolean {
  return !groups.has('queue') && [...groups.values()].every((word) => word !== null);
}

function rowText({ keys, used }: Sums, columns: typeof HEADERS, widths: readonly number[]): string {
  const named = columns.map(([group], at) => {
    const key = `${keys[at]}`;
    return (isNumbered(group) ? key.padStart(NUMBER_WIDTH) : key).padEnd(widths[at] as number);
  });
  const amounts = AMOUNTS.map(([, width, digits], at) =>
    (used[at] as number).toFixed(digits).padStart(width),
  );
  return `${named.join('')}${amounts.join('')}\n`;
}
