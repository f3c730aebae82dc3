/** The yard, its nodes, queues and configuration, as the API shows them. */

import { z } from 'zod';
import type { Device, Node } from '../../../model/node.ts';
import type { Queue, QueueState } from '../../../model/policy.ts';
import type { ConfigView, NodeView, QueueView, YardView } from '../../../model/query.ts';
import { byteCount, duration, instant, jobId, named } from './component.ts';

export const yardView = named(
  'YardView',
  z.strictObject({
    version: z.string(),
    name: z.string(),
    host: z.string(),
    mail: z.string().nullable(),
    pid: z.int(),
    directory: z.string(),
    socket: z.string(),
    startedAt: instant,
    user: z.string(),
    counts: z.strictObject({
      held: z.int(),
      waiting: z.int(),
      pending: z.int(),
      active: z.int(),
    }),
    remarks: z.array(z.string()),
    lastSeq: z.int().describe('place of the newest event in the log'),
  }),
) satisfies z.ZodType<YardView>;

export const device = z.strictObject({
  index: z.int(),
  kind: z.string(),
  memoryBytes: byteCount,
  simulated: z.boolean(),
  uuid: z.string().optional(),
  visibleAs: z.string().optional().describe('what programs are told to see just this device'),
  foreignBytes: byteCount.optional().describe("what others than the yard's jobs use of it"),
}) satisfies z.ZodType<Device>;

export const node = named(
  'Node',
  z.strictObject({
    name: z.string(),
    cpus: z.int(),
    cpuIds: z.array(z.int()),
    memoryBytes: byteCount,
    devices: z.array(device),
    features: z.array(z.string()),
    state: z.enum(['up', 'draining', 'lost']),
    reason: z.string().nullable(),
  }),
) satisfies z.ZodType<Node>;

const nodeView = named(
  'NodeView',
  z.strictObject({
    node,
    machine: z
      .strictObject({
        architecture: z.string(),
        system: z.string(),
        bootedAt: z.int(),
        load: z.number(),
        loadOver5Minutes: z.number().optional(),
        loadOver15Minutes: z.number().optional(),
        freeMemoryBytes: byteCount,
        swapBytes: byteCount.optional(),
        freeSwapBytes: byteCount.optional(),
        topology: z.strictObject({ sockets: z.int(), cores: z.int(), threads: z.int() }).optional(),
      })
      .optional(),
    cpusUsed: z.number(),
    memoryUsedBytes: byteCount,
    devices: z.array(z.strictObject({ index: z.int(), usedMillis: z.int(), jobs: z.array(jobId) })),
    jobs: z.array(jobId),
  }),
) satisfies z.ZodType<NodeView>;

export const nodeList = named('NodeList', z.strictObject({ nodes: z.array(nodeView) }));

const cap = z.number().nullable();

const queue = named(
  'Queue',
  z.strictObject({
    name: z.string(),
    isDefault: z.boolean(),
    priority: z.number(),
    nodes: z.array(z.string()).nullable().describe('null: every node'),
    defaultLimitMs: duration.nullable(),
    maxLimitMs: duration.nullable(),
    defaultMemoryBytes: byteCount.nullable(),
    defaultMemoryPerCpuBytes: byteCount.nullable(),
    preempt: z.enum(['off', 'requeue', 'suspend', 'cancel']),
    graceMs: duration.nullable(),
    open: z.boolean(),
    gpuShare: z.enum(['whole', 'auto']).optional().describe('absent: what the yard says'),
    limits: z.strictObject({
      maxRunning: cap,
      maxQueued: cap,
      maxCpus: cap,
      maxGpus: cap,
      maxRunningPerUser: cap,
      maxCpusPerUser: cap,
      maxGpusPerUser: cap,
    }),
  }),
) satisfies z.ZodType<Queue>;

export const queueState = z
  .strictObject({ disabled: z.boolean(), suspended: z.boolean() })
  .describe('what was decided while the yard ran, beside open') satisfies z.ZodType<QueueState>;

const queueView = named(
  'QueueView',
  z.strictObject({ queue, state: queueState, waiting: z.int(), running: z.int() }),
) satisfies z.ZodType<QueueView>;

export const queueList = named('QueueList', z.strictObject({ queues: z.array(queueView) }));

export const configView = named(
  'ConfigView',
  z.strictObject({
    file: z.string().nullable(),
    values: z.array(
      z.strictObject({
        key: z.string(),
        value: z.string(),
        from: z.string().describe('default, detected, or file:line'),
      }),
    ),
  }),
) satisfies z.ZodType<ConfigView>;
