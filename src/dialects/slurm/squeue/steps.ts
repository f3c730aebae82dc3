/** The lines of a listing of steps: those that run now, and the script of each batch job as a step of its own. */

import type { Job } from '../../../model/job.ts';
import type { JobRecord } from '../../../model/query.ts';
import { hasIndex } from '../../../model/ranges.ts';
import type { Step } from '../../../model/step.ts';
import { failure } from '../failure.ts';
import { foldHosts } from '../host-list.ts';
import { hasBatchStep, type JobFacts, jobFacts } from '../job-facts.ts';
import type { AskedJobs, Scene } from './rows.ts';

export interface StepRow {
  readonly scene: Scene;
  readonly facts: JobFacts;
  readonly job: Job;
  /** Null: the script itself. */
  readonly step: Step | null;
  /** `0`, or `batch`. */
  readonly stepName: string;
  readonly nodeList: string;
  readonly startAt: number;
}

export function stepRowsOf(records: readonly JobRecord[], scene: Scene): StepRow[] {
  return records.flatMap(({ view, steps }) => {
    const facts = jobFacts(view, scene.now);
    const { attempt, job } = facts;
    if (attempt === null || attempt.startedAt === null) return [];
    const rows = steps
      .filter((step) => step.attempt === attempt.id && step.endedAt === null)
      .map((step): StepRow => {
        const nodeList = foldHosts(step.placement.nodes.map(({ node }) => node));
        return { scene, facts, job, step, stepName: `${step.n}`, nodeList, startAt: step.startedAt };
      });
    if (!hasBatchStep(job)) return rows;
    const nodeList = facts.nodes[0] ?? '';
    return [
      ...rows,
      { scene, facts, job, step: null, stepName: 'batch', nodeList, startAt: attempt.startedAt },
    ];
  });
}

/** `17.0`, `4_1.batch`. */
export function stepIdText({ facts, stepName }: StepRow): string {
  return `${facts.displayId}.${stepName}`;
}

export interface AskedStep {
  readonly job: number;
  readonly index: number | null;
  readonly step: string;
}

/** `17.0,4_1.batch`; null: all. */
export function readStepList(text: string | null): readonly AskedStep[] | null {
  if (text === null) return null;
  return text
    .split(',')
    .filter((word) => word !== '')
    .map((word) => {
      const match = /^(\d{1,15})(?:_(\d{1,9}))?\.(.*)$/s.exec(word);
      if (match === null) {
        const [job = '', step = '??'] = word.split('.');
        throw failure('squeue', `Invalid job_step id: ${job}.${step}`);
      }
      const [, job, index, step = ''] = match;
      return { job: Number(job), index: index === undefined ? null : Number(index), step };
    });
}

export function isAskedStep(
  { job, stepName }: StepRow,
  jobs: AskedJobs | null,
  steps: readonly AskedStep[] | null,
): boolean {
  const array = job.element?.array ?? job.id;
  const index = job.element?.index ?? null;
  const isAskedJob =
    jobs === null ||
    jobs.whole.has(job.id) ||
    jobs.whole.has(array) ||
    (index !== null && hasIndex(jobs.elements.get(array) ?? [], index));
  if (!isAskedJob || steps === null) return isAskedJob;
  return steps.some(
    (asked) =>
      asked.step === stepName &&
      (asked.index === null
        ? asked.job === job.id || asked.job === array
        : asked.job === array && asked.index === index),
  );
}
