/** What a client may send. Objects are strict: a word the yard does not know is an error, never ignored. */

import { z } from 'zod';
import { MOST_ARGUMENT_BYTES } from '../../../model/bounds.ts';
import type { JobChanges } from '../../../model/command.ts';
import { JOB_TERM_KINDS } from '../../../model/job-spec.ts';
import { byteCount, instant, jobId, named } from './component.ts';
import {
  dependencies,
  resources as fullResources,
  streams as fullStreams,
  GPUS_PER,
  MEMORY_PER,
  mail,
  NEEDS,
  OPEN_MODES,
  origin,
  program,
  SPREADS,
  scope,
  warning,
} from './job-spec.ts';
import { keeping } from './keeping.ts';

const count = z.int().min(1).max(1_000_000);
const limit = z.int().min(1).describe('milliseconds');
const rank = z.int().min(-2_147_483_648).max(2_147_483_647);
const plain = z.string().regex(/^[^\0]*$/, 'must not contain a NUL character');
const path = plain.min(1).max(4096);
const MOST_WORDS = 50_000;
const MOST_NODES = 16_384;
const MOST_TERMS = 10_000;
const MOST_QUEUES = 1000;
const nodeNames = z.array(z.string().max(255)).max(MOST_NODES);
const indices = z.string().max(MOST_ARGUMENT_BYTES);
const expression = z.string().min(1).max(4096);
const jobName = z
  .string()
  .min(1)
  .max(1024)
  .regex(/^[^\u0000-\u001f\u007f]*$/, 'must not contain control characters');
const kindName = jobName.max(200);
const signal = z
  .union([z.int().min(1).max(64), z.string().regex(/^[A-Za-z0-9+-]{1,16}$/)])
  .describe('a number, or a name such as TERM or SIGUSR1');

const resources = z.strictObject({
  nodes: z.union([count, z.strictObject({ min: count, max: count })]).optional(),
  ranks: count.optional(),
  ranksPerNode: count.nullable().optional(),
  cpusPerRank: count.optional(),
  memory: z
    .strictObject({
      bytes: byteCount.describe('0: all that a node has'),
      per: z.enum(MEMORY_PER).default('node'),
    })
    .nullable()
    .optional(),
  gpus: z
    .union([
      count,
      z.strictObject({
        count,
        per: z.enum(GPUS_PER).default('job'),
        kind: z.string().min(1).nullable().default(null),
        shareMillis: z.int().min(1).max(1000).default(1000).describe('thousandths of each device'),
        sharing: z
          .enum(['auto', 'whole'])
          .optional()
          .describe('auto: as much as its kind was seen to use; left out: what the queue says'),
        isLimited: z.boolean().optional().describe('with auto: frameworks are told to use no more than that'),
      }),
    ])
    .nullable()
    .optional(),
  exclusive: z.boolean().optional(),
  constraint: expression.nullable().optional().describe('a&b, a|b, !a and parentheses'),
  onlyNodes: nodeNames.optional(),
  exceptNodes: nodeNames.optional(),
});

const directory = path.describe(
  'a pattern: %x name, %j number, %a index; relative to workDir, or below ~ or $SCRATCH',
);

const wishedKeeping = z.strictObject({
  checkpoints: directory.optional().describe('where its program writes checkpoints'),
  persist: directory.optional().describe('where whole copies of them last'),
  keepCount: count.optional().describe('of checkpoints that are alike, so many of the newest'),
  keepForMs: limit.optional().describe('milliseconds; no older ones, but always the last'),
  logs: z
    .array(z.strictObject({ from: directory, to: directory }))
    .max(100)
    .optional(),
  scratch: z
    .strictObject({ maxBytes: byteCount.nullable().default(null) })
    .optional()
    .describe('a directory on local disk, $SCRATCH'),
});

const wishedDependencies = z.strictObject({
  need: z.enum(NEEDS).default('all'),
  terms: z
    .array(
      z.discriminatedUnion('kind', [
        z.strictObject({
          kind: z.enum(JOB_TERM_KINDS),
          job: jobId,
          index: z.int().min(0).nullable().default(null),
          delayMs: z.int().min(0).optional().describe('with after: so long after the other has begun'),
        }),
        z.strictObject({ kind: z.literal('singleton') }),
      ]),
    )
    .min(1)
    .max(MOST_TERMS),
});

