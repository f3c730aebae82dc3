/** Arrays through every command: one record until elements start or are treated apart. */

import { describe, expect, test } from 'vitest';
import { aJob, aNode, aYard, MINUTE, type TestYard } from '../../../test/builders.ts';
import { countOf, formatRanges } from '../../model/ranges.ts';

const whole = (job: number) => ({ job, index: null });
const element = (job: number, index: number) => ({ job, index });

function anArrayOf(words: string, cpus = 8): TestYard {
  const yard = aYard().withNodes(aNode('n1').withCpus(cpus));
  yard.submit(aJob().asArray(words));
  return yard;
}

function unstarted(yard: TestYard): string {
  return formatRanges(yard.job(1).array?.unstarted ?? []);
}

describe('an array', () => {
  test('of ten thousand is one record until elements start', () => {
    const yard = anArrayOf('0-9999', 4);
    expect(yard.state.jobs.size).toBe(1);
    expect(yard.schedule().starts.map(({ index }) => index)).toEqual([0, 1, 2, 3]);
    expect(yard.state.jobs.size).toBe(5);
    expect(yard.job(1).array).toMatchObject({ unstarted: [[4, 9999, 1]], live: 4 });
    expect(yard.job(element(1, 2))).toMatchObject({
      id: 4,
      phase: 'active',
      element: { array: 1, index: 2 },
    });
  });

  test('starts its elements in order of index, with the indices it was given', () => {
    const yard = anArrayOf('1-9:4,3', 8);
    yard.schedule();
    expect([...(yard.state.elements.get(1)?.keys() ?? [])]).toEqual([1, 3, 5, 9]);
    expect(yard.job(1)).toMatchObject({ phase: 'active', array: { unstarted: [], live: 4 } });
  });

  test('never runs more at once than its throttle allows', () => {
    const yard = anArrayOf('0-9%2');
    yard.schedule();
    expect(yard.running()).toHaveLength(2);
    expect(yard.schedule().starts).toEqual([]);
    yard.runs(element(1, 0));
    yard.ends(element(1, 0));
    expect(yard.schedule().starts.map(({ index }) => index)).toEqual([2]);
  });

  test('lets others of its kind go by while it is throttled', () => {
    const yard = anArrayOf('0-9%1');
    yard.submit(aJob());
    expect(yard.schedule().starts.map(({ job }) => job)).toEqual([1, 2]);
  });

  test('keeps to a throttle that was changed meanwhile, also for an element that starts again', () => {
    const yard = anArrayOf('0-9%4');
    yard.schedule();
    yard.tell({ type: 'update', target: whole(1), by: 'ann', changes: { throttle: 1 } });
    yard.tell({ type: 'requeue', target: element(1, 0), by: 'ann', hold: false });
    yard.ends(element(1, 0), 1);
    expect(yard.schedule().starts).toEqual([]);
    for (const index of [1, 2, 3]) yard.ends(element(1, index));
    expect(yard.schedule().starts).toHaveLength(1);
  });

  test('counts as so many jobs for limits on what is queued', () => {
    const yard = anArrayOf('0-9');
    expect(yard.state.tallies.unendedByUser.get('ann')).toBe(10);
    yard.schedule();
    expect(yard.state.tallies.unendedByUser.get('ann')).toBe(10);
    yard.ends(element(1, 0));
    expect(yard.state.tallies.unendedByUser.get('ann')).toBe(9);
  });

  test.each([
    ['completed', [0, 0, 0], 'completed'],
    ['failed as soon as one element failed', [0, 3, 0], 'failed'],
  ] as const)('ends as %s', (_what, codes, outcome) => {
    const yard = anArrayOf('0-2');
    yard.schedule();
    codes.forEach((code, index) => {
      expect(yard.job(1).phase).toBe('active');
      yard.ends(element(1, index), code);
    });
    expect(yard.job(1)).toMatchObject({ phase: 'ended', outcome });
  });
});

