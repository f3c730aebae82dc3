/**
 * What falls due when: a heap of (time, job). Entries are not removed when a job changes; whoever takes one
 * out asks the job again whether anything is due.
 */

import type { JobId } from '../model/ids.ts';
import { type Heap, newHeap, peek, pop, push } from './heap.ts';

export interface Agenda {
  readonly heap: Heap<Entry>;
  /** The earliest entry of each job that is in the heap, so that the same time is not entered twice. */
  readonly earliest: Map<JobId, number>;
}

interface Entry {
  readonly at: number;
  readonly job: JobId;
}

export function newAgenda(): Agenda {
  return {
    heap: newHeap<Entry>((a, b) => (a.at !== b.at ? a.at < b.at : a.job < b.job)),
    earliest: new Map(),
  };
}

export function enter(agenda: Agenda, job: JobId, at: number): void {
  const known = agenda.earliest.get(job);
  if (known !== undefined && known <= at) return;
  agenda.earliest.set(job, at);
  push(agenda.heap, { at, job });
}

export function nextAt(agenda: Agenda): number | null {
  return peek(agenda.heap)?.at ?? null;
}

/** Takes out the earliest job if its time has come. */
export function takeDue(agenda: Agenda, now: number): JobId | null {
  const first = peek(agenda.heap);
  if (first === undefined || first.at > now) return null;
  pop(agenda.heap);
  if (agenda.earliest.get(first.job) === first.at) agenda.earliest.delete(first.job);
  return first.job;
}
