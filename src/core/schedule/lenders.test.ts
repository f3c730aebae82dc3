import { describe, expect, test } from 'vitest';
import {
  aJob,
  aNode,
  aPolicy,
  aQueue,
  aYard,
  GIB,
  HOUR,
  type JobBuilder,
  MINUTE,
  SECOND,
  type TestYard,
} from '../../../test/builders.ts';
import type { Command } from '../../model/command.ts';
import { explain } from './explain.ts';

const policy = aPolicy({
  queues: [
    aQueue('highest', { priority: 20 }),
    aQueue('high', { priority: 10, preempt: 'suspend' }),
    aQueue('low', { isDefault: true, preempt: 'suspend' }),
    aQueue('lower', { priority: -1, preempt: 'requeue' }),
  ],
});
const high = () => aJob().by('boss').inQueue('high');
const low = () => aJob();
const telling = (type: 'suspend' | 'resume' | 'cancel', job = 1): Command => ({
  type,
  target: { job, index: null },
  by: 'root',
});

function yardOf(cpus: number): TestYard {
  return aYard(policy).withNodes(
    aNode('n1')
      .withNumberedCpus(...Array.from({ length: cpus }, (_, id) => id))
      .withMemory(8 * GIB)
      .withGpus(1),
  );
}

/** What a pass starts is reported to run. */
function go(yard: TestYard): void {
  for (const { job } of yard.schedule().starts) yard.runs(job);
}

function start(yard: TestYard, job: JobBuilder): number {
  const id = yard.submit(job);
  go(yard);
  return id;
}

const cpuIds = (yard: TestYard, job: number) => yard.job(job).attempt?.placement.nodes[0]?.cpuIds;
const isSuspended = (yard: TestYard, job: number) => yard.job(job).attempt?.suspendedAt !== null;
const free = (yard: TestYard) => yard.state.ledgers.get('n1')?.free;

/** Job 1 of four CPUs makes room for job 2 of two, for which there is none beside it. */
function lendingYard(job: JobBuilder = low()): TestYard {
  const yard = yardOf(4);
  start(yard, job.wanting({ cpus: 4 }).limitedTo(HOUR));
  yard.pass(10 * MINUTE);
  start(yard, high().wanting({ cpus: 2 }));
  return yard;
}

