/** What a job keeps over its runs, as the API shows it: schemas of the model's Keeping, CheckpointNote and Progress. */

import { z } from 'zod';
import type { CheckpointNote, Keeping, Progress } from '../../../model/keeping.ts';
import { byteCount, duration, instant, named } from './component.ts';

const directory = z.string().describe('an absolute pattern, or one that begins with $SCRATCH');

export const keeping = named(
  'Keeping',
  z.strictObject({
    checkpoints: directory.nullable().describe('where its program writes checkpoints'),
    persist: directory.nullable().describe('where whole copies of them last; null: where they are written'),
    keepCount: z.int().nullable().describe('of checkpoints that are alike, so many of the newest; null: all'),
    keepForMs: duration.nullable(),
    logs: z.array(z.strictObject({ from: directory, to: directory })),
    scratch: z.strictObject({ maxBytes: byteCount.nullable() }).nullable(),
    snapshot: z
      .strictObject({ tree: z.string(), root: z.string(), below: z.string() })
      .nullable()
      .describe('the code as it was when the job was submitted'),
  }),
) satisfies z.ZodType<Keeping>;

export const checkpointNote = named(
  'CheckpointNote',
  z.strictObject({
    name: z.string(),
    step: z.number().nullable(),
    bytes: byteCount,
    writtenAt: instant,
    keptAt: instant.describe('when it was safe'),
  }),
) satisfies z.ZodType<CheckpointNote>;

export const progress = named(
  'Progress',
  z.strictObject({
    step: z.number().nullable(),
    steps: z.number().nullable(),
    epoch: z.number().nullable(),
    loss: z.number().nullable(),
    at: instant,
  }),
) satisfies z.ZodType<Progress>;
