/**
 * Which runs `sacct` shows: the jobs named, the time looked at, the states a job was in meanwhile, and what else was
 * asked for. Reads no option; all text has become values before.
 */

import type { Policy } from '../../../model/policy.ts';
import type { UserView } from '../../../model/query.ts';
import { hasIndex } from '../../../model/ranges.ts';
import type { JobChoice } from '../job-choices.ts';
import { accountOf, qosOf } from '../job-facts.ts';
import { wordOf } from '../words.ts';

import type { Run } from './runs.ts';
import type { StepRun } from './step-runs.ts';
import { schedulerOf } from './values.ts';

export interface Range {
  readonly min: number;
  readonly max: number;
}

export interface Window {
  readonly from: number;
  readonly until: number;
}

export interface Selection {
  /** Null: any. */
  readonly jobs: readonly JobChoice[] | null;
  readonly window: Window;
  /** Slurm's names for them; null: any. */
  readonly states: readonly string[] | null;
  /** Names or numbers; null: everybody's. */
  readonly users: readonly string[] | null;
  readonly groups: readonly string[] | null;
  readonly accounts: readonly string[] | null;
  readonly names: readonly string[] | null;
  readonly partitions: readonly string[] | null;
  readonly qos: readonly string[] | null;
  readonly nodes: readonly string[] | null;
  readonly wckeys: readonly string[] | null;
  readonly features: readonly string[] | null;
  readonly schedulers: readonly string[] | null;
  readonly reasons: readonly string[] | null;
  readonly associations: readonly string[] | null;
  readonly nodeCount: Range | null;
  readonly cpuCount: Range | null;
  readonly limitMinutes: Range | null;
}

/** Of everybody, at any time. */
export const ANY_RUN: Selection = {
  jobs: null,
  window: { from: 0, until: Number.MAX_SAFE_INTEGER },
  states: null,
  users: null,
  groups: null,
  accounts: null,
  names: null,
  partitions: null,
  qos: null,
  nodes: null,
  wckeys: null,
  features: null,
  schedulers: null,
  reasons: null,
  associations: null,
  nodeCount: null,
  cpuCount: null,
  limitMinutes: null,
};

export interface Knowledge {
  readonly users: ReadonlyMap<string, UserView>;
  readonly policy: Policy;
  readonly reasonOf: (run: Run) => string;
}

export function isSelected(run: Run, selection: Selection, knowledge: Knowledge): boolean {
  return (
    isNamed(run, selection.jobs) &&
    isInWindow(run, selection) &&
    TESTS.every((test) => test(run, selection, knowledge))
  );
}

function isNamed(run: Run, jobs: readonly JobChoice[] | null): boolean {
  return jobs === null || choicesFor(run, jobs).some((choice) => isMeant(run, choice));
}

const choicesByJob = new WeakMap<readonly JobChoice[], Map<number, JobChoice[]>>();

/** Those among which a run can be, since there may be very many. */
function choicesFor({ job, array }: Run, jobs: readonly JobChoice[]): readonly JobChoice[] {
  let byJob = choicesByJob.get(jobs);
  if (byJob === undefined) {
    byJob = new Map();
    for (const choice of jobs) {
      const alike = byJob.get(choice.job);
      if (alike === undefined) byJob.set(choice.job, [choice]);
      else alike.push(choice);
    }
    choicesByJob.set(jobs, byJob);
  }
  const own = byJob.get(job.id) ?? [];
  return array === null || array.jobId === job.id ? own : [...own, ...(byJob.get(array.jobId) ?? [])];
}

export function isMeant({ job, array }: Run, choice: JobChoice): boolean {
  if (choice.index === null) return job.id === choice.job || array?.jobId === choice.job;
  if (array === null || array.jobId !== choice.job) return false;
  return array.index === null ? hasIndex(array.indices, choice.index) : array.index === choice.index;
}

/** The steps to show; null: the job itself too, with all of them. */
export function chosenSteps(run: Run, jobs: readonly JobChoice[] | null): readonly StepRun[] | null {
  const choices = jobs === null ? [] : choicesFor(run, jobs).filter((choice) => isMeant(run, choice));
  if (choices.length === 0 || choices.some(({ step }) => step === null)) return null;
  return run.steps.filter(({ n }) => choices.some(({ step }) => step === (n ?? 'batch')));
}

/**
 * Without states, what was there to be run at some time in the window. A job that never came so far is shown only to
 * those who ask for it by its number.
 */
function isInWindow(run: Run, { jobs, states, window }: Selection): boolean {
  if (states !== null) return states.some((state) => wasInState(run, state, window));
  const endedBefore = run.endedAt !== null && run.endedAt < window.from;
  if (endedBefore) return false;
  return jobs !== null || (run.eligibleAt !== null && run.eligibleAt <= window.until);
}

