/**
 * The store's twin in memory, for the simulator and for tests: the same answers as the database gives, and
 * failure on demand. Nothing outlives the process.
 */

import { jobOfEvent, type RecordedEvent } from '../model/event.ts';
import { type Footprint, pageOf } from '../model/footprint.ts';
import { attemptNumber, type BlobHash, type JobId, type JobRef } from '../model/ids.ts';
import type { Attempt, Job } from '../model/job.ts';
import type { Node } from '../model/node.ts';
import type { EventFilter, JobFilter, JobOrder, JobPageAsk, JobPlace } from '../model/query.ts';
import { Fault } from '../model/refusal.ts';
import type { Step } from '../model/step.ts';
import type { Batch, DecidedQueue, Remembered, Store, StoredPage, UserUsage } from './store.ts';
import { ALL_READABLE } from './unreadable.ts';

export interface MemoryStoreOptions {
  /** Asked before each append; true makes it fail with nothing changed. */
  readonly failAppend?: () => boolean;
}

interface Kept {
  nextJobId: number;
  lastSeq: number;
  lastEventAt: number;
  readonly jobs: Map<JobId, Job>;
  readonly unended: Set<JobId>;
  /** Array → index → element. */
  readonly elements: Map<JobId, Map<number, JobId>>;
  readonly attempts: Map<JobId, Map<number, Attempt>>;
  /** Job → the key of a step → the step. */
  readonly steps: Map<JobId, Map<string, Step>>;
  /** By sequence number, growing. */
  events: RecordedEvent[];
  readonly eventsByJob: Map<JobId, RecordedEvent[]>;
  readonly blobs: Map<BlobHash, { bytes: Uint8Array; usedAt: number }>;
  readonly nodes: Map<string, Node>;
  readonly usage: Map<string, UserUsage>;
  readonly queues: Map<string, DecidedQueue>;
  readonly footprints: Map<string, Footprint>;
}

export function createMemoryStore(options: MemoryStoreOptions = {}): Store {
  const kept: Kept = {
    nextJobId: 1,
    lastSeq: 0,
    lastEventAt: 0,
    jobs: new Map(),
    unended: new Set(),
    elements: new Map(),
    attempts: new Map(),
    steps: new Map(),
    events: [],
    eventsByJob: new Map(),
    blobs: new Map(),
    nodes: new Map(),
    usage: new Map(),
    queues: new Map(),
    footprints: new Map(),
  };
  return {
    identity: { id: 'memory', claims: '' },
    remarks: ['everything is kept in memory and forgotten at the end'],
    unreadable: ALL_READABLE,
    load: () => load(kept),
    append: (batch) => {
      if (options.failAppend?.() === true) throw new Fault('the store was told to fail', true);
      append(kept, batch);
    },
    flush: () => Promise.resolve(),
    blob: (hash) => kept.blobs.get(hash)?.bytes ?? null,
    job: (id) => jobOf(kept, id),
    element: (array, index) => jobOf(kept, kept.elements.get(array)?.get(index)),
    elements: (array, limit) => elementsOf(kept, array).slice(0, Math.max(0, limit)),
    attempts: (job) => [...(kept.attempts.get(job)?.values() ?? [])].sort((a, b) => a.n - b.n),
    steps: (job) => stepsOf(kept, job),
    page: (ask) => pageOfJobs(kept, ask),
    jobs: (filter) => jobsMatching(kept, filter),
    events: (filter) => eventsMatching(kept, filter),
    purge: (endedBefore, atMost) => purge(kept, endedBefore, atMost),
    settleRestored: () => {},
    close: () => {},
  };
}

function load(kept: Kept): Remembered {
  const ids = new Set(kept.unended);
  for (const id of kept.unended) {
    const element = kept.jobs.get(id)?.element ?? null;
    if (element !== null && kept.jobs.has(element.array)) ids.add(element.array);
  }
  return {
    nextJobId: kept.nextJobId,
    restoredFrom: null,
    lastSeq: kept.lastSeq,
    lastEventAt: kept.lastEventAt,
    jobs: [...ids].sort((a, b) => a - b).map((id) => jobOf(kept, id) as Job),
    steps: [...kept.steps.keys()]
      .sort((a, b) => a - b)
      .flatMap((job) => stepsOf(kept, job).map((step) => ({ job, step })))
      .filter(({ step }) => step.endedAt === null),
    nodes: [...kept.nodes.values()],
    usage: [...kept.usage.values()],
    queues: [...kept.queues.values()],
    footprints: [...kept.footprints.values()],
  };
}

