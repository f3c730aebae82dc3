/** What `glb-start --debug` shows of the yard's events: who asks for a GPU, who gets which, who waits and why, and how it went. */

import { whyItWaits } from '../../dialects/native/reasons.ts';
import { printable } from '../../model/bytes.ts';
import type { Event } from '../../model/event.ts';
import type { JobId } from '../../model/ids.ts';
import type { Placement, Usage } from '../../model/job.ts';
import type { JobSpec } from '../../model/job-spec.ts';
import type { Answer, JobView } from '../../model/query.ts';
import type { Reason } from '../../model/reason.ts';
import { LEASE_DIALECT } from '../../server/leases/lease.ts';

export interface RequestLogParts {
  readonly say: (text: string) => void;
  readonly whyOf: (job: JobId) => Promise<Answer<'explain'>>;
  /** Those who hold or wait for a GPU already. */
  readonly known: readonly JobView[];
  readonly now?: () => number;
}

interface Request {
  readonly kind: string;
  /** Null: it waits. */
  devices: readonly number[] | null;
  usage: Usage | null;
}

/** Whoever can be served is served in the same moment; to see that takes a little. */
const UNTIL_IT_WAITS_MS = 100;

export function requestLog({ say, whyOf, known, now = Date.now }: RequestLogParts): (event: Event) => void {
  const requests = new Map<JobId, Request>();
  for (const { job } of known) {
    const { attempt } = job;
    if (isLease(job.spec))
      enter(job.id, job.spec, attempt === null ? null : devicesOf(attempt.placement), null);
  }

  function enter(job: JobId, spec: JobSpec, devices: Request['devices'], usage: Request['usage']): Request {
    const request = { kind: printable(spec.kind ?? spec.name), devices, usage };
    requests.set(job, request);
    return request;
  }

  async function sayWhyItWaits(job: JobId): Promise<void> {
    const explained = await whyOf(job).catch(() => null);
    const reason = explained?.explanation.reason ?? null;
    if (reason === null || requests.get(job)?.devices !== null) return;
    const around = { now: now(), zone: ownZone(), caller: '', others: new Map() };
    say(`${codeOf(reason)}: waiting...\n    job ${job} ${printable(whyItWaits(reason, around))}\n`);
  }

  return (event) => {
    if (event.type === 'jobSubmitted') {
      if (!isLease(event.spec)) return;
      const { kind } = enter(event.job, event.spec, null, null);
      say(`[RequestGPU] request  jobstr: "${kind}"\n\n`);
      setTimeout(() => void sayWhyItWaits(event.job), UNTIL_IT_WAITS_MS).unref();
      return;
    }
    const request = 'job' in event ? requests.get(event.job) : undefined;
    if (request === undefined) return;
    if (event.type === 'attemptAssigned') {
      request.devices = devicesOf(event.placement);
      say(`[RequestGPU] serving GPU ID ${request.devices.join(', ')}\n`);
    } else if (event.type === 'attemptEnded') {
      request.usage = event.usage;
    } else if (event.type === 'jobEnded') {
      requests.delete(event.job);
      say(endText(request, event.outcome === 'completed'));
    }
  };
}

function isLease({ origin }: JobSpec): boolean {
  return origin.dialect === LEASE_DIALECT;
}

function devicesOf({ nodes }: Placement): readonly number[] {
  return nodes.flatMap(({ devices }) => devices.map(({ index }) => index));
}

function codeOf({ kind }: Reason): string {
  return `ServiceErrorCodes.${kind === 'learning' ? 'WAITING_FOR_JOB_PROFILE' : 'WAITING_FOR_GPU'}`;
}

export function endText({ kind, devices, usage }: Request, succeeded: boolean): string {
  if (devices === null) return `[RequestGPU] withdrawn  jobstr: "${kind}"\n`;
  const lines = ['[CompleteJob] request', 'jobtype {', `    jobstr: "${kind}"`, '}'];
  for (const device of devices) lines.push('gpu {', `    gpu_id: ${device}`, '}');
  lines.push(`succeeded: ${succeeded}`);
  const used = usage?.devices ?? [];
  if (used.length > 0) {
    lines.push(`max_gpu_memory_used: ${Math.max(...used.map(({ memoryBytes }) => memoryBytes.peak))}`);
    const loads = used.flatMap(({ loadMillis }) => (loadMillis === null ? [] : [loadMillis.peak]));
    if (loads.length > 0) lines.push(`max_gpu_load: ${Math.round(Math.max(...loads) / 10)}`);
  }
  return `${lines.join('\n')}\n`;
}

function ownZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}
