/** Jobs that go on in another run when their time limit ends one, and those that get nowhere that way. */

import { describe, expect, test } from 'vitest';
import { aJob, aPolicy, aYard, HOUR, MINUTE, SECOND, type TestYard } from '../../../test/builders.ts';

const chained = aJob()
  .chained()
  .limitedTo(10 * MINUTE);
const saving = chained.keeping({ checkpoints: '/ck' });
const policy = aPolicy({ maxStagnant: 3, maxRestarts: 4, requeueExitCodes: [3] });

/** Job 1 runs into its time limit, having done something before. */
function runOut(yard: TestYard, work: () => void = () => {}, code = 143): void {
  yard.schedule();
  yard.runs(1);
  work();
  yard.pass(10 * MINUTE);
  yard.ends(1, code);
}

describe('a chained job', () => {
  test('goes on after its time limit', () => {
    const yard = aYard(policy);
    yard.submit(chained);
    runOut(yard);
    expect(yard.job(1)).toMatchObject({
      phase: 'pending',
      restarts: 1,
      note: 'its time limit came, and it goes on',
    });
    // Its program was asked to end and did so well, but nobody knows that it had done all.
    runOut(yard, undefined, 0);
    expect(yard.job(1).phase).toBe('pending');
    yard.schedule();
    yard.runs(1);
    yard.ends(1, 0);
    expect(yard.job(1)).toMatchObject({ phase: 'ended', outcome: 'completed' });
  });

  test('goes on also where it may not be started again for other reasons', () => {
    const yard = aYard(policy);
    yard.submit(chained.neverRequeued());
    runOut(yard);
    expect(yard.job(1).phase).toBe('pending');
  });

  test('ends at its deadline', () => {
    const yard = aYard(policy);
    yard.submit(chained.endedBy(yard.now + 10 * MINUTE + 5 * SECOND));
    yard.schedule();
    yard.runs(1);
    yard.pass(10 * MINUTE);
    yard.now += 6 * SECOND;
    yard.ends(1, 143);
    yard.tell({ type: 'tick' });
    expect(yard.job(1)).toMatchObject({ phase: 'ended', outcome: 'deadline' });
  });

  test('that dies of the warning ahead of its limit goes on too', () => {
    const yard = aYard(policy);
    const die = () => yard.ends(1, undefined, { code: null, signal: 10 });
    yard.run(chained.warnedBefore(MINUTE, 10));
    yard.pass(9 * MINUTE);
    die();
    expect(yard.job(1).phase).toBe('pending');
    yard.schedule();
    yard.runs(1);
    die();
    expect(yard.job(1), 'without a warning it is a failure').toMatchObject({
      phase: 'ended',
      outcome: 'failed',
    });
  });

  test('asks for another run by its exit code, be it a script or a plain command', () => {
    const yard = aYard(policy);
    yard.submit(chained.asCommand());
    yard.schedule();
    yard.runs(1);
    yard.pass(9 * MINUTE);
    yard.ends(1, 3);
    expect(yard.job(1)).toMatchObject({ phase: 'pending', note: 'exit code 3 asks for another run' });
    yard.submit(chained.asCommand().neverRequeued());
    yard.schedule();
    yard.runs(2);
    yard.ends(2, 3);
    expect(yard.job(2)).toMatchObject({ phase: 'ended', outcome: 'failed' });
  });

  test('fails and completes as others do', () => {
    const yard = aYard(policy);
    yard.run(chained);
    yard.ends(1, 1);
    expect(yard.job(1).outcome).toBe('failed');
  });

  test('that nobody can run again is no chain', () => {
    const yard = aYard(policy);
    yard.run(chained.runByItsCaller());
    expect(yard.job(1).spec.chain).toBeUndefined();
    yard.pass(10 * MINUTE);
    yard.ends(1, 143);
    expect(yard.job(1).outcome).toBe('timeout');
    const other = yard.run(aJob().runByItsCaller());
    const changes = { chain: true } as const;
    const update = { type: 'update', target: { job: other, index: null }, by: 'ann', changes } as const;
    expect(yard.refusalOf(update).code).toBe('wrongState');
  });

  test('may become one while it runs', () => {
    const yard = aYard(policy);
    yard.run(aJob().limitedTo(MINUTE));
    yard.tell({ type: 'update', target: { job: 1, index: null }, by: 'ann', changes: { chain: true } });
    yard.pass(MINUTE);
    yard.ends(1, 143);
    expect(yard.job(1).phase).toBe('pending');
  });
});

describe('a job that makes progress', () => {
  test('goes on for ever', () => {
    const yard = aYard(policy);
    yard.submit(saving);
    for (let round = 0; round < 20; round++) runOut(yard, () => void yard.keeps(1));
    expect(yard.job(1)).toMatchObject({ phase: 'pending', restarts: 20, restartsAtProgress: 20 });
    expect(yard.job(1).stagnant ?? 0).toBe(0);
  });

  test('also by telling how far it has come', () => {
    const yard = aYard(policy);
    yard.submit(chained);
    for (let round = 1; round <= 20; round++) {
      yard.schedule();
      yard.runs(1);
      yard.pass(10 * MINUTE);
      yard.endsAt(1, round * 100, 143);
    }
    expect(yard.job(1)).toMatchObject({ phase: 'pending', furthestStep: 2000, restarts: 20 });
  });

  test('and then is driven out before it can save, again and again: only that counts', () => {
    const yard = aYard(policy);
    yard.submit(saving);
    for (let round = 0; round < 10; round++) runOut(yard, () => void yard.keeps(1));
    for (let round = 0; round < 5; round++) {
      yard.schedule();
      yard.runs(1);
      yard.tell({ type: 'preempt', job: 1, forJob: 2, suspend: false });
      yard.ends(1, 143);
    }
    expect(yard.job(1)).toMatchObject({
      phase: 'held',
      hold: { by: 'yard', reason: 'started again 4 times since it last got further (preempted)' },
    });
  });
});

