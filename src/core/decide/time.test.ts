import { describe, expect, test } from 'vitest';
import { aJob, aNode, aPolicy, aQueue, aYard, HOUR, MINUTE, SECOND } from '../../../test/builders.ts';
import { nextAt } from '../agenda.ts';

describe('a begin time', () => {
  test('is waited for, and waiting time counts from it', () => {
    const yard = aYard();
    const at = yard.now + MINUTE;
    yard.submit(aJob().beginningAt(at));
    expect(yard.job(1).phase).toBe('waiting');
    expect(nextAt(yard.state.agenda)).toBe(at);
    yard.pass(MINUTE - 1);
    expect(yard.job(1).phase).toBe('waiting');
    yard.pass(1);
    expect(yard.job(1)).toMatchObject({ phase: 'pending', eligibleAt: at });
  });

  test('in the past is no reason to wait', () => {
    const yard = aYard();
    yard.submit(aJob().beginningAt(yard.now - 1));
    expect(yard.job(1).phase).toBe('pending');
  });

  test('is a matter of the clock on the wall: a jump does not move it', () => {
    const yard = aYard();
    yard.submit(aJob().beginningAt(yard.now + HOUR));
    yard.now += HOUR;
    yard.tell({ type: 'clockJumped', byMs: HOUR });
    yard.tell({ type: 'tick' });
    expect(yard.job(1).phase).toBe('pending');
  });
});

test('a begin time that passed before the clock was set back is waited for again', () => {
  const yard = aYard();
  yard.run(aJob());
  yard.submit(
    aJob()
      .after('afterok', 1)
      .beginningAt(yard.now + MINUTE),
  );
  yard.pass(MINUTE);
  yard.now -= HOUR;
  yard.tell({ type: 'clockJumped', byMs: -HOUR });
  yard.ends(1);
  expect(yard.job(2).phase).toBe('waiting');
  yard.pass(HOUR);
  expect(yard.job(2).phase).toBe('pending');
});

describe('a time limit', () => {
  test('warning, then limit, then kill', () => {
    const yard = aYard();
    yard.run(
      aJob()
        .limitedTo(10 * MINUTE)
        .warnedBefore(MINUTE, 12),
    );
    yard.pass(9 * MINUTE - 1);
    expect(yard.owed(1)).toMatchObject([{ type: 'watch' }]);
    yard.pass(1);
    expect(yard.owed(1)).toMatchObject([{ type: 'watch' }, { type: 'warn', signal: 12, scope: 'main' }]);
    yard.tell({ type: 'warningSent', attempt: '1.1' });
    expect(yard.owed(1)).toMatchObject([{ type: 'watch' }]);
    yard.pass(MINUTE);
    expect(yard.owed(1)).toMatchObject([{ type: 'watch' }, { type: 'stop', step: 'term' }]);
    yard.pass(10 * SECOND);
    expect(yard.owed(1)).toMatchObject([{ type: 'watch' }, { type: 'stop', step: 'kill' }]);
    expect(nextAt(yard.state.agenda)).toBeNull();
    yard.ends(1, 0, { code: null, signal: 9 });
    expect(yard.job(1)).toMatchObject({ phase: 'ended', outcome: 'timeout' });
  });

  test('runs from the start, not from the assignment', () => {
    const yard = aYard();
    yard.submit(aJob().limitedTo(MINUTE));
    yard.schedule();
    yard.pass(HOUR);
    expect(yard.job(1).attempt?.stop).toBeNull();
    yard.runs(1);
    yard.pass(MINUTE);
    expect(yard.job(1).attempt?.stop?.cause).toBe('timeLimit');
  });

  test('starts anew with every attempt', () => {
    const yard = aYard(aPolicy({ requeueExitCodes: [75] }));
    yard.run(aJob().limitedTo(MINUTE));
    yard.pass(50 * SECOND);
    yard.ends(1, 75);
    yard.schedule();
    yard.runs(1);
    yard.pass(50 * SECOND);
    expect(yard.job(1).attempt?.stop).toBeNull();
    yard.pass(10 * SECOND);
    expect(yard.job(1).attempt?.stop?.cause).toBe('timeLimit');
  });

  test.each([HOUR, -HOUR])('is about time that passed, whatever the clock says: a jump of %d ms', (byMs) => {
    const yard = aYard();
    yard.run(aJob().limitedTo(10 * MINUTE));
    yard.pass(5 * MINUTE);
    yard.now += byMs;
    yard.tell({ type: 'clockJumped', byMs });
    yard.pass(5 * MINUTE - 1);
    expect(yard.job(1).attempt?.stop).toBeNull();
    yard.pass(1);
    expect(yard.job(1).attempt?.stop?.cause).toBe('timeLimit');
  });

  test.each([HOUR, -HOUR])('a grace lasts as long as it says, through a jump of %d ms', (byMs) => {
    const yard = aYard();
    yard.run(aJob().limitedTo(MINUTE));
    yard.pass(MINUTE);
    yard.now += byMs;
    yard.tell({ type: 'clockJumped', byMs });
    yard.pass(9 * SECOND);
    expect(yard.job(1).attempt?.stop?.step).toBe('term');
    yard.pass(SECOND);
    expect(yard.job(1).attempt?.stop?.step).toBe('kill');
  });

  test('without a grace asks and kills at once', () => {
    const yard = aYard(aPolicy({ queues: [aQueue('main', { graceMs: 0 })] }));
    yard.run(aJob().limitedTo(MINUTE));
    yard.pass(MINUTE);
    expect(yard.job(1).attempt?.stop?.step).toBe('kill');
  });

  test('that was passed over while the yard was down is enforced at the next look', () => {
    const yard = aYard();
    yard.run(
      aJob()
        .limitedTo(MINUTE)
        .warnedBefore(10 * SECOND),
    );
    yard.pass(HOUR);
    expect(yard.job(1).attempt).toMatchObject({ warning: 'none', stop: { cause: 'timeLimit' } });
  });
});

