/** Jobs for which several queues would do. */

import { describe, expect, test } from 'vitest';
import { aJob, aNode, aPolicy, aQueue, aYard, HOUR, MINUTE, type TestYard } from '../../../test/builders.ts';
import { explain, reasonOf } from './explain.ts';

const policy = aPolicy({
  queues: [
    aQueue('main', { isDefault: true, nodes: ['n1'] }),
    aQueue('fast', { nodes: ['n2'], maxLimitMs: HOUR }),
    aQueue('narrow', { limits: { ...aQueue('x').limits, maxRunning: 1 } }),
    aQueue('shut', { open: false }),
  ],
});

function twoNodes(): TestYard {
  return aYard(policy).withNodes(aNode('n1').withCpus(2), aNode('n2').withCpus(4));
}

const queues = (yard: TestYard) => yard.plan().starts.map(({ queue }) => queue);
const reason = (yard: TestYard, job: number) => reasonOf(yard.state, yard.policy, yard.job(job), yard.now);

describe('a job with several queues', () => {
  test('starts in the preferred one while it can, and then in another, which it is in from then on', () => {
    const yard = twoNodes();
    const both = aJob().wanting({ cpus: 2 }).limitedTo(MINUTE).inAnyOf('main', 'fast');
    for (let job = 1; job <= 4; job++) yard.submit(both);
    yard.schedule();
    expect([1, 2, 3, 4].map((job) => yard.job(job).spec.queue)).toEqual(['main', 'fast', 'fast', 'main']);
    expect([1, 2, 3, 4].map((job) => yard.job(job).phase)).toEqual(['active', 'active', 'active', 'pending']);
    expect(yard.state.tallies.byQueue.get('fast')?.running).toBe(2);
    expect(yard.state.tallies.unendedByQueue.get('main')).toBe(2);
    yard.ends(2);
    expect(queues(yard)).toEqual(['fast']);
  });

  test('passes over one that is closed, disabled, suspended, or at its limit', () => {
    const yard = twoNodes();
    yard.submit(aJob().inAnyOf('shut', 'narrow', 'main'));
    yard.submit(aJob().inAnyOf('narrow', 'main'));
    yard.submit(aJob().inAnyOf('main', 'narrow', 'fast').limitedTo(MINUTE));
    expect(queues(yard)).toEqual(['narrow', 'main', 'fast']);
    yard.tell({ type: 'setQueue', queue: 'main', by: 'ann', disabled: true });
    expect(queues(yard)).toEqual(['narrow', 'fast']);
    yard.tell({ type: 'setQueue', queue: 'narrow', by: 'ann', suspended: true });
    expect(queues(yard)).toEqual(['fast']);
  });

  test('an element of an array moves alone, and tries its queues anew when it comes back', () => {
    const yard = twoNodes();
    yard.submit(aJob().wanting({ cpus: 2 }).limitedTo(MINUTE).asArray('0-2').inAnyOf('main', 'fast'));
    yard.schedule();
    const queueOf = (index: number) => yard.job({ job: 1, index }).spec.queue;
    expect([0, 1, 2].map(queueOf)).toEqual(['main', 'fast', 'fast']);
    expect(yard.job(1).spec.queue).toBe('main');
    // Those that moved to the same one share what they became.
    expect(yard.job({ job: 1, index: 1 }).spec).toBe(yard.job({ job: 1, index: 2 }).spec);
    yard.runs({ job: 1, index: 1 });
    yard.ends({ job: 1, index: 0 });
    yard.tell({ type: 'requeue', target: { job: 1, index: 1 }, by: 'ann', hold: false });
    yard.ends({ job: 1, index: 1 }, 143);
    expect(queueOf(1)).toBe('fast');
    yard.schedule();
    expect(queueOf(1)).toBe('main');
  });

  test('the grace is that of the queue that it started in', () => {
    const own = aPolicy({
      queues: [aQueue('main', { isDefault: true, open: false }), aQueue('slow', { graceMs: 5 * MINUTE })],
    });
    const yard = aYard(own);
    yard.run(aJob().inAnyOf('main', 'slow'));
    yard.tell({ type: 'cancel', target: { job: 1, index: null }, by: 'ann' });
    expect(yard.job(1).attempt?.stop?.killAt).toBe(yard.now + 5 * MINUTE);
  });

  test('a place is kept for it in the queue that has one first', () => {
    const yard = twoNodes();
    yard.run(aJob().wanting({ cpus: 2 }).inQueue('main').limitedTo(HOUR));
    yard.run(aJob().wanting({ cpus: 3 }).inQueue('fast').limitedTo(MINUTE));
    yard.submit(aJob().wanting({ cpus: 2 }).limitedTo(HOUR).inAnyOf('main', 'fast'));
    const { reservations } = yard.plan();
    expect(reservations).toMatchObject([{ job: 3, queue: 'fast', startAt: yard.now + MINUTE }]);
  });

  test('without backfill all its queues wait for it', () => {
    const yard = twoNodes();
    yard.policy = { ...policy, backfill: false };
    yard.run(aJob().inQueue('main').wanting({ cpus: 1 }));
    yard.run(aJob().inQueue('fast').limitedTo(MINUTE).wanting({ cpus: 3 }));
    yard.submit(aJob().wanting({ cpus: 2 }).limitedTo(MINUTE).inAnyOf('main', 'fast'));
    yard.now += 1;
    yard.submit(aJob().inQueue('main'));
    yard.submit(aJob().inQueue('fast').limitedTo(MINUTE));
    expect(yard.plan().starts).toEqual([]);
  });
});