describe('a job that gets nowhere', () => {
  test('is held after so many runs, and says what to do', () => {
    const yard = aYard(policy);
    yard.submit(saving);
    runOut(yard);
    runOut(yard);
    expect(yard.job(1)).toMatchObject({ phase: 'pending', stagnant: 2 });
    runOut(yard);
    expect(yard.job(1)).toMatchObject({
      phase: 'held',
      stagnant: 3,
      note: 'its time limit came',
      hold: {
        by: 'yard',
        reason:
          '3 runs in a row ended without a new checkpoint; each had 10m: give it more time, or save more often, then release it',
      },
    });
    yard.tell({ type: 'release', target: { job: 1, index: null }, by: 'ann' });
    expect(yard.job(1)).toMatchObject({ phase: 'pending', stagnant: 0 });
    runOut(yard);
    expect(yard.job(1)).toMatchObject({ phase: 'pending', stagnant: 1 });
  });

  test('a checkpoint in between begins the count anew', () => {
    const yard = aYard({ ...policy, maxRestarts: 100 });
    yard.submit(saving);
    for (let round = 0; round < 4; round++) {
      runOut(yard);
      runOut(yard);
      runOut(yard, () => void yard.keeps(1));
    }
    expect(yard.job(1)).toMatchObject({ phase: 'pending', stagnant: 0 });
  });

  test('a checkpoint that was there before is no news', () => {
    const yard = aYard({ ...policy, maxRestarts: 100 });
    yard.submit(saving);
    const first = { name: 'a.pt', step: 5, writtenAt: yard.now };
    runOut(yard, () => void yard.keeps(1, first));
    for (let round = 0; round < 3; round++) runOut(yard, () => void yard.keeps(1, first));
    expect(yard.job(1)).toMatchObject({ phase: 'held', stagnant: 3, checkpoint: first });
  });

  test('reaches the same step again and again', () => {
    const yard = aYard({ ...policy, maxRestarts: 100 });
    yard.submit(chained);
    for (const step of [500, 480, 500, 499]) {
      yard.schedule();
      yard.runs(1);
      yard.pass(10 * MINUTE);
      yard.endsAt(1, step, 143);
    }
    expect(yard.job(1)).toMatchObject({
      phase: 'held',
      furthestStep: 500,
      hold: {
        reason:
          '3 runs in a row came no further than step 500; each had 10m: give it more time, or save more often, then release it',
      },
    });
  });

  test('asks for another run by its exit code', () => {
    const yard = aYard({ ...policy, maxRestarts: 100, maxStagnant: 1 });
    yard.submit(saving);
    yard.schedule();
    yard.runs(1);
    yard.now += MINUTE;
    yard.ends(1, 3);
    expect(yard.job(1).hold?.reason).toBe(
      'its last run ended without a new checkpoint: see what its output says, then release it',
    );
  });

  test('because nothing can be made safe, which it then says', () => {
    const yard = aYard({ ...policy, maxStagnant: 1 });
    yard.submit(saving);
    const trouble = 'no space left on /data';
    runOut(yard, () => void yard.tell({ type: 'checkpointTrouble', attempt: '1.1', trouble }));
    expect(yard.job(1).hold?.reason).toBe(
      'its last run ended without a new checkpoint: no space left on /data; see to that, then release it',
    );
  });

  test('is not held for what was done to it', () => {
    const yard = aYard({ ...policy, maxRestarts: 100 });
    yard.submit(saving);
    runOut(yard);
    runOut(yard);
    for (let round = 0; round < 3; round++) {
      yard.schedule();
      yard.runs(1);
      yard.tell({ type: 'preempt', job: 1, forJob: 2, suspend: false });
      yard.ends(1, 143);
      yard.schedule();
      yard.tell({ type: 'attemptLost', attempt: yard.job(1).attempt?.id ?? '', reason: 'gone' });
    }
    expect(yard.job(1)).toMatchObject({ phase: 'pending', stagnant: 2 });
    yard.schedule();
    yard.runs(1);
    yard.tell({ type: 'requeue', target: { job: 1, index: null }, by: 'ann', hold: false });
    yard.ends(1, 143);
    expect(yard.job(1)).toMatchObject({ phase: 'pending', stagnant: 0 });
  });

  test('is held all the same when nothing is known of it, but only after many restarts', () => {
    const yard = aYard(policy);
    yard.submit(chained);
    for (let round = 0; round < 5; round++) runOut(yard);
    expect(yard.job(1)).toMatchObject({
      phase: 'held',
      hold: { reason: 'started again 4 times (its time limit came, and it goes on)' },
    });
    expect(yard.job(1).stagnant).toBeUndefined();
  });

  test('counts what was made safe after its processes had gone', () => {
    const yard = aYard({ ...policy, maxStagnant: 1 });
    yard.submit(saving);
    yard.schedule();
    yard.runs(1);
    yard.pass(10 * MINUTE);
    yard.syncs(1, 143);
    yard.now += HOUR;
    yard.keeps(1);
    yard.ends(1, 143);
    expect(yard.job(1)).toMatchObject({ phase: 'pending', restartsAtProgress: 1 });
  });
});
