/** The steps of a job that run at this moment, and what each of them uses. */

import { isLive } from '../../../model/job.ts';
import type { JobRecord, LiveUsage, PartUsage } from '../../../model/query.ts';
import type { Conversion } from '../amounts.ts';
import { type StepRun, stepName, stepRuns } from '../sacct/step-runs.ts';
import { tasksOfStep } from '../srun/step-words.ts';
import type { Row, TaskUsage } from './fields.ts';

/** The batch script first; none when the job does not run. */
export function runningSteps(record: JobRecord, now: number): readonly StepRun[] {
  const attempt = record.attempts.at(-1) ?? null;
  if (record.view.job.phase !== 'active' || !isLive(attempt)) return [];
  return stepRuns(record, attempt, now).filter(({ endedAt }) => endedAt === null);
}

export function rowOf(
  record: JobRecord,
  step: StepRun,
  usage: LiveUsage | null,
  conversion: Conversion,
): Row {
  const parts = usage?.parts.filter((part) => part.step === step.n) ?? [];
  return {
    id: `${record.view.job.id}.${stepName(step)}`,
    isBatch: step.n === null,
    nodeList: step.nodeList,
    taskCount: step.tasks,
    pids: parts.flatMap(({ pids }) => pids),
    tasks: step.n === null ? batchTask(record, step, parts, usage) : stepTasks(record, step, parts),
    conversion,
  };
}

function stepTasks(
  { steps, attempts }: JobRecord,
  { n }: StepRun,
  parts: readonly PartUsage[],
): readonly TaskUsage[] {
  const step = steps.find((each) => each.n === n && each.attempt === attempts.at(-1)?.id);
  const tasks = step === undefined ? [] : tasksOfStep(step);
  return parts.map((part) => taskOf(part, tasks[part.rank]?.share.node ?? ''));
}

function taskOf(part: PartUsage, node: string): TaskUsage {
  const { rank, memoryBytes, virtualBytes, userCpuMs, systemCpuMs } = part;
  return { task: rank, node, memoryBytes, virtualBytes, cpuMs: userCpuMs + systemCpuMs };
}

/**
 * A batch script is one task whatever it starts. The time of steps that have ended has been added to its own, and the
 * most memory that was seen is its own where there have been no steps.
 */
function batchTask(
  record: JobRecord,
  { nodeList }: StepRun,
  parts: readonly PartUsage[],
  usage: LiveUsage | null,
): readonly TaskUsage[] {
  if (parts.length === 0) return [];
  const tasks = parts.map((part) => taskOf(part, nodeList));
  const sum = (of: 'memoryBytes' | 'virtualBytes' | 'cpuMs') =>
    tasks.reduce((total, task) => total + task[of], 0);
  const attempt = record.attempts.at(-1);
  const own = record.steps.filter((step) => step.attempt === attempt?.id);
  const ofSteps = own.reduce(
    (ms, { usage: used }) => ms + (used === null ? 0 : used.userCpuMs + used.systemCpuMs),
    0,
  );
  const peak = own.length === 0 ? (usage?.peakMemoryBytes ?? 0) : 0;
  return [
    {
      task: 0,
      node: nodeList,
      memoryBytes: Math.max(sum('memoryBytes'), peak),
      virtualBytes: sum('virtualBytes'),
      cpuMs: Math.max(0, sum('cpuMs') - ofSteps),
    },
  ];
}
