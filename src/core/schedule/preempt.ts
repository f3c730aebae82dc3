/**
 * Making room: which jobs of lower queues are asked to leave for one of a higher queue. As few as possible,
 * from the lowest queue, and among those the ones that have run the shortest.
 */

import type { NodeName } from '../../model/ids.ts';
import { holdsResources, type Job, type Placement } from '../../model/job.ts';
import type { JobSpec } from '../../model/job-spec.ts';
import type { Node } from '../../model/node.ts';
import type { Queue } from '../../model/policy.ts';
import { add, copyFree } from '../ledger.ts';
import { queueNamed } from '../priority.ts';
import { jobOf } from '../state.ts';
import { type Candidate, fewestRanks, findPlace } from './fit.ts';
import { type Candidates, candidatesOn, type Pass } from './pass.ts';

/** Not by a queue above the one that it is in, by which its turn comes: those it drove out would come back first. */
export function mayPreempt(pass: Pass, queue: Queue, spec: JobSpec): boolean {
  const own = queue.name === spec.queue ? queue : queueNamed(pass.policy, spec.queue);
  if (own === null || queue.priority > own.priority) return false;
  return pass.policy.queues.some((other) => other.priority < queue.priority && other.preempt !== 'off');
}

/** Adds to the pass whoever must leave; nobody when enough are leaving already, or when it would not help. */
export function makeRoom(pass: Pass, job: Job, queue: Queue, nodes: readonly Node[]): void {
  const { leaving, victims, byNode } = occupantsOf(pass);
  const asked = new Set(pass.preempts.map((preempt) => preempt.job));
  const askedJobs = [...asked].map((id) => jobOf(pass.state, id));
  const there = without(candidatesOn(pass, nodes), [...leaving, ...askedJobs]);
  const resources = fewestRanks(job.spec.resources);
  if (findPlace(resources, there.all) !== null) return;
  const mayGo = (victim: Job) => !asked.has(victim.id) && isLower(pass, victim, queue);
  const chosen =
    resources.nodes.max === 1
      ? fewestOnOneNode(job, there, (node) => (byNode.get(node) ?? []).filter(mayGo))
      : enough(job, there, victims.filter(mayGo));
  for (const victim of chosen) pass.preempts.push({ job: victim.id, forJob: job.id });
}

/** Who is where, as it was when the pass began. */
interface Occupants {
  /** They were asked to leave before. */
  readonly leaving: readonly Job[];
  /** They may be asked to, those that lose the least first. */
  readonly victims: readonly Job[];
  readonly byNode: ReadonlyMap<NodeName, readonly Job[]>;
}

const known = new WeakMap<Pass, Occupants>();

/** Found out once in a pass, since many jobs of a pass may look for room. */
function occupantsOf(pass: Pass): Occupants {
  let occupants = known.get(pass);
  if (occupants === undefined) {
    occupants = findOccupants(pass);
    known.set(pass, occupants);
  }
  return occupants;
}

function findOccupants(pass: Pass): Occupants {
  const leaving: Job[] = [];
  const victims: Job[] = [];
  for (const id of pass.state.live) {
    const job = jobOf(pass.state, id);
    if (!holdsResources(job.attempt)) continue;
    if (job.attempt.stop !== null) leaving.push(job);
    else if ((queueNamed(pass.policy, job.spec.queue)?.preempt ?? 'off') !== 'off') victims.push(job);
  }
  victims.sort((a, b) => byLoss(pass, a, b));
  const byNode = new Map<NodeName, Job[]>();
  for (const victim of victims) {
    for (const { node } of victim.attempt?.placement.nodes ?? []) {
      const here = byNode.get(node);
      if (here === undefined) byNode.set(node, [victim]);
      else here.push(victim);
    }
  }
  return { leaving, victims, byNode };
}

function isLower(pass: Pass, job: Job, queue: Queue): boolean {
  const own = queueNamed(pass.policy, job.spec.queue);
  return own !== null && own.priority < queue.priority;
}

function byLoss(pass: Pass, a: Job, b: Job): number {
  const rank = (job: Job) => queueNamed(pass.policy, job.spec.queue)?.priority ?? 0;
  const started = (job: Job) => job.attempt?.startedAt ?? job.attempt?.assignedAt ?? 0;
  return rank(a) - rank(b) || started(b) - started(a) || b.id - a.id;
}

function fewestOnOneNode(
  job: Job,
  { all }: Candidates,
  victimsOn: (node: NodeName) => readonly Job[],
): readonly Job[] {
  let best: readonly Job[] | null = null;
  for (const candidate of all) {
    const { name } = candidate.node;
    const chosen = enough(job, { all: [candidate], positions: new Map([[name, 0]]) }, victimsOn(name));
    if (chosen.length > 0 && (best === null || chosen.length < best.length)) best = chosen;
  }
  return best ?? [];
}

/** The first so many victims that make the job fit, without those that turn out not to be needed. */
function enough(job: Job, there: Candidates, victims: readonly Job[]): readonly Job[] {
  const placeWithout = (leaving: readonly Job[]) =>
    findPlace(fewestRanks(job.spec.resources), without(there, leaving).all);
  if (placeWithout(victims) === null) return [];
  let [low, high] = [0, victims.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (placeWithout(victims.slice(0, middle)) === null) low = middle + 1;
    else high = middle;
  }
  const place = placeWithout(victims.slice(0, low)) as Placement;
  const used = new Set(place.nodes.map(({ node }) => node));
  let chosen = victims
    .slice(0, low)
    .filter((victim) => victim.attempt?.placement.nodes.some(({ node }) => used.has(node)));
  for (const victim of [...chosen].reverse()) {
    const others = chosen.filter((other) => other !== victim);
    if (placeWithout(others) !== null) chosen = others;
  }
  return chosen;
}

/** What would be free if these were gone. */
function without({ all, positions }: Candidates, leaving: readonly Job[]): Candidates {
  const then = all.slice();
  for (const { attempt } of leaving) {
    for (const share of attempt?.placement.nodes ?? []) {
      const at = positions.get(share.node);
      if (at === undefined) continue;
      const { node, free } = then[at] as Candidate;
      const more = then[at] === all[at] ? copyFree(free) : free;
      add(more, node, share);
      then[at] = { node, free: more };
    }
  }
  return { all: then, positions };
}
