/**
 * Making room: which jobs of lower queues are asked to leave for one of a higher queue. As few as possible,
 * from the lowest queue, and among those the ones that have run the shortest.
 */

import { holdsResources, type Job } from '../../model/job.ts';
import type { Node } from '../../model/node.ts';
import type { Queue } from '../../model/policy.ts';
import { add, copyFree, type Free } from '../ledger.ts';
import { queueNamed } from '../priority.ts';
import { jobOf } from '../state.ts';
import { type Candidate, findPlace } from './fit.ts';
import type { Pass } from './pass.ts';

export function mayPreempt(pass: Pass, queue: Queue): boolean {
  return pass.policy.queues.some((other) => other.priority < queue.priority && other.preempt !== 'off');
}

/** Adds to the pass whoever must leave; nobody when enough are leaving already, or when it would not help. */
export function makeRoom(pass: Pass, job: Job, queue: Queue, nodes: readonly Node[]): void {
  const leaving = new Set(pass.preempts.map((preempt) => preempt.job));
  const candidates = nodes.map((node) => ({ node, free: copyFree(pass.free.get(node.name) as Free) }));
  const victims: Job[] = [];
  for (const id of pass.state.live) {
    const other = jobOf(pass.state, id);
    if (!holdsResources(other.attempt)) continue;
    if (other.attempt.stop !== null || leaving.has(id)) giveBackTo(candidates, other);
    else if (isVictim(pass, other, queue)) victims.push(other);
  }
  const { resources } = job.spec;
  if (victims.length === 0 || findPlace(resources, candidates) !== null) return;
  victims.sort((a, b) => byLoss(pass, a, b));
  const chosen =
    resources.nodes.max === 1
      ? fewestOnOneNode(job, candidates, victims)
      : enoughAnywhere(job, candidates, victims);
  for (const victim of chosen) pass.preempts.push({ job: victim.id, forJob: job.id });
}

function isVictim(pass: Pass, job: Job, queue: Queue): boolean {
  const own = queueNamed(pass.policy, job.spec.queue);
  return own !== null && own.preempt !== 'off' && own.priority < queue.priority;
}

function byLoss(pass: Pass, a: Job, b: Job): number {
  const rank = (job: Job) => queueNamed(pass.policy, job.spec.queue)?.priority ?? 0;
  const started = (job: Job) => job.attempt?.startedAt ?? job.attempt?.assignedAt ?? 0;
  return rank(a) - rank(b) || started(b) - started(a) || b.id - a.id;
}

function fewestOnOneNode(
  job: Job,
  candidates: readonly Candidate[],
  victims: readonly Job[],
): readonly Job[] {
  let best: readonly Job[] | null = null;
  for (const candidate of candidates) {
    const here = victims.filter((victim) =>
      victim.attempt?.placement.nodes.some(({ node }) => node === candidate.node.name),
    );
    const chosen = enoughAnywhere(job, [{ node: candidate.node, free: copyFree(candidate.free) }], here);
    if (chosen.length > 0 && (best === null || chosen.length < best.length)) best = chosen;
  }
  return best ?? [];
}

/** Takes victims in order until the job fits, then spares those that turn out not to be needed. */
function enoughAnywhere(job: Job, candidates: readonly Candidate[], victims: readonly Job[]): readonly Job[] {
  const fits = (leaving: readonly Job[]) => {
    const then = candidates.map(({ node, free }) => ({ node, free: copyFree(free) }));
    for (const victim of leaving) giveBackTo(then, victim);
    return findPlace(job.spec.resources, then) !== null;
  };
  let count = 0;
  while (count < victims.length && !fits(victims.slice(0, count))) count++;
  let chosen = victims.slice(0, count);
  if (!fits(chosen)) return [];
  for (const victim of [...chosen].reverse()) {
    const without = chosen.filter((other) => other !== victim);
    if (fits(without)) chosen = without;
  }
  return chosen;
}

function giveBackTo(candidates: readonly Candidate[], job: Job): void {
  for (const share of job.attempt?.placement.nodes ?? []) {
    const candidate = candidates.find(({ node }) => node.name === share.node);
    if (candidate !== undefined) add(candidate.free, candidate.node, share);
  }
}
