import { describe, expect, test } from 'vitest';
import { aNode, HOUR, MINUTE, SECOND } from '../../../test/builders.ts';
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
import { explain } from '../schedule/explain.ts';

describe('with other suspensions', () => {
  test('somebody suspends it as well: it has its CPUs back, and stays', () => {
    const yard = lendingYard();
    yard.tell(telling('suspend'));
    yard.ends(2);
    go(yard);
    expect(yard.job(1).attempt).toMatchObject({ suspendedFor: ['job'], cpusLentAt: null });
    expect(freeOn(yard)?.cpus).toBe(0);
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
    expect(freeOn(yard)).toMatchObject({ cpus: 2, attempts: 2 });
    start(yard, low().wanting({ cpus: 2 }));
    expect(yard.running()).toEqual([1, 2, 3]);
    yard.ends(1, 143);
    expect(freeOn(yard)).toMatchObject({ cpus: 0, attempts: 2 });
  });

  test('it is not given back what it will not use', () => {
    const yard = lendingYard();
    yard.tell(telling('cancel'));
    yard.ends(2);
    expect(yard.schedule().returns).toEqual([]);
    yard.ends(1, 143);
    expect(freeOn(yard)?.cpus).toBe(4);
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
    const { reason, expectedStartAt } = explain(yard.state, lendingPolicy, yard.now, yard.job(id));
    expect(reason).toMatchObject({ kind: 'resources', short: [{ resource: 'cpus', wanted: 2, free: 0 }] });
    expect(expectedStartAt).toBe(yard.now + HOUR);
  });
});
