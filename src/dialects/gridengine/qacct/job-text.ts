/** One run of a job as `qacct -j` tells it, line by line. */

import { printable } from '../../../model/bytes.ts';
import { signalDescription } from '../../text/signal-descriptions.ts';
import { failureWords } from '../accounting/failures.ts';
import type { AccountingRecord } from '../accounting/record.ts';
import { fullMoment } from '../moments.ts';

const SEPARATOR = '='.repeat(62);
const BYTES_PER_GB = 2 ** 30;
const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'] as const;

export function jobText(record: AccountingRecord, zone: string): string {
  const lines = linesOf(record, zone).map(([name, value]) => `${name.padEnd(13)}${printable(value)}\n`);
  return `${SEPARATOR}\n${lines.join('')}`;
}

function linesOf(record: AccountingRecord, zone: string): readonly (readonly [string, string])[] {
  return [
    ['qname', padded(record.qname)],
    ['hostname', padded(record.hostname)],
    ['group', padded(record.group)],
    ['owner', padded(record.owner)],
    ['project', padded(record.project)],
    ['department', padded(record.department)],
    ['jobname', padded(record.jobname)],
    ['jobnumber', padded(record.jobnumber)],
    ['taskid', record.taskid === 0 ? 'undefined' : padded(record.taskid)],
    ['account', padded(record.account)],
    ['priority', padded(record.priority)],
    ['qsub_time', moment(record.qsubTime, zone, '-/-')],
    ['start_time', moment(record.startTime, zone, '-/-')],
    ['end_time', moment(record.endTime, zone, '-/-')],
    ['granted_pe', padded(record.grantedPe)],
    ['slots', padded(record.slots)],
    ['failed', `${`${record.failed}`.padEnd(4)}${failureText(record.failed)}`],
    ['exit_status', `${padded(record.exitStatus)}${signalText(record.exitStatus)}`],
    ['ru_wallclock', `${Math.trunc(record.wallclock)}s`],
    ['ru_utime', seconds(record.utime)],
    ['ru_stime', seconds(record.stime)],
    // Kilobytes in the file, but the original shows them as if they were bytes, and so clients read them.
    ['ru_maxrss', amount(record.maxrss)],
    ['ru_ixrss', amount(record.ixrss)],
    ['ru_ismrss', amount(record.ismrss)],
    ['ru_idrss', amount(record.idrss)],
    ['ru_isrss', amount(record.isrss)],
    ['ru_minflt', padded(record.minflt)],
    ['ru_majflt', padded(record.majflt)],
    ['ru_nswap', padded(record.nswap)],
    ['ru_inblock', padded(record.inblock)],
    ['ru_oublock', padded(record.oublock)],
    ['ru_msgsnd', padded(record.msgsnd)],
    ['ru_msgrcv', padded(record.msgrcv)],
    ['ru_nsignals', padded(record.nsignals)],
    ['ru_nvcsw', padded(record.nvcsw)],
    ['ru_nivcsw', padded(record.nivcsw)],
    ['cpu', seconds(record.cpu)],
    ['mem', `${amount(record.mem * BYTES_PER_GB)}s`],
    ['io', amount(record.io * BYTES_PER_GB)],
    ['iow', seconds(record.iow)],
    ['maxvmem', amount(record.maxvmem)],
    ['arid', record.arid === 0 ? 'undefined' : padded(record.arid)],
    ['ar_sub_time', moment(record.arSubTime, zone, 'undefined')],
    ['category', record.category],
  ];
}

function padded(value: string | number): string {
  return `${typeof value === 'number' ? Math.trunc(value) : value}`.padEnd(20);
}

function moment(seconds: number, zone: string, never: string): string {
  return seconds === 0 ? never : fullMoment(seconds * 1000, zone);
}

function failureText(failed: number): string {
  return failed === 0 ? ' ' : `: ${failureWords(failed)}`;
}

function signalText(exitStatus: number): string {
  return exitStatus < 128 ? '' : ` (${signalDescription(exitStatus - 128)})`;
}

function seconds(value: number): string {
  return `${value.toFixed(3)}s`;
}

/** `4.465KB`. */
function amount(bytes: number): string {
  let [value, at] = [bytes, 0];
  while (value >= 1024 && at < UNITS.length - 1) [value, at] = [value / 1024, at + 1];
  return `${value.toFixed(3)}${UNITS[at]}`;
}