describe('a job that is suspended to make room', () => {
  test('lends its CPUs at once, and goes on with the same ones when they are free', () => {
    const yard = lendingYard();
    expect(yard.running()).toEqual([1, 2]);
    expect(yard.job(1).attempt).toMatchObject({
      suspendedFor: ['preemption'],
      makesRoomFor: 2,
      stop: null,
      phase: 'running',
    });
    expect(free(yard)?.cpus).toBe(2);
    yard.pass(30 * MINUTE);
    yard.ends(2);
    expect(yard.schedule().returns).toEqual([1]);
    expect(yard.job(1).attempt).toMatchObject({ suspendedAt: null, suspendedFor: [], makesRoomFor: null });
    expect(free(yard)?.cpus).toBe(0);
    yard.pass(50 * MINUTE - SECOND);
    expect(yard.job(1).attempt?.stop).toBeNull();
    yard.pass(SECOND);
    expect(yard.job(1).attempt?.stop?.cause).toBe('timeLimit');
  });

  test('says whom it makes room for', () => {
    const yard = lendingYard();
    expect(yard.events.filter(({ type }) => type === 'attemptSuspended')).toMatchObject([
      { job: 1, by: 'the yard', cause: 'preemption', forJob: 2 },
    ]);
    expect(yard.refusalOf(telling('resume')).message).toBe(
      'job 1 makes room for job 2, and goes on when its CPUs are free again',
    );
  });

  test('nobody of the same or a lower queue starts on what it lent; those above do', () => {
    const yard = lendingYard();
    yard.submit(low().withPriority(1_000_000));
    yard.submit(aJob().inQueue('lower').limitedTo(SECOND));
    expect(yard.schedule().starts).toEqual([]);
    start(yard, high().wanting({ cpus: 2 }));
    expect(yard.running()).toEqual([1, 2, 5]);
    yard.ends(2);
    go(yard);
    expect(isSuspended(yard, 1)).toBe(true);
    expect(yard.running()).toEqual([1, 5]);
    yard.ends(5);
    go(yard);
    expect(isSuspended(yard, 1)).toBe(false);
    expect(yard.running()).toEqual([1]);
  });

  test('waits for its own CPUs, and what it cannot use others can', () => {
    const yard = yardOf(6);
    start(yard, low().wanting({ cpus: 3 }));
    start(yard, high().wanting({ cpus: 2 }));
    start(yard, high().wanting({ cpus: 2 }));
    expect([1, 2, 3].map((job) => cpuIds(yard, job))).toEqual([
      [0, 1, 2],
      [3, 4],
      [0, 5],
    ]);
    yard.ends(2);
    yard.submit(low().wanting({ cpus: 2 }));
    go(yard);
    expect(isSuspended(yard, 1)).toBe(true);
    expect(cpuIds(yard, 4)).toEqual([3, 4]);
    yard.ends(3);
    go(yard);
    expect(isSuspended(yard, 1)).toBe(false);
  });

  test('where CPUs have no numbers, so many of them', () => {
    const yard = aYard(policy).withNodes(aNode('n1').withCpus(4));
    start(yard, low().wanting({ cpus: 4 }));
    start(yard, high().wanting({ cpus: 1 }));
    yard.submit(low());
    expect(yard.plan()).toMatchObject({ starts: [], returns: [] });
    yard.ends(2);
    expect(yard.schedule()).toMatchObject({ starts: [], returns: [1] });
  });

  test('in a chain: each waits for the one above', () => {
    const yard = yardOf(2);
    start(yard, low().wanting({ cpus: 2 }));
    start(yard, high().wanting({ cpus: 2 }));
    start(yard, aJob().inQueue('highest').wanting({ cpus: 2 }));
    expect(yard.running()).toEqual([1, 2, 3]);
    yard.ends(3);
    go(yard);
    expect([1, 2].map((job) => isSuspended(yard, job))).toEqual([true, false]);
    yard.ends(2);
    go(yard);
    expect(isSuspended(yard, 1)).toBe(false);
  });

  test('is queued again where its memory or a device is needed, if it may be', () => {
    const yard = yardOf(4);
    start(yard, low().wanting({ gpus: 1 }));
    yard.submit(high().wanting({ gpus: 1 }));
    expect(yard.schedule().preempts).toEqual([{ job: 1, forJob: 2, suspend: false }]);
    yard.ends(1, 143);
    expect(yard.job(1).phase).toBe('pending');
  });

  test('and is left alone where it may not', () => {
    const yard = yardOf(4);
    start(
      yard,
      low()
        .neverRequeued()
        .wanting({ memoryBytes: 6 * GIB }),
    );
    yard.submit(high().wanting({ memoryBytes: 4 * GIB }));
    yard.submit(high().wanting({ exclusive: true }));
    expect(yard.plan().preempts).toEqual([]);
  });

  test('those whose CPUs are enough lend them, when others have to go for their memory', () => {
    const yard = yardOf(4);
    start(yard, low().wanting({ cpus: 2, memoryBytes: 5 * GIB }));
    start(yard, low().neverRequeued().wanting({ cpus: 2 }));
    yard.submit(high().wanting({ cpus: 4, memoryBytes: 6 * GIB }));
    expect(yard.schedule().preempts).toEqual([{ job: 1, forJob: 3, suspend: false }]);
    expect(yard.schedule().preempts).toEqual([]);
    expect(isSuspended(yard, 2)).toBe(false);
    yard.ends(1, 143);
    go(yard);
    expect(isSuspended(yard, 2)).toBe(true);
    expect(yard.running()).toEqual([2, 3]);
  });

  test('one that has lent its CPUs gives up its device too, queued again', () => {
    const yard = yardOf(4);
    start(yard, low().wanting({ cpus: 4, gpus: 1 }));
    start(yard, high().wanting({ cpus: 4 }));
    yard.submit(aJob().inQueue('highest').wanting({ gpus: 1 }));
    yard.schedule();
    expect(yard.job(1).attempt?.stop).toMatchObject({ cause: 'preempted', by: 'job 3' });
    expect(free(yard)).toMatchObject({ cpus: 0, devices: [0] });
    yard.ends(1, 143);
    expect(yard.job(1).phase).toBe('pending');
  });

  test('what has not begun is suspended when it has', () => {
    const yard = yardOf(1);
    yard.submit(low());
    yard.schedule();
    yard.submit(high());
    expect(yard.schedule().preempts).toEqual([]);
    yard.runs(1);
    go(yard);
    expect(isSuspended(yard, 1)).toBe(true);
    expect(yard.running()).toEqual([1, 2]);
  });

  test('told first, where it asked for it; nobody else is asked meanwhile', () => {
    const yard = yardOf(2);
    start(yard, low().saying({ suspendSignal: 10 }));
    start(yard, low());
    yard.now += SECOND;
    yard.submit(high().wanting({ cpus: 2 }));
    yard.schedule();
    expect(yard.owed(1)).toMatchObject([{ type: 'watch' }, { type: 'signal', signal: 10 }]);
    expect(yard.job(1).attempt).toMatchObject({ suspendedAt: null, makesRoomFor: 3 });
    expect(yard.schedule()).toMatchObject({ preempts: [], starts: [], returns: [] });
    expect(isSuspended(yard, 2)).toBe(false);
    yard.pass(10 * SECOND);
    go(yard);
    expect([1, 2].map((job) => isSuspended(yard, job))).toEqual([true, true]);
    expect(yard.running()).toEqual([1, 2, 3]);
  });

  test('stays suspended while its room is for one that others have yet to leave', () => {
    const yard = yardOf(2);
    start(yard, low().saying({ suspendSignal: 10 }));
    start(yard, aJob().inQueue('lower'));
    yard.submit(high().wanting({ cpus: 2 }));
    yard.schedule();
    yard.pass(10 * SECOND);
    expect(yard.job(2).attempt?.stop?.cause).toBe('preempted');
    expect(yard.schedule()).toMatchObject({ returns: [], starts: [] });
    yard.tell(telling('cancel', 3));
    expect(yard.schedule().returns).toEqual([1]);
  });
});

