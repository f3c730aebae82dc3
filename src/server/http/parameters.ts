/** What comes in paths and query strings: text, made into the model's values. */

import { z } from 'zod';
import { type JobId, type JobRef, parseJobRef } from '../../model/ids.ts';
import { ANY_JOB, type JobFilter } from '../../model/query.ts';
import { hasIndex } from '../../model/ranges.ts';
import { RefusalError, refusal } from '../../model/refusal.ts';
import type { Yard } from '../yard.ts';
import { failed, HttpError } from './reply.ts';
import { OUTCOMES, PHASES } from './shapes/phases.ts';

export const none = z.strictObject({});
export const refParams = z.strictObject({
  ref: z.string().describe('17, or 17_3 for an element of an array'),
});
export const nameParams = z.strictObject({ name: z.string() });
export const leaseParams = z.strictObject({ lease: z.string().describe('as it was granted: 17.1') });

const whole = (text: z.ZodString) => text.transform(Number);
const flag = z.enum(['true', 'false']).transform((text) => text === 'true');
const list = z
  .string()
  .min(1)
  .transform((text) => text.split(','))
  .describe('several are separated by commas');
const limit = whole(z.string().regex(/^[1-9]\d{0,4}$/, 'must be a whole number from 1 to 99999'));
const instant = whole(z.string().regex(/^\d{1,16}$/, 'must be milliseconds since 1970'));
const sequence = whole(z.string().regex(/^\d{1,15}$/, 'must be a whole number'));

export const jobQuery = z.strictObject({
  phase: list.pipe(z.array(z.enum(PHASES))).optional(),
  outcome: list.pipe(z.array(z.enum(OUTCOMES))).optional(),
  user: list.optional(),
  queue: list.optional(),
  name: list.optional(),
  ref: list.optional(),
  endedAfter: instant.optional(),
  submittedAfter: instant.optional(),
  submittedBefore: instant.optional(),
  limit: limit.optional(),
});

export const logQuery = z.strictObject({
  stream: z.enum(['stdout', 'stderr']).optional().describe('stdout when left out'),
  offset: whole(z.string().regex(/^-?\d{1,15}$/, 'must be a whole number'))
    .optional()
    .describe('first byte; negative: that many before the end'),
  follow: flag.optional().describe('goes on until the job has ended'),
});

export const gpuQuery = z.strictObject({ node: list.optional() });

export const footprintQuery = z.strictObject({
  match: z.string().optional().describe('only those with this in their key or in the model of device'),
});

export const eventQuery = z.strictObject({
  after: sequence.optional().describe('only events after this place in the log; without it, the newest'),
  job: z.string().optional().describe('only events of this job'),
  limit: limit.optional().describe('at most so many; 1000 when left out'),
});

export function filterOf(query: z.output<typeof jobQuery>): JobFilter {
  return {
    refs: query.ref?.map((text) => refOf(text)) ?? null,
    phases: query.phase ?? null,
    outcomes: query.outcome ?? null,
    users: query.user ?? null,
    queues: query.queue ?? null,
    names: query.name ?? null,
    endedAfter: query.endedAfter ?? null,
    submittedAfter: query.submittedAfter ?? null,
    submittedBefore: query.submittedBefore ?? null,
    limit: query.limit ?? ANY_JOB.limit,
  };
}

export function refOf(text: string): JobRef {
  const ref = parseJobRef(text);
  if (ref !== null) return ref;
  const message = `${JSON.stringify(text.slice(0, 80))} is not a job`;
  throw new HttpError(failed(400, 'badRequest', message, 'write 17, or 17_3 for an element of an array'));
}

/** The number of the job that a reference names, looked up where the reference does not say it. */
export function jobIdOf(yard: Yard, text: string): JobId {
  const ref = refOf(text);
  if (ref.index === null) return ref.job;
  const detail = yard.query('job', { ref });
  if (detail === null) throw noSuchJob(yard, ref);
  return detail.view.job.id;
}

/** An element that has not started has no record, and yet is no mistake. */
export function noSuchJob(yard: Yard, ref: JobRef): RefusalError {
  const text = ref.index === null ? `${ref.job}` : `${ref.job}_${ref.index}`;
  const array = ref.index === null ? null : yard.query('job', { ref: { job: ref.job, index: null } });
  const unstarted = array?.view.job.array?.unstarted ?? [];
  if (ref.index !== null && hasIndex(unstarted, ref.index)) {
    const message = `element ${text} has not started and has no record of its own yet`;
    return new RefusalError(refusal('noSuchJob', message, `look at the array: /v1/jobs/${ref.job}`));
  }
  return new RefusalError(refusal('noSuchJob', `there is no job ${text}`));
}