describe('a deadline', () => {
  test.each(['pending', 'held', 'waiting'] as const)('ends a job that is still %s', (phase) => {
    const yard = aYard().withNodes(aNode('n1').withCpus(1));
    yard.run(aJob());
    const job = aJob().endedBy(yard.now + MINUTE);
    yard.submit(phase === 'held' ? job.held() : phase === 'waiting' ? job.after('afterok', 1) : job);
    expect(yard.job(2).phase).toBe(phase);
    yard.pass(MINUTE);
    expect(yard.job(2)).toMatchObject({ phase: 'ended', outcome: 'deadline' });
  });

  test('stops a running job', () => {
    const yard = aYard();
    yard.run(aJob().endedBy(yard.now + MINUTE));
    yard.pass(MINUTE);
    expect(yard.job(1).attempt?.stop?.cause).toBe('deadline');
    yard.ends(1, 143);
    expect(yard.job(1)).toMatchObject({ outcome: 'deadline', note: 'its deadline came before its end' });
  });

  test('is not forgotten when a begin time passes before it without effect', () => {
    const yard = aYard();
    yard.run(aJob());
    yard.submit(
      aJob()
        .after('afterok', 1)
        .beginningAt(yard.now + MINUTE)
        .endedBy(yard.now + HOUR),
    );
    yard.pass(MINUTE);
    expect(yard.job(2).phase).toBe('waiting');
    yard.pass(HOUR);
    expect(yard.job(2).outcome).toBe('deadline');
  });

  test('of a job that is being requeued comes after its attempt has ended', () => {
    const yard = aYard();
    yard.run(aJob().endedBy(yard.now + MINUTE));
    yard.tell({ type: 'requeue', target: { job: 1, index: null }, by: 'ann', hold: false });
    yard.pass(MINUTE);
    yard.ends(1, 143);
    yard.pass(0);
    expect(yard.job(1)).toMatchObject({ phase: 'ended', outcome: 'deadline' });
  });
});

test('nothing is due when nothing can happen by time alone', () => {
  const yard = aYard();
  yard.run(aJob());
  yard.submit(aJob().held());
  expect(nextAt(yard.state.agenda)).toBeNull();
  expect(yard.tell({ type: 'tick' }).changed).toBe(false);
});

describe('a warning so long after the start', () => {
  const warned = (afterMs: number) =>
    aJob().saying({ warning: { signal: 10, beforeMs: 0, afterMs, scope: 'all' } });

  test('comes then, without a limit too', () => {
    const yard = aYard();
    yard.run(warned(5 * MINUTE).limitedTo(null));
    yard.pass(5 * MINUTE - 1);
    expect(yard.job(1).attempt?.warning).toBe('none');
    yard.pass(1);
    expect(yard.owed(1)).toMatchObject([{ type: 'watch' }, { type: 'warn', signal: 10, scope: 'all' }]);
  });

  test('counts the time it ran', () => {
    const yard = aYard();
    yard.run(warned(5 * MINUTE).limitedTo(60 * MINUTE));
    const target = { job: 1, index: null };
    yard.pass(4 * MINUTE);
    yard.tell({ type: 'suspend', target, by: 'ann' });
    yard.pass(30 * MINUTE);
    yard.tell({ type: 'resume', target, by: 'ann' });
    yard.now += 600 * MINUTE;
    yard.tell({ type: 'clockJumped', byMs: 600 * MINUTE });
    yard.pass(MINUTE - 1);
    expect(yard.job(1).attempt?.warning).toBe('none');
    yard.pass(1);
    expect(yard.job(1).attempt?.warning).toBe('due');
  });
});
