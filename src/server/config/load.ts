/**
 * `trainyard.toml` → how this yard is run. Reads the file, refuses mistakes with their line, fills in defaults
 * and what the machine has, and can say of every value where it came from.
 */

import { join, resolve } from 'node:path';
import type { Node } from '../../model/node.ts';
import { PLAIN_GPU_POLICY } from '../../model/plain.ts';
import type { GpuPolicy, Policy } from '../../model/policy.ts';
import type { ConfigView } from '../../model/query.ts';
import { checkForm } from './check.ts';
import { type Choices, recordChoices, showDuration, showLimit, showList, showSize } from './choices.ts';
import { type ConfigFile, readConfigFile } from './file.ts';
import { layoutsOf, mistakesInLayouts } from './layouts.ts';
import type { Machine } from './machine.ts';
import { refuseFile } from './mistakes.ts';
import { nodesOf } from './nodes.ts';
import { mistakesInQueues, queuesOf } from './queues.ts';
import type { Settings } from './schema.ts';
import { accountsOf, mistakesInServices, qosOf } from './services.ts';

export interface Config {
  /** What the yard is called. */
  readonly name: string;
  readonly nodes: readonly Node[];
  readonly policy: Policy;
  readonly retention: Retention;
  /** How long the last copies of a run's checkpoints may take. */
  readonly flushLimitMs: number;
  /** How often devices are looked at while somebody uses them. */
  readonly samplesPerSecond: number;
  /** Where scratch directories may be; null: wherever there is a local disk. */
  readonly scratchDirectories: readonly string[] | null;
  /** The program that mail is sent with; null: none is sent. */
  readonly mailProgram: string | null;
  readonly view: ConfigView;
}

export interface Retention {
  /** How long an ended job is remembered. */
  readonly historyMs: number;
  /** How long the directory of an ended attempt stays. */
  /** How large the yard's own log may grow before it starts anew. */
  readonly logBytes: number;
}

export interface LoadOptions {
  /** The yard's directory, where `trainyard.toml` is looked for. */
  readonly directory: string;
  /** A file that somebody named; it must be there. */
  readonly file: string | null;
  readonly machine: Machine;
}

const CONFIG_FILE = 'trainyard.toml';

const DAY_MS = 86_400_000;

/** Throws a RefusalError that names file, line, key and the valid choices. */
export function loadConfig(options: LoadOptions): Config {
  const file =
    options.file === null
      ? readConfigFile(join(options.directory, CONFIG_FILE), CONFIG_FILE, false)
      : readConfigFile(resolve(options.file), options.file, true);
  const settings = file === null ? {} : checkForm(file);
  const choices = recordChoices(file);

  const name = choices.choose(['yard', 'name'], settings.yard?.name, 'yard', String);
  const nodes = nodesOf(settings.node ?? {}, options.machine, choices);
  if (file !== null) refuseMistakes(file, settings, nodes);
  const policy = policyOf(settings, choices);
  const retention = retentionOf(settings, choices);
  const flushLimitMs = choices.choose(
    ['checkpoints', 'flush_limit'],
    settings.checkpoints?.flush_limit,
    10 * 60_000,
    showDuration,
  );
  const scratchDirectories = choices.choose(
    ['scratch', 'directories'],
    settings.scratch?.directories,
    null,
    (directories) => (directories === null ? 'the fastest local disk' : showList(directories)),
  );
  const mailProgram = mailProgramOf(settings, options.machine, choices);
  const samplesPerSecond = choices.choose(
    ['gpu', 'samples_per_second'],
    settings.gpu?.samples_per_second,
    4,
    String,
  );
  const kept = { retention, flushLimitMs, scratchDirectories, samplesPerSecond };
  return { name, nodes, policy, ...kept, mailProgram, view: choices.view() };
}

function refuseMistakes(file: ConfigFile, settings: Settings, nodes: readonly Node[]): void {
  const mistakes = [
    ...mistakesInQueues(file, settings.queues ?? {}, nodes),
    ...mistakesInLayouts(file, settings.layouts ?? {}),
    ...mistakesInServices(file, settings.qos ?? {}, settings.accounts ?? {}),
  ];
  if (mistakes.length > 0) throw refuseFile(file.label, file.path, mistakes);
}

