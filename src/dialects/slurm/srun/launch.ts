/** From a step that has its place to what the caller is to run: one entry for each task. */

import type { Attempt, Job } from '../../../model/job.ts';
import type { HereRank, RunHere } from '../../../model/run-here.ts';
import type { Step } from '../../../model/step.ts';
import { variableOf } from '../../environment.ts';
import { type GivenOption, isGiven, lastValue } from '../../options.ts';
import type { Invocation } from '../../program.ts';
import { allocationEntries, type Home, timeEntries } from '../environment/allocation.ts';
import { countsText, type Entry, variablesFrom } from '../environment/entries.ts';
import { stepEntries } from '../environment/step.ts';
import { stepRequestEntries } from '../environment/step-request.ts';
import { deviceEntries, taskEntries } from '../environment/task.ts';
import { type Asked, textAsked } from '../submit/given.ts';
import { type CpuBinding, cpusOf } from './cpu-binding.ts';
import { type Distribution, distributionName } from './distribution.ts';
import { exportChange } from './export.ts';
import { devicesOf, type GpuBinding } from './gpu-binding.ts';
import { mannerOf } from './manner.ts';
import { inputOf, outputsOf, streamWords, taskDirOf } from './streams.ts';
import { mapTasks, type Task } from './task-map.ts';

export interface Launch {
  readonly job: Job;
  readonly attempt: Attempt;
  readonly step: Step;
  /** The job was made for this step and ends with it. */
  readonly isOwn: boolean;
  readonly asked: Asked;
  readonly commandLine: readonly GivenOption[];
  readonly invocation: Invocation;
  readonly home: Home;
  readonly now: number;
  readonly graceMs: number;
  readonly distribution: Distribution;
  readonly cpuBinding: CpuBinding | null;
  readonly gpuBinding: GpuBinding;
  /** What each task runs, by rank. */
  readonly programs: readonly (readonly string[])[];
}

export function runOf(launch: Launch): RunHere {
  const { job, attempt, step, asked, invocation } = launch;
  const tasks = mapTasks(step.placement, launch.distribution);
  const taskDir = taskDirOf(asked, invocation);
  const words = streamWords(asked);
  const place = { job, attempt, step: step.n, callerDir: invocation.workDir, taskDir };
  const outputs = outputsOf(words, tasks, place);
  const exported = exportChange(invocation.environment, textAsked(asked, 'export'));
  const ofStep = stepVariables(launch);
  const isPinned = job.spec.resources.cpusAsked;
  const nodeNumbers = new Map(attempt.placement.nodes.map(({ node }, number) => [node, number]));
  const ranks = tasks.map((task, at): HereRank => {
    const variables = { ...Object.fromEntries(exported.set), ...taskVariables(launch, task, ofStep) };
    return {
      argv: launch.programs[task.rank] as readonly string[],
      workDir: taskDir,
      variables,
      unset: exported.unset.filter((name) => !Object.hasOwn(variables, name)),
      node: task.share.node,
      nodeNumber: nodeNumbers.get(task.share.node) ?? 0,
      rank: task.rank,
      cpuIds: cpusOf(task, launch.cpuBinding, isPinned),
      stdout: outputs[at]?.stdout ?? { kind: 'caller' },
      stderr: outputs[at]?.stderr ?? null,
    };
  });
  return {
    attempt: attempt.id,
    step: step.n,
    holdsJob: launch.isOwn,
    ranks,
    input: inputOf(words, tasks, place),
    manner: mannerOf(asked, `${job.id}.${step.n}`, launch.graceMs, launch.isOwn),
  };
}

/** The same for every task. */
function stepVariables(launch: Launch): readonly Entry[] {
  const { job, attempt, step, home, now, commandLine, invocation, programs } = launch;
  return [
    ['TMPDIR', variableOf(invocation.environment, 'TMPDIR') === null ? '/tmp' : null],
    ...allocationEntries(job, attempt, home),
    ...timeEntries(job, attempt, now),
    ...stepEntries({
      number: step.n,
      placement: step.placement,
      ntasks: programs.length,
      umask: invocation.umask,
    }),
    ...insideEntries(launch),
    ...stepRequestEntries(commandLine),
    ['SLURM_JOB_NAME', jobName(launch)],
  ];
}

/** What only a step in a job that was there before is told, unless it was asked for. */
function insideEntries({ attempt, step, isOwn, distribution, programs }: Launch): readonly Entry[] {
  const { nodes } = attempt.placement;
  const isSaid = !isOwn || distribution.kind !== 'default';
  const name = distributionName(distribution, programs.length, step.placement.nodes.length);
  return [
    ['SLURM_JOB_CPUS_PER_NODE_PACK_GROUP_0', isOwn ? null : countsText(nodes.map(({ cpus }) => cpus))],
    ['SLURM_DISTRIBUTION', isSaid ? name : null],
    ['SLURM_DIST_PLANESIZE', distribution.kind === 'plane' ? distribution.size : null],
  ];
}

/** A step may have a name of its own; otherwise the name that is there stays. */
function jobName({ job, isOwn, commandLine, invocation }: Launch): string {
  if (isOwn) return job.spec.name;
  return (
    lastValue(commandLine, 'job-name') ??
    variableOf(invocation.environment, 'SLURM_JOB_NAME') ??
    job.spec.name
  );
}

const COUNTS = ['SLURM_JOB_NUM_NODES', 'SLURM_NNODES', 'SLURM_NPROCS', 'SLURM_NTASKS'];

function taskVariables(
  { asked, invocation, gpuBinding }: Launch,
  task: Task,
  ofStep: readonly Entry[],
): Readonly<Record<string, string>> {
  const { share } = task;
  const variables = variablesFrom(
    ofStep,
    taskEntries({ ...task, nodeName: share.node, cpus: share.cpus }),
    deviceEntries(share.devices, devicesOf(task, gpuBinding), 'SLURM_STEP_GPUS'),
  );
  if (!isGiven(asked.given, 'preserve-env')) return Object.fromEntries(variables);
  const isKept = (name: string) => COUNTS.includes(name) && variableOf(invocation.environment, name) !== null;
  return Object.fromEntries([...variables].filter(([name]) => !isKept(name)));
}
