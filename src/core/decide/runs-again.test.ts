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

describe('what a job itself says about runs that went wrong', () => {
  const aftermath = { againExitCodes: [99], errorExitCodes: [100], faultsAreErrors: true };
  const own = () => aJob().neverRequeued().asCommand().saying({ aftermath });

  test('an exit code asks for another run, of a plain command too, and whatever else may not run again', () => {
    const yard = aYard(policy);
    yard.submit(own());
    runFor(yard, MINUTE, 99);
    expect(yard.job(1)).toMatchObject({
      phase: 'pending',
      restarts: 1,
      note: 'exit code 99 asks for another run',
    });
    runFor(yard, MINUTE, 3);
    expect(yard.job(1)).toMatchObject({ phase: 'ended', outcome: 'failed' });
  });

  test('an exit code leaves it in error until it is released; that is no restart', () => {
    const yard = aYard(policy);
    yard.submit(own());
    runFor(yard, MINUTE, 100);
    expect(yard.job(1)).toMatchObject({
      phase: 'held',
      hold: { by: 'yard', reason: 'exit_status of job start = 100', isError: true },
      restarts: 0,
      attempt: { id: '1.1', phase: 'ended', exit: { code: 100 } },
    });
    yard.tell({ type: 'release', target: { job: 1, index: null }, by: 'ann' });
    runFor(yard, MINUTE, 0);
    expect(yard.job(1)).toMatchObject({ outcome: 'completed', attempt: { id: '1.2' } });
  });

  test('a fault does so, where it says so', () => {
    const yard = aYard(policy);
    const fault = 'cannot open its output file';
    const failing = (job: number) => {
      yard.schedule();
      const exit = { code: null, signal: null, outOfMemory: false };
      yard.tell({ type: 'attemptEnded', attempt: `${job}.1`, exit, usage: null, fault });
    };
    yard.submit(own());
    failing(1);
    expect(yard.job(1)).toMatchObject({ phase: 'held', hold: { by: 'yard', reason: fault, isError: true } });
    yard.submit(own().saying({ aftermath: { ...aftermath, faultsAreErrors: false } }));
    failing(2);
    expect(yard.job(2)).toMatchObject({ phase: 'ended', outcome: 'failed', note: fault });
  });

  test('one that was stopped has not gone wrong', () => {
    const yard = aYard(policy);
    yard.run(own());
    yard.tell({ type: 'cancel', target: { job: 1, index: null }, by: 'ann' });
    yard.ends(1, 100);
    expect(yard.job(1)).toMatchObject({ phase: 'ended', outcome: 'cancelled' });
  });

  test('one that goes round and round is held in error', () => {
    const yard = aYard(policy);
    yard.submit(own());
    for (let run = 0; run < 3; run++) runFor(yard, SECOND / 2, 99);
    expect(yard.job(1)).toMatchObject({ phase: 'held', fruitless: 3, hold: { isError: true } });
    expect(yard.job(1).hold?.reason).toContain('3 times in a row');
  });

  test('a lost node is no matter of that', () => {
    const yard = aYard(policy);
    yard.run(own());
    yard.run(aJob().saying({ aftermath }));
    yard.tell({ type: 'attemptLost', attempt: '1.1', reason: 'gone' });
    yard.tell({ type: 'attemptLost', attempt: '2.1', reason: 'gone' });
    expect(yard.job(1)).toMatchObject({ phase: 'ended', outcome: 'nodeLost' });
    expect(yard.job(2)).toMatchObject({ phase: 'pending' });
  });

  test('what its caller ran can only fail', () => {
    const yard = aYard(policy);
    yard.run(aJob().runByItsCaller().saying({ aftermath }));
    yard.ends(1, 100);
    expect(yard.job(1)).toMatchObject({ phase: 'ended', outcome: 'failed' });
  });
});
