/** Leases as the API takes them. What a client is told then is one JSON object a line. */

import { z } from 'zod';
import { named } from './component.ts';

const plain = z
  .string()
  .min(1)
  .max(1024)
  .regex(/^[^\u0000-\u001f\u007f]*$/, 'must not contain control characters');

export const leaseWish = named(
  'LeaseWish',
  z.strictObject({
    kind: plain.optional().describe('jobs of one kind use GPUs alike; needed unless a lease is named'),
    gpus: z.int().min(1).max(1024).optional().describe('1 when left out'),
    name: plain.optional().describe('what people see; left out: the kind'),
    queue: z.string().nullable().optional().describe('null or left out: the default queue'),
    devices: z
      .array(plain)
      .min(1)
      .max(1024)
      .optional()
      .describe(
        'only these would do, as CUDA_VISIBLE_DEVICES names them: a program that has used one cannot move',
      ),
    memoryLimited: z
      .boolean()
      .optional()
      .describe('frameworks are told to use no more of a shared device than was given'),
    lease: z
      .string()
      .optional()
      .describe('goes on with this one, after the yard was started again; then nothing else is given'),
  }),
);

export type LeaseWishBody = z.output<typeof leaseWish>;

export const leaseEnd = named(
  'LeaseEnd',
  z.strictObject({
    succeeded: z.boolean().default(true),
    outOfMemory: z.boolean().default(false).describe('the memory of a device was not enough'),
  }),
);

export const LEASE_STREAM =
  'One JSON object a line, for as long as the lease lasts: {"state":"waiting","job","sentence"}, again when the sentence changes; {"state":"granted","job","lease","devices":[{"node","index","kind","memoryBytes","shareBytes"}],"variables":{…},"isLearning"}; {} now and then; {"state":"ended","why"} at the end. Closing the connection gives the lease back.';
