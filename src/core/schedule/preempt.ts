/**
 * Making room: which jobs are asked to leave for one that may demand it, or to lend it their CPUs. As few as possible,
 * of the lowest tier, and among those the ones that lose the least work.
 */

import type { NodeName } from '../../model/ids.ts';
import { type Job, type Placement, sharesHeld } from '../../model/job.ts';
import type { JobSpec } from '../../model/job-spec.ts';
import type { Queue } from '../../model/policy.ts';
import { add, addCpus, copyFree } from '../ledger.ts';
import { mustMakeRoom } from '../precedence.ts';
import { type SizedRequest, sized } from './device-wishes.ts';
import { type Candidate, fewestRanks, findPlace } from './fit.ts';
import { leaveLenders, lend, lendNot } from './lenders.ts';
import { type Candidates, candidatesOn, nodesFor, type Pass, type Seat } from './pass.ts';
import { findSeat } from './seat.ts';
import { occupantsOf, type Victim, type Victims } from './victims.ts';

/**
 * The place that it has at once, because those who had it lend it; or that one is coming, from those who are leaving;
 * or null: nobody can help.
 */
export function makeRoom(pass: Pass, job: Job, queue: Queue): Seat | 'coming' | null {
  const { leaving, mild, harsh } = occupantsOf(pass);
  const now = candidatesOn(pass, nodesFor(pass, queue, job.spec));
  const asked = new Set([...pass.preempts.map((one) => one.job), ...leaving.map((victim) => victim.job.id)]);
  const there = without(now, leaving);
  const resources = fewestRanks(sized(pass, job.spec, job.spec.resources));
  if (findPlace(resources, there.all) !== null)
    return findPlace(resources, now.all) === null ? comingTo(pass, job) : null;
  const mustGo = remembered((spec: JobSpec) => mustMakeRoom(pass.policy, job.spec, queue, spec));
  const mayGo = (victim: Victim) => !asked.has(victim.job.id) && mustGo(victim.job.spec);
  const chosen =
    choose(resources, there, mild, mayGo) ??
    (harsh === null ? null : milder(resources, there, choose(resources, there, harsh, mayGo)));
  if (chosen === null) return null;
  const slow = chosen.filter((victim) => !lendsAtOnce(victim));
  if (slow.length === 0) return seatAmong(pass, job, queue, chosen, now);
  // Those who could lend at once go on until the others have gone: nobody could use what they lend before.
  ask(pass, job, slow);
  leaving.push(...slow);
  return comingTo(pass, job);
}

/** Jobs of the same queue and QOS share what was once found out about them. */
function remembered(findOut: (spec: JobSpec) => boolean): (spec: JobSpec) => boolean {
  const known = new Map<string, boolean>();
  return (spec) => {
    const key = `${spec.queue} ${spec.qos}`;
    const answer = known.get(key) ?? findOut(spec);
    known.set(key, answer);
    return answer;
  };
}

function comingTo(pass: Pass, job: Job): 'coming' {
  pass.expected.add(job.id);
  return 'coming';
}

/** Without a notice that it was to be given first. */
function lendsAtOnce({ job, attempt, suspend }: Victim): boolean {
  if (!suspend || attempt.startedAt === null) return false;
  return job.spec.suspendSignal === undefined || attempt.suspendedAt !== null;
}

/** What is about to begin can be suspended in a moment, when it has. */
function ask(pass: Pass, job: Job, victims: readonly Victim[]): void {
  for (const { job: victim, attempt, suspend } of victims) {
    if (!suspend) leaveLenders(pass, victim.id);
    else if (attempt.startedAt === null) continue;
    pass.preempts.push({ job: victim.id, forJob: job.id, suspend });
  }
}

