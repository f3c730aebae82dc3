/**
 * What a config file may say: every table, every key, and the form of each value. What is left out is
 * undefined here; defaults are decided where the settings are used.
 */

import { z } from 'zod';
import { parseBytes, parseDuration } from '../../model/units.ts';

/** A value read by a function that gives null for what it cannot read; then the advice is what to write. */
function reading<T>(advice: string, read: (value: unknown) => T | null) {
  return z.unknown().transform((value, context): T => {
    const result = read(value);
    if (result !== null) return result;
    context.addIssue({ code: 'custom', message: advice });
    return z.NEVER;
  });
}

function wholeNumber(least: number, most: number, advice = `write a whole number from ${least} to ${most}`) {
  return reading(advice, (value) =>
    Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most
      ? (value as number)
      : null,
  ).optional();
}

function number(advice: string, fits: (value: number) => boolean) {
  return reading(advice, (value) =>
    typeof value === 'number' && Number.isFinite(value) && fits(value) ? value : null,
  );
}

const duration = reading('write a duration such as "90s", "1h30m" or "7d"', (value) =>
  typeof value === 'string' ? parseDuration(value) : null,
).optional();

/** For what would be meaningless at zero. */
const someTime = reading('write a duration of a second or more, such as "90s", "1h30m" or "7d"', (value) => {
  const durationMs = typeof value === 'string' ? parseDuration(value) : null;
  return durationMs !== null && durationMs >= 1000 ? durationMs : null;
}).optional();

const size = reading('write a size of 1M or more, such as "512M" or "16G"', (value) => {
  const bytes = typeof value === 'string' ? parseBytes(value) : null;
  return bytes !== null && bytes >= 1024 * 1024 ? bytes : null;
}).optional();

const yesOrNo = reading('write true or false', (value) =>
  typeof value === 'boolean' ? value : null,
).optional();

function text(advice: string, pattern: RegExp) {
  return reading(advice, (value) => (typeof value === 'string' && pattern.test(value) ? value : null));
}

const limit = wholeNumber(1, 1e9, 'write a whole number of 1 or more, or leave it out for no limit');
const weight = number(
  'write a number from 0 to 1000000000',
  (value) => value >= 0 && value <= 1e9,
).optional();

const gpuTable = z.strictObject({
  count: wholeNumber(0, 1024),
  kind: text('write one word, such as "A100"', /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/).optional(),
  memory: size,
});

const gpus = z
  .preprocess((value, context) => {
    if (typeof value === 'object' && !Array.isArray(value) && !(value instanceof Date)) return value;
    if (value === 'none') return { count: 0 };
    const parts = typeof value === 'string' ? /^(\d{1,4})x(.+)$/.exec(value) : null;
    if (parts !== null) return { count: Number(parts[1]), memory: parts[2] };
    context.addIssue({
      code: 'custom',
      message: 'write "4x16G" (four of 16G), "none", or { count = 4, kind = "A100", memory = "16G" }',
    });
    return z.NEVER;
  }, gpuTable)
  .optional();

const gpuShare = z.enum(['whole', 'auto']).optional();

const PREEMPT_MODES = ['requeue', 'suspend', 'cancel'] as const;

const queue = z.strictObject({
  default: yesOrNo,
  priority: wholeNumber(-1_000_000, 1_000_000),
  nodes: z.array(text('write the name of a node', /./)).optional(),
  default_time: someTime,
  max_time: someTime,
  default_memory: size,
  default_memory_per_cpu: size,
  preempt: z.enum(['off', ...PREEMPT_MODES]).optional(),
  grace: duration,
  open: yesOrNo,
  max_running: limit,
  max_running_per_user: limit,
  max_queued: limit,
  max_cpus: limit,
  max_cpus_per_user: limit,
  max_gpus: limit,
  max_gpus_per_user: limit,
  gpu: z.strictObject({ share: gpuShare }).optional(),
});

/** As the config writes it → as the model says it. */
const SPREADS: Readonly<Record<string, 'oneNode' | 'fill' | 'roundRobin'>> = {
  one_node: 'oneNode',
  fill: 'fill',
  round_robin: 'roundRobin',
};

const layout = z.strictObject({
  spread: reading('write "one_node", "fill", "round_robin", or how many ranks each node gets', (value) => {
    if (typeof value === 'string') return SPREADS[value] ?? null;
    return Number.isSafeInteger(value) && (value as number) >= 1 && (value as number) <= 100_000
      ? (value as number)
      : null;
  }).optional(),
  max_ranks: limit,
});

