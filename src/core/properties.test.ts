/** What holds for every yard, tried on many made from seeds. The simulator tries the rest of it with faults. */

import { describe, expect, test } from 'vitest';
import { aJob, aNode, aPolicy, aYard, MINUTE, type TestYard } from '../../test/builders.ts';
import { jobOfAttempt } from '../model/ids.ts';
import { type Random, seededRandom } from '../sim/random.ts';
import { fairShares } from './priority.ts';
import { orderOf } from './schedule/order.ts';
import { plan } from './schedule/plan.ts';
import { admitJob, newState, putNode, putStep, type YardState } from './state.ts';
import { validate } from './validate.ts';

const policy = aPolicy({ weights: { age: 1000, qos: 0, fairShare: 500, queue: 100, size: 1 } });
const SEEDS = Array.from({ length: 40 }, (_, at) => at + 1);

/** Some jobs run, some wait, some were held, cancelled or have ended. The yard validates every step. */
function someYard(random: Random): TestYard {
  const yard = aYard(policy).withNodes(
    ...Array.from({ length: random.between(1, 3) }, (_, at) =>
      aNode(`n${at}`).withCpus(random.between(2, 6)).withGpus(random.between(0, 2)),
    ),
  );
  for (let step = 0; step < 40; step++) {
    yard.now += random.between(0, 3) * MINUTE;
    const running = yard.running();
    const roll = random.next();
    if (roll < 0.5) submitSome(yard, random);
    else if (roll < 0.6) yard.schedule();
    else if (roll < 0.8 && running.length > 0) runSome(yard, random, random.pick(running));
    else if (roll < 0.92 && running.length > 0) endSome(yard, random, random.pick(running));
    else if (yard.state.jobs.size > 0) {
      const target = { job: random.pick([...yard.state.jobs.keys()]), index: null };
      const job = yard.job(target);
      if (job.phase !== 'ended' && job.phase !== 'active')
        yard.tell({ type: random.pick(['cancel', 'hold', 'release'] as const), target, by: 'root' });
    }
  }
  return yard;
}

/** At once, or after what it left is safe. */
function endSome(yard: TestYard, random: Random, id: number): void {
  const code = random.pick([0, 0, 1]);
  const roll = random.next();
  if (roll < 0.3) yard.syncs(id, code);
  else if (roll < 0.5) yard.endsAt(id, random.between(0, 100), code);
  else yard.ends(id, code);
}

/** What runs has steps and checkpoints, is suspended, and goes on. */
function runSome(yard: TestYard, random: Random, id: number): void {
  const { attempt } = yard.job(id);
  if (random.chance(0.3)) yard.keeps(id, { step: random.between(0, 100) });
  if (attempt?.phase === 'syncing' || attempt?.stop != null) return;
  if (attempt?.startedAt === null) return yard.runs(id);
  const target = { job: id, index: null };
  if (attempt?.suspendedAt !== null) yard.tell({ type: 'resume', target, by: 'root' });
  else if (random.chance(0.2)) yard.tell({ type: 'suspend', target, by: 'root' });
  const steps = [...(yard.state.steps.get(attempt?.id ?? '')?.keys() ?? [])];
  if (steps.length > 0 && random.chance(0.4)) yard.stepEnds(id, random.pick(steps));
  else if (yard.job(id).attempt?.suspendedAt === null)
    yard.step(id, { overlap: steps.length > 0, wholeNodes: random.chance(0.5) });
}

function submitSome(yard: TestYard, random: Random): void {
  let job = aJob()
    .by(random.pick(['ann', 'bob', 'eve']))
    .wanting({ cpus: random.between(1, 2) })
    .limitedTo(random.between(5, 60) * MINUTE);
  if (random.chance(0.2)) job = job.asArray(random.pick(['0-5', '0-9%2']));
  if (random.chance(0.2)) job = job.withPriority(random.between(1, 100));
  if (random.chance(0.3)) {
    const place = random.pick(['/ck', '/ck/%j', '/ck/%x', '/ck/%a']);
    job = job.keeping({ checkpoints: place }).chained();
  }
  yard.submit(job);
}

/** The same yard, its jobs entered in another order. */
function rebuilt(state: YardState, random: Random): YardState {
  const again = newState();
  again.nextJobId = state.nextJobId;
  for (const node of state.nodes.values()) putNode(again, node);
  for (const job of random.shuffled([...state.jobs.values()])) admitJob(again, job);
  for (const [attempt, steps] of state.steps)
    for (const step of steps.values()) putStep(again, jobOfAttempt(attempt), step);
  for (const [user, used] of state.usage) again.usage.set(user, used);
  return again;
}

describe.each(SEEDS)('yard %i', (seed) => {
  test('its plan is the same whenever it is made, and in whatever order its jobs came into memory', () => {
    const random = seededRandom(seed);
    const { state, now } = someYard(random);
    const first = plan(state, policy, now);
    expect(plan(state, policy, now)).toEqual(first);
    const again = rebuilt(state, random);
    validate(again);
    expect(plan(again, policy, now)).toEqual(first);
  });

  test('goes by priority, then by age, then by number', () => {
    const { state, now } = someYard(seededRandom(seed));
    const order = orderOf(state, policy, fairShares(state, policy, now), now);
    let before = order.next();
    for (let next = before; next !== undefined; next = order.next()) {
      if (before !== undefined) {
        expect(next.priority).toBeLessThanOrEqual(before.priority);
        if (next.priority === before.priority && next !== before)
          expect(next.eligibleAt - before.eligibleAt || next.job - before.job).toBeGreaterThan(0);
      }
      before = { ...next };
      order.passOn(next);
    }
  });

  test('when all has ended, everything is free again', () => {
    const yard = someYard(seededRandom(seed));
    for (const id of [...yard.state.jobs.keys()])
      if (yard.job(id).phase !== 'ended')
        yard.tell({ type: 'cancel', target: { job: id, index: null }, by: 'root' });
    for (const id of yard.running()) yard.ends(id, 143);
    expect(yard.state.counts).toMatchObject({ held: 0, waiting: 0, pending: 0, active: 0 });
    expect(yard.state.steps.size).toBe(0);
    expect(yard.state.places.size).toBe(0);
    expect(yard.state.liveElements.size).toBe(0);
    expect(yard.state.tallies.byUser.size).toBe(0);
    expect(yard.state.tallies.byQosUser.size).toBe(0);
    expect(yard.state.tallies.unendedByUser.size).toBe(0);
    expect(yard.state.backlog.groups.size).toBe(0);
    for (const [name, { cpus, devices }] of yard.state.nodes)
      expect(yard.state.ledgers.get(name)?.free).toMatchObject({
        cpus,
        attempts: 0,
        devices: devices.map(() => 1000),
      });
  });
});
