import { describe, expect, test } from 'vitest';
import { aJob, aNode, aYard, GIB, MINUTE, SECOND, type TestYard } from '../../../test/builders.ts';
import {
  freeOn,
  go,
  high,
  isSuspended,
  lendingPolicy,
  lendingYard,
  low,
  start,
  telling,
  yardOf,
} from '../../../test/lending-yard.ts';

const cpuIds = (yard: TestYard, job: number) => yard.job(job).attempt?.placement.nodes[0]?.cpuIds;

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
    expect(freeOn(yard)?.cpus).toBe(2);
    yard.pass(30 * MINUTE);
    yard.ends(2);
    expect(yard.schedule().returns).toEqual([1]);
    expect(yard.job(1).attempt).toMatchObject({ suspendedAt: null, suspendedFor: [], makesRoomFor: null });
    expect(freeOn(yard)?.cpus).toBe(0);
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
    const yard = aYard(lendingPolicy).withNodes(aNode('n1').withCpus(4));
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
    expect(freeOn(yard)).toMatchObject({ cpus: 0, devices: [0] });
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
