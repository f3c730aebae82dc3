import { describe, expect, test } from 'vitest';
import { aJob, aYard, MINUTE, SECOND } from '../../../test/builders.ts';

const at = (job: number) => ({ job, index: null });
const cancelling = (job: number, by = 'ann') => ({ type: 'cancel', target: at(job), by }) as const;
const requeueing = (job: number, hold = false) =>
  ({ type: 'requeue', target: at(job), by: 'ann', hold }) as const;

describe('cancel', () => {
  test('ends a waiting job at once', () => {
    const yard = aYard();
    yard.submit(aJob());
    expect(yard.tell(cancelling(1))).toMatchObject({ ok: true, job: 1, changed: true });
    expect(yard.job(1)).toMatchObject({ phase: 'ended', outcome: 'cancelled', endedBy: 'ann' });
  });

  test('asks a running job to stop, then kills it when its grace is over', () => {
    const yard = aYard();
    yard.run(aJob());
    yard.tell(cancelling(1));
    expect(yard.owed(1)).toMatchObject([{ type: 'watch' }, { type: 'stop', step: 'term' }]);
    yard.pass(9 * SECOND);
    expect(yard.job(1).attempt?.stop?.step).toBe('term');
    yard.pass(SECOND);
    expect(yard.owed(1)).toMatchObject([{ type: 'watch' }, { type: 'stop', step: 'kill' }]);
    yard.ends(1, 0, { code: null, signal: 9 });
    expect(yard.job(1)).toMatchObject({ phase: 'ended', outcome: 'cancelled', endedBy: 'ann' });
  });

  test('a second time changes nothing, and never makes the end later', () => {
    const yard = aYard();
    yard.run(aJob());
    yard.tell(cancelling(1));
    const killAt = yard.job(1).attempt?.stop?.killAt;
    yard.pass(5 * SECOND);
    expect(yard.tell(cancelling(1)).changed).toBe(false);
    expect(yard.job(1).attempt?.stop?.killAt).toBe(killAt);
    yard.ends(1, 143);
    expect(yard.tell(cancelling(1)).changed).toBe(false);
  });

  test('kills at once when that is asked for, also what has been asked to end already', () => {
    const yard = aYard();
    yard.run(aJob());
    yard.run(aJob());
    yard.tell(cancelling(1));
    for (const job of [1, 2]) {
      const atOnce = { ...cancelling(job), atOnce: true } as const;
      expect(yard.tell(atOnce).changed).toBe(true);
      expect(yard.owed(job)).toMatchObject([{ type: 'watch' }, { type: 'stop', step: 'kill' }]);
      expect(yard.tell(atOnce).changed).toBe(false);
      yard.ends(job, 0, { code: null, signal: 9 });
      expect(yard.job(job)).toMatchObject({ phase: 'ended', outcome: 'cancelled' });
    }
  });

  test.each(['requeued', 'requeuedHeld', 'preempted'] as const)('overrules that it was %s', (cause) => {
    const yard = aYard();
    yard.run(aJob());
    if (cause === 'preempted') yard.tell({ type: 'preempt', job: 1, forJob: 9 });
    else yard.tell(requeueing(1, cause === 'requeuedHeld'));
    expect(yard.job(1).attempt?.stop?.cause).toBe(cause);
    yard.tell(cancelling(1));
    yard.ends(1, 143);
    expect(yard.job(1)).toMatchObject({ phase: 'ended', outcome: 'cancelled' });
  });

  test('does not turn a kill that is under way back into a request', () => {
    const yard = aYard();
    yard.run(aJob());
    yard.tell(requeueing(1));
    yard.pass(10 * SECOND);
    yard.tell(cancelling(1));
    expect(yard.job(1).attempt?.stop).toMatchObject({ cause: 'cancelled', step: 'kill' });
  });

  test('does not hide that the time limit came first', () => {
    const yard = aYard();
    yard.run(aJob().limitedTo(MINUTE));
    yard.pass(MINUTE);
    yard.tell(cancelling(1));
    yard.ends(1, 143);
    expect(yard.job(1).outcome).toBe('timeout');
  });
});

describe('how a job is asked to end', () => {
  const cancel = { type: 'cancel', target: { job: 1, index: null }, by: 'ann' } as const;

  test('by the signal that it named', () => {
    const yard = aYard();
    yard.run(aJob().saying({ stopSignal: 12 }));
    yard.tell(cancel);
    expect(yard.owed(1)).toMatchObject([{ type: 'watch' }, { type: 'stop', step: 'term', signal: 12 }]);
    yard.pass(10 * SECOND);
    expect(yard.job(1).attempt?.stop?.step).toBe('kill');
  });

  test('not at all where it is to be killed: by whoever cancels it, by its limit, or to run again', () => {
    const yard = aYard();
    const killed = () => aJob().saying({ stopSignal: 9 });
    yard.run(killed());
    yard.run(killed().limitedTo(MINUTE));
    yard.run(killed());
    yard.tell(cancel);
    yard.tell({ type: 'requeue', target: { job: 3, index: null }, by: 'ann', hold: false });
    const { now } = yard;
    yard.pass(MINUTE);
    expect(yard.job(1).attempt?.stop).toMatchObject({ step: 'kill', killAt: now });
    expect(yard.job(2).attempt?.stop).toMatchObject({ step: 'kill', cause: 'timeLimit' });
    expect(yard.job(3).attempt?.stop).toMatchObject({ step: 'kill', cause: 'requeued' });
    expect(yard.events.some(({ type }) => type === 'killDue')).toBe(false);
    yard.ends(3, 137);
    expect(yard.job(3).phase).toBe('pending');
  });
});
