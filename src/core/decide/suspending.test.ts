import { describe, expect, test } from 'vitest';
import { aJob, aNode, aStep, aYard, MINUTE, SECOND, type TestYard } from '../../../test/builders.ts';
import type { Command } from '../../model/command.ts';

const telling = (type: 'suspend' | 'resume', job = 1, by = 'ann'): Command => ({
  type,
  target: { job, index: null },
  by,
});

function runningYard(): TestYard {
  const yard = aYard();
  yard.run(
    aJob()
      .limitedTo(10 * MINUTE)
      .warnedBefore(MINUTE),
  );
  return yard;
}

describe('suspend and resume', () => {
  test('the limit stands still meanwhile, and the place is kept', () => {
    const yard = runningYard();
    yard.pass(4 * MINUTE);
    yard.tell(telling('suspend'));
    expect(yard.job(1).attempt).toMatchObject({ phase: 'running', suspendedAt: yard.now });
    const free = yard.state.ledgers.get('n1')?.free.cpus;
    yard.pass(60 * MINUTE);
    expect(yard.job(1).attempt).toMatchObject({ stop: null, warning: 'none' });
    expect(yard.state.ledgers.get('n1')?.free.cpus).toBe(free);
    yard.tell(telling('resume'));
    expect(yard.job(1).attempt).toMatchObject({ suspendedAt: null, suspendedMs: 60 * MINUTE });
    yard.pass(5 * MINUTE - SECOND);
    expect(yard.job(1).attempt).toMatchObject({ stop: null, warning: 'none' });
    yard.pass(SECOND);
    expect(yard.job(1).attempt).toMatchObject({ stop: null, warning: 'due' });
    yard.pass(MINUTE);
    expect(yard.job(1).attempt?.stop).toMatchObject({ cause: 'timeLimit' });
  });

  test('each change of mind is owed once, by a number of its own', () => {
    const yard = runningYard();
    yard.tell(telling('suspend'));
    expect(yard.tell(telling('suspend')).changed).toBe(false);
    expect(yard.owed(1)).toMatchObject([{ type: 'watch' }, { type: 'suspend', n: 1 }]);
    yard.tell(telling('resume'));
    expect(yard.tell(telling('resume')).changed).toBe(false);
    expect(yard.owed(1)).toMatchObject([{ type: 'watch' }, { type: 'resume', n: 2 }]);
    yard.tell(telling('suspend'));
    expect(yard.owed(1)).toMatchObject([{ type: 'watch' }, { type: 'suspend', n: 3 }]);
  });

  test('what is to end is resumed first', () => {
    const yard = runningYard();
    yard.tell(telling('suspend'));
    yard.pass(MINUTE);
    yard.tell({ type: 'cancel', target: { job: 1, index: null }, by: 'ann' });
    expect(yard.owed(1)).toMatchObject([{ type: 'watch' }, { type: 'resume', n: 2 }, { type: 'stop' }]);
    expect(yard.job(1).attempt).toMatchObject({ suspendedAt: null, suspendedMs: MINUTE });
    yard.pass(10 * SECOND);
    expect(yard.job(1).attempt?.stop?.step).toBe('kill');
  });

  test('a deadline comes all the same', () => {
    const yard = aYard();
    yard.run(aJob().endedBy(yard.now + MINUTE));
    yard.tell(telling('suspend'));
    yard.pass(MINUTE);
    expect(yard.job(1).attempt?.stop?.cause).toBe('deadline');
  });

  test('a clock that was set, and a yard that looks again, do not change how long it ran', () => {
    const yard = runningYard();
    yard.pass(2 * MINUTE);
    yard.tell(telling('suspend'));
    yard.pass(30 * MINUTE);
    yard.now += 3 * 60 * MINUTE;
    yard.tell({ type: 'clockJumped', byMs: 3 * 60 * MINUTE });
    yard.tell({ type: 'attemptRunning', attempt: '1.1', forMs: 32 * MINUTE });
    yard.tell(telling('resume'));
    yard.tell({ type: 'attemptRunning', attempt: '1.1', forMs: 32 * MINUTE });
    expect(yard.job(1).attempt).toMatchObject({
      clockFrom: yard.now - 2 * MINUTE,
      suspendedMs: 30 * MINUTE,
    });
  });

  test('are for a job of one’s own that runs', () => {
    const yard = runningYard();
    yard.submit(aJob().held());
    expect(yard.refusalOf(telling('suspend', 2))).toMatchObject({
      code: 'wrongState',
      message: 'job 2 is not running',
    });
    expect(yard.refusalOf(telling('resume', 1, 'eve'))).toMatchObject({ code: 'notAllowed' });
    yard.tell({ type: 'cancel', target: { job: 1, index: null }, by: 'ann' });
    expect(yard.refusalOf(telling('suspend'))).toMatchObject({ code: 'wrongState' });
  });

  test('a whole array: the elements that run', () => {
    const yard = aYard().withNodes(aNode('n1').withCpus(2));
    yard.submit(aJob().asArray('0-3'));
    yard.schedule();
    for (const index of [0, 1]) yard.runs({ job: 1, index });
    yard.tell(telling('suspend'));
    const isSuspended = (index: number) => yard.job({ job: 1, index }).attempt?.suspendedAt !== null;
    expect([0, 1].map(isSuspended)).toEqual([true, true]);
    const unstarted = { type: 'suspend', target: { job: 1, index: 3 }, by: 'ann' } as const;
    expect(yard.refusalOf(unstarted).message).toBe('job 1_3 is not running');
  });

  test('no step begins meanwhile', () => {
    const yard = runningYard();
    yard.tell(telling('suspend'));
    const command = {
      type: 'startStep',
      target: { job: 1, index: null },
      by: 'ann',
      request: aStep(),
    } as const;
    expect(yard.refusalOf(command)).toMatchObject({ code: 'wrongState', message: 'job 1 is suspended' });
  });
});