function append(kept: Kept, batch: Batch): void {
  for (const recorded of batch.events) putEvent(kept, recorded);
  const listed = new Set<string>();
  for (const { job, attempt } of batch.attempts) {
    listed.add(attempt.id);
    putAttempt(kept, job, attempt);
  }
  for (const job of batch.jobs) {
    putJob(kept, job);
    if (job.attempt !== null && !listed.has(job.attempt.id)) putAttempt(kept, job.id, job.attempt);
  }
  for (const { job, step } of batch.steps)
    entryOf(kept.steps, job, () => new Map()).set(`${step.attempt}/${step.n}`, step);
  for (const node of batch.nodes) kept.nodes.set(node.name, node);
  for (const name of batch.goneNodes) kept.nodes.delete(name);
  for (const usage of batch.usage) kept.usage.set(usage.user, usage);
  for (const queue of batch.queues) kept.queues.set(queue.name, queue);
  for (const page of batch.goneFootprints) kept.footprints.delete(page);
  for (const footprint of batch.footprints)
    kept.footprints.set(pageOf(footprint.key.text, footprint.device), footprint);
  kept.nextJobId = batch.nextJobId;
  for (const { hash, bytes } of batch.blobs) kept.blobs.set(hash, { bytes, usedAt: kept.lastEventAt });
}

function putEvent(kept: Kept, recorded: RecordedEvent): void {
  kept.events.push(recorded);
  kept.lastSeq = recorded.seq;
  kept.lastEventAt = recorded.event.at;
  const job = jobOfEvent(recorded.event);
  if (job !== null) entryOf(kept.eventsByJob, job, () => []).push(recorded);
}

function putAttempt(kept: Kept, job: JobId, attempt: Attempt): void {
  entryOf(kept.attempts, job, () => new Map()).set(attempt.n, attempt);
}

function putJob(kept: Kept, job: Job): void {
  kept.jobs.set(job.id, job);
  if (job.phase === 'ended') kept.unended.delete(job.id);
  else kept.unended.add(job.id);
  if (job.element === null) return;
  entryOf(kept.elements, job.element.array, () => new Map()).set(job.element.index, job.id);
}

/** A job as last written, with its current attempt as last written: that can be the newer of the two. */
function jobOf(kept: Kept, id: JobId | undefined): Job | null {
  const job = id === undefined ? undefined : kept.jobs.get(id);
  if (job === undefined) return null;
  if (job.attempt === null) return job;
  const attempt = kept.attempts.get(job.id)?.get(job.attempt.n) ?? null;
  return attempt === job.attempt ? job : { ...job, attempt };
}

function stepsOf(kept: Kept, job: JobId): Step[] {
  return [...(kept.steps.get(job)?.values() ?? [])].sort(
    (a, b) => attemptNumber(a.attempt) - attemptNumber(b.attempt) || a.n - b.n,
  );
}

function elementsOf(kept: Kept, array: JobId): Job[] {
  const byIndex = [...(kept.elements.get(array) ?? [])].sort(([a], [b]) => a - b);
  return byIndex.map(([, id]) => jobOf(kept, id) as Job);
}

function jobsMatching(kept: Kept, filter: JobFilter): Job[] {
  const ids = filter.refs === null ? kept.jobs.keys() : numbersOf(kept, filter.refs);
  const found: Job[] = [];
  for (const id of [...ids].sort((a, b) => b - a)) {
    if (found.length >= filter.limit) break;
    const job = jobOf(kept, id);
    if (job !== null && matches(job, filter)) found.push(job);
  }
  return found;
}

const MOST_IN_PAGE = 100;

function pageOfJobs(kept: Kept, { filter, order, after, reruns }: JobPageAsk): StoredPage {
  const inOrder = listed(kept, order).sort((a, b) => byPlace(placeIn(order, a), placeIn(order, b)));
  const direction = order.by === 'newest' ? -1 : 1;
  if (direction < 0) inOrder.reverse();
  const rest = inOrder.filter((job) => after === null || direction * byPlace(placeIn(order, job), after) > 0);
  const looked = rest.slice(0, MOST_IN_PAGE);
  const last = rest.length > MOST_IN_PAGE ? looked.at(-1) : undefined;
  return {
    jobs: looked.filter((job) => matches(job, filter) && (reruns !== true || (job.attempt?.n ?? 0) > 1)),
    next: last === undefined ? null : placeIn(order, last),
  };
}

function listed(kept: Kept, order: JobOrder): Job[] {
  if (order.by === 'index') return elementsOf(kept, order.array);
  const jobs = [...kept.jobs.keys()].map((id) => jobOf(kept, id) as Job);
  if (order.by === 'end') return jobs.filter(({ endedAt }) => endedAt !== null);
  return order.by === 'oldest' ? jobs.filter(({ element }) => element === null) : jobs;
}

