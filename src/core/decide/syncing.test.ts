/** Between the end of an attempt's processes and the moment when all that they left is safe. */

import { describe, expect, test } from 'vitest';
import {
  aJob,
  aNode,
  aPolicy,
  aQueue,
  aYard,
  MINUTE,
  SECOND,
  type TestYard,
} from '../../../test/builders.ts';
import { usageOf } from '../priority.ts';

const kept = aJob().keeping({ checkpoints: '/ck/%j' });

function aSmallYard(policy = aPolicy()): TestYard {
  return aYard(policy).withNodes(aNode('n1').withCpus(1));
}

describe('what is being made safe', () => {
  test('has given its place to the next, and has not ended', () => {
    const yard = aSmallYard();
    yard.run(kept);
    const next = yard.submit(aJob());
    const after = yard.submit(aJob().after('afterok', 1));
    yard.syncs(1);
    expect(yard.job(1)).toMatchObject({ phase: 'active', attempt: { phase: 'syncing', exit: { code: 0 } } });
    yard.schedule();
    expect(yard.job(next).phase).toBe('active');
    expect(yard.job(after).phase).toBe('waiting');
    yard.ends(1);
    expect(yard.job(1)).toMatchObject({ phase: 'ended', outcome: 'completed', attempt: { phase: 'ended' } });
    expect(yard.job(after).phase).toBe('pending');
  });

  test('ends as its processes did, whatever is said later', () => {
    const yard = aYard();
    yard.run(kept);
    const usage = { peakMemoryBytes: 5, cpuMs: 6 };
    const exit = { code: 7, signal: null, outOfMemory: false };
    yard.tell({ type: 'attemptSyncing', attempt: '1.1', exit, usage, fault: null });
    yard.now += MINUTE;
    yard.tell({
      type: 'attemptEnded',
      attempt: '1.1',
      exit: { ...exit, code: 0 },
      usage: null,
      fault: 'something else',
    });
    expect(yard.job(1)).toMatchObject({ outcome: 'failed', note: null });
    expect(yard.job(1).attempt).toMatchObject({
      exit,
      usage,
      fault: null,
      endedAt: yard.now - MINUTE,
      safeAt: yard.now,
    });
  });

  test('is charged for the time that it had its place, once', () => {
    const yard = aYard();
    yard.run(kept);
    yard.now += MINUTE;
    yard.syncs(1);
    const used = () => usageOf(yard.state, yard.policy, 'ann', yard.now);
    expect(used()).toBe(60);
    yard.now += SECOND;
    yard.ends(1);
    expect(used()).toBeLessThanOrEqual(60);
  });

  test('has no steps any more, and takes no new ones', () => {
    const yard = aYard();
    yard.run(kept);
    yard.step(1);
    yard.syncs(1);
    expect(yard.state.steps.size).toBe(0);
    const target = { job: 1, index: null };
    for (const command of [
      { type: 'signal', target, by: 'ann', signal: 10, scope: 'all' },
      { type: 'suspend', target, by: 'ann' },
      { type: 'hold', target, by: 'ann' },
    ] as const)
      expect(yard.refusalOf(command).code).toBe('wrongState');
  });

  test('was suspended, and is so no longer', () => {
    const yard = aYard();
    yard.run(kept);
    yard.tell({ type: 'suspend', target: { job: 1, index: null }, by: 'ann' });
    yard.now += MINUTE;
    yard.syncs(1, 1);
    expect(yard.job(1).attempt).toMatchObject({ suspendedAt: null, suspendedMs: MINUTE, phase: 'syncing' });
    expect(yard.owed(1)).toEqual([expect.objectContaining({ type: 'watch' })]);
  });

  test('is owed nothing but to be looked after, and time brings it nothing', () => {
    const yard = aYard();
    const limited = kept.limitedTo(MINUTE).warnedBefore(10 * SECOND);
    yard.run(limited.endedBy(yard.now + 2 * MINUTE));
    yard.tell({ type: 'signal', target: { job: 1, index: null }, by: 'ann', signal: 10, scope: 'all' });
    yard.syncs(1);
    yard.pass(5 * MINUTE);
    expect(yard.job(1).attempt).toMatchObject({ stop: null, warning: 'none', phase: 'syncing' });
    expect(yard.owed(1).map(({ type }) => type)).toEqual(['watch']);
    yard.ends(1);
    expect(yard.job(1).outcome).toBe('completed');
  });

  test('was being stopped, and is not killed any more', () => {
    const yard = aYard();
    yard.run(kept.limitedTo(MINUTE));
    yard.pass(MINUTE);
    yard.syncs(1, 143);
    yard.pass(MINUTE);
    expect(yard.job(1).attempt).toMatchObject({
      phase: 'syncing',
      stop: { cause: 'timeLimit', step: 'term' },
    });
    expect(yard.owed(1).map(({ type }) => type)).toEqual(['watch']);
    yard.ends(1, 143);
    expect(yard.job(1).outcome).toBe('timeout');
  });

  test('cannot be driven out, and its queue cannot stop it', () => {
    const queues = [
      aQueue('main', { isDefault: true, preempt: 'requeue' }),
      aQueue('urgent', { priority: 5 }),
    ];
    const yard = aSmallYard(aPolicy({ queues }));
    yard.run(kept);
    yard.syncs(1);
    expect(yard.tell({ type: 'preempt', job: 1, forJob: 2, suspend: false }).changed).toBe(false);
    yard.tell({ type: 'setQueue', queue: 'main', by: 'root', suspended: true });
    expect(yard.job(1).attempt).toMatchObject({ stop: null, suspendedAt: null });
  });

  test('lets the next element of a throttled array go', () => {
    const yard = aYard();
    yard.submit(kept.asArray('0-3%1'));
    yard.schedule();
    expect(yard.running()).toEqual([2]);
    yard.syncs({ job: 1, index: 0 });
    yard.schedule();
    expect(yard.running()).toEqual([2, 3]);
  });
});

