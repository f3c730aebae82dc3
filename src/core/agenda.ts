/**
 * What falls due when: a heap of (time, job). A job is entered for the earliest time that matters to it;
 * whoever takes it out asks the job again what is due, and when the next thing will be.
 */

import type { JobId } from '../model/ids.ts';
import { type Heap, newHeap, peek, pop, push } from './heap.ts';

export interface Agenda {
  heap: Heap<Entry>;
  /** The time that counts for each job. Entries of the heap that say otherwise are left over. */
  readonly earliest: Map<JobId, number>;
}

interface Entry {
  readonly at: number;
  readonly job: JobId;
}

export function newAgenda(): Agenda {
  return { heap: newHeap(before), earliest: new Map() };
}

function before(a: Entry, b: Entry): boolean {
  return a.at !== b.at ? a.at < b.at : a.job < b.job;
}

export function enter(agenda: Agenda, job: JobId, at: number): void {
  const known = agenda.earliest.get(job);
  if (known !== undefined && known <= at) return;
  agenda.earliest.set(job, at);
  push(agenda.heap, { at, job });
}

/** Nothing will fall due for this job any more. */
export function strike(agenda: Agenda, job: JobId): void {
  if (agenda.earliest.delete(job)) tidy(agenda);
}

export function nextAt(agenda: Agenda): number | null {
  return first(agenda)?.at ?? null;
}

/** Takes out the earliest job if its time has come. */
export function takeDue(agenda: Agenda, now: number): JobId | null {
  const entry = first(agenda);
  if (entry === undefined || entry.at > now) return null;
  pop(agenda.heap);
  agenda.earliest.delete(entry.job);
  return entry.job;
}

function first(agenda: Agenda): Entry | undefined {
  const { heap, earliest } = agenda;
  for (let entry = peek(heap); entry !== undefined; entry = peek(heap)) {
    if (earliest.get(entry.job) === entry.at) return entry;
    pop(heap);
  }
  return undefined;
}

/** Most jobs end long before their limits: what they leave behind must not pile up until then. */
function tidy(agenda: Agenda): void {
  const { heap, earliest } = agenda;
  if (heap.entries.length <= 64 || heap.entries.length <= 2 * earliest.size) return;
  agenda.heap = newHeap(
    before,
    [...earliest].map(([job, at]) => ({ job, at })),
  );
}
