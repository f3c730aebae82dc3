/** `scontrol show step [JOB[.STEP]]`: what runs inside of jobs, the batch script included. */

import type { Attempt } from '../../../model/job.ts';
import type { JobRecord } from '../../../model/query.ts';
import type { Step } from '../../../model/step.ts';
import { activeRecords } from '../../job-pages.ts';
import { type Asking, printOut, query } from '../../program.ts';
import { findJob } from '../find-job.ts';
import { foldHosts } from '../host-list.ts';
import { hasBatchStep } from '../job-facts.ts';
import { parseStepWord, refsOf } from '../job-words.ts';
import { allocatedTres, megabytesText } from '../tres.ts';
import { type Call, complain, EXIT_OK } from './call.ts';
import { recordText } from './record.ts';
import { NO_SUCH_JOB } from './sentences.ts';
import { notFound } from './show-node.ts';
import { toldMoments } from './told-moments.ts';

/** A step that runs now; the batch script has no number. */
interface RunningStep {
  readonly record: JobRecord;
  readonly attempt: Attempt;
  readonly step: Step | null;
}

interface WantedStep {
  readonly jobs: readonly string[];
  /** Null: all of them. */
  readonly step: number | 'batch' | null;
}

export function* showSteps(call: Call, which: string | null): Asking<number> {
  const wanted = which === null ? null : readWord(which);
  if (which !== null && (wanted === null || !(yield* isKnown(wanted))))
    return yield* complain(call, `slurm_get_job_steps error: ${NO_SUCH_JOB}`);
  const records = yield* activeRecords();
  const steps = records.flatMap(runningSteps).filter((step) => wanted === null || isMeant(step, wanted));
  if (steps.length === 0 && which !== null)
    return yield* notFound(call, `Job step ${which}${which.includes('.') ? '' : '.'} not found`);
  if (steps.length === 0) yield* printOut('No job steps in the system\n');
  const uids = yield* userNumbers(steps);
  const moment = yield* toldMoments(call);
  for (const step of steps) yield* printOut(recordText(stepLines(step, uids, moment), call.manner));
  return EXIT_OK;
}

function readWord(which: string): WantedStep | null {
  const batch = /^(.*)\.batch$/i.exec(which);
  const word = parseStepWord(batch === null ? which : (batch[1] as string));
  if (word === null) return null;
  const jobs = refsOf(word).map(({ job, index }) => (index === null ? `${job}` : `${job}_${index}`));
  return { jobs, step: batch === null ? word.step : 'batch' };
}

function* isKnown({ jobs }: WantedStep): Asking<boolean> {
  for (const name of jobs) {
    const [job, index] = name.split('_').map(Number);
    if ((yield* findJob({ job: job as number, index: index ?? null })) !== null) return true;
  }
  return false;
}

function runningSteps(record: JobRecord): readonly RunningStep[] {
  const { job } = record.view;
  const { attempt } = job;
  if (attempt === null || attempt.startedAt === null || attempt.endedAt !== null) return [];
  const steps = record.steps.filter((step) => step.attempt === attempt.id && step.endedAt === null);
  const numbered = steps.map((step) => ({ record, attempt, step }));
  return hasBatchStep(job) ? [{ record, attempt, step: null }, ...numbered] : numbered;
}

function isMeant({ record, step }: RunningStep, { jobs, step: wanted }: WantedStep): boolean {
  const { id, element } = record.view.job;
  const names = [
    `${id}`,
    ...(element === null ? [] : [`${element.array}`, `${element.array}_${element.index}`]),
  ];
  if (!names.some((name) => jobs.includes(name))) return false;
  return wanted === null || wanted === (step?.n ?? 'batch');
}

/** NO_VAL of the original: a number that nobody set. */
const NO_NUMBER = 4_294_967_294;

function* userNumbers(steps: readonly RunningStep[]): Asking<ReadonlyMap<string, number>> {
  const names = [...new Set(steps.map(({ record }) => record.view.job.spec.user))];
  const users = yield* query('users', { names });
  return new Map(names.map((name, at) => [name, users[at]?.uid ?? NO_NUMBER]));
}

function stepLines(
  { record, attempt, step }: RunningStep,
  uids: ReadonlyMap<string, number>,
  moment: (at: number) => string,
): readonly string[] {
  const { job } = record.view;
  const { element, spec } = job;
  const jobName = element === null ? `${job.id}` : `${element.array}_${element.index}`;
  const placement = step?.placement ?? { nodes: attempt.placement.nodes.slice(0, 1) };
  const tres = allocatedTres(placement);
  const startedAt = step?.startedAt ?? attempt.startedAt ?? attempt.assignedAt;
  const tasks = step === null ? 1 : placement.nodes.reduce((sum, { ranks }) => sum + ranks, 0);
  return [
    `StepId=${jobName}.${step?.n ?? 'batch'} UserId=${uids.get(spec.user)} StartTime=${moment(startedAt)} TimeLimit=UNLIMITED`,
    `State=${attempt.suspendedAt === null ? 'RUNNING' : 'SUSPENDED'} Partition=${spec.queue} NodeList=${foldHosts(placement.nodes.map(({ node }) => node))}`,
    `Nodes=${placement.nodes.length} CPUs=${step === null ? 0 : tres.cpus} Tasks=${tasks} Name=${step?.name ?? 'batch'} Network=(null)`,
    `TRES=${step === null ? '(null)' : stepTresText(tres)}`,
    'ResvPorts=(null)',
    'CPUFreqReq=Default',
    'SrunHost:Pid=(null):0',
  ];
}

/** A step is not billed. */
function stepTresText({ cpus, memoryBytes, nodes, gpus }: ReturnType<typeof allocatedTres>): string {
  const parts = [`cpu=${cpus}`];
  if (memoryBytes !== null) parts.push(`mem=${megabytesText(memoryBytes)}`);
  parts.push(`node=${nodes}`);
  if (gpus > 0) parts.push(`gres/gpu=${gpus}`);
  return parts.join(',');
}