describe('cancelling what is being made safe', () => {
  const cancel = { type: 'cancel', target: { job: 1, index: null }, by: 'ann' } as const;

  test('changes nothing when it has done what it was to do', () => {
    const yard = aYard();
    yard.run(kept);
    yard.syncs(1, 0);
    expect(yard.tell(cancel).changed).toBe(false);
    yard.ends(1);
    expect(yard.job(1).outcome).toBe('completed');
  });

  test('counts when it has not', () => {
    const yard = aYard(aPolicy({ requeueExitCodes: [3] }));
    yard.run(kept);
    yard.syncs(1, 3);
    yard.tell({ ...cancel, atOnce: true });
    expect(yard.job(1).attempt?.phase).toBe('syncing');
    expect(yard.owed(1).map(({ type }) => type)).toEqual(['watch']);
    yard.ends(1, 3);
    expect(yard.job(1)).toMatchObject({ phase: 'ended', outcome: 'cancelled', endedBy: 'ann' });
  });

  test('keeps it from coming back', () => {
    for (const cause of ['preempted', 'timeLimit'] as const) {
      const yard = aYard();
      yard.run(kept.limitedTo(MINUTE).chained());
      if (cause === 'timeLimit') yard.pass(MINUTE);
      else yard.tell({ type: 'preempt', job: 1, forJob: 2, suspend: false });
      yard.syncs(1, 0);
      yard.tell(cancel);
      yard.ends(1);
      expect(yard.job(1)).toMatchObject({ phase: 'ended', outcome: 'cancelled' });
    }
  });
});

