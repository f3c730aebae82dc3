/**
 * One line of Grid Engine's accounting file: the run of one job, or of one task of an array. Owns its fields, how it
 * is written and how it is read. What a field says of a job is in `of-job.ts`.
 */

import { withoutControls } from '../../../model/bytes.ts';

/** In the order of the file, by the names that `qacct -j` shows. Times are seconds since 1970; 0: never. */
export interface AccountingRecord {
  readonly qname: string;
  readonly hostname: string;
  readonly group: string;
  readonly owner: string;
  readonly jobname: string;
  readonly jobnumber: number;
  readonly account: string;
  /** Of the queue, not of the job. */
  readonly priority: number;
  readonly qsubTime: number;
  readonly startTime: number;
  readonly endTime: number;
  readonly failed: number;
  readonly exitStatus: number;
  readonly wallclock: number;
  readonly utime: number;
  readonly stime: number;
  readonly maxrss: number;
  readonly ixrss: number;
  readonly ismrss: number;
  readonly idrss: number;
  readonly isrss: number;
  readonly minflt: number;
  readonly majflt: number;
  readonly nswap: number;
  readonly inblock: number;
  readonly oublock: number;
  readonly msgsnd: number;
  readonly msgrcv: number;
  readonly nsignals: number;
  readonly nvcsw: number;
  readonly nivcsw: number;
  readonly project: string;
  readonly department: string;
  readonly grantedPe: string;
  readonly slots: number;
  /** 0: no array. */
  readonly taskid: number;
  /** Seconds. */
  readonly cpu: number;
  /** Gigabytes times seconds. */
  readonly mem: number;
  /** Gigabytes. */
  readonly io: number;
  readonly category: string;
  /** Seconds. */
  readonly iow: number;
  readonly peTaskid: string;
  /** Bytes. */
  readonly maxvmem: number;
  /** 0: no reservation. */
  readonly arid: number;
  readonly arSubTime: number;
}

type Field = keyof AccountingRecord;
type Kind = 'text' | 'whole' | 'fraction';

const FIELDS: readonly (readonly [Field, Kind])[] = [
  ['qname', 'text'],
  ['hostname', 'text'],
  ['group', 'text'],
  ['owner', 'text'],
  ['jobname', 'text'],
  ['jobnumber', 'whole'],
  ['account', 'text'],
  ['priority', 'whole'],
  ['qsubTime', 'whole'],
  ['startTime', 'whole'],
  ['endTime', 'whole'],
  ['failed', 'whole'],
  ['exitStatus', 'whole'],
  ['wallclock', 'whole'],
  ['utime', 'fraction'],
  ['stime', 'fraction'],
  ['maxrss', 'fraction'],
  ['ixrss', 'whole'],
  ['ismrss', 'whole'],
  ['idrss', 'whole'],
  ['isrss', 'whole'],
  ['minflt', 'whole'],
  ['majflt', 'whole'],
  ['nswap', 'whole'],
  ['inblock', 'fraction'],
  ['oublock', 'whole'],
  ['msgsnd', 'whole'],
  ['msgrcv', 'whole'],
  ['nsignals', 'whole'],
  ['nvcsw', 'whole'],
  ['nivcsw', 'whole'],
  ['project', 'text'],
  ['department', 'text'],
  ['grantedPe', 'text'],
  ['slots', 'whole'],
  ['taskid', 'whole'],
  ['cpu', 'fraction'],
  ['mem', 'fraction'],
  ['io', 'fraction'],
  ['category', 'text'],
  ['iow', 'fraction'],
  ['peTaskid', 'text'],
  ['maxvmem', 'fraction'],
  ['arid', 'whole'],
  ['arSubTime', 'whole'],
];

/** Files of before there were reservations end here. */
const FEWEST_FIELDS = FIELDS.length - 2;

/** How the file begins. */
export const ACCOUNTING_HEADER = '# Version: 8.1.9\n# \n# DO NOT MODIFY THIS FILE MANUALLY!\n# \n';

/** Without the end of the line. */
export function formatRecord(record: AccountingRecord): string {
  return FIELDS.map(([field, kind]) => fieldText(record[field], kind)).join(':');
}

function fieldText(value: string | number, kind: Kind): string {
  if (typeof value === 'string') return textWithin(value);
  return kind === 'fraction' ? value.toFixed(6) : `${Math.trunc(value)}`;
}

/** Grid Engine takes no colon in a name, and has no way to write one: a name from elsewhere may have it. */
function textWithin(value: string): string {
  return value === '' ? 'NONE' : withoutControls(value.replaceAll(':', '_'), '_');
}

/** Null when it is no record. */
export function parseRecord(line: string): AccountingRecord | null {
  const parts = line.split(':');
  if (parts.length < FEWEST_FIELDS) return null;
  const entries = FIELDS.map(([field, kind], at) => {
    const part = parts[at] ?? '';
    return [field, kind === 'text' ? part : numberIn(part)];
  });
  return Object.fromEntries(entries) as AccountingRecord;
}

function numberIn(part: string): number {
  const value = Number.parseFloat(part);
  return Number.isFinite(value) ? value : 0;
}
