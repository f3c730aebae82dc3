/**
 * Pending jobs, grouped so that a scheduling pass looks at kinds of jobs rather than at jobs: within a group
 * all have the same user, queues, QOS, asked priority, resources and limit, so they go in order of age, and when
 * the first cannot start, none can; only those with a place of their own for what they keep may differ in that.
 */

import type { JobId } from '../model/ids.ts';
import type { Job } from '../model/job.ts';
import type { JobSpec } from '../model/job-spec.ts';
import { footprintKeys } from './footprints/keys.ts';
import { commonPlace } from './places.ts';

export interface Group {
  readonly key: string;
  /** The spec of one member: alike in all that matters for placing. */
  readonly sample: JobSpec;
  readonly line: Line;
}

/** A queue of jobs in order of (eligibleAt, id), with cheap removal anywhere. */
interface Line {
  entries: Entry[];
  head: number;
  /** Who is queued, and since when: an entry that says otherwise is left over. */
  readonly present: Map<JobId, number>;
}

interface Entry {
  readonly eligibleAt: number;
  readonly job: JobId;
}

export interface Backlog {
  readonly groups: Map<string, Group>;
}

export function newBacklog(): Backlog {
  return { groups: new Map() };
}

const keys = new WeakMap<JobSpec, string>();

export function groupKey(spec: JobSpec): string {
  let key = keys.get(spec);
  if (key === undefined) {
    const { user, account, qos, queue, queueChoices, priority, nice, limitMs, resources } = spec;
    const where = queueChoices === undefined ? queue : [queue, ...queueChoices];
    const place = commonPlace(spec) ?? [];
    // What a job may share depends on what its kind was seen to use.
    const kind = resources.gpus?.sharing === 'auto' ? footprintKeys(spec).map(({ text }) => text) : [];
    key = JSON.stringify([user, account, qos, where, priority - nice, limitMs, resources, ...place, ...kind]);
    keys.set(spec, key);
  }
  return key;
}

export function enqueue(backlog: Backlog, job: Job): void {
  const key = groupKey(job.spec);
  let group = backlog.groups.get(key);
  if (group === undefined) {
    group = { key, sample: job.spec, line: { entries: [], head: 0, present: new Map() } };
    backlog.groups.set(key, group);
  }
  const { line } = group;
  if (line.present.has(job.id)) return;
  const entry = { eligibleAt: job.eligibleAt ?? 0, job: job.id };
  line.present.set(entry.job, entry.eligibleAt);
  insert(line, entry);
}

export function dequeue(backlog: Backlog, job: Job): void {
  const key = groupKey(job.spec);
  const group = backlog.groups.get(key);
  if (group === undefined || !group.line.present.delete(job.id)) return;
  if (group.line.present.size === 0) backlog.groups.delete(key);
  else tidy(group.line);
}

export function isQueued(backlog: Backlog, job: Job): boolean {
  return backlog.groups.get(groupKey(job.spec))?.line.present.has(job.id) ?? false;
}

export function sizeOf(group: Group): number {
  return group.line.present.size;
}

/** Members in order, the oldest first. The backlog must not change meanwhile. */
export function* membersOf(group: Group): Generator<JobId> {
  const { entries, head } = group.line;
  for (let at = head; at < entries.length; at++) {
    const entry = entries[at] as Entry;
    if (isPresent(group.line, entry)) yield entry.job;
  }
}

function insert(line: Line, entry: Entry): void {
  const { entries } = line;
  const last = entries[entries.length - 1];
  if (last === undefined || before(last, entry)) {
    entries.push(entry);
    return;
  }
  let low = line.head;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (before(entries[middle] as Entry, entry)) low = middle + 1;
    else high = middle;
  }
  // The same job may have left a stale entry at the very place it returns to.
  if (entries[low]?.job === entry.job && entries[low]?.eligibleAt === entry.eligibleAt) return;
  entries.splice(low, 0, entry);
}

function before(a: Entry, b: Entry): boolean {
  return a.eligibleAt !== b.eligibleAt ? a.eligibleAt < b.eligibleAt : a.job < b.job;
}

/** Drops what is gone from the front, and everything that is gone once it is more than what is left. */
function tidy(line: Line): void {
  const { entries, present } = line;
  while (line.head < entries.length && !isPresent(line, entries[line.head] as Entry)) line.head++;
  if (entries.length > 64 && entries.length > 2 * present.size) {
    line.entries = entries.slice(line.head).filter((entry) => isPresent(line, entry));
    line.head = 0;
  }
}

function isPresent({ present }: Line, { job, eligibleAt }: Entry): boolean {
  return present.get(job) === eligibleAt;
}
