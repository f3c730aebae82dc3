import { describe, expect, test } from 'vitest';
import {
  aJob,
  aNode,
  aPolicy,
  aQueue,
  aYard,
  GIB,
  HOUR,
  MINUTE,
  type TestYard,
} from '../../../test/builders.ts';
import type { Explanation } from '../../model/reason.ts';
import { explain } from './explain.ts';

function why(yard: TestYard, job: number): Explanation {
  return explain(yard.state, yard.policy, yard.now, yard.job(job));
}

describe('why a job is not running', () => {
  test('it is held, by whom and with what note', () => {
    const yard = aYard(aPolicy({ requeueExitCodes: [75], maxRestarts: 0 }));
    yard.submit(aJob().held());
    yard.run(aJob());
    yard.ends(2, 75);
    expect(why(yard, 1)).toEqual({
      reason: { kind: 'held', by: 'user', note: null },
      expectedStartAt: null,
      priority: null,
      ahead: 0,
    });
    expect(why(yard, 2).reason).toMatchObject({
      kind: 'held',
      by: 'yard',
      note: expect.stringMatching(/^started again/),
    });
  });

  test('it depends on others: which, and how they are doing', () => {
    const yard = aYard();
    yard.run(aJob());
    yard.run(aJob());
    yard.ends(2);
    yard.submit(aJob().after('afterok', 1).after('afterok', 2));
    expect(why(yard, 3).reason).toEqual({
      kind: 'dependency',
      need: 'all',
      unmet: [{ term: { kind: 'afterok', job: 1, index: null }, other: { phase: 'active', outcome: null } }],
    });
  });

  test('it wants to be the only one of its name', () => {
    const yard = aYard();
    yard.run(aJob());
    yard.submit(aJob().singleton());
    expect(why(yard, 2).reason).toMatchObject({
      kind: 'dependency',
      unmet: [{ term: { kind: 'singleton' }, other: null }],
    });
  });

  test('it begins later', () => {
    const yard = aYard();
    const at = yard.now + HOUR;
    yard.submit(aJob().beginningAt(at));
    expect(why(yard, 1)).toMatchObject({ reason: { kind: 'begin', at }, expectedStartAt: at });
  });

  test('there is no free GPU: how many there are, who has them, and when one comes free', () => {
    const yard = aYard().withNodes(aNode('n1').withGpus(2));
    yard.run(aJob().limitedTo(10 * HOUR));
    yard.run(
      aJob()
        .wanting({ gpus: 1 })
        .limitedTo(2 * HOUR),
    );
    yard.run(aJob().wanting({ gpus: 1 }).limitedTo(HOUR));
    yard.submit(aJob().wanting({ gpus: 1 }));
    expect(why(yard, 4)).toMatchObject({
      reason: {
        kind: 'resources',
        short: [{ resource: 'gpus', wanted: 1, free: 0, total: 2 }],
        waitsFor: [3, 2],
      },
      expectedStartAt: yard.now + HOUR,
      ahead: 0,
    });
  });

  test.each([
    [{ cpus: 4 }, [{ resource: 'cpus', wanted: 4, free: 2, total: 8 }]],
    [{ memoryBytes: 60 * GIB }, [{ resource: 'memory', wanted: 60 * GIB, free: 32 * GIB, total: 64 * GIB }]],
    [{ exclusive: true }, [{ resource: 'cpus', wanted: 8, free: 2, total: 8 }]],
    [{ nodes: 2, cpus: 3 }, [{ resource: 'nodes', wanted: 2, free: 1, total: 2 }]],
  ])('it wants %j and that is not free', (wants, short) => {
    const yard = aYard().withNodes(aNode('n1'), aNode('n2'));
    yard.run(aJob().wanting({ cpus: 6, memoryBytes: 32 * GIB, onlyNodes: ['n1'] }));
    if (!('nodes' in wants)) yard.run(aJob().wanting({ cpus: 8, memoryBytes: 64 * GIB, onlyNodes: ['n2'] }));
    const id = yard.submit(aJob().wanting(wants));
    expect(why(yard, id).reason).toMatchObject({ kind: 'resources', short });
  });

  test('others go first: how many, and who is the first of them', () => {
    const yard = aYard().withNodes(aNode('n1').withCpus(1));
    yard.submit(aJob().withPriority(5));
    yard.submit(aJob().asArray('0-8').withPriority(3));
    yard.submit(aJob());
    expect(why(yard, 3)).toMatchObject({ reason: { kind: 'priority', behind: 1, ahead: 10 }, ahead: 10 });
    expect(why(yard, 1).ahead).toBe(0);
  });

  test('the user or the queue has as many running as allowed, and nobody can say until when', () => {
    const yard = aYard(aPolicy({ perUser: { ...aPolicy().perUser, maxRunning: 1 } }));
    yard.run(aJob());
    yard.submit(aJob());
    expect(why(yard, 2)).toMatchObject({
      reason: { kind: 'limit', limit: 'running', of: { kind: 'user', user: 'ann' }, allowed: 1, used: 1 },
      expectedStartAt: null,
    });
  });

  test('the array is throttled', () => {
    const yard = aYard();
    yard.submit(aJob().asArray('0-9%2'));
    yard.schedule();
    expect(why(yard, 1)).toMatchObject({ reason: { kind: 'throttle', allowed: 2 }, expectedStartAt: null });
  });

  test('the queue is closed', () => {
    const yard = aYard(aPolicy({ queues: [aQueue('main', { open: false })] }));
    yard.submit(aJob());
    expect(why(yard, 1)).toMatchObject({
      reason: { kind: 'queueClosed', queue: 'main' },
      expectedStartAt: null,
    });
  });

  test('the nodes it could use are not there', () => {
    const yard = aYard();
    yard.submit(aJob());
    yard.tell({ type: 'drainNode', node: 'n1', reason: '' });
    expect(why(yard, 1)).toMatchObject({
      reason: { kind: 'nodesUnavailable', nodes: ['n1'] },
      expectedStartAt: null,
    });
  });

  test('it has become impossible', () => {
    const yard = aYard().withNodes(aNode('n1').withGpus(4));
    yard.submit(aJob().wanting({ gpus: 4 }));
    yard.withNodes(aNode('n1').withGpus(2));
    expect(why(yard, 1)).toMatchObject({
      reason: { kind: 'neverPossible', why: 'it wants 4 GPUs on one node and the most on one is 2' },
      expectedStartAt: null,
    });
    yard.policy = aPolicy({ queues: [aQueue('other')] });
    expect(why(yard, 1).reason).toEqual({ kind: 'neverPossible', why: 'queue main is no longer there' });
  });

  test('it is not: it runs, or has ended', () => {
    const yard = aYard();
    yard.run(aJob());
    expect(why(yard, 1).reason).toBeNull();
    yard.ends(1);
    expect(why(yard, 1).reason).toBeNull();
  });
});

