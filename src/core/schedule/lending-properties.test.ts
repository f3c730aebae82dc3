/** What holds wherever jobs make room for each other, tried on many yards made from seeds. */

import { describe, expect, test } from 'vitest';
import {
  aJob,
  aNode,
  aPolicy,
  aQos,
  aQueue,
  aYard,
  GIB,
  MINUTE,
  type TestYard,
} from '../../../test/builders.ts';
import { type Random, seededRandom } from '../../sim/random.ts';
import { admitJob, newState, putNode, type YardState } from '../state.ts';
import { validate } from '../validate.ts';
import { plan } from './plan.ts';

const policy = aPolicy({
  queues: [
    aQueue('urgent', { priority: 9 }),
    aQueue('main', { isDefault: true, priority: 5, preempt: 'suspend' }),
    aQueue('spare', { priority: 1, preempt: 'suspend' }),
    aQueue('scraps', { priority: 0, preempt: 'requeue' }),
  ],
  qos: [
    aQos('normal', { isDefault: true }),
    aQos('low', { preempt: 'suspend' }),
    aQos('high', { preempts: ['low'] }),
  ],
  maxRestarts: 1000,
});
const QUEUES = ['urgent', 'main', 'main', 'spare', 'spare', 'scraps'];
const SEEDS = Array.from({ length: 40 }, (_, at) => at + 1);

function someYard(random: Random, afterEach: (yard: TestYard) => void): TestYard {
  const yard = aYard(policy).withNodes(
    ...Array.from({ length: random.between(1, 3) }, (_, at) => {
      const node = aNode(`n${at}`)
        .withMemory(16 * GIB)
        .withGpus(random.between(0, 2));
      const ids = Array.from({ length: random.between(2, 6) }, (_, id) => id);
      return random.chance(0.6) ? node.withNumberedCpus(...ids) : node.withCpus(ids.length);
    }),
  );
  for (let step = 0; step < 60; step++) {
    yard.now += random.between(0, 3) * MINUTE;
    const running = yard.running();
    const roll = random.next();
    if (roll < 0.4) submitSome(yard, random);
    else if (roll < 0.6 && running.length > 0) yard.ends(random.pick(running), random.pick([0, 143]));
    else if (roll < 0.75 && running.length > 0) tellSome(yard, random, random.pick(running));
    else yard.pass(random.between(0, 60) * MINUTE);
    yard.schedule();
    for (const id of yard.running()) if (random.chance(0.9)) runIt(yard, id);
    yard.schedule();
    afterEach(yard);
  }
  return yard;
}

function runIt(yard: TestYard, id: number): void {
  const { attempt } = yard.job(id);
  if (attempt?.startedAt === null && attempt.stop === null) yard.runs(id);
}

function tellSome(yard: TestYard, random: Random, id: number): void {
  const { attempt } = yard.job(id);
  if (attempt?.startedAt == null || attempt.stop !== null) return;
  const target = { job: id, index: null };
  const isLent = attempt.suspendedFor?.includes('preemption') === true;
  const type = random.pick(['cancel', 'suspend', 'resume', 'requeue'] as const);
  if (type === 'requeue') yard.tell({ type, target, by: 'root', hold: false });
  else if (type !== 'resume' || !isLent) yard.tell({ type, target, by: 'root' });
}

function submitSome(yard: TestYard, random: Random): void {
  let job = aJob()
    .by(random.pick(['ann', 'bob']))
    .inQueue(random.pick(QUEUES))
    .wanting({ cpus: random.between(1, 2), exclusive: random.chance(0.05) })
    .limitedTo(random.chance(0.5) ? random.between(5, 120) * MINUTE : null);
  if (random.chance(0.4)) job = job.withQos(random.pick(['low', 'high']));
  if (random.chance(0.3)) job = job.wanting({ memoryBytes: random.between(1, 10) * GIB });
  if (random.chance(0.2)) job = job.wanting({ gpus: 1, gpuShare: random.pick([500, 1000]) });
  if (random.chance(0.15)) job = job.wanting({ nodes: [1, 2], ranks: 2 });
  if (random.chance(0.2)) job = job.neverRequeued();
  if (random.chance(0.2)) job = job.saying({ suspendSignal: 10 });
  try {
    yard.submit(job);
  } catch (error) {
    // Some of what is wanted no node has.
    expect(String(error)).toContain('was refused');
  }
}

/** The same yard, its jobs entered in another order. */
function rebuilt(state: YardState, random: Random): YardState {
  const again = newState();
  again.nextJobId = state.nextJobId;
  for (const node of state.nodes.values()) putNode(again, node);
  for (const job of random.shuffled([...state.jobs.values()])) admitJob(again, job);
  for (const [user, used] of state.usage) again.usage.set(user, used);
  return again;
}

function hasItsCpusFree({ state }: TestYard, id: number): boolean {
  const nodes = state.jobs.get(id)?.attempt?.placement.nodes ?? [];
  return nodes.every(({ node, cpus, cpuIds }) => {
    const ledger = state.ledgers.get(node);
    return (
      ledger !== undefined && ledger.free.cpus >= cpus && !cpuIds.some((cpu) => ledger.takenCpuIds.has(cpu))
    );
  });
}

describe.each(SEEDS)('yard %i', (seed) => {
  test('comes to rest, however it was built, with nobody waiting for what is free', () => {
    const random = seededRandom(seed);
    let loans = 0;
    someYard(random, (yard) => {
      const { state, now } = yard;
      const next = plan(state, policy, now);
      expect(next).toMatchObject({ starts: [], preempts: [], returns: [] });
      const again = rebuilt(state, random);
      validate(again);
      expect(plan(again, policy, now)).toEqual(next);
      for (const id of state.lenders) {
        const { makesRoomFor } = yard.job(id).attempt ?? {};
        loans++;
        // Of several that wait, one may have to wait for another.
        if (state.lenders.size === 1 && hasItsCpusFree(yard, id))
          expect(state.jobs.get(makesRoomFor ?? 0)?.phase).toBe('pending');
      }
    });
    totals.loans += loans;
  });

  test('when all has ended, everything is free again', () => {
    const yard = someYard(seededRandom(seed), () => {});
    for (const { id, phase } of [...yard.state.jobs.values()])
      if (phase !== 'ended') yard.tell({ type: 'cancel', target: { job: id, index: null }, by: 'root' });
    for (const id of yard.running()) yard.ends(id, 143);
    expect(yard.state.lenders.size).toBe(0);
    expect(yard.state.tallies.byUser.size).toBe(0);
    for (const [name, { cpus, memoryBytes, devices }] of yard.state.nodes) {
      const ledger = yard.state.ledgers.get(name);
      expect(ledger?.free).toEqual({
        cpus,
        memoryBytes,
        attempts: 0,
        devices: devices.map(() => 1000),
        loads: devices.map(() => 0),
      });
      expect(ledger?.takenCpuIds.size).toBe(0);
    }
  });
});

const totals = { loans: 0 };

test('they do make room', () => {
  expect(totals.loans).toBeGreaterThan(100);
});
