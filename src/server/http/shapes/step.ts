/** Steps of attempts, as the API shows them. */

import { z } from 'zod';
import type { Step } from '../../../model/step.ts';
import { byteCount, duration, instant, named } from './component.ts';
import { exit, placement } from './job.ts';

export const stepUsage = z.strictObject({
  userCpuMs: duration,
  systemCpuMs: duration,
  peakMemoryBytes: byteCount.nullable(),
  rankStatuses: z.array(z.int()).describe('of each rank, as a shell counts it, where they are known'),
});

export const step = named(
  'Step',
  z.strictObject({
    attempt: z.string(),
    n: z.int(),
    name: z.string(),
    command: z.array(z.string()),
    placement,
    overlap: z.boolean().describe('it shares its CPUs and devices with other steps'),
    cpusPerRank: z.int(),
    startedAt: instant,
    endedAt: instant.nullable(),
    stoppedBy: z.string().nullable(),
    exit: exit.nullable(),
    usage: stepUsage.nullable(),
  }),
  'One command that was run inside an attempt, on part of what it holds.',
) satisfies z.ZodType<Step>;
