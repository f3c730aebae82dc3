/** What somebody asked for, as the API shows it: the schema of the model's JobSpec. */

import { z } from 'zod';
import {
  type Dependencies,
  JOB_TERM_KINDS,
  type JobSpec,
  type MailOccasion,
  type ResourceRequest,
} from '../../../model/job-spec.ts';
import { byteCount, duration, instant, jobId, named, rangeSet } from './component.ts';
import { keeping } from './keeping.ts';

const SCOPES = ['main', 'all', 'steps'] as const;
export const scope = z.union([z.enum(SCOPES), z.strictObject({ step: z.int().min(0) })]);
export const OPEN_MODES = ['truncate', 'append', 'truncateAlways'] as const;
export const SPREADS = ['once', 'everyRank'] as const;
const MAIL_OCCASIONS = [
  'begin',
  'end',
  'fail',
  'requeue',
  'invalidDependency',
  'timeLimit',
  'timeLimit90',
  'timeLimit80',
  'timeLimit50',
  'eachElement',
  'abort',
  'suspend',
] as const satisfies readonly MailOccasion[];
export const MEMORY_PER = ['node', 'rank', 'cpu'] as const;
export const GPUS_PER = ['job', 'node', 'rank'] as const;
export const NEEDS = ['all', 'any'] as const;

export const dependencyTerm = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.enum(JOB_TERM_KINDS),
    job: jobId,
    index: z.int().min(0).nullable(),
    delayMs: duration.optional().describe('with after: so long after the other has begun'),
  }),
  z.strictObject({ kind: z.literal('singleton') }),
]);

export const dependencies = named(
  'Dependencies',
  z.strictObject({ need: z.enum(NEEDS), terms: z.array(dependencyTerm) }),
) satisfies z.ZodType<Dependencies>;

export const resources = named(
  'ResourceRequest',
  z.strictObject({
    nodes: z.strictObject({ min: z.int(), max: z.int() }),
    ranks: z.int(),
    ranksMax: z.int().optional().describe('as many ranks as can be had at once, up to so many'),
    ranksPerNode: z.int().nullable(),
    spread: z.enum(['wide', 'fill']).optional().describe('one rank on each node in turn, or node by node'),
    layout: z.string().optional().describe('all jobs with the same one share what it allows'),
    cpusPerRank: z.int(),
    cpusAsked: z.boolean(),
    memory: z
      .strictObject({ bytes: byteCount, per: z.enum(MEMORY_PER), isUnlimited: z.boolean().optional() })
      .nullable(),
    gpus: z
      .strictObject({
        count: z.int(),
        per: z.enum(GPUS_PER),
        kind: z.string().nullable(),
        shareMillis: z.int().describe('thousandths of each device'),
        sharing: z.enum(['auto', 'whole']).optional().describe('auto: as much as its kind was seen to use'),
        isLimited: z.boolean().optional().describe('frameworks are told to use no more than that'),
        onlyDevices: z
          .array(z.string())
          .optional()
          .describe('only these would do, by the names under which programs see them'),
      })
      .nullable(),
    exclusive: z.boolean(),
    constraint: z.string().nullable(),
    onlyNodes: z.array(z.string()),
    exceptNodes: z.array(z.string()),
  }),
) satisfies z.ZodType<ResourceRequest>;

export const program = z.strictObject({
  script: z.string().nullable().describe('hash of the script; null for a plain command'),
  argv: z.array(z.string()),
  interpreter: z.array(z.string()).optional().describe('what the script is run by'),
  environment: z.string().describe('hash of the environment, which the API does not show'),
  umask: z.int(),
  ulimits: z.record(z.string(), z.string()),
  spread: z.enum([...SPREADS, 'caller']),
  caller: z
    .strictObject({ pid: z.int(), startTicks: z.int(), bootId: z.string() })
    .nullable()
    .describe('with caller: the process that runs something in the place it asked for'),
});

export const streams = z.strictObject({
  stdin: z.string().nullable(),
  stdout: z.string(),
  stderr: z.string().nullable().describe('null: the same file as stdout'),
  openMode: z.enum(OPEN_MODES),
  makeDirectories: z.boolean(),
});

export const warning = z.strictObject({
  signal: z.int(),
  beforeMs: duration,
  afterMs: duration.optional().describe('counted from the start; then beforeMs says nothing'),
  scope,
});

export const mail = z.strictObject({ to: z.string(), on: z.array(z.enum(MAIL_OCCASIONS)) });

export const origin = z.strictObject({ dialect: z.string(), words: z.record(z.string(), z.string()) });

export const jobSpec = named(
  'JobSpec',
  z.strictObject({
    name: z.string(),
    user: z.string(),
    account: z.string().nullable(),
    qos: z.string().nullable(),
    queue: z.string(),
    queueChoices: z.array(z.string()).optional().describe('queues that would do as well, in order'),
    program,
    workDir: z.string(),
    streams,
    resources,
    limitMs: duration.nullable(),
    warning: warning.nullable(),
    array: z.strictObject({ indices: rangeSet, throttle: z.int().nullable() }).nullable(),
    dependencies: dependencies.nullable(),
    beginAt: instant.nullable(),
    deadlineAt: instant.nullable(),
    held: z.boolean(),
    priority: z.number(),
    nice: z.number(),
    requeue: z.boolean(),
    aftermath: z
      .strictObject({
        againExitCodes: z.array(z.int()),
        errorExitCodes: z.array(z.int()),
        faultsAreErrors: z.boolean(),
      })
      .optional()
      .describe('what becomes of it after a run that went wrong'),
    stopSignal: z.int().optional(),
    suspendSignal: z.int().optional(),
    chain: z.boolean().optional().describe('goes on in another run when its time limit ends one'),
    keeping: keeping.optional(),
    kind: z.string().optional().describe('what its submitter calls this kind of job'),
    gpuLog: z.string().optional().describe('where a line about its GPUs is added every minute'),
    comment: z.string().nullable(),
    mail: mail.nullable(),
    origin,
  }),
) satisfies z.ZodType<JobSpec>;