function policyOf(settings: Settings, choices: Choices): Policy {
  const { limits = {}, priority = {}, schedule = {}, stop = {}, requeue = {} } = settings;
  const perUser = (key: 'max_running' | 'max_queued' | 'max_cpus' | 'max_gpus') =>
    choices.choose(['limits', `${key}_per_user`], limits[`${key}_per_user`], null, showLimit);
  const weight = (key: 'age' | 'fair_share' | 'qos' | 'queue' | 'size', otherwise: number) =>
    choices.choose(['priority', key], priority[key], otherwise, String);
  return {
    queues: queuesOf(settings.queues ?? {}, choices),
    unknownQueue: settings.queues === undefined ? 'useDefault' : 'refuse',
    qos: qosOf(settings.qos ?? {}, choices),
    unknownQos: settings.qos === undefined ? 'accept' : 'refuse',
    accounts: settings.accounts === undefined ? null : accountsOf(settings.accounts, choices),
    layouts: layoutsOf(settings.layouts ?? {}, choices),
    perUser: {
      maxRunning: perUser('max_running'),
      maxQueued: perUser('max_queued'),
      maxCpus: perUser('max_cpus'),
      maxGpus: perUser('max_gpus'),
    },
    gpu: gpuPolicyOf(settings.gpu ?? {}, choices),
    maxArraySize: choices.choose(['limits', 'max_array_size'], limits.max_array_size, 100_000, String),
    maxQueuedJobs: choices.choose(['limits', 'max_queued_jobs'], limits.max_queued_jobs, 1_000_000, String),
    weights: {
      age: weight('age', 1000),
      fairShare: weight('fair_share', 1000),
      qos: weight('qos', 1000),
      queue: weight('queue', 1000),
      size: weight('size', 0),
    },
    ageFullMs: choices.choose(['priority', 'age_full'], priority.age_full, 7 * DAY_MS, showDuration),
    fairShareHalfLifeMs: choices.choose(
      ['priority', 'half_life'],
      priority.half_life,
      7 * DAY_MS,
      showDuration,
    ),
    shares: sharesOf(priority.shares ?? {}, choices),
    backfill: choices.choose(['schedule', 'backfill'], schedule.backfill, true, String),
    passDepth: choices.choose(['schedule', 'pass_depth'], schedule.pass_depth, 1000, String),
    graceMs: choices.choose(['stop', 'grace'], stop.grace, 30_000, showDuration),
    requeueExitCodes: choices.choose(['requeue', 'exit_codes'], requeue.exit_codes, [3], showList),
    requeueHoldExitCodes: choices.choose(
      ['requeue', 'hold_exit_codes'],
      requeue.hold_exit_codes,
      [],
      showList,
    ),
    fruitlessUnderMs: choices.choose(
      ['requeue', 'fruitless_under'],
      requeue.fruitless_under,
      10_000,
      showDuration,
    ),
    maxFruitless: choices.choose(['requeue', 'max_fruitless'], requeue.max_fruitless, 3, String),
    maxStagnant: choices.choose(['requeue', 'max_stagnant'], requeue.max_stagnant, 3, String),
    maxRestarts: choices.choose(['requeue', 'max_restarts'], requeue.max_restarts, 100, String),
  };
}

function gpuPolicyOf(gpu: NonNullable<Settings['gpu']>, choices: Choices): GpuPolicy {
  const percent = (millis: number) => `${millis / 10}`;
  const millis = (value: number | undefined) => (value === undefined ? undefined : value * 10);
  const plain = PLAIN_GPU_POLICY;
  return {
    share: choices.choose(['gpu', 'share'], gpu.share, plain.share, String),
    arrange: choices.choose(['gpu', 'arrange'], gpu.arrange, plain.arrange, String),
    maxLoadMillis: choices.choose(['gpu', 'max_load'], millis(gpu.max_load), plain.maxLoadMillis, percent),
    learnAfterMs: choices.choose(['gpu', 'learn_after'], gpu.learn_after, plain.learnAfterMs, showDuration),
    foreignToleranceMillis: choices.choose(
      ['gpu', 'foreign_tolerance'],
      millis(gpu.foreign_tolerance),
      plain.foreignToleranceMillis,
      percent,
    ),
    outOfMemoryExitCodes: choices.choose(
      ['gpu', 'oom_exit_codes'],
      gpu.oom_exit_codes,
      plain.outOfMemoryExitCodes,
      showList,
    ),
  };
}

/** Without a prototype, since users may be called anything, `constructor` too. */
function sharesOf(given: Readonly<Record<string, number>>, choices: Choices): Record<string, number> {
  const shares: Record<string, number> = Object.create(null);
  for (const [user, share] of Object.entries(given)) {
    shares[user] = choices.choose(['priority', 'shares', user], share, 1, String);
  }
  return shares;
}

function mailProgramOf({ mail = {} }: Settings, machine: Machine, choices: Choices): string | null {
  const none = 'none';
  const program = choices.choose(
    ['mail', 'program'],
    mail.program,
    machine.mailProgram ?? none,
    String,
    'detected',
  );
  return program === none ? null : program;
}

function retentionOf({ retention = {} }: Settings, choices: Choices): Retention {
  return {
    historyMs: choices.choose(['retention', 'history'], retention.history, 90 * DAY_MS, showDuration),
    logBytes: choices.choose(['retention', 'log_size'], retention.log_size, 10 * 1024 ** 2, showSize),
  };
}
