import { describe, expect, test } from 'vitest';
import { aPolicy, aQos, aQueue } from '../../test/builders.ts';
import type { Policy } from '../model/policy.ts';
import { anyPreempts, preemptModeOf, tierOf } from './precedence.ts';

const queues = [
  aQueue('high', { priority: 5 }),
  aQueue('main', { isDefault: true }),
  aQueue('low', { priority: -5 }),
];
const preempted = queues.map((queue) =>
  queue.name === 'low' ? { ...queue, preempt: 'suspend' as const } : queue,
);
const qos = [
  aQos('normal', { isDefault: true }),
  aQos('scraps', { preempt: 'cancel' }),
  aQos('better', { preempts: ['scraps'] }),
  aQos('best', { preempts: ['better'] }),
];

/** Lowest first; those in one line are equals. */
function order(policy: Policy, ...standings: [queue: string, qos: string | null][]): string[] {
  const tiers = new Map<number, string[]>();
  for (const [queue, name] of standings) {
    const tier = tierOf(policy, { queue, qos: name });
    tiers.set(tier, [...(tiers.get(tier) ?? []), `${queue}/${name}`]);
  }
  return [...tiers].sort(([a], [b]) => a - b).map(([, equals]) => equals.join(' '));
}

describe('who goes before whom', () => {
  test('nobody, where nobody is preempted', () => {
    const policy = aPolicy({ queues });
    expect(anyPreempts(policy)).toBe(false);
    expect(order(policy, ['high', null], ['low', null])).toEqual(['high/null low/null']);
  });

  test('by queue, where some queue is preempted', () => {
    expect(order(aPolicy({ queues: preempted }), ['high', null], ['low', null], ['main', null])).toEqual([
      'low/null',
      'main/null',
      'high/null',
    ]);
  });

  test('by QOS, as long as the chain of those below it', () => {
    const policy = aPolicy({ queues, qos });
    expect(anyPreempts(policy)).toBe(true);
    const all = ['best', 'scraps', 'better', null, 'nowhere'].map((name): [string, string | null] => [
      'low',
      name,
    ]);
    expect(order(policy, ...all, ['high', 'better'])).toEqual([
      'low/scraps low/null low/nowhere',
      'low/better high/better',
      'low/best',
    ]);
  });

  test('by queue first, then by QOS, where both are', () => {
    const policy = aPolicy({ queues: preempted, qos });
    expect(order(policy, ['low', 'best'], ['main', 'scraps'], ['main', 'best'], ['high', null])).toEqual([
      'low/best',
      'main/scraps',
      'main/best',
      'high/null',
    ]);
  });

  test('a circle, which no config may have, comes to an end', () => {
    const circle = [aQos('a', { isDefault: true, preempts: ['b'] }), aQos('b', { preempts: ['a'] })];
    expect(tierOf(aPolicy({ qos: circle }), { queue: 'main', qos: 'a' })).toBeGreaterThanOrEqual(0);
  });
});

test.each([
  ['main', 'normal', 'requeue'],
  ['low', 'normal', 'suspend'],
  ['low', 'scraps', 'cancel'],
  ['nowhere', null, 'requeue'],
])('what becomes of one in queue %s of QOS %s: %s', (queue, name, mode) => {
  expect(preemptModeOf(aPolicy({ queues: preempted, qos }), { queue, qos: name })).toBe(mode);
});
