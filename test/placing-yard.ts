/**
 * For tests of commands that use a place themselves: a fake yard with one job in place, which gives it the steps that
 * the real core would give it.
 */

import { placeStep } from '../src/core/schedule/step-fit.ts';
import { aJob, anAttempt, aStep, aView, type FakeYard, fakeYard, NOW } from '../src/dialects/fake-yard.ts';
import type { CommandResult } from '../src/dialects/program.ts';
import type { UserCommand } from '../src/model/command.ts';
import type { Attempt, Job, NodeShare } from '../src/model/job.ts';
import type { JobSpec } from '../src/model/job-spec.ts';
import { refusal } from '../src/model/refusal.ts';

export function aShare(changes: Partial<NodeShare> = {}): NodeShare {
  return { node: 'n1', ranks: 1, cpus: 1, cpuIds: [], memoryBytes: 0, devices: [], ...changes };
}

/** Shares of nodes n1, n2 and so on. */
export function shares(count: number, changes: Partial<NodeShare> = {}): readonly NodeShare[] {
  return Array.from({ length: count }, (_, at) => aShare({ node: `n${at + 1}`, ...changes }));
}

export interface Placing {
  readonly nodes: readonly NodeShare[];
  /** Whether a job that is handed in has its place at once. */
  readonly isFree: boolean;
}

/** Whatever is submitted becomes job 17, and has its place at once or when `begin` says so. */
export function placingYard(placing: Partial<Placing> = {}, changes: Partial<FakeYard> = {}): FakeYard {
  const { nodes, isFree } = { nodes: [aShare()], isFree: true, ...placing };
  const yard: FakeYard = fakeYard({
    answer: (command) => answerTo(yard, command, nodes, isFree),
    ...changes,
  });
  return yard;
}

/** A job that runs, as its own commands see it. */
export function withRunningJob(
  yard: FakeYard,
  id: number,
  nodes: readonly NodeShare[],
  spec: Partial<JobSpec> = {},
  changes: Partial<Job> = {},
): Job {
  const attempt = placed(id, nodes);
  const slurm: Partial<JobSpec> = { origin: { dialect: 'slurm', words: {} }, ...spec };
  const job = aJob({ id, phase: 'active', attempt, ...changes }, slurm);
  yard.views.push(aView(job));
  return job;
}

/** The waiting job gets its place. */
export function begin(yard: FakeYard, nodes: readonly NodeShare[] = [aShare()]): void {
  yard.views = yard.views.map((view) =>
    view.job.id === 17
      ? { ...view, job: { ...view.job, phase: 'active', attempt: placed(17, nodes) } }
      : view,
  );
}

function placed(id: number, nodes: readonly NodeShare[]): Attempt {
  return anAttempt({ id: `${id}.1`, placement: { nodes } });
}

function answerTo(
  yard: FakeYard,
  command: UserCommand,
  nodes: readonly NodeShare[],
  isFree: boolean,
): CommandResult {
  if (command.type === 'submit') {
    const job = aJob({ id: 17, phase: command.spec.held ? 'held' : 'pending' }, command.spec);
    yard.views.push(aView(job));
    if (isFree && !command.spec.held) begin(yard, nodes);
    return { ok: true, job: 17, step: null, changed: true };
  }
  if (command.type !== 'startStep') return { ok: true, job: null, step: null, changed: true };
  const { job } = command.target;
  const attempt = yard.views.find((view) => view.job.id === job)?.job.attempt as Attempt;
  const steps = yard.steps.get(job) ?? [];
  const live = steps.filter((step) => step.endedAt === null);
  const kind = () => null;
  const placement = placeStep(command.request, attempt.placement.nodes, live, kind);
  if (placement === null) {
    const isEver = placeStep(command.request, attempt.placement.nodes, [], kind) !== null;
    return { ok: false, refusal: refusal(isEver ? 'busy' : 'neverPossible', 'no room') };
  }
  const n = steps.length;
  const { name, command: argv, cpusPerRank, overlap, words } = command.request;
  const step = aStep({
    attempt: attempt.id,
    n,
    name,
    command: argv,
    placement,
    cpusPerRank,
    overlap,
    ...(words === undefined ? {} : { words }),
    startedAt: NOW,
  });
  yard.steps.set(job, [...steps, step]);
  return { ok: true, job, step: n, changed: true };
}