const qos = z.strictObject({
  default: yesOrNo,
  priority: wholeNumber(-1_000_000, 1_000_000),
  preempts: z.array(text('write the name of another QOS', /./)).optional(),
  preempt: z.enum(PREEMPT_MODES).optional(),
  max_time: someTime,
  max_running_per_user: limit,
  max_queued_per_user: limit,
  max_cpus_per_user: limit,
  max_gpus_per_user: limit,
});

const account = z.strictObject({
  description: text('write a text', /^/).optional(),
  users: z.array(text('write the name of a user', /./)).optional(),
  parent: text('write the name of another account', /./).optional(),
});

export const configSchema = z.strictObject({
  yard: z
    .strictObject({ name: text('write a name of 1 to 64 characters', /^.{1,64}$/u).optional() })
    .optional(),
  node: z
    .strictObject({
      name: text(
        'write letters, digits, "." "_" and "-", with %n for the number of a virtual node',
        /^(?=.{1,64}$)(?:[A-Za-z0-9]|%n)(?:[A-Za-z0-9._-]|%n)*$/,
      ).optional(),
      nodes: wholeNumber(1, 10_000),
      cpus: wholeNumber(1, 100_000),
      memory: size,
      gpus,
      features: z
        .array(text('write one word, such as "fast"', /^[A-Za-z0-9_][A-Za-z0-9_.:-]{0,63}$/))
        .optional(),
    })
    .optional(),
  queues: z.record(z.string(), queue).optional(),
  qos: z.record(z.string(), qos).optional(),
  accounts: z.record(z.string(), account).optional(),
  layouts: z.record(z.string(), layout).optional(),
  limits: z
    .strictObject({
      max_running_per_user: limit,
      max_queued_per_user: limit,
      max_cpus_per_user: limit,
      max_gpus_per_user: limit,
      max_array_size: wholeNumber(1, 4_000_000),
      max_queued_jobs: wholeNumber(1, 100_000_000),
    })
    .optional(),
  priority: z
    .strictObject({
      age: weight,
      fair_share: weight,
      queue: weight,
      size: weight,
      qos: weight,
      age_full: someTime,
      half_life: someTime,
      shares: z
        .record(
          z.string(),
          number('write a number above 0, up to 1000000', (value) => value > 0 && value <= 1e6),
        )
        .optional(),
    })
    .optional(),
  schedule: z.strictObject({ backfill: yesOrNo, pass_depth: wholeNumber(1, 1_000_000) }).optional(),
  gpu: z
    .strictObject({
      share: gpuShare,
      arrange: z.enum(['pack', 'spread']).optional(),
      max_load: wholeNumber(1, 400, 'write a whole number of percent from 1 to 400'),
      learn_after: someTime,
      foreign_tolerance: wholeNumber(0, 100, 'write a whole number of percent from 0 to 100'),
      samples_per_second: wholeNumber(1, 10),
      oom_exit_codes: z.array(number('write an exit code from 1 to 255', isExitCode)).optional(),
    })
    .optional(),
  stop: z.strictObject({ grace: duration }).optional(),
  requeue: z
    .strictObject({
      exit_codes: z.array(number('write an exit code from 1 to 255', isExitCode)).optional(),
      hold_exit_codes: z.array(number('write an exit code from 1 to 255', isExitCode)).optional(),
      fruitless_under: duration,
      max_fruitless: wholeNumber(1, 1_000_000),
      max_stagnant: wholeNumber(1, 1_000_000),
      max_restarts: wholeNumber(0, 1_000_000),
    })
    .optional(),
  checkpoints: z.strictObject({ flush_limit: someTime }).optional(),
  scratch: z
    .strictObject({
      directories: z
        .array(text('write the whole path of a directory, such as "/local"', /^\/[^\0]*$/))
        .optional(),
    })
    .optional(),
  mail: z
    .strictObject({
      program: text(
        'write the whole path of a program, such as "/usr/bin/mail", or "none"',
        /^(?:none|\/.+)$/,
      ).optional(),
    })
    .optional(),
  retention: z.strictObject({ history: someTime, log_size: size }).optional(),
});

export type Settings = z.output<typeof configSchema>;
export type NodeSettings = NonNullable<Settings['node']>;
export type LayoutSettings = NonNullable<Settings['layouts']>[string];
export type QosSettings = NonNullable<Settings['qos']>[string];
export type AccountSettings = NonNullable<Settings['accounts']>[string];
export type QueueSettings = NonNullable<Settings['queues']>[string];

function isExitCode(value: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= 255;
}
