/** Why a job is not running, as the API shows it: schemas of the model's Reason and Explanation. */

import { z } from 'zod';
import type { Explanation, Reason } from '../../../model/reason.ts';
import { byteCount, instant, jobId, named } from './component.ts';
import { gpuExplanation } from './footprint.ts';
import { dependencyTerm, NEEDS } from './job-spec.ts';
import { OUTCOMES, PHASES } from './phases.ts';

const limitOf = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('user'), user: z.string() }),
  z.strictObject({ kind: z.literal('queue'), queue: z.string() }),
  z.strictObject({ kind: z.literal('userInQueue'), user: z.string(), queue: z.string() }),
  z.strictObject({ kind: z.literal('userInQos'), user: z.string(), qos: z.string() }),
  z.strictObject({ kind: z.literal('layout'), layout: z.string() }),
]);

export const reason = named(
  'Reason',
  z.discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('held'),
      by: z.enum(['user', 'yard']),
      note: z.string().nullable(),
    }),
    z.strictObject({
      kind: z.literal('dependency'),
      unmet: z.array(
        z.strictObject({
          term: dependencyTerm,
          other: z.strictObject({ phase: z.enum(PHASES), outcome: z.enum(OUTCOMES).nullable() }).nullable(),
        }),
      ),
      need: z.enum(NEEDS),
    }),
    z.strictObject({ kind: z.literal('begin'), at: instant }),
    z.strictObject({
      kind: z.literal('resources'),
      short: z.array(
        z.strictObject({
          resource: z.enum(['cpus', 'memory', 'gpus', 'gpuMemory', 'gpuLoad', 'nodes']),
          wanted: z.number(),
          free: z.number(),
          total: z.number(),
        }),
      ),
      waitsFor: z.array(jobId),
      foreign: z
        .array(z.strictObject({ node: z.string(), index: z.int(), bytes: byteCount }))
        .optional()
        .describe("what others than the yard's jobs use of devices that it would need"),
    }),
    z.strictObject({
      kind: z.literal('learning'),
      job: jobId.describe('the first of its kind, which shows what they use'),
      label: z.string(),
      device: z.string(),
    }),
    z.strictObject({ kind: z.literal('priority'), behind: jobId.nullable(), ahead: z.int() }),
    z.strictObject({
      kind: z.literal('limit'),
      limit: z.enum(['running', 'cpus', 'gpus', 'ranks']),
      of: limitOf,
      allowed: z.number(),
      used: z.number(),
    }),
    z.strictObject({ kind: z.literal('throttle'), allowed: z.int() }),
    z.strictObject({
      kind: z.literal('queueClosed'),
      queue: z.string(),
      because: z.enum(['disabled', 'suspended']).optional(),
    }),
    z.strictObject({ kind: z.literal('nodesUnavailable'), nodes: z.array(z.string()) }),
    z.strictObject({ kind: z.literal('place'), directory: z.string(), job: jobId }),
    z.strictObject({ kind: z.literal('neverPossible'), why: z.string() }),
    z.strictObject({ kind: z.literal('notLookedAt') }),
  ]),
) satisfies z.ZodType<Reason>;

export const explanation = named(
  'Explanation',
  z.strictObject({
    reason: reason.nullable(),
    expectedStartAt: instant.nullable().describe('null: no estimate'),
    priority: z
      .strictObject({
        total: z.number(),
        age: z.number(),
        fairShare: z.number(),
        queue: z.number(),
        qos: z.number(),
        size: z.number(),
        asked: z.number(),
      })
      .nullable(),
    ahead: z.int().describe('jobs that go before it'),
    gpus: gpuExplanation.optional(),
  }),
) satisfies z.ZodType<Explanation>;
