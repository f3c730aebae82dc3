/**
 * What programs read: every shape that `--json` prints of a job. Times are UTC in ISO 8601, durations are
 * milliseconds, sizes are bytes.
 */

import { jsonText } from '../../model/bytes.ts';
import { type Attempt, displayId, type Job } from '../../model/job.ts';
import type { JobView } from '../../model/query.ts';
import { formatRanges } from '../../model/ranges.ts';
import type { Reason } from '../../model/reason.ts';
import { type Asking, printOut } from '../program.ts';
import { isoUtc } from '../text/calendar.ts';
import { runTimeMs } from './job-facts.ts';
import { shortReason } from './reasons.ts';

/** The one value. */
export function* printJson(value: unknown): Asking<void> {
  yield* printOut(`${jsonText(value)}\n`);
}

export function isoOrNull(at: number | null): string | null {
  return at === null ? null : isoUtc(at);
}

export function jobJson(view: JobView, now: number, zone: string): Record<string, unknown> {
  const { job } = view;
  const { spec, attempt } = job;
  return {
    id: job.id,
    ref: displayId(job),
    name: spec.name,
    user: spec.user,
    account: spec.account,
    qos: spec.qos,
    queue: spec.queue,
    phase: job.phase,
    outcome: job.outcome,
    priority: view.priority,
    reason: reasonJson(view.reason, now, zone),
    hold: job.hold,
    resources: spec.resources,
    limitMs: spec.limitMs,
    submittedAt: isoUtc(job.submittedAt),
    eligibleAt: isoOrNull(job.eligibleAt),
    beginAt: isoOrNull(spec.beginAt),
    deadlineAt: isoOrNull(spec.deadlineAt),
    endedAt: isoOrNull(job.endedAt),
    elapsedMs: runTimeMs(attempt, now),
    restarts: job.restarts,
    attempt: attempt === null ? null : attemptJson(attempt, now),
    array: arrayJson(job),
    stdoutPath: view.stdoutPath,
    stderrPath: view.stderrPath,
    comment: spec.comment,
    note: job.note,
    endedBy: job.endedBy,
  };
}

export function attemptJson(attempt: Attempt, now: number): Record<string, unknown> {
  return {
    id: attempt.id,
    n: attempt.n,
    phase: attempt.phase,
    nodes: attempt.placement.nodes,
    assignedAt: isoUtc(attempt.assignedAt),
    startedAt: isoOrNull(attempt.startedAt),
    endedAt: isoOrNull(attempt.endedAt),
    elapsedMs: runTimeMs(attempt, now),
    suspendedAt: isoOrNull(attempt.suspendedAt),
    stopCause: attempt.stop?.cause ?? null,
    exit: attempt.exit,
    usage: attempt.usage,
    fault: attempt.fault,
    trouble: attempt.trouble ?? null,
  };
}

export function reasonJson(reason: Reason | null, now: number, zone: string): unknown {
  if (reason === null) return null;
  const facts = reason.kind === 'begin' ? { ...reason, at: isoUtc(reason.at) } : reason;
  return { ...facts, text: shortReason(reason, now, zone) };
}

function arrayJson(job: Job): unknown {
  if (job.array === null || job.spec.array === null) return null;
  return {
    indices: formatRanges(job.spec.array.indices),
    throttle: job.spec.array.throttle,
    unstarted: formatRanges(job.array.unstarted),
    live: job.array.live,
    ended: job.array.ended,
  };
}
