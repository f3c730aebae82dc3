/** The facts of the log, as the API shows them: the schema of the model's Event. */

import { z } from 'zod';
import type { Event, RecordedEvent } from '../../../model/event.ts';
import { byteCount, duration, instant, jobId, named } from './component.ts';
import { footprint } from './footprint.ts';
import {
  askedAgain,
  deviceShare,
  exit,
  hold,
  loweredLimits,
  placement,
  STOP_CAUSES,
  SUSPENSION_CAUSES,
  usage,
} from './job.ts';
import { jobSpec, scope } from './job-spec.ts';
import { checkpointNote, progress } from './keeping.ts';
import { OUTCOMES } from './phases.ts';
import { jobChanges } from './request.ts';
import { step, stepUsage } from './step.ts';
import { node, queueState } from './yard.ts';

const ofJob = { at: instant, job: jobId };
const ofAttempt = { ...ofJob, attempt: z.string() };
const makesRoom = { forJob: jobId.optional().describe('which job it makes room for') };
const suspension = { by: z.string(), cause: z.enum(SUSPENSION_CAUSES).optional() };
const ofNode = { at: instant, node: z.string() };

/** Looser than what the API takes: other dialects may allow what it does not. */
const recordedChanges = jobChanges.extend({
  name: z.string().optional(),
  comment: z.string().nullable().optional(),
  limitMs: duration.nullable().optional(),
  throttle: z.int().nullable().optional(),
});

const event = named(
  'Event',
  z.discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('jobSubmitted'),
      ...ofJob,
      spec: jobSpec,
      phase: z.enum(['held', 'waiting', 'pending']),
    }),
    z.strictObject({ type: z.literal('elementSplit'), ...ofJob, array: jobId, index: z.int() }),
    z.strictObject({
      type: z.literal('unstartedDropped'),
      ...ofJob,
      outcome: z.enum(OUTCOMES),
      by: z.string().nullable(),
    }),
    z.strictObject({ type: z.literal('jobHeld'), ...ofJob, hold }),
    z.strictObject({ type: z.literal('jobWaiting'), ...ofJob }),
    z.strictObject({ type: z.literal('jobPending'), ...ofJob }),
    z.strictObject({ type: z.literal('jobUpdated'), ...ofJob, changes: recordedChanges, by: z.string() }),
    z.strictObject({
      type: z.literal('attemptAssigned'),
      ...ofAttempt,
      queue: z.string().optional(),
      placement,
    }),
    z.strictObject({
      type: z.literal('attemptStarted'),
      ...ofAttempt,
      startedAt: instant,
      loweredLimits: loweredLimits.optional(),
    }),
    z.strictObject({ type: z.literal('attemptTimed'), ...ofAttempt, clockFrom: instant }),
    z.strictObject({ type: z.literal('warningDue'), ...ofAttempt }),
    z.strictObject({ type: z.literal('warningSent'), ...ofAttempt }),
    z.strictObject({
      type: z.literal('stopRequested'),
      ...ofAttempt,
      cause: z.enum(STOP_CAUSES),
      by: z.string().nullable(),
      killAt: instant,
      isKill: z.boolean().optional(),
    }),
    z.strictObject({ type: z.literal('killDue'), ...ofAttempt }),
    z.strictObject({
      type: z.literal('signalRequested'),
      ...ofAttempt,
      n: z.int(),
      signal: z.int(),
      scope,
      by: z.string(),
    }),
    z.strictObject({
      type: z.literal('suspendAnnounced'),
      ...ofAttempt,
      by: z.string(),
      cause: z.enum(SUSPENSION_CAUSES),
      ...makesRoom,
      suspendAt: instant,
    }),
    z.strictObject({ type: z.literal('attemptSuspended'), ...ofAttempt, ...suspension, ...makesRoom }),
    z.strictObject({ type: z.literal('attemptResumed'), ...ofAttempt, ...suspension }),
    z.strictObject({ type: z.literal('stepStarted'), ...ofJob, step }),
    z.strictObject({ type: z.literal('stepStopRequested'), ...ofAttempt, n: z.int(), by: z.string() }),
    z.strictObject({
      type: z.literal('stepEnded'),
      ...ofAttempt,
      n: z.int(),
      exit,
      usage: stepUsage.nullable(),
    }),
    z.strictObject({ type: z.literal('signalSent'), ...ofAttempt, n: z.int() }),
    z.strictObject({
      type: z.literal('attemptEnded'),
      ...ofAttempt,
      exit,
      usage: usage.nullable(),
      fault: z.string().nullable(),
      progress: progress.optional(),
    }),
    z.strictObject({
      type: z.literal('attemptSyncing'),
      ...ofAttempt,
      exit,
      usage: usage.nullable(),
      fault: z.string().nullable(),
    }),
    z.strictObject({ type: z.literal('checkpointKept'), ...ofAttempt, checkpoint: checkpointNote }),
    z.strictObject({ type: z.literal('checkpointTroubled'), ...ofAttempt, trouble: z.string().nullable() }),
    z.strictObject({
      type: z.literal('deviceShareChanged'),
      ...ofAttempt,
      node: z.string(),
      share: deviceShare,
      because: z.enum(['grown', 'known']),
    }),
    z.strictObject({ type: z.literal('attemptLost'), ...ofAttempt, reason: z.string() }),
    z.strictObject({
      type: z.literal('jobRequeued'),
      ...ofJob,
      why: z.string(),
      hold: hold.nullable(),
      fruitless: z.int().optional().describe('how many short runs in a row have asked for another one'),
      askedAgain: askedAgain.optional().describe('the exit code that asked for it'),
      stagnant: z.int().optional().describe('how many runs in a row have brought it no further'),
      isFurther: z.boolean().optional().describe('the run had brought it further'),
    }),
    z.strictObject({
      type: z.literal('jobEnded'),
      ...ofJob,
      outcome: z.enum(OUTCOMES),
      note: z.string().nullable(),
      by: z.string().nullable(),
    }),
    z.strictObject({ type: z.literal('nodeSeen'), at: instant, node }),
    z.strictObject({ type: z.literal('nodeGone'), ...ofNode }),
    z.strictObject({ type: z.literal('nodeDrained'), ...ofNode, reason: z.string() }),
    z.strictObject({ type: z.literal('nodeResumed'), ...ofNode }),
    z.strictObject({ type: z.literal('nodeLost'), ...ofNode, reason: z.string() }),
    z.strictObject({
      type: z.literal('queueChanged'),
      at: instant,
      queue: z.string(),
      state: queueState,
      by: z.string(),
    }),
    z.strictObject({
      type: z.literal('footprintLearned'),
      at: instant,
      footprint,
      attempt: z.string().nullable().describe('null: somebody said it'),
      by: z.string().nullable(),
    }),
    z.strictObject({
      type: z.literal('footprintForgotten'),
      at: instant,
      key: z.string(),
      device: z.string(),
      by: z.string(),
    }),
    z.strictObject({
      type: z.literal('foreignUseSeen'),
      ...ofNode,
      foreign: z.array(z.strictObject({ index: z.int(), bytes: byteCount })),
    }),
    z.strictObject({ type: z.literal('clockJumped'), at: instant, byMs: duration }),
  ]),
) satisfies z.ZodType<Event>;

export const recordedEvent = named(
  'RecordedEvent',
  z.strictObject({ seq: z.int(), event }),
  'An event with its place in the log.',
) satisfies z.ZodType<RecordedEvent>;

export const eventList = named('EventList', z.strictObject({ events: z.array(recordedEvent) }));
