/**
 * What must hold whatever happens. Adds everything up again from the jobs alone and compares it with the
 * indexes; for tests and the simulator, too slow for every turn of a large yard.
 */

import { jobOfAttempt, type NodeName } from '../model/ids.ts';
import { holdsResources, isLive, isUnderWay, type Job, type NodeShare, sharesHeld } from '../model/job.ts';
import { countOf } from '../model/ranges.ts';
import { invariant } from '../model/refusal.ts';
import { isQueued } from './backlog.ts';
import { dueAt } from './due.ts';
import { newLedger, take, WHOLE_DEVICE_MILLIS } from './ledger.ts';
import { newState, putJob, type YardState } from './state.ts';
import { NOTHING } from './tally.ts';

/** Nodes that came back smaller than what ran on them may be over their capacity for a while: name them. */
export function validate(state: YardState, shrunk: ReadonlySet<NodeName> = new Set()): void {
  nodesAddUp(state, shrunk);
  for (const job of state.jobs.values()) {
    jobHolds(state, job);
    agendaHolds(state, job);
    if (job.array !== null) arrayHolds(job);
  }
  stepsHold(state);
  indexesHold(state);
}

/** No step outlives its attempt, and those that do not overlap share nothing. */
function stepsHold(state: YardState): void {
  for (const [id, steps] of state.steps) {
    const attempt = state.jobs.get(jobOfAttempt(id))?.attempt ?? null;
    invariant(attempt?.id === id && isUnderWay(attempt), `attempt ${id} is over and has ${steps.size} steps`);
    invariant(attempt.startedAt !== null, `attempt ${id} does not run yet and has steps`);
    const left = new Map(attempt.placement.nodes.map((share) => [share.node, partsOf(share)]));
    for (const { n, overlap, placement, endedAt } of steps.values()) {
      invariant(endedAt === null && n < attempt.stepCount, `step ${n} of ${id} should not be in memory`);
      for (const share of placement.nodes) {
        const parts = left.get(share.node);
        invariant(parts !== undefined, `step ${n} of ${id} is on ${share.node}, where its attempt is not`);
        takeParts(overlap ? partsOf(parts.share) : parts, share, `step ${n} of ${id} on ${share.node}`);
      }
    }
  }
}

interface Parts {
  readonly share: NodeShare;
  cpus: number;
  readonly cpuIds: Set<number>;
  readonly devices: Set<number>;
}

function partsOf(share: NodeShare): Parts {
  const devices = new Set(share.devices.map(({ index }) => index));
  return { share, cpus: share.cpus, cpuIds: new Set(share.cpuIds), devices };
}

function takeParts(parts: Parts, { cpus, cpuIds, devices }: NodeShare, whose: string): void {
  parts.cpus -= cpus;
  invariant(parts.cpus >= 0, `${whose}: there are ${parts.cpus} CPUs left`);
  for (const id of cpuIds) invariant(parts.cpuIds.delete(id), `${whose}: CPU ${id} is not free`);
  for (const { index } of devices)
    invariant(parts.devices.delete(index), `${whose}: device ${index} is not free`);
}

function nodesAddUp(state: YardState, shrunk: ReadonlySet<NodeName>): void {
  for (const node of state.nodes.values()) {
    const again = newLedger(node);
    for (const { attempt } of state.jobs.values()) {
      if (!holdsResources(attempt)) continue;
      for (const share of sharesHeld(attempt)) if (share.node === node.name) take(again, node, share);
    }
    const ledger = state.ledgers.get(node.name);
    const { free } = again;
    invariant(
      JSON.stringify(ledger?.free) === JSON.stringify(free),
      `node ${node.name}: the ledger says ${JSON.stringify(ledger?.free)}, the jobs say ${JSON.stringify(free)}`,
    );
    if (shrunk.has(node.name)) continue;
    invariant(free.cpus >= 0, `node ${node.name} has ${free.cpus} CPUs free`);
    invariant(free.memoryBytes >= 0, `node ${node.name} has ${free.memoryBytes} bytes free`);
    const grown = grownOn(state, node.name);
    for (const [at, millis] of free.devices.entries())
      invariant(
        (millis >= 0 || grown.has(node.devices[at]?.index ?? -1)) && millis <= WHOLE_DEVICE_MILLIS,
        `device ${at} of ${node.name} has ${millis} thousandths free`,
      );
  }
}

/** Devices of which somebody uses more than it was given: nothing can be done about that. */
function grownOn(state: YardState, name: NodeName): ReadonlySet<number> {
  const grown = new Set<number>();
  for (const { attempt } of state.jobs.values()) {
    if (!holdsResources(attempt)) continue;
    for (const { node, devices } of attempt.placement.nodes)
      for (const { index, hasGrown } of devices) if (node === name && hasGrown === true) grown.add(index);
  }
  return grown;
}

