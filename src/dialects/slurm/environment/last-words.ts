/** The lines that a job finds at the end of its output when it was stopped: people and tools search for them. */

import type { Attempt, Job, StopCause } from '../../../model/job.ts';
import type { VoiceEnding } from '../../../model/voice.ts';
import { momentText } from '../moments.ts';

const REASONS: Readonly<Record<StopCause, string>> = {
  cancelled: '',
  timeLimit: ' DUE TO TIME LIMIT',
  preempted: ' DUE TO PREEMPTION',
  requeued: ' DUE TO JOB REQUEUE',
  requeuedHeld: ' DUE TO JOB REQUEUE',
  memory: '',
  deadline: ' DUE TO TIME LIMIT',
};

/** What begins every line that comes from the keeper of a step on a node. */
export function keeperName(node: string): string {
  return `slurmstepd-${node}`;
}

export function batchLastWords(job: Job, attempt: Attempt, ending: VoiceEnding, zone: string): string | null {
  const node = attempt.placement.nodes[0]?.node ?? '';
  const line = (text: string) => `${keeperName(node)}: error: ${text}\n`;
  const { stop } = attempt;
  if (ending.outOfMemory) return outOfMemory(job, attempt, ending).map(line).join('');
  if (stop === null) return null;
  const at = momentText(stop.requestedAt, zone);
  return line(`*** JOB ${job.id} ON ${node} CANCELLED AT ${at}${REASONS[stop.cause]} ***`);
}

/** Seen to use too much and stopped for it, or stopped by the kernel. */
function outOfMemory(job: Job, attempt: Attempt, { usedBytes }: VoiceEnding): readonly string[] {
  const limitBytes = attempt.placement.nodes[0]?.memoryBytes ?? 0;
  if (attempt.stop?.cause !== 'memory' || usedBytes === null) {
    return [
      `Detected 1 oom-kill event(s) in StepId=${job.id}.batch. Some of your processes may have been killed by the cgroup out-of-memory handler.`,
    ];
  }
  return [
    `StepId=${job.id}.batch exceeded memory limit (${usedBytes} > ${limitBytes}), being killed`,
    'Exceeded job memory limit',
  ];
}
