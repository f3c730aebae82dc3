/** How a job is going, as the API shows it: schemas of the model's Job, Attempt and their views. */

import { z } from 'zod';
import type { Attempt, Job, Placement } from '../../../model/job.ts';
import type { JobView } from '../../../model/query.ts';
import { byteCount, duration, instant, jobId, named, rangeSet } from './component.ts';
import { deviceUse } from './footprint.ts';
import { jobSpec, scope } from './job-spec.ts';
import { checkpointNote, progress } from './keeping.ts';
import { OUTCOMES, PHASES } from './phases.ts';
import { reason } from './reason.ts';

const ATTEMPT_PHASES = ['assigned', 'staging', 'running', 'stopping', 'syncing', 'ended', 'lost'] as const;
export const STOP_CAUSES = [
  'cancelled',
  'timeLimit',
  'preempted',
  'requeued',
  'requeuedHeld',
  'memory',
  'scratch',
  'deadline',
] as const;

export const SUSPENSION_CAUSES = ['job', 'queue', 'preemption'] as const;

export const hold = z.strictObject({
  by: z.enum(['user', 'yard']),
  reason: z.string().nullable(),
  isError: z.boolean().optional().describe('its last run went so wrong that somebody should look at it'),
});

export const askedAgain = z.strictObject({
  code: z.int(),
  rule: z
    .enum(['exitCodes', 'holdExitCodes', 'own'])
    .describe("which list has it: one of the yard's two, or the job's own"),
});

export const loweredLimits = z
  .array(z.strictObject({ letter: z.string(), wanted: z.string(), given: z.string() }))
  .describe("limits of which it has less than its submitter, in ulimit's letters and values");

export const exit = z.strictObject({
  code: z.int().nullable(),
  signal: z.int().nullable(),
  outOfMemory: z.boolean(),
  deviceOutOfMemory: z.literal(true).optional().describe('the memory of a GPU was not enough'),
});

export const usage = z.strictObject({
  peakMemoryBytes: byteCount.nullable(),
  cpuMs: z.number().nullable(),
  userCpuMs: z.number().optional(),
  devices: z.array(deviceUse).optional(),
});

export const deviceShare = z.strictObject({
  index: z.int(),
  millis: z.int().describe('thousandths of its memory; 1000: the whole device'),
  loadMillis: z.int().optional(),
  hasGrown: z.literal(true).optional().describe('it was seen to use more than it was given'),
  learningOn: z
    .string()
    .optional()
    .describe(
      'the first of its kind on this model of device, alone on it until it is known what such jobs use',
    ),
});

export const placement = named(
  'Placement',
  z.strictObject({
    nodes: z.array(
      z.strictObject({
        node: z.string(),
        ranks: z.int(),
        cpus: z.int(),
        cpuIds: z.array(z.int()),
        memoryBytes: byteCount,
        devices: z.array(deviceShare),
      }),
    ),
  }),
) satisfies z.ZodType<Placement>;

const stop = z.strictObject({
  cause: z.enum(STOP_CAUSES),
  by: z.string().nullable(),
  requestedAt: instant,
  killAt: instant,
  step: z.enum(['term', 'kill']),
});

export const attempt = named(
  'Attempt',
  z.strictObject({
    id: z.string().describe('job.n, as in 17.2'),
    n: z.int(),
    phase: z.enum(ATTEMPT_PHASES),
    placement,
    assignedAt: instant,
    startedAt: instant.nullable(),
    clockFrom: instant.nullable(),
    endedAt: instant.nullable(),
    safeAt: instant.optional().describe('when what it left was safe, if that took longer'),
    warning: z.enum(['none', 'due', 'sent']),
    loweredLimits: loweredLimits.optional(),
    stop: stop.nullable(),
    suspendedAt: instant.nullable().describe('since when all its processes are stopped'),
    suspendedFor: z.array(z.enum(SUSPENSION_CAUSES)).optional().describe('who wants it suspended'),
    suspendAt: instant.nullable().optional().describe('when it will be, after it was told'),
    makesRoomFor: jobId.nullable().optional().describe('the job that it is suspended for'),
    cpusLentAt: instant.nullable().optional().describe('since when its CPUs count as free, because it was'),
    cpusLentMs: duration.optional().describe('for how long they did before, in all'),
    suspendedMs: duration.describe('for how long it was suspended before, in all'),
    suspensions: z.int(),
    stepCount: z.int(),
    signals: z.array(z.strictObject({ n: z.int(), signal: z.int(), scope })),
    signalCount: z.int(),
    exit: exit.nullable(),
    usage: usage.nullable(),
    fault: z.string().nullable(),
    checkpoint: checkpointNote.optional().describe('the newest of this attempt that is safe'),
    trouble: z.string().optional().describe('what keeps its checkpoints from being safe'),
    progress: progress.optional().describe('how far its program said it had come, when it ended'),
  }),
) satisfies z.ZodType<Attempt>;

export const job = named(
  'Job',
  z.strictObject({
    id: jobId,
    spec: jobSpec,
    submittedAt: instant,
    phase: z.enum(PHASES),
    hold: hold.nullable(),
    eligibleAt: instant.nullable(),
    array: z
      .strictObject({
        unstarted: rangeSet,
        dropped: rangeSet.describe('elements that ended without ever having had a record'),
        live: z.int(),
        ended: z.partialRecord(z.enum(OUTCOMES), z.int()),
      })
      .nullable(),
    element: z.strictObject({ array: jobId, index: z.int() }).nullable(),
    restarts: z.int(),
    restartsAtProgress: z.int().optional().describe('what that was when a run had last brought it further'),
    fruitless: z.int().describe('short runs in a row that asked for another one'),
    askedAgain: askedAgain.optional().describe('the exit code by which its last run asked for another one'),
    stagnant: z.int().optional().describe('runs in a row that brought it no further'),
    checkpoint: checkpointNote.optional().describe('the newest that is safe, of whichever attempt'),
    furthestStep: z.number().optional(),
    attempt: attempt.nullable(),
    outcome: z.enum(OUTCOMES).nullable(),
    endedAt: instant.nullable(),
    note: z.string().nullable(),
    endedBy: z.string().nullable(),
  }),
) satisfies z.ZodType<Job>;

export const jobView = named(
  'JobView',
  z.strictObject({
    job,
    priority: z.number().nullable(),
    reason: reason.nullable(),
    stdoutPath: z.string(),
    stderrPath: z.string().nullable(),
  }),
  'A job with what follows from the rest of the yard.',
) satisfies z.ZodType<JobView>;

export const jobList = named('JobList', z.strictObject({ jobs: z.array(jobView) }));
