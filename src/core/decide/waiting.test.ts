/** Dependencies of every kind, from the submission to the end of what was waited for. */

import { describe, expect, test } from 'vitest';
import { aJob, aNode, aPolicy, aYard, MINUTE, type TestYard } from '../../../test/builders.ts';
import { newState } from '../state.ts';
import { newTurn } from '../turn.ts';
import { decide } from './decide.ts';

type Kind = 'after' | 'afterok' | 'afternotok' | 'afterany' | 'aftercorr' | 'aftercorrany';
const element = (job: number, index: number) => ({ job, index });

function standing(yard: TestYard, job: number): string {
  const { phase, outcome } = yard.job(job);
  return outcome ?? phase;
}

describe('one job after another', () => {
  test.each<[Kind, string, string, string]>([
    ['after', 'pending', 'pending', 'pending'],
    ['afterok', 'waiting', 'pending', 'dependencyFailed'],
    ['afternotok', 'waiting', 'dependencyFailed', 'pending'],
    ['afterany', 'waiting', 'pending', 'pending'],
    ['aftercorr', 'waiting', 'pending', 'dependencyFailed'],
    ['aftercorrany', 'waiting', 'pending', 'pending'],
  ])('%s: %s once it runs, %s once it completed, %s once it failed', (kind, runs, completed, failed) => {
    for (const [code, expected] of [
      [0, completed],
      [1, failed],
    ] as const) {
      const yard = aYard();
      yard.submit(aJob());
      yard.submit(aJob().after(kind, 1));
      expect(standing(yard, 2)).toBe('waiting');
      yard.schedule();
      yard.runs(1);
      expect(standing(yard, 2)).toBe(runs);
      yard.ends(1, code);
      expect(standing(yard, 2)).toBe(expected);
    }
  });

  test.each<[Kind, string]>([
    ['after', 'pending'],
    ['afterok', 'dependencyFailed'],
    ['afternotok', 'pending'],
    ['afterany', 'pending'],
  ])('%s one that was cancelled before it ran', (kind, expected) => {
    const yard = aYard();
    yard.submit(aJob());
    yard.submit(aJob().after(kind, 1));
    yard.tell({ type: 'cancel', target: { job: 1, index: null }, by: 'ann' });
    expect(standing(yard, 2)).toBe(expected);
  });

  test('a chain falls at once', () => {
    const yard = aYard();
    yard.run(aJob());
    for (let job = 1; job < 5; job++) yard.submit(aJob().after('afterok', job));
    yard.ends(1, 1);
    expect([2, 3, 4, 5].map((job) => standing(yard, job))).toEqual(Array(4).fill('dependencyFailed'));
  });

  test('a chain of thousands falls as well as one of five', () => {
    const yard = newState();
    const turn = newTurn(yard, aPolicy(), 1000);
    decide(turn, { type: 'submit', spec: aJob().held().spec });
    for (let job = 1; job < 10_000; job++)
      decide(turn, { type: 'submit', spec: aJob().after('afterok', job).spec });
    decide(turn, { type: 'cancel', target: { job: 1, index: null }, by: 'ann' });
    expect(yard.counts).toMatchObject({ ended: 10_000, waiting: 0 });
  });

  test('a job that starts again has not ended', () => {
    const yard = aYard();
    yard.run(aJob());
    yard.submit(aJob().after('afterany', 1));
    yard.tell({ type: 'requeue', target: { job: 1, index: null }, by: 'ann', hold: false });
    yard.ends(1, 1);
    expect(standing(yard, 2)).toBe('waiting');
  });

  test('a begin time counts too', () => {
    const yard = aYard();
    yard.run(aJob());
    yard.submit(
      aJob()
        .after('afterok', 1)
        .beginningAt(yard.now + MINUTE),
    );
    yard.ends(1);
    expect(standing(yard, 2)).toBe('waiting');
    yard.pass(MINUTE);
    expect(standing(yard, 2)).toBe('pending');
  });

  test('what has already happened need not be waited for', () => {
    const yard = aYard();
    yard.run(aJob());
    yard.ends(1);
    yard.submit(aJob().after('afterok', 1));
    yard.submit(aJob().after('afternotok', 1));
    expect([standing(yard, 2), standing(yard, 3)]).toEqual(['pending', 'dependencyFailed']);
  });
});