export const submission = named(
  'Submission',
  z.strictObject({
    name: jobName.optional(),
    command: z
      .array(plain)
      .min(1)
      .max(MOST_WORDS)
      .optional()
      .describe('program and arguments; or give a script'),
    script: z.string().min(1).optional().describe('text of a script'),
    arguments: z.array(plain).max(MOST_WORDS).optional().describe('arguments of the script'),
    workDir: path.regex(/^\//, 'must be an absolute path'),
    environment: z
      .record(z.string().regex(/^[^=\0]+$/, 'must be a name without = or NUL'), plain)
      .optional()
      .describe('laid over a small basis: PATH, HOME, USER, LOGNAME, SHELL, LANG'),
    umask: z
      .string()
      .regex(/^0?[0-7]{3}$/, 'must be octal digits, as in 022')
      .optional(),
    ulimits: z
      .record(
        z.string().regex(/^[A-Za-z]$/, 'must be a letter as in ulimit -n'),
        z.string().regex(/^(\d+|unlimited)$/),
      )
      .optional(),
    spread: z
      .enum(SPREADS)
      .optional()
      .describe('left out: a command with several ranks runs once in each, a script once'),
    streams: z
      .strictObject({
        stdin: path.nullable().optional(),
        stdout: path.optional(),
        stderr: path.nullable().optional().describe('null: the same file as stdout'),
        openMode: z.enum(OPEN_MODES).optional(),
        makeDirectories: z.boolean().optional(),
      })
      .optional()
      .describe('patterns: %j job, %A array, %a index, %x name, %u user, %N node, %t rank, %r restart'),
    resources: resources.optional(),
    queue: z.string().optional().describe('empty or left out: the default queue'),
    account: z.string().nullable().optional(),
    qos: z.string().nullable().optional(),
    limitMs: limit.nullable().optional(),
    warning: z
      .strictObject({ signal, beforeMs: limit, scope: scope.default('all') })
      .nullable()
      .optional()
      .describe('a signal ahead of the time limit'),
    array: indices.nullable().optional().describe('indices and how many at once: 0-9, 1-100:2, 0-99%8'),
    dependencies: wishedDependencies.nullable().optional(),
    beginAt: instant.nullable().optional(),
    deadlineAt: instant.nullable().optional(),
    held: z.boolean().optional(),
    priority: rank.optional(),
    nice: rank.optional(),
    requeue: z.boolean().optional(),
    chain: z.boolean().optional().describe('goes on in another run when its time limit ends one'),
    keeping: wishedKeeping.optional(),
    kind: kindName.optional().describe('which jobs use GPUs as this one does; left out: by its command'),
    gpuLog: path.optional().describe('a pattern; a line about its GPUs is added there every minute'),
    comment: plain.nullable().optional(),
    mail: mail.nullable().optional(),
  }),
);

export type Submission = z.output<typeof submission>;

/** What may be changed after submission. */
export const jobChanges = named(
  'JobChanges',
  z.strictObject({
    name: jobName.optional(),
    comment: plain.nullable().optional(),
    priority: z.number().optional(),
    nice: z.number().optional(),
    limitMs: limit.nullable().optional(),
    beginAt: instant.nullable().optional(),
    deadlineAt: instant.nullable().optional(),
    queue: z.string().optional(),
    queueChoices: z.array(z.string()).max(MOST_QUEUES).optional(),
    requeue: z.boolean().optional(),
    chain: z.boolean().optional(),
    keeping: keeping.optional(),
    kind: kindName.optional(),
    stopSignal: z.int().min(1).max(64).optional(),
    suspendSignal: z.int().min(1).max(64).optional(),
    streams: fullStreams.optional(),
    workDir: path.regex(/^\//, 'must be an absolute path').optional(),
    program: program.optional(),
    origin: origin.optional(),
    account: z.string().nullable().optional(),
    qos: z.string().nullable().optional(),
    resources: fullResources.optional(),
    warning: warning.nullable().optional(),
    mail: mail.nullable().optional(),
    dependencies: dependencies.nullable().optional(),
    throttle: count.nullable().optional().describe('array elements at once; null: no bound'),
  }),
) satisfies z.ZodType<JobChanges>;

export const nothing = named(
  'Nothing',
  z.strictObject({}),
  'No words are known here; the body may be left out.',
);

export const requeueWish = named('RequeueWish', z.strictObject({ hold: z.boolean().default(false) }));

export const signalWish = named('SignalWish', z.strictObject({ signal, scope: scope.default('main') }));

export const drainWish = named(
  'DrainWish',
  z.strictObject({ reason: z.string().min(1).max(1000).default('drained through the API') }),
);

const footprintKey = z.string().min(1).max(1000).describe("the text of a footprint's key");
const deviceModel = z.string().min(1).nullable().default(null).describe('null: every model');

export const footprintWish = named(
  'FootprintWish',
  z
    .strictObject({
      key: footprintKey,
      device: deviceModel,
      memoryBytes: z.int().min(1).nullable().optional().describe('null: what was seen counts again'),
      loadMillis: z.int().min(0).max(1000).nullable().optional().describe('null: what was seen counts again'),
    })
    .refine(({ memoryBytes, loadMillis }) => memoryBytes !== undefined || loadMillis !== undefined, {
      message: 'memoryBytes or loadMillis is wanted',
    }),
);

export const forgetWish = named(
  'ForgetWish',
  z.strictObject({
    keys: z.array(footprintKey).min(1).nullable().describe('null: everything'),
    device: deviceModel,
  }),
);
