/**
 * What a job asked for, as Grid Engine says it back in `qstat -r` and `qstat -j`. What was submitted in its own words is
 * said in these; what other dialects submitted is put into them. Knows no listing.
 */

import type { JobId } from '../../model/ids.ts';
import type { Job } from '../../model/job.ts';
import { complexNamed } from './complexes.ts';
import { attributesOf } from './submit/attributes.ts';
import { parseSlotRange, parseTimeMs } from './submit/values.ts';
import { GRID_ENGINE, wordOf } from './words.ts';

export interface AskedResource {
  /** In full, whatever it was called. */
  readonly name: string;
  /** Times in seconds, the rest as it was written. */
  readonly value: string;
}

export function hardResources(job: Job): readonly AskedResource[] {
  if (job.spec.origin.dialect !== GRID_ENGINE) return translated(job);
  return resourcesIn(wordOf(job, 'resources'));
}

export function softResources(job: Job): readonly AskedResource[] {
  return resourcesIn(wordOf(job, 'softResources'));
}

function resourcesIn(list: string | null): readonly AskedResource[] {
  return attributesOf(list ?? '').map(({ name, value }) => {
    const complex = complexNamed(name);
    const ms = complex?.type === 'TIME' && value !== null ? parseTimeMs(value) : null;
    const written = typeof ms === 'number' ? `${Math.round(ms / 1000)}` : (value ?? 'TRUE');
    return { name: complex?.name ?? name, value: written };
  });
}

function translated({ spec }: Job): readonly AskedResource[] {
  const { memory, gpus } = spec.resources;
  const asked: AskedResource[] = [];
  if (spec.limitMs !== null) asked.push({ name: 'h_rt', value: `${Math.round(spec.limitMs / 1000)}` });
  if (memory !== null && memory.bytes > 0) {
    asked.push({ name: 'h_vmem', value: `${Math.ceil(memory.bytes / 2 ** 20)}M` });
  }
  if (gpus !== null) asked.push({ name: 'gpu', value: `${gpus.count}` });
  return asked;
}

export type QueueList = 'queues' | 'softQueues' | 'masterQueues';

/** Queues as they were written; none: whichever there is. */
export function askedQueues(job: Job, list: QueueList): readonly string[] {
  const written = wordOf(job, list);
  if (written !== null) return written.split(',').filter((word) => word !== '');
  return list === 'queues' && job.spec.origin.dialect !== GRID_ENGINE ? [job.spec.queue] : [];
}

export interface AskedEnvironment {
  readonly name: string;
  readonly ranges: readonly { readonly first: number; readonly last: number }[];
}

/** What Grid Engine takes for a range without an end. */
const MOST_SLOTS = 9_999_999;

export function askedEnvironment(job: Job): AskedEnvironment | null {
  const name = wordOf(job, 'pe');
  if (name === null) return null;
  const { ranks, ranksMax } = job.spec.resources;
  const range = parseSlotRange(wordOf(job, 'slotRange') ?? '');
  if (!range.ok) return { name, ranges: [{ first: ranks, last: ranksMax ?? ranks }] };
  return { name, ranges: range.value.map(({ first, last }) => ({ first, last: last ?? MOST_SLOTS })) };
}

/** `2`, `1,2`, `2-4,7`. */
export function slotRangeText({ ranges }: AskedEnvironment): string {
  return ranges
    .map(({ first, last }) => {
      if (first === last) return `${first}`;
      return last - first === 1 ? `${first},${last}` : `${first}-${last}`;
    })
    .join(',');
}

export interface Predecessors {
  /** As they were named. */
  readonly asked: readonly string[];
  /** Those that have not ended. */
  readonly left: readonly JobId[];
}

const PAIRWISE = new Set(['aftercorr', 'aftercorrany']);

/** Jobs that it waits for as a whole, or task by task. */
export function predecessorsOf(
  job: Job,
  kind: 'whole' | 'taskByTask',
  isLive: (id: JobId) => boolean,
): Predecessors {
  const ids = termsOf(job, kind);
  const written = wordOf(job, kind === 'whole' ? 'holdJobs' : 'holdArrayJobs');
  const asked = written === null ? ids.map(String) : written.split(',').filter((word) => word !== '');
  return { asked, left: ids.filter(isLive) };
}

export function termsOf({ spec }: Job, kind: 'whole' | 'taskByTask'): readonly JobId[] {
  const ids = (spec.dependencies?.terms ?? []).flatMap((term) =>
    term.kind !== 'singleton' && PAIRWISE.has(term.kind) === (kind === 'taskByTask') ? [term.job] : [],
  );
  return [...new Set(ids)];
}

/** What `-dl` said, which ends no job here; of other dialects' jobs, when they are ended. */
export function deadlineOf(job: Job): number | null {
  const written = wordOf(job, 'deadlineAt');
  return written === null ? job.spec.deadlineAt : Number(written);
}

/** `NONE`, `set linear:1`. */
export function bindingText(job: Job): string {
  const written = wordOf(job, 'binding');
  if (written === null) return 'NONE';
  return /^(?:env|pe|set) /.test(written) ? written : `set ${written}`;
}