function jobHolds(state: YardState, job: Job): void {
  const { id, phase, attempt } = job;
  invariant(
    isLive(attempt) === state.live.has(id),
    `job ${id}: live ${isLive(attempt)}, listed ${state.live.has(id)}`,
  );
  invariant(!isLive(attempt) || phase === 'active', `job ${id} is ${phase} with a live attempt`);
  invariant(
    phase !== 'active' || isLive(attempt) || job.array !== null,
    `job ${id} is active without a live attempt`,
  );
  invariant(
    (phase === 'ended') === (job.outcome !== null),
    `job ${id} is ${phase} with outcome ${job.outcome}`,
  );
  invariant(
    (phase === 'held') === (job.hold !== null),
    `job ${id} is ${phase} with hold ${JSON.stringify(job.hold)}`,
  );
  const startable = phase === 'pending' && (job.array === null || job.array.unstarted.length > 0);
  invariant(
    startable === isQueued(state.backlog, job),
    `job ${id} is ${phase}, queued ${isQueued(state.backlog, job)}`,
  );
  invariant(id < state.nextJobId, `job ${id} is numbered beyond ${state.nextJobId}`);
}

function arrayHolds(job: Job): void {
  const { array } = job;
  if (array === null || job.spec.array === null) return;
  const ended = Object.values(array.ended).reduce((sum, n) => sum + n, 0);
  const total = countOf(job.spec.array.indices);
  invariant(
    countOf(array.unstarted) + array.live + ended === total,
    `array ${job.id}: ${countOf(array.unstarted)} unstarted + ${array.live} live + ${ended} ended is not ${total}`,
  );
  invariant(
    job.phase !== 'ended' || array.live === 0,
    `array ${job.id} ended with ${array.live} live elements`,
  );
}

/** Whatever time will bring about is on the agenda. A begin time may have passed without effect. */
function agendaHolds(state: YardState, job: Job): void {
  const due = job.phase === 'waiting' ? job.spec.deadlineAt : dueAt(job);
  if (due === null) return;
  const entered = state.agenda.earliest.get(job.id);
  invariant(
    entered !== undefined && entered <= due,
    `job ${job.id} is due at ${due} and entered for ${entered}`,
  );
}

/** Building the indexes anew from the jobs gives the same. */
function indexesHold(state: YardState): void {
  const again = newState();
  again.nextJobId = state.nextJobId;
  for (const node of state.nodes.values()) {
    again.nodes.set(node.name, node);
    again.ledgers.set(node.name, newLedger(node));
  }
  for (const job of state.jobs.values()) putJob(again, job);
  const same = (what: string, a: unknown, b: unknown) =>
    invariant(
      JSON.stringify(a) === JSON.stringify(b),
      `${what}: kept ${JSON.stringify(a)}, counted ${JSON.stringify(b)}`,
    );
  same('counts', state.counts, again.counts);
  same('lenders', [...state.lenders].sort(), [...again.lenders].sort());
  talliesHold(state, again);
  same('unended of users', sorted(state.tallies.unendedByUser), sorted(again.tallies.unendedByUser));
  same('unended of queues', sorted(state.tallies.unendedByQueue), sorted(again.tallies.unendedByQueue));
  same('unended of QOS', sorted(state.tallies.unendedByQosUser), sorted(again.tallies.unendedByQosUser));
  same('ranks of layouts', sorted(state.tallies.ranksByLayout), sorted(again.tallies.ranksByLayout));
  same('learners', sorted(sets(state.learners)), sorted(sets(again.learners)));
  for (const [page, ids] of state.learners)
    invariant(ids.size === 1, `jobs ${[...ids].join(', ')} show at once what ${page} uses`);
  same('places', sorted(sets(state.places)), sorted(sets(again.places)));
  for (const [place, ids] of state.places)
    invariant(ids.size === 1, `jobs ${[...ids].join(', ')} keep their checkpoints in ${place} at once`);
  same('live elements', sorted(state.liveElements), sorted(again.liveElements));
  same('dependents', sorted(sets(state.dependents)), sorted(sets(again.dependents)));
  same('namesakes', sorted(sets(state.namesakes)), sorted(sets(again.namesakes)));
  same('singletons', sorted(sets(state.singletons)), sorted(sets(again.singletons)));
}

function sorted<K, V>(map: Map<K, V>): [K, V][] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1));
}

function sets<K>(map: Map<K, Set<number>>): Map<K, number[]> {
  return new Map([...map].map(([key, set]) => [key, [...set].sort((a, b) => a - b)]));
}

function talliesHold(state: YardState, again: YardState): void {
  for (const part of ['byUser', 'byQueue', 'byQueueUser', 'byQosUser'] as const) {
    const [kept, counted] = [state.tallies[part], again.tallies[part]];
    for (const key of new Set([...kept.keys(), ...counted.keys()])) {
      const a = kept.get(key) ?? NOTHING;
      const b = counted.get(key) ?? NOTHING;
      invariant(
        isNear(a.running, b.running) &&
          isNear(a.cpus, b.cpus) &&
          isNear(a.gpuMillis, b.gpuMillis) &&
          isNear(a.weight, b.weight) &&
          isNear(a.weightedStart, b.weightedStart, ONE_CPU_MS),
        `${part} ${key}: kept ${JSON.stringify(a)}, counted ${JSON.stringify(b)}`,
      );
    }
  }
}

/** What is summed up of it are times since 1970, however little is left of them in the end. */
const ONE_CPU_MS = 1;

/** Sums of the same numbers in another order differ in the last bits. */
function isNear(a: number, b: number, least = 1e-6): boolean {
  return Math.abs(a - b) <= least + 1e-9 * Math.abs(b);
}