describe('one element of an array', () => {
  test('is cancelled before it starts, and the others go on', () => {
    const yard = anArrayOf('0-3');
    yard.tell({ type: 'cancel', target: element(1, 2), by: 'ann' });
    expect(yard.job(element(1, 2))).toMatchObject({ phase: 'ended', outcome: 'cancelled' });
    expect(unstarted(yard)).toBe('0-1,3');
    expect(yard.job(1).array).toMatchObject({ live: 0, ended: { cancelled: 1 } });
    yard.schedule();
    expect(yard.running()).toHaveLength(3);
  });

  test('is held apart and released again', () => {
    const yard = anArrayOf('0-1');
    yard.tell({ type: 'hold', target: element(1, 0), by: 'ann' });
    yard.schedule();
    yard.ends(element(1, 1));
    expect(yard.job(1).phase).toBe('active');
    yard.tell({ type: 'release', target: element(1, 0), by: 'ann' });
    yard.schedule();
    yard.ends(element(1, 0));
    expect(yard.job(1)).toMatchObject({ phase: 'ended', outcome: 'completed' });
  });

  test('that runs is started again alone', () => {
    const yard = anArrayOf('0-2');
    yard.schedule();
    yard.tell({ type: 'requeue', target: element(1, 1), by: 'ann', hold: false });
    expect(yard.job(element(1, 1)).attempt?.stop?.cause).toBe('requeued');
    expect(yard.job(element(1, 0)).attempt?.stop).toBeNull();
    yard.ends(element(1, 1), 0);
    expect(yard.job(element(1, 1))).toMatchObject({ phase: 'pending', restarts: 1 });
  });

  test('that has not started cannot be started again, and the others are left alone', () => {
    const yard = anArrayOf('0-9', 2);
    yard.schedule();
    const refused = yard.refusalOf({ type: 'requeue', target: element(1, 5), by: 'ann', hold: false });
    expect(refused.message).toBe('job 1_5 is still waiting to run');
    expect(yard.job(element(1, 0)).attempt?.stop).toBeNull();
  });

  test('that ended runs once more, and the array is no longer ended', () => {
    const yard = anArrayOf('0-1');
    yard.schedule();
    yard.ends(element(1, 0), 0);
    yard.ends(element(1, 1), 7);
    expect(yard.job(1)).toMatchObject({ phase: 'ended', outcome: 'failed', array: { ended: { failed: 1 } } });
    yard.tell({ type: 'requeue', target: element(1, 1), by: 'ann', hold: false });
    expect(yard.job(1)).toMatchObject({ phase: 'active', outcome: null, endedAt: null, array: { live: 1 } });
    yard.schedule();
    yard.ends(element(1, 1), 0);
    expect(yard.job(1)).toMatchObject({
      phase: 'ended',
      outcome: 'completed',
      array: { ended: { completed: 2 } },
    });
  });

  test('can be named by its own number too', () => {
    const yard = anArrayOf('5-6');
    yard.schedule();
    const { id } = yard.job(element(1, 5));
    yard.tell({ type: 'cancel', target: whole(id), by: 'ann' });
    expect(yard.job(element(1, 5)).attempt?.stop?.cause).toBe('cancelled');
    expect(yard.refusalOf({ type: 'cancel', target: element(id, 6), by: 'ann' }).code).toBe('noSuchJob');
  });

  test('that the array never had is not there', () => {
    const yard = anArrayOf('0-3');
    expect(yard.refusalOf({ type: 'hold', target: element(1, 4), by: 'ann' })).toMatchObject({
      code: 'noSuchJob',
      message: 'there is no job 1_4',
    });
  });

  test('can be changed apart', () => {
    const yard = anArrayOf('0-3', 1);
    yard.tell({ type: 'update', target: element(1, 3), by: 'ann', changes: { priority: 50_000 } });
    expect(yard.schedule().starts).toMatchObject([{ job: yard.job(element(1, 3)).id, index: null }]);
    expect(yard.job(1).spec.priority).toBe(0);
  });
});

