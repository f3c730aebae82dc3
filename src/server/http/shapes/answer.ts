/** The short answers: what a command did, and what went wrong. */

import { z } from 'zod';
import { jobId, named } from './component.ts';
import { jobView } from './job.ts';
import { explanation } from './reason.ts';

export const done = named(
  'Done',
  z.strictObject({
    job: jobId.nullable().describe('the job it was about; the new one after a submission'),
    changed: z.boolean().describe('false when the yard was already in that state'),
  }),
);

export const why = named('Why', z.strictObject({ view: jobView, explanation }));

const ERROR_CODES = [
  'badRequest',
  'noSuchJob',
  'noSuchQueue',
  'noSuchNode',
  'notAllowed',
  'wrongState',
  'busy',
  'noSuchStep',
  'noSuchQos',
  'noSuchAccount',
  'neverPossible',
  'limitReached',
  'tooLarge',
  'noSuchFile',
  'unavailable',
  'notFound',
  'wrongMethod',
  'fault',
  'defect',
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

export const failure = named(
  'Failure',
  z.strictObject({
    error: z.strictObject({
      code: z.enum(ERROR_CODES),
      message: z.string(),
      hint: z.string().nullable(),
      choices: z.array(z.string()),
    }),
  }),
);

export type Failure = z.output<typeof failure>;
