/**
 * The lines that a job, or a step of it, finds at the end of its output when it was stopped: people and tools search
 * for them.
 */

import type { Attempt, Job, StopCause } from '../../../model/job.ts';
import type { VoiceEnding, VoiceSurroundings } from '../../../model/voice.ts';
import { momentText } from '../moments.ts';

const REASONS: Readonly<Record<StopCause, string>> = {
  cancelled: '',
  timeLimit: ' DUE TO TIME LIMIT',
  preempted: ' DUE TO PREEMPTION',
  requeued: ' DUE TO JOB REQUEUE',
  requeuedHeld: ' DUE TO JOB REQUEUE',
  memory: '',
  scratch: ' DUE TO SCRATCH LIMIT',
  deadline: ' DUE TO TIME LIMIT',
};

/** What begins every line that comes from the keeper of a step on a node. */
export function keeperName(node: string): string {
  return `slurmstepd-${node}`;
}

export function lastWordsTo(
  job: Job,
  attempt: Attempt,
  ending: VoiceEnding,
  { zone, now }: Pick<VoiceSurroundings, 'zone' | 'now'>,
): string | null {
  const node = attempt.placement.nodes[0]?.node ?? '';
  const line = (text: string) => `${keeperName(node)}: error: ${text}\n`;
  const { stop } = attempt;
  const isAllocation = job.spec.program.spread === 'caller' && ending.step === null;
  if (isAllocation) return revoked(job, attempt);
  if (ending.outOfMemory) return outOfMemory(job, attempt, ending).map(line).join('');
  if (stop === null && ending.step === null) return null;
  const who = ending.step === null ? `JOB ${job.id}` : `STEP ${job.id}.${ending.step}`;
  const at = momentText(stop?.requestedAt ?? now, zone);
  return line(`*** ${who} ON ${node} CANCELLED AT ${at}${stop === null ? '' : REASONS[stop.cause]} ***`);
}

/** Said by the command that holds the place, as its own. */
function revoked(job: Job, { stop }: Attempt): string {
  if (stop?.cause !== 'timeLimit') return `salloc: Job allocation ${job.id} has been revoked.\n`;
  return `salloc: Job ${job.id} has exceeded its time limit and its allocation has been revoked.\n`;
}

/** Seen to use too much and stopped for it, or stopped by the kernel. */
function outOfMemory(job: Job, attempt: Attempt, { step, usedBytes }: VoiceEnding): readonly string[] {
  const stepId = `StepId=${job.id}.${step ?? 'batch'}`;
  const limitBytes = attempt.placement.nodes[0]?.memoryBytes ?? 0;
  if (attempt.stop?.cause !== 'memory' || usedBytes === null) {
    return [
      `Detected 1 oom-kill event(s) in ${stepId}. Some of your processes may have been killed by the cgroup out-of-memory handler.`,
    ];
  }
  return [
    `${stepId} exceeded memory limit (${usedBytes} > ${limitBytes}), being killed`,
    'Exceeded job memory limit',
  ];
}