describe('a whole array', () => {
  test('is cancelled at once where nothing has started, without ten thousand records', () => {
    const yard = anArrayOf('0-9999');
    yard.tell({ type: 'cancel', target: whole(1), by: 'ann' });
    expect(yard.job(1)).toMatchObject({
      phase: 'ended',
      outcome: 'cancelled',
      endedBy: 'ann',
      array: { unstarted: [], live: 0, ended: { cancelled: 10_000 } },
    });
    expect(countOf(yard.job(1).array?.dropped ?? [])).toBe(10_000);
    expect(yard.state.jobs.size).toBe(1);
  });

  test('is cancelled with what runs, and ends when that has stopped', () => {
    const yard = anArrayOf('0-9', 2);
    yard.schedule();
    yard.tell({ type: 'cancel', target: whole(1), by: 'ann' });
    expect(yard.job(1)).toMatchObject({ phase: 'active', array: { unstarted: [], live: 2 } });
    yard.ends(element(1, 0), 143);
    yard.ends(element(1, 1), 143);
    expect(yard.job(1)).toMatchObject({
      phase: 'ended',
      outcome: 'cancelled',
      array: { ended: { cancelled: 10 } },
    });
  });

  test('is held with what waits while what runs goes on, and released', () => {
    const yard = anArrayOf('0-9', 2);
    yard.schedule();
    yard.tell({ type: 'hold', target: whole(1), by: 'ann' });
    yard.ends(element(1, 0));
    expect(yard.job(1).phase).toBe('held');
    expect(yard.schedule().starts).toEqual([]);
    yard.tell({ type: 'release', target: whole(1), by: 'ann' });
    expect(yard.schedule().starts.map(({ index }) => index)).toEqual([2]);
  });

  test('is held, and its last element is released on its own', () => {
    const yard = anArrayOf('0-0');
    yard.tell({ type: 'hold', target: whole(1), by: 'ann' });
    yard.tell({ type: 'release', target: element(1, 0), by: 'ann' });
    expect(yard.job(1)).toMatchObject({ phase: 'active', hold: null });
    yard.schedule();
    yard.ends(element(1, 0));
    expect(yard.job(1).outcome).toBe('completed');
  });

  test('is held and then cancelled while an element runs', () => {
    const yard = anArrayOf('0-9', 1);
    yard.schedule();
    yard.tell({ type: 'hold', target: whole(1), by: 'ann' });
    yard.tell({ type: 'cancel', target: whole(1), by: 'ann' });
    expect(yard.job(1)).toMatchObject({ phase: 'active', hold: null });
  });

  test('cannot be held when all of it runs', () => {
    const yard = anArrayOf('0-1');
    yard.schedule();
    expect(yard.refusalOf({ type: 'hold', target: whole(1), by: 'ann' }).code).toBe('wrongState');
  });

  test('is started again: what runs and what has ended, not what waits', () => {
    const yard = anArrayOf('0-9', 2);
    yard.schedule();
    yard.ends(element(1, 0), 4);
    yard.tell({ type: 'requeue', target: whole(1), by: 'ann', hold: false });
    expect(yard.job(element(1, 0))).toMatchObject({ phase: 'pending', note: 'requeued by ann' });
    expect(yard.job(element(1, 1)).attempt?.stop?.cause).toBe('requeued');
    expect(unstarted(yard)).toBe('2-9');
  });

  test('cannot be started again before anything ran', () => {
    const yard = anArrayOf('0-9');
    expect(yard.refusalOf({ type: 'requeue', target: whole(1), by: 'ann', hold: false }).message).toBe(
      'no element of job 1 has run yet',
    );
  });

  test('misses its deadline: what waits ends at once, what runs is stopped', () => {
    const yard = aYard().withNodes(aNode('n1').withCpus(2));
    yard.submit(
      aJob()
        .asArray('0-5')
        .endedBy(yard.now + MINUTE),
    );
    yard.schedule();
    yard.runs(element(1, 0));
    yard.pass(MINUTE);
    expect(yard.job(1)).toMatchObject({ phase: 'active', array: { ended: { deadline: 4 }, live: 2 } });
    expect(yard.job(element(1, 0)).attempt?.stop?.cause).toBe('deadline');
    yard.ends(element(1, 0), 143);
    yard.ends(element(1, 1), 143);
    expect(yard.job(1)).toMatchObject({ phase: 'ended', outcome: 'deadline' });
  });
});
