/** Which records `qacct` was asked about, other than by `-l`. */

import { hasIndex } from '../../../model/ranges.ts';
import type { AccountingRecord } from '../accounting/record.ts';
import { matchesInstance, matchesPattern } from '../patterns.ts';
import type { Group, JobsAsked, QacctOptions, TimeWindow } from './options.ts';

type Match = (record: AccountingRecord, word: string) => boolean;

const MATCHES: Readonly<Record<Group, Match>> = {
  host: ({ hostname }, word) => hostname.toLowerCase() === word.toLowerCase(),
  queue: ({ qname, hostname }, word) => matchesInstance(word, qname, hostname),
  group: ({ group }, word) => group === word,
  owner: ({ owner }, word) => owner === word,
  project: ({ project }, word) => project === word,
  department: ({ department }, word) => department === word,
  pe: ({ grantedPe }, word) => grantedPe === word,
  slots: ({ slots }, word) => slots === Number(word),
  ar: ({ arid }, word) => arid === Number(word),
  account: ({ account }, word) => account === word,
};

export function isSelected(
  record: AccountingRecord,
  { groups, jobs, window, mastersOnly }: QacctOptions,
): boolean {
  if (mastersOnly && record.peTaskid !== 'NONE') return false;
  if (!isWithin(record, window) || !isAmong(record, jobs)) return false;
  return [...groups].every(([group, word]) => word === null || MATCHES[group](record, word));
}

function isWithin({ startTime, endTime }: AccountingRecord, { of, from, until }: TimeWindow): boolean {
  const at = (of === 'start' ? startTime : endTime) * 1000;
  return (from === null || at >= from) && (until === null || at <= until);
}

function isAmong({ jobnumber, jobname, taskid }: AccountingRecord, jobs: JobsAsked | null): boolean {
  if (jobs === null || jobs.kind === 'all') return true;
  if (jobs.tasks !== null && !hasIndex(jobs.tasks, taskid)) return false;
  return jobs.kind === 'name' ? matchesPattern(jobs.pattern, jobname) : jobs.numbers.includes(jobnumber);
}
