/** Devices, who is on them and who waits for them, as the API shows them: schemas of the model's GpusView. */

import { z } from 'zod';
import type { DeviceReading, ForeignProcess } from '../../../model/device-use.ts';
import type { GpusView, GpuTenant, GpuView } from '../../../model/query.ts';
import { byteCount, instant, jobId, named } from './component.ts';
import { gpuExplanation } from './footprint.ts';
import { jobView } from './job.ts';
import { device } from './yard.ts';

const load = z.number().nullable().describe('thousandths of the device; null: nobody can tell');

const reading = z.strictObject({
  node: z.string(),
  index: z.int(),
  usedBytes: byteCount.describe('by whomever'),
  totalBytes: byteCount,
  loadMillis: load,
  temperatureC: z.number().nullable(),
  powerW: z.number().nullable(),
  processes: z
    .array(z.strictObject({ pid: z.int(), memoryBytes: byteCount, loadMillis: load }))
    .nullable()
    .describe('null: the device does not say who uses it'),
}) satisfies z.ZodType<DeviceReading>;

const foreignProcess = z.strictObject({
  pid: z.int(),
  memoryBytes: byteCount,
  command: z.string(),
  user: z.string(),
}) satisfies z.ZodType<ForeignProcess>;

const tenant = named(
  'GpuTenant',
  z.strictObject({
    job: jobId,
    displayId: z.string(),
    name: z.string(),
    user: z.string(),
    manner: z.enum(['whole', 'declared', 'auto', 'learning']),
    isLease: z.boolean().describe('a process that the yard did not start has it'),
    reservedBytes: byteCount.describe('what is kept for it'),
    now: z
      .strictObject({
        memoryBytes: byteCount,
        loadMillis: load,
        idleSince: instant.nullable().describe('null: it does something'),
      })
      .nullable()
      .describe('null: nobody has looked'),
  }),
) satisfies z.ZodType<GpuTenant>;

const gpu = named(
  'GpuView',
  z.strictObject({
    node: z.string(),
    device,
    isUp: z.boolean(),
    now: z
      .strictObject({
        reading,
        at: instant,
        foreign: z.array(foreignProcess).describe('processes that no job of the yard answers for'),
      })
      .nullable()
      .describe('null: nobody has looked'),
    reservedBytes: byteCount,
    freeBytes: byteCount.describe('what another job could have, by what is kept and what is really used'),
    reservedLoadMillis: z.number(),
    tenants: z.array(tenant),
    waiting: z.array(jobId).describe('jobs that could use this device, the first first'),
  }),
) satisfies z.ZodType<GpuView>;

export const gpusView = named(
  'GpusView',
  z.strictObject({
    source: z.string().nullable().describe('how devices are looked at; null: nobody looks'),
    gpus: z.array(gpu),
    waiting: z.array(z.strictObject({ view: jobView, wants: gpuExplanation })),
  }),
) satisfies z.ZodType<GpusView>;
