/** Why a job is not running, found out anew whenever somebody asks. */

import type { JobId } from '../../model/ids.ts';
import { holdsResources, type Job } from '../../model/job.ts';
import type { DependencyTerm, JobSpec } from '../../model/job-spec.ts';
import type { Node } from '../../model/node.ts';
import type { Policy, Queue, QueueState } from '../../model/policy.ts';
import { countOf, indicesOf } from '../../model/ranges.ts';
import type { Explanation, Reason, ResourceName, Shortage, UnmetDependency } from '../../model/reason.ts';
import { termStanding } from '../dependencies.ts';
import type { Free } from '../ledger.ts';
import { nextStart } from '../places.ts';
import { tierOf } from '../precedence.ts';
import { fairShares, priorityOf } from '../priority.ts';
import { allowsTimeOf, isOpen, queuesFor } from '../queues.ts';
import { jobOf, queueState, type YardState } from '../state.ts';
import { asCounted, type SizedRequest, sized } from './device-wishes.ts';
import { eligibleNodes } from './eligible.ts';
import { explainGpus, foreignHolds, gpuShortage, learningReason } from './explain-gpus.ts';
import { type Candidate, fewestRanks, findPlace, memoryOn } from './fit.ts';
import { forecast } from './forecast.ts';
import { enterLenders, settleLenders } from './lenders.ts';
import { limitReached, runningNow, throttleOf } from './limits.ts';
import { orderOf } from './order.ts';
import { newPass } from './pass.ts';
import { whyImpossible } from './possible.ts';
import { expectedEnd } from './releases.ts';

/** How far down the order one looks before saying "many". */
const FAR = 20_000;

export function explain(state: YardState, policy: Policy, now: number, job: Job): Explanation {
  const reason = reasonOf(state, policy, job, now);
  const wanted = explainGpus({ state, policy, now }, job);
  const gpus = wanted === null ? {} : { gpus: wanted };
  if (job.phase !== 'pending') {
    const at = reason?.kind === 'begin' ? reason.at : null;
    return { reason, expectedStartAt: at, priority: null, ahead: 0, ...gpus };
  }
  const fair = fairShares(state, policy, now);
  const { ahead, first } = standing(state, policy, now, job);
  return {
    reason: reason?.kind === 'priority' ? { kind: 'priority', behind: first, ahead } : reason,
    expectedStartAt:
      reason !== null && NO_FORECAST.has(reason.kind) ? null : forecast(state, policy, now, job),
    priority: priorityOf(job.spec, job.eligibleAt ?? now, policy, fair, now),
    ahead,
    ...gpus,
  };
}

/** What stands in the way here is not a matter of room, so room cannot say when it ends. */
const NO_FORECAST: ReadonlySet<Reason['kind']> = new Set<Reason['kind']>([
  'neverPossible',
  'queueClosed',
  'limit',
  'throttle',
  'place',
  'learning',
]);

/** The reason alone, cheap enough for a list. Null when the job runs or has ended. */
export function reasonOf(state: YardState, policy: Policy, job: Job, now: number): Reason | null {
  if (job.phase === 'held')
    return { kind: 'held', by: job.hold?.by ?? 'user', note: job.hold?.reason ?? null };
  if (job.phase === 'waiting') return waitingReason(state, job, now);
  if (job.phase !== 'pending') return null;
  const reasons = queuesFor(policy, job.spec).map((queue) => reasonInQueue(state, policy, job, queue, now));
  return closestOf(reasons) ?? { kind: 'neverPossible', why: `queue ${job.spec.queue} is no longer there` };
}

/** Of several queues, what it waits for in the one in which it is closest to starting. */
function closestOf(reasons: readonly Reason[]): Reason | null {
  let closest: Reason | null = null;
  for (const reason of reasons)
    if (closest === null || distance(reason) < distance(closest)) closest = reason;
  return closest;
}

function distance({ kind }: Reason): number {
  return FROM_NEAR_TO_FAR.indexOf(kind);
}