function wasInState(run: Run, state: string, { from, until }: Window): boolean {
  const { eligibleAt, startedAt, endedAt } = run;
  const notEndedBefore = endedAt === null || endedAt >= from;
  switch (state) {
    case 'PENDING':
      if (eligibleAt === null || eligibleAt > until) return false;
      return startedAt === null ? notEndedBefore : startedAt >= from;
    case 'RUNNING':
      return startedAt !== null && startedAt <= until && notEndedBefore;
    case 'SUSPENDED':
      return (run.attempt?.suspensions ?? 0) > 0 && notEndedBefore;
    default:
      return run.state === state && endedAt !== null && endedAt >= from && endedAt <= until;
  }
}

type Test = (run: Run, selection: Selection, knowledge: Knowledge) => boolean;

const TESTS: readonly Test[] = [
  ({ job }, { users }, knowledge) => {
    const { user } = job.spec;
    return users === null || users.includes(user) || users.includes(`${knowledge.users.get(user)?.uid}`);
  },
  ({ job }, { groups }, knowledge) => {
    const known = knowledge.users.get(job.spec.user);
    return groups === null || groups.includes(`${known?.group}`) || groups.includes(`${known?.gid}`);
  },
  ({ job }, { accounts }) => isAmong(accounts, accountOf(job)),
  ({ job }, { names }) => isAmong(names, job.spec.name),
  ({ job }, { partitions }) => isAmong(partitions, job.spec.queue),
  ({ job }, { qos }, { policy }) => isAmong(qos, qosOf(job, policy) ?? ''),
  (run, { nodes }) => nodes === null || run.nodes.some((node) => nodes.includes(node)),
  ({ job }, { wckeys }) => isAmong(wckeys, wordOf(job, 'wckey') ?? ''),
  ({ job }, { features }) => {
    if (features === null) return true;
    const asked = (job.spec.resources.constraint ?? '').split(/[^\w.:-]+/);
    return features.every((feature) => asked.includes(feature));
  },
  (run, { schedulers }) => isAmong(schedulers, schedulerOf(run)?.toLowerCase() ?? ''),
  (run, { reasons }, { reasonOf }) => reasons === null || isAmong(reasons, reasonOf(run)),
  // Nothing here has the number of an association.
  (_run, { associations }) => isAmong(associations, '0'),
  ({ allocated }, { nodeCount }) => isWithin(nodeCount, allocated?.nodes ?? 0),
  ({ allocated }, { cpuCount }) => isWithin(cpuCount, allocated?.cpus ?? 0),
  ({ job }, { limitMinutes }) =>
    isWithin(limitMinutes, job.spec.limitMs === null ? -1 : Math.ceil(job.spec.limitMs / 60_000)),
];

function isAmong(wanted: readonly string[] | null, value: string): boolean {
  return wanted === null || wanted.some((name) => name.toLowerCase() === value.toLowerCase());
}

function isWithin(range: Range | null, value: number): boolean {
  return range === null || (value >= range.min && value <= range.max);
}

/** Of several runs of one job the newest. */
export function withoutDuplicates(runs: readonly Run[]): readonly Run[] {
  const newest = new Map<string, Run>();
  for (const run of runs) {
    const key = run.job.array === null ? `${run.job.id}` : run.displayId;
    newest.set(key, run);
  }
  return runs.filter((run) => newest.get(run.job.array === null ? `${run.job.id}` : run.displayId) === run);
}

/** What lies outside of the window does not count. */
export function cutToWindow(run: Run, window: Window): Run {
  const cut = cutTimes(run.startedAt, run.endedAt, run.suspendedSeconds, window);
  const steps = run.steps.map((step) => {
    const { startedAt, ...rest } = cutTimes(step.startedAt, step.endedAt, step.suspendedSeconds, window);
    return { ...step, ...rest, startedAt: startedAt ?? step.startedAt };
  });
  return { ...run, ...cut, steps };
}

function cutTimes(
  startedAt: number | null,
  endedAt: number | null,
  suspendedSeconds: number,
  window: Window,
) {
  const from = startedAt === null ? null : Math.max(startedAt, window.from);
  const until = endedAt === null ? window.until : Math.min(endedAt, window.until);
  const seconds = from === null ? 0 : Math.floor(until / 1000) - Math.floor(from / 1000);
  return {
    startedAt: from,
    endedAt: until,
    elapsedSeconds: Math.max(0, seconds - Math.min(suspendedSeconds, seconds)),
  };
}
