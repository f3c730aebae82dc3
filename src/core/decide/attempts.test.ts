import { describe, expect, test } from 'vitest';
import { aJob, aPolicy, aQueue, aYard, MINUTE, SECOND } from '../../../test/builders.ts';
import type { Observation } from '../../model/command.ts';

describe('an attempt', () => {
  test('that runs has been running for as long as the engine says', () => {
    const yard = aYard();
    yard.submit(aJob());
    yard.schedule();
    yard.now += 10 * SECOND;
    yard.tell({ type: 'attemptRunning', attempt: '1.1', forMs: 4 * SECOND });
    expect(yard.job(1).attempt).toMatchObject({ phase: 'running', startedAt: yard.now - 4 * SECOND });
  });

  test('did not start before it was assigned', () => {
    const yard = aYard();
    yard.submit(aJob());
    yard.schedule();
    const assignedAt = yard.now;
    yard.now += SECOND;
    yard.tell({ type: 'attemptRunning', attempt: '1.1', forMs: MINUTE });
    expect(yard.job(1).attempt?.startedAt).toBe(assignedAt);
  });

  test('does not start in the future when the clock was set back', () => {
    const yard = aYard();
    yard.submit(aJob().limitedTo(MINUTE));
    yard.schedule();
    yard.now -= 60 * MINUTE;
    yard.tell({ type: 'clockJumped', byMs: -60 * MINUTE });
    yard.runs(1);
    yard.pass(MINUTE);
    expect(yard.job(1).attempt?.stop?.cause).toBe('timeLimit');
  });

  test.each([-60 * MINUTE, 60 * MINUTE])(
    'found running after the clock moved by %d ms unseen keeps the limit it had',
    (byMs) => {
      const yard = aYard();
      yard.run(aJob().limitedTo(10 * MINUTE));
      const { startedAt } = yard.job(1).attempt ?? {};
      yard.now += 5 * MINUTE + byMs;
      yard.tell({ type: 'attemptRunning', attempt: '1.1', forMs: 5 * MINUTE });
      yard.pass(5 * MINUTE - 1);
      expect(yard.job(1).attempt).toMatchObject({ stop: null, startedAt });
      yard.pass(1);
      expect(yard.job(1).attempt?.stop?.cause).toBe('timeLimit');
    },
  );

  test('said to run once more, a moment late, has not started later for that', () => {
    const yard = aYard();
    yard.run(aJob());
    yard.now += MINUTE;
    const report = { type: 'attemptRunning', attempt: '1.1', forMs: MINUTE - 3 * SECOND } as const;
    expect(yard.tell(report).changed).toBe(false);
  });

  test('that asked for more memory than it has is stopped', () => {
    const yard = aYard();
    yard.run(aJob());
    yard.tell({ type: 'overMemory', attempt: '1.1', usedBytes: 5 });
    expect(yard.job(1).attempt?.stop?.cause).toBe('memory');
    yard.ends(1, 143);
    expect(yard.job(1).outcome).toBe('outOfMemory');
  });

  test('keeps what it used and what went wrong', () => {
    const yard = aYard();
    yard.run(aJob());
    const exit = { code: 127, signal: null, outOfMemory: false };
    const usage = { peakMemoryBytes: 7, cpuMs: 9 };
    yard.tell({ type: 'attemptEnded', attempt: '1.1', exit, usage, fault: 'no such directory' });
    expect(yard.job(1)).toMatchObject({
      outcome: 'failed',
      note: 'no such directory',
      attempt: { phase: 'ended', exit, usage, fault: 'no such directory' },
    });
  });
});

describe('how a job ends', () => {
  test.each([
    ['completed', 0, {}],
    ['failed', 1, {}],
    ['failed', null, { signal: 11 }],
    ['outOfMemory', null, { signal: 9, outOfMemory: true }],
  ] as const)('%s after exit %s %j', (outcome, code, more) => {
    const yard = aYard();
    yard.run(aJob());
    yard.ends(1, 0, { code, ...more });
    expect(yard.job(1)).toMatchObject({ phase: 'ended', outcome, endedAt: yard.now });
  });

  test('failed, when the world was at fault even though it returned 0', () => {
    const yard = aYard();
    yard.run(aJob());
    const exit = { code: 0, signal: null, outOfMemory: false };
    yard.tell({ type: 'attemptEnded', attempt: '1.1', exit, usage: null, fault: 'output not written' });
    expect(yard.job(1).outcome).toBe('failed');
  });
});