const FROM_NEAR_TO_FAR: readonly Reason['kind'][] = [
  'priority',
  'resources',
  'learning',
  'throttle',
  'place',
  'limit',
  'nodesUnavailable',
  'queueClosed',
  'neverPossible',
];

function reasonInQueue(state: YardState, policy: Policy, job: Job, queue: Queue, now: number): Reason {
  const { spec } = job;
  if (!isOpen(state, queue)) return closed(queue, queueState(state, queue.name));
  const tooLong = spec.queueChoices !== undefined && !allowsTimeOf(queue, spec);
  if (tooLong) return { kind: 'neverPossible', why: `queue ${queue.name} does not allow so much time` };
  const impossible = whyImpossible(state, queue, spec);
  if (impossible !== null) return { kind: 'neverPossible', why: impossible.why };
  const throttle = throttleOf(state, job);
  const array = job.element?.array ?? job.id;
  if (throttle !== null && (state.liveElements.get(array) ?? 0) >= throttle)
    return { kind: 'throttle', allowed: throttle };
  const place = takenPlace(state, job);
  if (place !== null) return place;
  const limit = limitReached(
    policy,
    queue,
    asCounted({ state, policy, now }, spec),
    runningNow(state.tallies),
  );
  if (limit !== null) return limit;

  const eligible = eligibleNodes(state.nodes.values(), queue, spec);
  const up = eligible.filter((node) => node.state === 'up');
  if (up.length === 0) return { kind: 'nodesUnavailable', nodes: eligible.map(({ name }) => name) };
  const candidates = openNow(state, policy, spec, up);
  const request = fewestRanks(sized({ state, policy, now }, spec, spec.resources));
  if (findPlace(request, candidates) !== null) return { kind: 'priority', behind: null, ahead: 0 };
  const learning = learningReason({ state }, spec, request, up);
  if (learning !== null) return learning;
  const short = shortages(request, candidates);
  const foreign = short.some(({ resource }) => ABOUT_GPUS.has(resource)) ? foreignHolds(request, up) : [];
  return {
    kind: 'resources',
    short,
    waitsFor: holders(state, up, short),
    ...(foreign.length === 0 ? {} : { foreign }),
  };
}

const ABOUT_GPUS: ReadonlySet<ResourceName> = new Set<ResourceName>(['gpus', 'gpuMemory', 'gpuLoad']);

/** What is free, less what is kept for those who lent it to others and go before this job. */
function openNow(state: YardState, policy: Policy, spec: JobSpec, nodes: readonly Node[]): Candidate[] {
  if (state.lenders.size === 0)
    return nodes.map((node) => ({ node, free: state.ledgers.get(node.name)?.free as Free }));
  const pass = newPass(state, policy, 0);
  enterLenders(pass);
  settleLenders(pass, tierOf(policy, spec));
  return nodes.map((node) => ({ node, free: pass.free.get(node.name) as Free }));
}

/** Somebody else keeps checkpoints where it would. */
function takenPlace(state: YardState, job: Job): Reason | null {
  const { places, nextJobId } = state;
  const next = nextStart(job, indicesOf(job.array?.unstarted ?? []), nextJobId, (place) => places.has(place));
  if (next === null || next.isFree) return null;
  const [holder = job.id] = places.get(next.place) ?? [];
  return { kind: 'place', directory: next.place, job: holder };
}

function closed({ name }: Queue, { disabled, suspended }: QueueState): Reason {
  const because = suspended ? 'suspended' : disabled ? 'disabled' : null;
  return { kind: 'queueClosed', queue: name, ...(because === null ? {} : { because }) };
}

function waitingReason(state: YardState, job: Job, now: number): Reason {
  const terms = job.spec.dependencies?.terms ?? [];
  const unmet: UnmetDependency[] = [];
  for (const term of terms) {
    if (termStanding(state, job, term, job.element?.index ?? null, now) !== 'met')
      unmet.push({ term, other: otherOf(state, term) });
  }
  const need = job.spec.dependencies?.need ?? 'all';
  const enough = need === 'any' && unmet.length < terms.length;
  if (unmet.length > 0 && !enough) return { kind: 'dependency', unmet, need };
  if (job.spec.beginAt !== null) return { kind: 'begin', at: job.spec.beginAt };
  return { kind: 'notLookedAt' };
}