describe('when a job is expected to start', () => {
  test('now, when there is room', () => {
    const yard = aYard();
    yard.submit(aJob());
    expect(why(yard, 1).expectedStartAt).toBe(yard.now);
  });

  test('after those before it', () => {
    const yard = aYard().withNodes(aNode('n1').withCpus(1));
    yard.run(aJob().limitedTo(10 * MINUTE));
    yard.submit(
      aJob()
        .limitedTo(20 * MINUTE)
        .withPriority(2),
    );
    yard.submit(
      aJob()
        .asArray('0-1')
        .limitedTo(5 * MINUTE)
        .withPriority(1),
    );
    const last = yard.submit(aJob());
    expect(why(yard, last).expectedStartAt).toBe(yard.now + 40 * MINUTE);
    yard.pass(4 * MINUTE);
    expect(why(yard, 2).expectedStartAt).toBe(yard.now + 6 * MINUTE);
  });

  test('nobody knows, when somebody before it has no limit', () => {
    const yard = aYard().withNodes(aNode('n1').withCpus(1));
    yard.run(aJob());
    yard.submit(aJob());
    expect(why(yard, 2).expectedStartAt).toBeNull();
  });

  test('jobs that can never start keep nobody waiting', () => {
    const yard = aYard().withNodes(aNode('n1').withCpus(2).withGpus(1));
    yard.submit(aJob().wanting({ gpus: 1 }).withPriority(10));
    yard.withNodes(aNode('n1').withCpus(2));
    yard.submit(aJob());
    expect(why(yard, 2).expectedStartAt).toBe(yard.now);
  });

  test('too many before it: no estimate rather than a slow one', () => {
    const yard = aYard();
    yard.submit(aJob().asArray('0-9999').limitedTo(MINUTE).withPriority(10));
    const last = yard.submit(aJob());
    expect(why(yard, last)).toMatchObject({ expectedStartAt: null, ahead: 10_000 });
  });
});