describe('several at once', () => {
  function three(build: (job: ReturnType<typeof aJob>) => ReturnType<typeof aJob>): TestYard {
    const yard = aYard();
    yard.run(aJob());
    yard.run(aJob());
    yard.submit(build(aJob().after('afterok', 1).after('afterok', 2)));
    return yard;
  }

  test('all of them are needed', () => {
    const yard = three((job) => job);
    yard.ends(1);
    expect(standing(yard, 3)).toBe('waiting');
    yard.ends(2);
    expect(standing(yard, 3)).toBe('pending');
  });

  test('one that fails is enough to fail', () => {
    const yard = three((job) => job);
    yard.ends(2, 1);
    expect(standing(yard, 3)).toBe('dependencyFailed');
  });

  test('any of them is enough when it says so', () => {
    const yard = three((job) => job.afterAnyOfThem());
    yard.ends(1, 1);
    expect(standing(yard, 3)).toBe('waiting');
    yard.ends(2);
    expect(standing(yard, 3)).toBe('pending');
  });

  test('any of them: it fails only when all have', () => {
    const yard = three((job) => job.afterAnyOfThem());
    yard.ends(1, 1);
    yard.ends(2, 1);
    expect(standing(yard, 3)).toBe('dependencyFailed');
  });
});

describe('singleton', () => {
  test('one of a name and user at a time, in the order of submission', () => {
    const yard = aYard();
    for (let job = 0; job < 3; job++) yard.submit(aJob().named('x').singleton());
    yard.submit(aJob().named('x').by('bob').singleton());
    yard.submit(aJob().named('y').singleton());
    expect([1, 2, 3, 4, 5].map((job) => standing(yard, job))).toEqual([
      'pending',
      'waiting',
      'waiting',
      'pending',
      'pending',
    ]);
    yard.schedule();
    yard.ends(1, 1);
    expect([2, 3].map((job) => standing(yard, job))).toEqual(['pending', 'waiting']);
  });

  test('waits for namesakes that are no singletons, and an array does not wait for itself', () => {
    const yard = aYard();
    yard.run(aJob().named('x'));
    yard.submit(aJob().named('x').asArray('0-2').singleton());
    yard.submit(aJob().named('x'));
    expect([2, 3].map((job) => standing(yard, job))).toEqual(['waiting', 'pending']);
    yard.ends(1);
    expect(standing(yard, 2)).toBe('pending');
    yard.schedule();
    expect(yard.job(2).array?.live).toBe(3);
  });
});

