import { describe, expect, test } from 'vitest';
import {
  aJob,
  aNode,
  aPolicy,
  aYard,
  HOUR,
  type JobBuilder,
  MINUTE,
  type TestYard,
} from '../../../test/builders.ts';
import { seededRandom } from '../../sim/random.ts';

/** Four CPUs, of which three run for an hour; the first in line wants all four. */
function aYardThatWaits(first: JobBuilder = aJob().wanting({ cpus: 4 }).limitedTo(HOUR)): TestYard {
  const yard = aYard().withNodes(aNode('n1').withCpus(4));
  yard.run(aJob().wanting({ cpus: 3 }).limitedTo(HOUR));
  yard.submit(first.withPriority(1000));
  return yard;
}

const started = (yard: TestYard) => yard.plan().starts.map(({ job }) => job);

describe('a place is kept for the first that cannot start', () => {
  test('from the time at which it certainly fits', () => {
    const yard = aYardThatWaits();
    expect(yard.plan().reservations).toMatchObject([{ job: 2, startAt: yard.now + HOUR }]);
  });

  test('those that are gone by then may use it', () => {
    const yard = aYardThatWaits();
    yard.submit(aJob().limitedTo(HOUR));
    expect(started(yard)).toEqual([3]);
  });

  test('those that might not be gone may not', () => {
    const yard = aYardThatWaits();
    yard.submit(aJob().limitedTo(HOUR + 1));
    yard.submit(aJob());
    expect(started(yard)).toEqual([]);
  });

  test('those that fit beside it may', () => {
    const yard = aYardThatWaits(aJob().wanting({ cpus: 3 }).limitedTo(HOUR));
    yard.submit(aJob().limitedTo(100 * HOUR));
    yard.submit(aJob());
    expect(started(yard)).toEqual([3]);
  });

  test('those on other nodes may', () => {
    const yard = aYardThatWaits();
    yard.withNodes(aNode('n1').withCpus(4), aNode('n2').withCpus(2));
    yard.submit(aJob());
    expect(yard.plan().starts).toMatchObject([{ job: 3, placement: { nodes: [{ node: 'n2' }] } }]);
  });

  test('nobody may, where backfill is off', () => {
    const yard = aYardThatWaits();
    yard.policy = aPolicy({ backfill: false });
    yard.submit(aJob().limitedTo(MINUTE));
    expect(yard.plan()).toMatchObject({ starts: [], reservations: [] });
  });

  test('who is being stopped is gone at the end of the grace', () => {
    const yard = aYardThatWaits();
    yard.tell({ type: 'cancel', target: { job: 1, index: null }, by: 'ann' });
    expect(yard.plan().reservations[0]?.startAt).toBe(yard.now + yard.policy.graceMs);
  });

  test('for ever, when somebody in the way has no limit: then only those with a limit go', () => {
    const yard = aYard().withNodes(aNode('n1').withCpus(4));
    yard.run(aJob().wanting({ cpus: 3 }));
    yard.submit(aJob().wanting({ cpus: 4 }).withPriority(1000));
    yard.submit(aJob());
    yard.submit(aJob().limitedTo(100 * HOUR));
    const plan = yard.plan();
    expect(plan.reservations[0]?.startAt).toBe(Number.POSITIVE_INFINITY);
    expect(plan.starts.map(({ job }) => job)).toEqual([4]);
    yard.tell({ type: 'cancel', target: { job: 4, index: null }, by: 'ann' });
    yard.ends(1);
    yard.schedule();
    expect(yard.running()).toEqual([2]);
  });

  test('devices are kept, CPUs beside them may be used', () => {
    const yard = aYard().withNodes(aNode('n1').withCpus(8).withGpus(2));
    yard.run(aJob().wanting({ gpus: 1 }).limitedTo(HOUR));
    yard.submit(aJob().wanting({ gpus: 2 }).withPriority(1000).limitedTo(HOUR));
    yard.submit(aJob().wanting({ gpus: 1 }));
    yard.submit(aJob().wanting({ cpus: 2 }));
    expect(started(yard)).toEqual([4]);
  });
});

/**
 * Runs a random yard twice, with and without the jobs behind the first one. Jobs end when they like but never
 * after their limit; whatever is filled in, the first must not start later than it would have alone.
 */
test('whatever is filled in, the first waiting job does not start later', () => {
  for (let seed = 1; seed <= 60; seed++) {
    const random = seededRandom(seed);
    const nodes = Array.from({ length: random.between(1, 3) }, (_, at) =>
      aNode(`n${at}`).withCpus(random.between(2, 6)).withGpus(random.between(0, 2)),
    );
    const largest = Math.max(...nodes.map(({ node }) => node.cpus));
    const some = () =>
      aJob()
        .wanting({ cpus: random.between(1, 2) })
        .limitedTo(random.between(1, 12) * 5 * MINUTE);
    const before = Array.from({ length: random.between(1, 8) }, some);
    const first = aJob()
      .wanting({ cpus: random.between(2, largest) })
      .limitedTo(random.between(10, 60) * MINUTE)
      .withPriority(1_000_000);
    const behind = Array.from({ length: 10 }, some);
    // How much of its limit each job uses: all of it for those that run already, so that nothing is luck.
    const parts = behind.map(() => random.next());

    const startOf = (fillers: readonly JobBuilder[]): number => {
      const yard = aYard().withNodes(...nodes);
      for (const job of before) yard.submit(job);
      yard.schedule();
      for (const id of yard.running()) yard.runs(id);
      const chosen = yard.submit(first);
      const partOf = new Map(fillers.map((job, at) => [yard.submit(job), parts[at] as number]));
      for (let step = 0; step < 100; step++) {
        yard.schedule();
        for (const id of yard.running()) if (yard.job(id).attempt?.startedAt === null) yard.runs(id);
        if (yard.job(chosen).phase === 'active') return yard.now;
        yard.now += 5 * MINUTE;
        for (const id of yard.running()) {
          const { attempt, spec } = yard.job(id);
          const part = partOf.get(id) ?? 1;
          if (yard.now - (attempt?.startedAt ?? 0) >= part * (spec.limitMs as number)) yard.ends(id);
        }
      }
      throw new Error(`seed ${seed}: the first job never started`);
    };
    expect(startOf(behind), `seed ${seed}`).toBeLessThanOrEqual(startOf([]));
  }
});