describe('admission', () => {
  test('one of the queues must do, and it is in the first that does', () => {
    const yard = twoNodes();
    expect(yard.submit(aJob().wanting({ cpus: 4 }).limitedTo(MINUTE).inAnyOf('main', 'fast'))).toBe(1);
    expect(yard.job(1).spec).toMatchObject({ queue: 'fast', queueChoices: ['main', 'fast'] });
    yard.submit(
      aJob()
        .limitedTo(2 * HOUR)
        .inAnyOf('fast', 'main'),
    );
    expect(yard.job(2).spec).toMatchObject({ queue: 'main', limitMs: 2 * HOUR });
    const none = aJob().wanting({ cpus: 5 }).limitedTo(MINUTE).inAnyOf('main', 'fast');
    expect(yard.refusalOf({ type: 'submit', spec: none.spec })).toMatchObject({
      code: 'neverPossible',
      message: 'it wants 5 CPUs on one node and the largest has 2',
    });
  });

  test('one that is not there is refused, or is the default one; one alone is no choice', () => {
    const yard = twoNodes();
    const wish = aJob().inAnyOf('nope', 'main');
    expect(yard.refusalOf({ type: 'submit', spec: wish.spec }).code).toBe('noSuchQueue');
    yard.policy = { ...policy, unknownQueue: 'useDefault' };
    yard.submit(wish);
    expect(yard.job(1).spec.queue).toBe('main');
    expect(yard.job(1).spec.queueChoices).toBeUndefined();
  });

  test('it does not start in a queue that is too short for it', () => {
    const yard = twoNodes();
    yard.run(aJob().wanting({ cpus: 2 }).inQueue('main'));
    yard.submit(
      aJob()
        .limitedTo(2 * HOUR)
        .inAnyOf('main', 'fast'),
    );
    expect(yard.plan().starts).toEqual([]);
    expect(reason(yard, 2)).toMatchObject({ kind: 'resources' });
  });
});

describe('why it waits', () => {
  test('is what it waits for in the queue in which it is closest to starting', () => {
    const yard = twoNodes();
    yard.run(
      aJob()
        .wanting({ cpus: 2 })
        .inQueue('main')
        .limitedTo(10 * MINUTE),
    );
    yard.run(aJob().wanting({ cpus: 4 }).inQueue('fast').limitedTo(MINUTE));
    yard.submit(aJob().limitedTo(MINUTE).inAnyOf('main', 'fast'));
    expect(explain(yard.state, policy, yard.now, yard.job(3)).expectedStartAt).toBe(yard.now + MINUTE);
    yard.submit(aJob().limitedTo(MINUTE).inAnyOf('shut', 'main'));
    expect(reason(yard, 4)).toMatchObject({ kind: 'resources', waitsFor: [1] });
    yard.tell({ type: 'setQueue', queue: 'main', by: 'ann', disabled: true });
    expect(reason(yard, 4)).toEqual({ kind: 'queueClosed', queue: 'shut' });
    yard.submit(aJob());
    expect(reason(yard, 5)).toEqual({ kind: 'queueClosed', queue: 'main', because: 'disabled' });
    expect(explain(yard.state, policy, yard.now, yard.job(5)).expectedStartAt).toBeNull();
  });

  test('jobs with other queues to choose from are another group', () => {
    const yard = twoNodes();
    yard.submit(aJob().inAnyOf('main', 'narrow'));
    yard.submit(aJob().inAnyOf('main', 'shut'));
    yard.submit(aJob());
    expect(yard.state.backlog.groups.size).toBe(3);
  });
});

describe('preemption', () => {
  const tiers = aPolicy({
    queues: [
      aQueue('low', { isDefault: true, priority: 0, preempt: 'requeue' }),
      aQueue('high', { priority: 5 }),
    ],
  });

  test('a job that prefers the higher queue drives out; one that was driven out does not come back first', () => {
    const yard = aYard(tiers).withNodes(aNode('n1').withCpus(1));
    yard.run(aJob().inAnyOf('low', 'high'));
    expect(yard.job(1).spec.queue).toBe('low');
    yard.now += MINUTE;
    yard.submit(aJob().inQueue('high'));
    expect(yard.schedule().preempts).toEqual([{ job: 1, forJob: 2, suspend: false }]);
    yard.ends(1, 143);
    expect(yard.plan().starts).toMatchObject([{ job: 2 }]);
    yard.schedule();
    expect(yard.plan().preempts).toEqual([]);
  });
});