function placeIn({ by }: JobOrder, { id, endedAt, element }: Job): JobPlace {
  if (by === 'end') return { key: endedAt ?? 0, id };
  return { key: by === 'index' ? (element?.index ?? 0) : id, id };
}

function byPlace(a: JobPlace, b: JobPlace): number {
  return a.key - b.key || a.id - b.id;
}

function numbersOf(kept: Kept, refs: readonly JobRef[]): Set<JobId> {
  const ids = new Set<JobId>();
  for (const { job, index } of refs) {
    const elements = kept.elements.get(job);
    if (index === null) {
      ids.add(job);
      for (const id of elements?.values() ?? []) ids.add(id);
    } else {
      const id = elements?.get(index);
      if (id !== undefined) ids.add(id);
    }
  }
  return ids;
}

function matches(job: Job, filter: JobFilter): boolean {
  const { spec } = job;
  return (
    (filter.phases?.includes(job.phase) ?? true) &&
    (filter.outcomes === null || (job.outcome !== null && filter.outcomes.includes(job.outcome))) &&
    (filter.users?.includes(spec.user) ?? true) &&
    (filter.queues?.includes(spec.queue) ?? true) &&
    (filter.names?.includes(spec.name) ?? true) &&
    (filter.endedAfter === null || job.endedAt === null || job.endedAt > filter.endedAfter) &&
    (filter.submittedAfter === null || job.submittedAt > filter.submittedAfter) &&
    (filter.submittedBefore === null || job.submittedAt < filter.submittedBefore)
  );
}

function eventsMatching(kept: Kept, filter: EventFilter): RecordedEvent[] {
  const log = filter.job === null ? kept.events : (kept.eventsByJob.get(filter.job) ?? []);
  const from = firstAfter(log, filter.afterSeq);
  const limit = Math.max(0, filter.limit);
  return filter.newest ? log.slice(Math.max(from, log.length - limit)) : log.slice(from, from + limit);
}

function firstAfter(log: readonly RecordedEvent[], seq: number): number {
  let low = 0;
  let high = log.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((log[middle] as RecordedEvent).seq > seq) high = middle;
    else low = middle + 1;
  }
  return low;
}

function purge(kept: Kept, endedBefore: number, atMost: number): JobId[] {
  const ids = purgeable(kept, endedBefore).slice(0, Math.max(0, atMost));
  const gone = new Set(ids);
  for (const id of ids) forget(kept, id);
  const jobless = joblessBefore(kept, endedBefore, atMost);
  kept.events = kept.events.filter((recorded) => {
    const job = jobOfEvent(recorded.event);
    return job === null ? !jobless.has(recorded) : !gone.has(job);
  });
  purgeBlobs(kept, endedBefore, atMost);
  return ids;
}

/** Families in the order in which they ended; an array's elements go before its record. */
function purgeable(kept: Kept, endedBefore: number): JobId[] {
  const old = (job: Job) => job.endedAt !== null && job.endedAt < endedBefore;
  const families = [...kept.jobs.values()].filter(
    (job) => job.element === null && old(job) && elementsOf(kept, job.id).every(old),
  );
  families.sort((a, b) => (a.endedAt as number) - (b.endedAt as number) || a.id - b.id);
  return families.flatMap((job) => [...elementsOf(kept, job.id).map((element) => element.id), job.id]);
}

/** Events of nodes and clocks: no job takes them along. */
function joblessBefore(kept: Kept, before: number, atMost: number): Set<RecordedEvent> {
  const old = kept.events.filter(({ event }) => jobOfEvent(event) === null && event.at < before);
  old.sort((a, b) => a.event.at - b.event.at || a.seq - b.seq);
  return new Set(old.slice(0, Math.max(0, atMost)));
}

function forget(kept: Kept, id: JobId): void {
  const element = kept.jobs.get(id)?.element ?? null;
  if (element !== null) kept.elements.get(element.array)?.delete(element.index);
  kept.jobs.delete(id);
  kept.elements.delete(id);
  kept.attempts.delete(id);
  kept.steps.delete(id);
  kept.eventsByJob.delete(id);
}

function purgeBlobs(kept: Kept, usedBefore: number, atMost: number): void {
  const needed = new Set<BlobHash | null>();
  for (const { spec } of kept.jobs.values()) {
    needed.add(spec.program.script).add(spec.program.environment);
    needed.add(spec.keeping?.snapshot?.tree ?? null);
  }
  const old = [...kept.blobs].filter(([hash, blob]) => blob.usedAt < usedBefore && !needed.has(hash));
  old.sort(([a, x], [b, y]) => x.usedAt - y.usedAt || (a < b ? -1 : 1));
  for (const [hash] of old.slice(0, Math.max(0, atMost))) kept.blobs.delete(hash);
}

function entryOf<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}