describe('starting again', () => {
  const policy = aPolicy({ requeueExitCodes: [75], maxRestarts: 2 });

  test('an exit code that asks for it', () => {
    const yard = aYard(policy);
    yard.run(aJob());
    yard.ends(1, 75);
    expect(yard.job(1)).toMatchObject({
      phase: 'pending',
      restarts: 1,
      note: 'exit code 75 asks for another run',
      attempt: { phase: 'ended', exit: { code: 75 } },
    });
  });

  test('not when the job does not want it', () => {
    const yard = aYard(policy);
    yard.run(aJob().neverRequeued());
    yard.ends(1, 75);
    expect(yard.job(1)).toMatchObject({ phase: 'ended', outcome: 'failed' });
  });

  test('too often: it is held, and says why', () => {
    const yard = aYard(policy);
    yard.submit(aJob());
    for (let run = 1; run <= 3; run++) {
      expect(yard.schedule().starts).toHaveLength(1);
      yard.runs(1);
      yard.now += MINUTE;
      yard.ends(1, 75);
    }
    expect(yard.job(1)).toMatchObject({
      phase: 'held',
      hold: { by: 'yard', reason: 'started again 2 times (exit code 75 asks for another run)' },
    });
    expect(yard.schedule().starts).toEqual([]);
    yard.tell({ type: 'release', target: { job: 1, index: null }, by: 'ann' });
    expect(yard.schedule().starts).toHaveLength(1);
  });

  test('a lost attempt, when the job may', () => {
    const yard = aYard();
    yard.run(aJob());
    yard.run(aJob().neverRequeued());
    yard.tell({ type: 'attemptLost', attempt: '1.1', reason: 'the machine restarted' });
    yard.tell({ type: 'attemptLost', attempt: '2.1', reason: 'the machine restarted' });
    expect(yard.job(1)).toMatchObject({ phase: 'pending', note: 'the machine restarted' });
    expect(yard.job(2)).toMatchObject({ phase: 'ended', outcome: 'nodeLost', note: 'the machine restarted' });
    expect(yard.state.ledgers.get('n1')?.free).toMatchObject({ cpus: 8, attempts: 0 });
  });

  test.each([
    ['cancelled', 'cancelled'],
    ['timeLimit', 'timeout'],
    ['memory', 'outOfMemory'],
  ] as const)('not when it was lost while it was stopped because of %s', (cause, outcome) => {
    const yard = aYard();
    yard.run(aJob().limitedTo(MINUTE));
    if (cause === 'cancelled') yard.tell({ type: 'cancel', target: { job: 1, index: null }, by: 'ann' });
    if (cause === 'memory') yard.tell({ type: 'overMemory', attempt: '1.1', usedBytes: 1 });
    if (cause === 'timeLimit') yard.pass(MINUTE);
    expect(yard.job(1).attempt?.stop?.cause).toBe(cause);
    yard.tell({ type: 'attemptLost', attempt: '1.1', reason: 'gone' });
    expect(yard.job(1)).toMatchObject({ phase: 'ended', outcome });
  });

  test.each([
    ['requeue', true, 'pending', null],
    ['requeue', false, 'ended', 'preempted'],
    ['cancel', true, 'ended', 'preempted'],
  ] as const)('after preemption in mode %s, requeue %s', (preempt, requeue, phase, outcome) => {
    const yard = aYard(aPolicy({ queues: [aQueue('main', { preempt })] }));
    yard.run(requeue ? aJob() : aJob().neverRequeued());
    yard.tell({ type: 'preempt', job: 1, forJob: 2 });
    yard.ends(1, 143);
    expect(yard.job(1)).toMatchObject({ phase, outcome });
  });
});

describe('late, repeated and foreign reports change nothing', () => {
  const exit = { code: 0, signal: null, outOfMemory: false };
  const reports = (attempt: string): Observation[] => [
    { type: 'attemptRunning', attempt, forMs: 5 },
    { type: 'attemptEnded', attempt, exit, usage: null, fault: null },
    { type: 'attemptLost', attempt, reason: 'x' },
    { type: 'warningSent', attempt },
    { type: 'signalSent', attempt, n: 1 },
    { type: 'overMemory', attempt, usedBytes: 1 },
  ];

  test.each(reports('1.1'))('$type of an attempt that has been replaced', (report) => {
    const yard = aYard(aPolicy({ requeueExitCodes: [75] }));
    yard.run(aJob());
    yard.ends(1, 75);
    yard.schedule();
    expect(yard.job(1).attempt?.id).toBe('1.2');
    expect(yard.tell(report)).toMatchObject({ ok: true, job: null, changed: false });
  });

  test.each(reports('1.1'))('$type of an attempt that has ended', (report) => {
    const yard = aYard();
    yard.run(aJob());
    yard.ends(1);
    expect(yard.tell(report).changed).toBe(false);
  });

  test.each(reports('99.1'))('$type of a job that nobody knows', (report) => {
    expect(aYard().tell(report).changed).toBe(false);
  });

  test.each(reports('nonsense'))('$type of something that is no attempt', (report) => {
    expect(aYard().tell(report).changed).toBe(false);
  });

  test('that it runs, said twice or after it was asked to stop', () => {
    const yard = aYard();
    yard.run(aJob());
    expect(yard.tell({ type: 'attemptRunning', attempt: '1.1', forMs: 0 }).changed).toBe(false);
  });

  test('that it runs, heard only after a stop was requested, does not undo the stop', () => {
    const yard = aYard();
    yard.submit(aJob());
    yard.schedule();
    yard.tell({ type: 'cancel', target: { job: 1, index: null }, by: 'ann' });
    yard.runs(1);
    expect(yard.job(1).attempt).toMatchObject({ phase: 'stopping', stop: { cause: 'cancelled' } });
    yard.ends(1);
    expect(yard.job(1).outcome).toBe('cancelled');
  });

  test('an end without a report that it ran', () => {
    const yard = aYard();
    yard.submit(aJob());
    yard.schedule();
    yard.ends(1);
    expect(yard.job(1)).toMatchObject({ outcome: 'completed', attempt: { startedAt: null } });
  });
});
