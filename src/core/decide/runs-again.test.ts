/** Batch scripts that ask for another run, and jobs that nobody can run again. */

import { describe, expect, test } from 'vitest';
import { aJob, aPolicy, aQueue, aYard, MINUTE, SECOND, type TestYard } from '../../../test/builders.ts';
import { seededRandom } from '../../sim/random.ts';

const policy = aPolicy({
  requeueExitCodes: [3],
  requeueHoldExitCodes: [4],
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

  test('three short runs in a row are enough: it is held, says why, and begins anew when it is released', () => {
    const yard = aYard(policy);
    yard.submit(aJob());
    runFor(yard, 10);
    runFor(yard, 9_999);
    expect(yard.job(1)).toMatchObject({
      phase: 'pending',
      fruitless: 2,
      askedAgain: { code: 3, rule: 'exitCodes' },
    });
    runFor(yard, 0);
    expect(yard.job(1)).toMatchObject({
      phase: 'held',
      hold: {
        by: 'yard',
        reason:
          '3 runs in a row ended with exit code 3, which asks for another run, within 10s of starting: see what its output says, then release it',
      },
      attempt: { id: '1.3' },
    });
    yard.tell({ type: 'release', target: { job: 1, index: null }, by: 'ann' });
    expect(yard.job(1)).toMatchObject({ phase: 'pending', fruitless: 0 });
    runFor(yard, 10);
    expect(yard.job(1)).toMatchObject({ phase: 'pending', fruitless: 1 });
  });

  test('a run of ten seconds in between begins the count anew', () => {
    const yard = aYard(policy);
    yard.submit(aJob());
    for (let round = 0; round < 5; round++) {
      runFor(yard, 10);
      runFor(yard, 10);
      runFor(yard, 10 * SECOND);
    }
    expect(yard.job(1)).toMatchObject({ phase: 'pending', fruitless: 0, restarts: 15 });
  });

  test('so does one that came further, however short', () => {
    const yard = aYard(policy);
    yard.submit(aJob());
    for (let step = 1; step <= 10; step++) {
      yard.schedule();
      yard.runs(1);
      yard.endsAt(1, step, 3);
    }
    expect(yard.job(1)).toMatchObject({ phase: 'pending', fruitless: 0, restarts: 10 });
  });

  test('being preempted or queued again by somebody is no such run', () => {
    const yard = aYard(policy);
    yard.submit(aJob());
    for (let round = 0; round < 4; round++) {
      runFor(yard, 10);
      runFor(yard, 10);
      yard.schedule();
      yard.runs(1);
      yard.tell({ type: 'requeue', target: { job: 1, index: null }, by: 'ann', hold: false });
      yard.ends(1, 3);
    }
    expect(yard.job(1)).toMatchObject({ phase: 'pending', fruitless: 0, restarts: 12 });
    expect(yard.job(1).askedAgain).toBeUndefined();
  });
});

describe('a job that goes on in further runs by its own wish', () => {
  const codes = { againExitCodes: [3], errorExitCodes: [], faultsAreErrors: false };

  test.each([
    ['names the exit codes itself', aJob().saying({ aftermath: codes }), 'own'],
    ['is chained', aJob().saying({ chain: true }), 'exitCodes'],
  ])('may have short runs when it %s', (_, job, rule) => {
    const yard = aYard(policy);
    yard.submit(job);
    for (let run = 0; run < 20; run++) runFor(yard, SECOND);
    expect(yard.job(1)).toMatchObject({ phase: 'pending', fruitless: 0, askedAgain: { code: 3, rule } });
  });

  test('is held after ten runs under a second, and not in error', () => {
    const yard = aYard(policy);
    yard.submit(aJob().saying({ aftermath: codes }));
    for (let run = 0; run < 9; run++) runFor(yard, 10);
    expect(yard.job(1)).toMatchObject({ phase: 'pending', fruitless: 9 });
    runFor(yard, 10);
    expect(yard.job(1)).toMatchObject({ phase: 'held', attempt: { id: '1.10' } });
    expect(yard.job(1).hold?.isError).toBeUndefined();
  });

  test('never has less than the config allows to all', () => {
    const yard = aYard({ ...policy, maxFruitless: 12, fruitlessUnderMs: 500 });
    yard.submit(aJob().saying({ aftermath: codes }));
    for (let run = 0; run < 5; run++) runFor(yard, 600);
    for (let run = 0; run < 11; run++) runFor(yard, 400);
    expect(yard.job(1)).toMatchObject({ phase: 'pending', fruitless: 11 });
    runFor(yard, 400);
    expect(yard.job(1).phase).toBe('held');
  });

  test('may say that no exit code queues it again', () => {
    const yard = aYard(policy);
    yard.submit(aJob().saying({ aftermath: { ...codes, againExitCodes: [] } }));
    runFor(yard, MINUTE);
    expect(yard.job(1)).toMatchObject({ phase: 'ended', outcome: 'failed' });
  });
});

test.each([1, 2, 3, 4, 5])(
  'short runs without progress come three in a row at most, and progress is never held against a job (seed %i)',
  (seed) => {
    const random = seededRandom(seed);
    const yard = aYard({ ...policy, maxRestarts: 1000, maxStagnant: 1000 });
    yard.submit(aJob());
    let inARow = 0;
    for (let run = 1; run <= 100; run++) {
      const ms = random.between(0, 13_000);
      const isFurther = random.chance(0.2);
      yard.schedule();
      yard.runs(1);
      yard.now += ms;
      yard.endsAt(1, isFurther ? run : null, 3);
      inARow = ms < 10_000 && !isFurther ? inARow + 1 : 0;
      expect(yard.job(1).phase).toBe(inARow === 3 ? 'held' : 'pending');
      if (inARow < 3) continue;
      yard.tell({ type: 'release', target: { job: 1, index: null }, by: 'ann' });
      inARow = 0;
    }
  },
);

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
    for (let run = 0; run < 10; run++) runFor(yard, SECOND / 2, 99);
    expect(yard.job(1)).toMatchObject({ phase: 'held', fruitless: 10, hold: { isError: true } });
    expect(yard.job(1).hold?.reason).toContain('10 runs in a row ended with exit code 99');
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