/** They lend what they have if that gives the job its place now: not while others are still there, or it is kept for somebody. */
function seatAmong(
  pass: Pass,
  job: Job,
  queue: Queue,
  chosen: readonly Victim[],
  now: Candidates,
): Seat | 'coming' | null {
  for (const victim of chosen) lend(pass, victim.job, victim.attempt);
  const seat = findSeat(pass, job.spec, [queue]);
  if (seat !== null) {
    ask(pass, job, chosen);
    return seat;
  }
  const isKept = findPlace(fewestRanks(sized(pass, job.spec, job.spec.resources)), now.all) !== null;
  for (const victim of chosen) lendNot(pass, victim.job, victim.attempt);
  return isKept ? null : comingTo(pass, job);
}

/** Null when not even all of them together are enough. */
function choose(
  request: SizedRequest,
  there: Candidates,
  victims: Victims,
  mayGo: (victim: Victim) => boolean,
): readonly Victim[] | null {
  if (request.nodes.max > 1) return enough(request, there, victims.all.filter(mayGo));
  let best: readonly Victim[] | null = null;
  for (const candidate of there.all) {
    const { name } = candidate.node;
    const here = { all: [candidate], positions: new Map<NodeName, number>([[name, 0]]) };
    const chosen = enough(request, here, (victims.byNode.get(name) ?? []).filter(mayGo));
    if (chosen !== null && (best === null || isBetter(chosen, best))) best = chosen;
  }
  return best;
}

function isBetter(a: readonly Victim[], b: readonly Victim[]): boolean {
  const highest = (victims: readonly Victim[]) => Math.max(...victims.map(({ tier }) => tier));
  const loss = (victims: readonly Victim[]) => victims.reduce((sum, { lossMs }) => sum + lossMs, 0);
  if (a.length !== b.length) return a.length < b.length;
  return highest(a) === highest(b) ? loss(a) < loss(b) : highest(a) < highest(b);
}

/** The first that makes the job fit alone; or the first so many that do, without those that turn out not to be needed. */
function enough(
  request: SizedRequest,
  there: Candidates,
  victims: readonly Victim[],
): readonly Victim[] | null {
  const placeWithout = (leaving: readonly Victim[]) => placeIn(request, there, leaving);
  if (victims.length === 0 || placeWithout(victims) === null) return null;
  const alone = there.all.length === 1 && victims.find((victim) => placeWithout([victim]) !== null);
  if (alone) return [alone];
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
    .filter(({ attempt }) => attempt.placement.nodes.some(({ node }) => used.has(node)));
  for (const victim of [...chosen].reverse()) {
    const others = chosen.filter((other) => other !== victim);
    if (placeWithout(others) !== null) chosen = others;
  }
  return chosen;
}

function placeIn(request: SizedRequest, there: Candidates, leaving: readonly Victim[]): Placement | null {
  return findPlace(request, without(there, leaving).all);
}

/** Whoever of them would rather be suspended is, as long as the job still fits. */
function milder(
  request: SizedRequest,
  there: Candidates,
  chosen: readonly Victim[] | null,
): readonly Victim[] | null {
  if (chosen === null) return null;
  let result = chosen;
  for (const victim of chosen) {
    if (victim.suspend || !victim.mayLend) continue;
    const suspended = { ...victim, suspend: true, lossMs: 0 };
    const others = result.map((one) => (one === victim ? suspended : one));
    if (placeIn(request, there, others) !== null) result = others;
  }
  return result;
}

/** What would be free if these were gone, or had lent their CPUs. */
function without({ all, positions }: Candidates, leaving: readonly Victim[]): Candidates {
  const then = all.slice();
  for (const { attempt, suspend } of leaving) {
    for (const share of suspend ? attempt.placement.nodes : sharesHeld(attempt)) {
      const at = positions.get(share.node);
      if (at === undefined) continue;
      const { node, free } = then[at] as Candidate;
      const more = then[at] === all[at] ? copyFree(free) : free;
      if (suspend) addCpus(more, share);
      else add(more, node, share);
      then[at] = { node, free: more };
    }
  }
  return { all: then, positions };
}