describe('with other suspensions', () => {
  test('somebody suspends it as well: it has its CPUs back, and stays', () => {
    const yard = lendingYard();
    yard.tell(telling('suspend'));
    yard.ends(2);
    go(yard);
    expect(yard.job(1).attempt).toMatchObject({ suspendedFor: ['job'], cpusLentAt: null });
    expect(free(yard)?.cpus).toBe(0);
    yard.tell(telling('resume'));
    expect(isSuspended(yard, 1)).toBe(false);
  });

  test('one that somebody has suspended lends its CPUs too', () => {
    const yard = yardOf(2);
    start(yard, low().wanting({ cpus: 2 }).saying({ suspendSignal: 10 }));
    yard.tell(telling('suspend'));
    yard.pass(10 * SECOND);
    start(yard, high());
    expect(yard.running()).toEqual([1, 2]);
    yard.tell(telling('resume'));
    expect(yard.job(1).attempt).toMatchObject({ suspendedFor: ['preemption'] });
    expect(isSuspended(yard, 1)).toBe(true);
  });

  test('its queue', () => {
    const yard = lendingYard();
    const setQueue = (suspended: boolean) =>
      yard.tell({ type: 'setQueue', queue: 'low', by: 'ann', suspended });
    setQueue(true);
    yard.ends(2);
    go(yard);
    expect(yard.job(1).attempt?.suspendedFor).toEqual(['queue']);
    setQueue(false);
    expect(isSuspended(yard, 1)).toBe(false);
  });
});

describe('told to end before it has its CPUs back', () => {
  test('it goes on beside those who have them, and counts as having none', () => {
    const yard = lendingYard();
    yard.pass(MINUTE);
    yard.tell(telling('cancel'));
    expect(yard.owed(1)).toMatchObject([{ type: 'watch' }, { type: 'resume' }, { type: 'stop' }]);
    expect(isSuspended(yard, 1)).toBe(false);
    expect(free(yard)).toMatchObject({ cpus: 2, attempts: 2 });
    start(yard, low().wanting({ cpus: 2 }));
    expect(yard.running()).toEqual([1, 2, 3]);
    yard.ends(1, 143);
    expect(free(yard)).toMatchObject({ cpus: 0, attempts: 2 });
  });

  test('it is not given back what it will not use', () => {
    const yard = lendingYard();
    yard.tell(telling('cancel'));
    yard.ends(2);
    expect(yard.schedule().returns).toEqual([]);
    yard.ends(1, 143);
    expect(free(yard)?.cpus).toBe(4);
  });

  test('its node is lost', () => {
    const yard = lendingYard();
    yard.tell({ type: 'nodeLost', node: 'n1', reason: 'gone' });
    expect(yard.state.lenders.size).toBe(0);
    expect(yard.job(1).phase).toBe('pending');
  });
});

describe('what it is counted for', () => {
  test('the CPUs that it lent are nothing it used', () => {
    const [yard, other] = [lendingYard(), lendingYard(low().by('bob'))];
    yard.pass(10 * MINUTE);
    other.pass(10 * MINUTE);
    yard.ends(1);
    other.ends(2);
    go(other);
    other.pass(5 * MINUTE);
    other.ends(1);
    expect(yard.state.usage.get('ann')?.amount).toBeCloseTo(4 * 600, 6);
    expect(other.state.usage.get('bob')?.amount).toBeCloseTo(4 * 900, 6);
  });

  test('a clock that was set changes nothing of that', () => {
    const yard = lendingYard();
    yard.pass(5 * MINUTE);
    yard.now += HOUR;
    yard.tell({ type: 'clockJumped', byMs: HOUR });
    yard.pass(5 * MINUTE);
    yard.ends(2);
    go(yard);
    expect(yard.job(1).attempt?.cpusLentMs).toBe(10 * MINUTE);
    expect(yard.job(1).attempt?.suspendedMs).toBe(10 * MINUTE);
  });

  test('a node that came back smaller gives back what there is', () => {
    const yard = lendingYard();
    yard.ends(2);
    yard.shrunk.add('n1');
    yard.withNodes(aNode('n1').withNumberedCpus(0, 1));
    expect(yard.schedule().returns).toEqual([1]);
    yard.ends(1);
  });

  test('those who wait for what is kept are told that it is taken, and when it will not be', () => {
    const yard = yardOf(4);
    start(yard, low().wanting({ cpus: 4 }).limitedTo(HOUR));
    start(yard, high().wanting({ cpus: 2 }).limitedTo(MINUTE));
    const id = yard.submit(low().wanting({ cpus: 2 }));
    const { reason, expectedStartAt } = explain(yard.state, policy, yard.now, yard.job(id));
    expect(reason).toMatchObject({ kind: 'resources', short: [{ resource: 'cpus', wanted: 2, free: 0 }] });
    expect(expectedStartAt).toBe(yard.now + HOUR);
  });
});
