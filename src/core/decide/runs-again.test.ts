/** Batch scripts that ask for another run, and jobs that nobody can run again. */

import { describe, expect, test } from 'vitest';
import { aJob, aPolicy, aQueue, aYard, MINUTE, SECOND, type TestYard } from '../../../test/builders.ts';

const policy = aPolicy({
  requeueExitCodes: [3],
  requeueHoldExitCodes: [4],
  maxFruitless: 3,
  maxRestarts: 50,
});

function runFor(yard: TestYard, ms: number, code = 3): void {
  yard.schedule();
  yard.runs(1);
  yard.now += ms;
  yard.ends(1, code);
}

describe('asking for another run', () => {
  test('is for batch scripts', () => {
    const yard = aYard(policy);
    yard.run(aJob().asCommand());
    yard.run(aJob());
    yard.ends(1, 3);
    yard.ends(2, 3);
    expect(yard.job(1)).toMatchObject({ phase: 'ended', outcome: 'failed' });
    expect(yard.job(2)).toMatchObject({ phase: 'pending', note: 'exit code 3 asks for another run' });
  });

  test('and to be held', () => {
    const yard = aYard(policy);
    yard.submit(aJob());
    runFor(yard, MINUTE, 4);
    expect(yard.job(1)).toMatchObject({
      phase: 'held',
      hold: { by: 'yard', reason: 'exit code 4 asks to be held' },
    });
    yard.tell({ type: 'release', target: { job: 1, index: null }, by: 'ann' });
    runFor(yard, MINUTE, 0);
    expect(yard.job(1).outcome).toBe('completed');
  });

  test('again and again without getting anywhere, it is held and says so', () => {
    const yard = aYard(policy);
    yard.submit(aJob());
    runFor(yard, 10);
    runFor(yard, 999);
    expect(yard.job(1)).toMatchObject({ phase: 'pending', fruitless: 2 });
    runFor(yard, 0);
    expect(yard.job(1)).toMatchObject({
      phase: 'held',
      hold: {
        by: 'yard',
        reason: 'it asked for another run 3 times in a row, each time within 1s of starting',
      },
    });
    yard.tell({ type: 'release', target: { job: 1, index: null }, by: 'ann' });
    expect(yard.job(1)).toMatchObject({ phase: 'pending', fruitless: 0 });
    runFor(yard, 10);
    expect(yard.job(1)).toMatchObject({ phase: 'pending', fruitless: 1 });
  });

  test('a longer run in between begins the count anew', () => {
    const yard = aYard(policy);
    yard.submit(aJob());
    for (let round = 0; round < 5; round++) {
      runFor(yard, 10);
      runFor(yard, 10);
      runFor(yard, SECOND);
    }
    expect(yard.job(1)).toMatchObject({ phase: 'pending', fruitless: 0, restarts: 15 });
  });
});

describe('a job that its caller runs', () => {
  test('ends when it is preempted or lost', () => {
    const queues = [
      aQueue('main', { isDefault: true, preempt: 'requeue' }),
      aQueue('urgent', { priority: 5 }),
    ];
    const yard = aYard(aPolicy({ queues }));
    yard.run(aJob().runByItsCaller().wanting({ cpus: 8 }));
    expect(yard.job(1).spec.requeue).toBe(false);
    yard.submit(aJob().inQueue('urgent').wanting({ cpus: 8 }));
    yard.schedule();
    expect(yard.job(1).attempt?.stop?.cause).toBe('preempted');
    yard.ends(1, 143);
    expect(yard.job(1)).toMatchObject({ phase: 'ended', outcome: 'preempted' });

    const other = aYard();
    other.run(aJob().runByItsCaller());
    other.tell({ type: 'attemptLost', attempt: '1.1', reason: 'the machine restarted' });
    expect(other.job(1)).toMatchObject({ phase: 'ended', outcome: 'nodeLost' });
  });

  test('cannot be queued again by anybody', () => {
    const yard = aYard(policy);
    yard.run(aJob().runByItsCaller());
    const target = { job: 1, index: null };
    const why = {
      code: 'wrongState',
      message: 'job 1 is run by whoever asked for it and cannot be started again',
    };
    expect(yard.refusalOf({ type: 'requeue', target, by: 'ann', hold: false })).toMatchObject(why);
    const update = { type: 'update', target, by: 'ann', changes: { requeue: true } } as const;
    expect(yard.refusalOf(update)).toMatchObject(why);
    yard.ends(1, 3);
    expect(yard.job(1)).toMatchObject({ phase: 'ended', outcome: 'failed' });
    expect(yard.refusalOf({ type: 'requeue', target, by: 'ann', hold: false })).toMatchObject(why);
  });
});