function otherOf(state: YardState, term: DependencyTerm): UnmetDependency['other'] {
  const target = term.kind === 'singleton' ? undefined : state.jobs.get(term.job);
  return target === undefined ? null : { phase: target.phase, outcome: target.outcome };
}

/** What is missing on the node that comes closest. */
function shortages(request: SizedRequest, candidates: readonly Candidate[]): readonly Shortage[] {
  let closest: Shortage[] | null = null;
  for (const candidate of candidates) {
    const here = shortOn(request, candidate);
    if (
      closest === null ||
      here.length < closest.length ||
      (here.length === closest.length && gap(here) < gap(closest))
    )
      closest = here;
  }
  if (request.nodes.min > 1) {
    const ready = candidates.filter((candidate) => shortOn(request, candidate).length === 0).length;
    return [
      { resource: 'nodes', wanted: request.nodes.min, free: ready, total: candidates.length },
      ...(ready === 0 ? (closest ?? []) : []),
    ];
  }
  return closest ?? [];
}

function gap(short: readonly Shortage[]): number {
  return short.reduce((sum, { wanted, free }) => sum + (wanted - free) / wanted, 0);
}

function shortOn(request: SizedRequest, { node, free }: Candidate): Shortage[] {
  const { nodes, ranks, cpusPerRank, memory, gpus, exclusive } = request;
  const ranksHere = request.ranksPerNode ?? Math.ceil(ranks / nodes.max);
  const cpus = exclusive ? node.cpus : ranksHere * cpusPerRank;
  const short: Shortage[] = [];
  if (free.cpus < cpus)
    short.push({ resource: 'cpus', wanted: cpus, free: Math.max(0, free.cpus), total: node.cpus });
  if (memory !== null) {
    const bytes = memoryOn(request, node, ranksHere, cpus);
    if (free.memoryBytes < bytes)
      short.push({
        resource: 'memory',
        wanted: bytes,
        free: Math.max(0, free.memoryBytes),
        total: node.memoryBytes,
      });
  }
  if (gpus !== null) {
    const wanted =
      gpus.per === 'rank'
        ? gpus.count * ranksHere
        : gpus.per === 'job'
          ? Math.ceil(gpus.count / nodes.max)
          : gpus.count;
    const missing = gpuShortage(request, { node, free }, wanted);
    if (missing !== null) short.push(missing);
  }
  return short;
}

/** Who holds what is short, the first to end first. */
function holders(state: YardState, nodes: readonly Node[], short: readonly Shortage[]): readonly JobId[] {
  const names = new Set(nodes.map(({ name }) => name));
  const onlyGpus = short.length > 0 && short.every(({ resource }) => ABOUT_GPUS.has(resource));
  const holding: Job[] = [];
  for (const id of state.live) {
    const job = jobOf(state, id);
    if (!holdsResources(job.attempt)) continue;
    const here = job.attempt.placement.nodes.filter(({ node }) => names.has(node));
    if (here.length > 0 && (!onlyGpus || here.some(({ devices }) => devices.length > 0))) holding.push(job);
    if (holding.length >= FAR) break;
  }
  return holding
    .sort((a, b) => expectedEnd(a, 0) - expectedEnd(b, 0) || a.id - b.id)
    .slice(0, 5)
    .map(({ id }) => id);
}

/** How many go before it, and who is first. */
function standing(
  state: YardState,
  policy: Policy,
  now: number,
  job: Job,
): { ahead: number; first: JobId | null } {
  const order = orderOf(state, policy, fairShares(state, policy, now), now);
  let ahead = 0;
  let first: JobId | null = null;
  for (let contender = order.next(); contender !== undefined && ahead < FAR; contender = order.next()) {
    if (contender.job === job.id) break;
    first ??= contender.job;
    const other = jobOf(state, contender.job);
    ahead += other.array === null ? 1 : countOf(other.array.unstarted);
    order.passOn(contender);
  }
  return { ahead, first };
}