describe('arrays', () => {
  test('after a whole array: its outcome counts', () => {
    const yard = aYard();
    yard.submit(aJob().asArray('0-1'));
    const ok = yard.submit(aJob().after('afterok', 1));
    const any = yard.submit(aJob().after('afterany', 1));
    yard.schedule();
    yard.ends(element(1, 0), 1);
    expect([standing(yard, ok), standing(yard, any)]).toEqual(['waiting', 'waiting']);
    yard.ends(element(1, 1));
    expect([standing(yard, ok), standing(yard, any)]).toEqual(['dependencyFailed', 'pending']);
  });

  test('after a whole array has begun', () => {
    const yard = aYard().withNodes(aNode('n1').withCpus(2));
    yard.submit(aJob().asArray('0-2'));
    const after = yard.submit(aJob().after('after', 1));
    yard.schedule();
    yard.runs(element(1, 0));
    yard.runs(element(1, 1));
    expect(standing(yard, after)).toBe('waiting');
    yard.ends(element(1, 0));
    yard.schedule();
    yard.runs(element(1, 2));
    expect(standing(yard, after)).toBe('pending');
  });

  test('after one element', () => {
    const yard = aYard();
    yard.submit(aJob().asArray('0-9'));
    const after = yard.submit(aJob().after('afterok', 1, 3));
    const missing = yard.submit(aJob().after('afterok', 1, 10));
    expect([standing(yard, after), standing(yard, missing)]).toEqual(['waiting', 'dependencyFailed']);
    yard.schedule();
    yard.ends(element(1, 2), 1);
    expect(standing(yard, after)).toBe('waiting');
    yard.ends(element(1, 3));
    expect(standing(yard, after)).toBe('pending');
  });

  test('element by element: each goes as soon as its counterpart completed', () => {
    const yard = aYard();
    yard.submit(aJob().asArray('0-2'));
    const second = yard.submit(aJob().asArray('0-2').after('aftercorr', 1));
    yard.schedule();
    yard.ends(element(1, 1));
    expect(yard.job(second).phase).toBe('waiting');
    expect(yard.job(element(second, 1)).phase).toBe('pending');
    yard.ends(element(1, 0), 5);
    expect(yard.job(element(second, 0)).outcome).toBe('dependencyFailed');
    yard.ends(element(1, 2));
    yard.schedule();
    yard.ends(element(second, 1));
    yard.ends(element(second, 2));
    expect(yard.job(second)).toMatchObject({
      phase: 'ended',
      outcome: 'dependencyFailed',
      array: { ended: { completed: 2, dependencyFailed: 1 } },
    });
  });

  test('element by element, with something else that all of them wait for', () => {
    const yard = aYard();
    yard.submit(aJob().asArray('0-1'));
    yard.submit(aJob().held());
    const third = yard.submit(aJob().asArray('0-1').after('aftercorr', 1).after('after', 2));
    yard.schedule();
    yard.ends(element(1, 0));
    yard.ends(element(1, 1));
    expect(yard.job(third).array?.live).toBe(0);
    yard.tell({ type: 'cancel', target: { job: 2, index: null }, by: 'ann' });
    expect(yard.job(third).array).toMatchObject({ unstarted: [], live: 2 });
  });

  test('element by element, when the other has no such element', () => {
    const yard = aYard();
    yard.submit(aJob().asArray('0-1'));
    const second = yard.submit(aJob().asArray('1-2').after('aftercorr', 1));
    expect(yard.job(element(second, 2)).outcome).toBe('dependencyFailed');
    yard.schedule();
    yard.ends(element(1, 1));
    expect(yard.job(element(second, 1)).phase).toBe('pending');
  });

  test('a plain job has no counterpart and waits for the whole array to complete', () => {
    const yard = aYard();
    yard.submit(aJob().asArray('0-1'));
    const second = yard.submit(aJob().after('aftercorr', 1));
    yard.schedule();
    yard.ends(element(1, 0));
    expect(standing(yard, second)).toBe('waiting');
    yard.ends(element(1, 1));
    expect(standing(yard, second)).toBe('pending');
  });

  test('element by element, released after a hold', () => {
    const yard = aYard();
    yard.submit(aJob().asArray('0-1'));
    const second = yard.submit(aJob().asArray('0-1').after('aftercorr', 1).held());
    yard.schedule();
    yard.ends(element(1, 0));
    yard.tell({ type: 'release', target: { job: second, index: null }, by: 'ann' });
    expect(yard.job(element(second, 0)).phase).toBe('pending');
    expect(yard.job(second).phase).toBe('waiting');
  });

  test('element by element, however the counterpart ended', () => {
    const yard = aYard().withNodes(aNode('n1').withCpus(2));
    yard.submit(aJob().asArray('0-3'));
    const second = yard.submit(aJob().asArray('0-4').after('aftercorrany', 1));
    // There is no 1_4 to wait for.
    expect(yard.job(element(second, 4)).phase).toBe('pending');
    yard.schedule();
    yard.ends(element(1, 1), 1);
    expect(yard.job(element(second, 1)).phase).toBe('pending');
    expect(yard.job(second).phase).toBe('waiting');
    yard.ends(element(1, 0));
    expect(yard.job(element(second, 0)).phase).toBe('pending');
    yard.tell({ type: 'cancel', target: { job: 1, index: null }, by: 'ann' });
    expect([2, 3].map((index) => yard.job(element(second, index)).phase)).toEqual(['pending', 'pending']);
  });

  test('elements that were dropped with their array never complete', () => {
    const yard = aYard().withNodes(aNode('n1').withCpus(1));
    yard.submit(aJob().asArray('0-5'));
    const second = yard.submit(aJob().asArray('0-5').after('aftercorr', 1));
    yard.schedule();
    yard.tell({ type: 'cancel', target: { job: 1, index: null }, by: 'ann' });
    yard.ends(element(1, 0), 143);
    expect(yard.job(second)).toMatchObject({ phase: 'ended', outcome: 'dependencyFailed' });
  });
});
