/** What kinds of jobs use of GPUs, as the API shows it: schemas of the model's Footprint and what follows from it. */

import { z } from 'zod';
import { type Estimate, FOOTPRINT_LEVELS, type Footprint } from '../../../model/footprint.ts';
import type { FootprintView } from '../../../model/query.ts';
import type { GpuExplanation } from '../../../model/reason.ts';
import { byteCount, duration, instant, jobId, named } from './component.ts';

const key = z.strictObject({
  level: z.enum(FOOTPRINT_LEVELS),
  text: z.string().describe('unique in a yard'),
  label: z.string(),
});

const spread = z.strictObject({
  count: z.int(),
  mean: z.number(),
  squares: z.number().describe('the sum of the squared differences from the mean'),
  max: z.number(),
});

export const footprint = named(
  'Footprint',
  z.strictObject({
    key,
    device: z.string().describe('the model of device'),
    memory: spread.describe('the peaks of its runs, in bytes'),
    load: spread.describe('thousandths of the device'),
    hostMemory: spread,
    durationMs: spread,
    firstSeenAt: instant,
    lastSeenAt: instant,
    isProvisional: z.boolean(),
    atLeastBytes: byteCount.optional(),
    setBytes: byteCount.optional(),
    setLoadMillis: z.int().optional(),
  }),
) satisfies z.ZodType<Footprint>;

export const estimate = named(
  'Estimate',
  z.strictObject({
    key,
    device: z.string(),
    runs: z.int(),
    seenBytes: byteCount,
    memoryBytes: byteCount.describe('with its margin'),
    marginMillis: z.int(),
    loadMillis: z.int(),
    basis: z.enum(['seen', 'provisional', 'ranOut', 'set']),
  }),
) satisfies z.ZodType<Estimate>;

const footprintView = named(
  'FootprintView',
  z.strictObject({ footprint, estimate: estimate.describe('what the next job of this kind gets') }),
) satisfies z.ZodType<FootprintView>;

export const footprintList = named('FootprintList', z.strictObject({ footprints: z.array(footprintView) }));

export const gpuExplanation = named(
  'GpuExplanation',
  z.strictObject({
    manner: z.enum(['whole', 'declared', 'auto']),
    estimates: z.array(estimate),
    holds: z.array(
      z.strictObject({
        node: z.string(),
        index: z.int(),
        device: z.string(),
        totalBytes: byteCount,
        millis: z.int(),
        loadMillis: z.int().nullable(),
        isLearning: z.boolean(),
        neighbours: z.array(jobId),
      }),
    ),
  }),
) satisfies z.ZodType<GpuExplanation>;

const rollup = z.strictObject({ peak: z.number(), p95: z.number(), mean: z.number() });

export const deviceUse = z.strictObject({
  node: z.string(),
  index: z.int(),
  kind: z.string(),
  memoryBytes: rollup,
  loadMillis: rollup.nullable().describe('null: nobody could tell it apart from its neighbours'),
  samples: z.int(),
  curve: z
    .strictObject({ everyMs: duration, memoryBytes: z.array(z.number()), loadMillis: z.array(z.number()) })
    .optional(),
});
