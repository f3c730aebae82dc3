/** What somebody asked for, as the API shows it: the schema of the model's JobSpec. */

import { z } from 'zod';
import type { Dependencies, JobSpec, ResourceRequest } from '../../../model/job-spec.ts';
import { byteCount, duration, instant, jobId, named, rangeSet } from './component.ts';

export const DEPENDENCY_KINDS = ['after', 'afterok', 'afternotok', 'afterany', 'aftercorr'] as const;
export const SCOPES = ['main', 'all'] as const;
export const OPEN_MODES = ['truncate', 'append', 'truncateAlways'] as const;
export const SPREADS = ['once', 'everyRank'] as const;
export const MEMORY_PER = ['node', 'rank', 'cpu'] as const;
export const GPUS_PER = ['job', 'node', 'rank'] as const;
export const NEEDS = ['all', 'any'] as const;

export const dependencyTerm = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.enum(DEPENDENCY_KINDS), job: jobId, index: z.int().min(0).nullable() }),
  z.strictObject({ kind: z.literal('singleton') }),
]);

export const dependencies = named(
  'Dependencies',
  z.strictObject({ need: z.enum(NEEDS), terms: z.array(dependencyTerm) }),
) satisfies z.ZodType<Dependencies>;

const resources = named(
  'ResourceRequest',
  z.strictObject({
    nodes: z.strictObject({ min: z.int(), max: z.int() }),
    ranks: z.int(),
    ranksPerNode: z.int().nullable(),
    cpusPerRank: z.int(),
    cpusAsked: z.boolean(),
    memory: z.strictObject({ bytes: byteCount, per: z.enum(MEMORY_PER) }).nullable(),
    gpus: z
      .strictObject({
        count: z.int(),
        per: z.enum(GPUS_PER),
        kind: z.string().nullable(),
        shareMillis: z.int().describe('thousandths of each device'),
      })
      .nullable(),
    exclusive: z.boolean(),
    constraint: z.string().nullable(),
    onlyNodes: z.array(z.string()),
    exceptNodes: z.array(z.string()),
  }),
) satisfies z.ZodType<ResourceRequest>;

const program = z.strictObject({
  script: z.string().nullable().describe('hash of the script; null for a plain command'),
  argv: z.array(z.string()),
  environment: z.string().describe('hash of the environment, which the API does not show'),
  umask: z.int(),
  ulimits: z.record(z.string(), z.string()),
  spread: z.enum(SPREADS),
});

const streams = z.strictObject({
  stdin: z.string().nullable(),
  stdout: z.string(),
  stderr: z.string().nullable().describe('null: the same file as stdout'),
  openMode: z.enum(OPEN_MODES),
  makeDirectories: z.boolean(),
});

export const jobSpec = named(
  'JobSpec',
  z.strictObject({
    name: z.string(),
    user: z.string(),
    account: z.string().nullable(),
    queue: z.string(),
    program,
    workDir: z.string(),
    streams,
    resources,
    limitMs: duration.nullable(),
    warning: z.strictObject({ signal: z.int(), beforeMs: duration, scope: z.enum(SCOPES) }).nullable(),
    array: z.strictObject({ indices: rangeSet, throttle: z.int().nullable() }).nullable(),
    dependencies: dependencies.nullable(),
    beginAt: instant.nullable(),
    deadlineAt: instant.nullable(),
    held: z.boolean(),
    priority: z.number(),
    nice: z.number(),
    requeue: z.boolean(),
    comment: z.string().nullable(),
    origin: z.strictObject({ dialect: z.string(), words: z.record(z.string(), z.string()) }),
  }),
) satisfies z.ZodType<JobSpec>;