describe('queueing again what is being made safe', () => {
  test('happens once it is', () => {
    const yard = aYard();
    yard.run(kept);
    yard.syncs(1);
    yard.tell({ type: 'requeue', target: { job: 1, index: null }, by: 'ann', hold: false });
    expect(yard.job(1)).toMatchObject({ phase: 'active', attempt: { phase: 'syncing' } });
    yard.ends(1);
    expect(yard.job(1)).toMatchObject({ phase: 'pending', note: 'requeued by ann' });
  });

  test('and held, though it would have come back anyway', () => {
    const yard = aYard();
    yard.run(kept.limitedTo(MINUTE).chained());
    yard.pass(MINUTE);
    yard.syncs(1, 143);
    yard.tell({ type: 'requeue', target: { job: 1, index: null }, by: 'ann', hold: true });
    yard.ends(1, 143);
    expect(yard.job(1)).toMatchObject({ phase: 'held', hold: { by: 'user' } });
  });
});

describe('a node that is lost with what was being made safe on it', () => {
  function lost(code: number, job = kept): TestYard {
    const yard = aYard(aPolicy({ requeueExitCodes: [3] }));
    yard.run(job);
    yard.syncs(1, code);
    yard.tell({ type: 'nodeLost', node: 'n1', reason: 'it is silent' });
    return yard;
  }

  test('a run that had ended well is done again, where it may be', () => {
    expect(lost(0).job(1)).toMatchObject({ phase: 'pending', note: 'it is silent' });
    expect(lost(0, kept.neverRequeued()).job(1)).toMatchObject({ outcome: 'nodeLost' });
  });

  test('one that had not is what it was', () => {
    expect(lost(1).job(1)).toMatchObject({ phase: 'ended', outcome: 'failed' });
    expect(lost(3).job(1)).toMatchObject({ phase: 'pending', note: 'exit code 3 asks for another run' });
  });

  test('one of which nobody knows how it ended is lost when all is safe', () => {
    const lostBy = (job = kept) => {
      const yard = aYard();
      yard.run(job);
      const exit = { code: null, signal: null, outOfMemory: false };
      yard.tell({ type: 'attemptSyncing', attempt: '1.1', exit, usage: null, fault: null });
      yard.tell({ type: 'attemptLost', attempt: '1.1', reason: 'its shim is gone' });
      return yard.job(1);
    };
    expect(lostBy()).toMatchObject({ phase: 'pending', note: 'its shim is gone' });
    expect(lostBy(kept.neverRequeued())).toMatchObject({ outcome: 'nodeLost' });
  });

  test('a node that leaves is gone only when all is safe', () => {
    const yard = aYard().withNodes(aNode('n1'));
    yard.run(kept);
    yard.syncs(1);
    yard.withNodes(aNode('n2'));
    expect(yard.state.nodes.get('n1')?.state).toBe('draining');
    yard.ends(1);
    expect([...yard.state.nodes.keys()]).toEqual(['n2']);
  });
});

describe('reports that come late, twice or in another order', () => {
  test('change nothing', () => {
    const yard = aYard();
    yard.run(kept);
    yard.syncs(1, 0);
    const job = yard.job(1);
    yard.syncs(1, 5);
    yard.runs(1);
    yard.tell({ type: 'overMemory', attempt: '1.1', usedBytes: 1 });
    yard.tell({ type: 'overScratch', attempt: '1.1', usedBytes: 1 });
    yard.tell({ type: 'warningSent', attempt: '1.1' });
    expect(yard.job(1)).toEqual(job);
    yard.ends(1);
    const ended = yard.job(1);
    yard.syncs(1, 5);
    yard.keeps(1);
    yard.tell({ type: 'checkpointTrouble', attempt: '1.1', trouble: 'full' });
    expect(yard.job(1)).toEqual(ended);
  });

  test('its processes may be gone before anybody said that they ran', () => {
    const yard = aYard();
    yard.submit(kept);
    yard.schedule();
    yard.syncs(1);
    expect(yard.owed(1).map(({ type }) => type)).toEqual(['watch']);
    yard.ends(1);
    expect(yard.job(1).outcome).toBe('completed');
  });
});
