/** Everything about one job, as the API shows it. */

import { z } from 'zod';
import type { JobDetail } from '../../../model/query.ts';
import { named } from './component.ts';
import { attempt, jobView } from './job.ts';
import { step } from './step.ts';

export const jobDetail = named(
  'JobDetail',
  z.strictObject({
    view: jobView,
    attempts: z.array(attempt).describe('oldest first'),
    steps: z.array(step).describe('of all attempts, in order'),
    script: z.string().nullable().describe('as submitted; null for a plain command'),
    elements: z.array(jobView),
  }),
) satisfies z.ZodType<JobDetail>;
