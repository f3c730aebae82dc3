import { describe, expect, test } from 'vitest';
import { aJob, aNode, aPolicy, aQueue, aYard, HOUR, type TestYard } from '../../test/builders.ts';
import type { PriorityBreakdown } from '../model/reason.ts';
import { fairShares, priorityOf, usageOf } from './priority.ts';

const weighted = aPolicy({
  weights: { age: 1000, qos: 0, fairShare: 500, queue: 100, size: 3 },
  ageFullMs: 10 * HOUR,
  queues: [aQueue('main', { isDefault: true, priority: 2 }), aQueue('low', { priority: -1 })],
  fairShareHalfLifeMs: 24 * HOUR,
  shares: { eve: 3 },
});

function priority(yard: TestYard, id: number): PriorityBreakdown {
  const { spec, eligibleAt } = yard.job(id);
  const fair = fairShares(yard.state, yard.policy, yard.now);
  return priorityOf(spec, eligibleAt ?? yard.now, yard.policy, fair, yard.now);
}

describe('priority', () => {
  test('is a sum whose parts can be told', () => {
    const yard = aYard(weighted);
    const id = yard.submit(aJob().withPriority(40).nicedBy(15).wanting({ cpus: 2 }));
    yard.now += 5 * HOUR;
    expect(priority(yard, id)).toEqual({
      total: 500 + 500 + 200 + 6 + 25,
      age: 500,
      fairShare: 500,
      queue: 200,
      qos: 0,
      size: 6,
      asked: 25,
    });
  });

  test('age stops counting at some time', () => {
    const yard = aYard(weighted);
    const id = yard.submit(aJob());
    yard.now += 100 * HOUR;
    expect(priority(yard, id).age).toBe(1000);
  });

  test('a job that became eligible in the future has no age yet', () => {
    const yard = aYard(weighted);
    const id = yard.submit(aJob());
    yard.now -= HOUR;
    expect(priority(yard, id).age).toBe(0);
  });
});

describe('fair share', () => {
  test('who has used much goes after who has used little', () => {
    const yard = aYard(aPolicy({ weights: { age: 0, qos: 0, fairShare: 1000, queue: 0, size: 0 } }));
    yard.withNodes(aNode('n1').withCpus(1));
    yard.run(aJob().by('ann'));
    yard.now += HOUR;
    yard.ends(1);
    yard.submit(aJob().by('ann'));
    yard.submit(aJob().by('bob'));
    expect(yard.plan().starts.map(({ job }) => job)).toEqual([3]);
  });

  test('what runs now counts before it has ended', () => {
    const yard = aYard(weighted);
    yard.run(aJob().by('ann').wanting({ cpus: 4 }));
    yard.now += HOUR;
    expect(usageOf(yard.state, weighted, 'ann', yard.now)).toBe(4 * 3600);
    yard.ends(1);
    expect(usageOf(yard.state, weighted, 'ann', yard.now)).toBe(4 * 3600);
  });

  test('an attempt that was lost counts too', () => {
    const yard = aYard(weighted);
    yard.run(aJob().by('ann').neverRequeued());
    yard.now += HOUR;
    yard.tell({ type: 'attemptLost', attempt: '1.1', reason: 'gone' });
    expect(usageOf(yard.state, weighted, 'ann', yard.now)).toBe(3600);
  });

  test('a GPU weighs as much as several CPUs', () => {
    const yard = aYard(weighted).withNodes(aNode('n1').withGpus(1));
    yard.run(aJob().by('ann').wanting({ gpus: 1, gpuShare: 500 }));
    yard.now += HOUR;
    expect(usageOf(yard.state, weighted, 'ann', yard.now)).toBe((1 + 4) * 3600);
  });

  test('the past fades', () => {
    const yard = aYard(weighted);
    yard.run(aJob().by('ann'));
    yard.now += HOUR;
    yard.ends(1);
    yard.now += 24 * HOUR;
    expect(usageOf(yard.state, weighted, 'ann', yard.now)).toBeCloseTo(1800);
  });

  test('somebody with more shares may use more', () => {
    const yard = aYard(weighted);
    for (const user of ['ann', 'eve']) yard.run(aJob().by(user));
    yard.now += HOUR;
    for (const job of [1, 2]) yard.ends(job);
    const fair = fairShares(yard.state, weighted, yard.now);
    expect(fair.of('ann')).toBeCloseTo(2 ** -(0.5 / 0.25));
    expect(fair.of('eve')).toBeCloseTo(2 ** -(0.5 / 0.75));
    expect(fair.of('nobody')).toBe(1);
  });
});