describe('a job that is told ahead of being suspended', () => {
  const USR1 = 10;

  function toldYard(): TestYard {
    const yard = aYard();
    yard.run(
      aJob()
        .saying({ suspendSignal: USR1 })
        .limitedTo(10 * MINUTE),
    );
    yard.tell(telling('suspend'));
    return yard;
  }

  test('gets the signal, and is suspended when its grace is over', () => {
    const yard = toldYard();
    expect(yard.job(1).attempt).toMatchObject({ suspendedAt: null, suspendAt: yard.now + 10 * SECOND });
    expect(yard.owed(1)).toMatchObject([
      { type: 'watch' },
      { type: 'signal', n: 1, signal: USR1, scope: 'all' },
    ]);
    expect(yard.tell(telling('suspend')).changed).toBe(false);
    yard.pass(10 * SECOND - 1);
    expect(yard.job(1).attempt?.suspendedAt).toBeNull();
    yard.pass(1);
    expect(yard.job(1).attempt).toMatchObject({
      suspendedAt: yard.now,
      suspendAt: null,
      suspendedFor: ['job'],
    });
  });

  test('resumed before that, it never is', () => {
    const yard = toldYard();
    yard.pass(SECOND);
    yard.tell(telling('resume'));
    yard.pass(MINUTE);
    expect(yard.job(1).attempt).toMatchObject({ suspendedAt: null, suspendAt: null, suspensions: 0 });
  });

  test('nor when it is to end', () => {
    const yard = toldYard();
    yard.tell({ type: 'cancel', target: { job: 1, index: null }, by: 'ann' });
    expect(yard.job(1).attempt).toMatchObject({ suspendAt: null, suspendedFor: [] });
    yard.pass(10 * SECOND);
    expect(yard.job(1).attempt).toMatchObject({ suspendedAt: null, stop: { step: 'kill' } });
  });

  test('time that passes counts, and not what the clock says', () => {
    const yard = toldYard();
    yard.pass(5 * SECOND);
    yard.now += 60 * MINUTE;
    yard.tell({ type: 'clockJumped', byMs: 60 * MINUTE });
    yard.pass(5 * SECOND - 1);
    expect(yard.job(1).attempt?.suspendedAt).toBeNull();
    yard.pass(1);
    expect(yard.job(1).attempt?.suspendedAt).toBe(yard.now);
    yard.now -= 120 * MINUTE;
    yard.tell({ type: 'clockJumped', byMs: -120 * MINUTE });
    yard.tell(telling('resume'));
    expect(yard.job(1).attempt).toMatchObject({ suspendedAt: null, suspendedMs: 0 });
  });

  test('with its queue it is told once', () => {
    const yard = toldYard();
    const at = yard.job(1).attempt?.suspendAt;
    yard.pass(SECOND);
    yard.tell({ type: 'setQueue', queue: 'main', by: 'ann', suspended: true });
    expect(yard.job(1).attempt).toMatchObject({
      suspendAt: at,
      suspendedFor: ['job', 'queue'],
      signalCount: 1,
    });
    yard.tell(telling('resume'));
    expect(yard.job(1).attempt).toMatchObject({ suspendAt: at, suspendedFor: ['queue'] });
    yard.pass(10 * SECOND);
    expect(yard.job(1).attempt?.suspendedFor).toEqual(['queue']);
    expect(yard.job(1).attempt?.suspendedAt).not.toBeNull();
  });

  test('a limit that comes first ends it', () => {
    const yard = aYard();
    yard.run(aJob().saying({ suspendSignal: USR1 }).limitedTo(MINUTE));
    yard.pass(55 * SECOND);
    yard.tell(telling('suspend'));
    yard.pass(5 * SECOND);
    expect(yard.job(1).attempt).toMatchObject({ suspendAt: null, stop: { cause: 'timeLimit' } });
  });
});
