import { describe, expect, test } from 'vitest';
import { aJob, aNode, aYard, MINUTE } from '../../../test/builders.ts';
import type { UserCommand } from '../../model/command.ts';

const at = (job: number) => ({ job, index: null });
const cancelling = (job: number, by = 'ann') => ({ type: 'cancel', target: at(job), by }) as const;
const holding = (job: number, by = 'ann') => ({ type: 'hold', target: at(job), by }) as const;
const releasing = (job: number, by = 'ann') => ({ type: 'release', target: at(job), by }) as const;
const requeueing = (job: number, hold = false) =>
  ({ type: 'requeue', target: at(job), by: 'ann', hold }) as const;

describe('hold and release', () => {
  test('keep a job from starting, and let it go', () => {
    const yard = aYard();
    yard.submit(aJob());
    yard.tell(holding(1));
    expect(yard.tell(holding(1)).changed).toBe(false);
    expect(yard.schedule().starts).toEqual([]);
    yard.pass(MINUTE);
    yard.tell(releasing(1));
    expect(yard.job(1)).toMatchObject({ phase: 'pending', eligibleAt: yard.now });
    expect(yard.tell(releasing(1)).changed).toBe(false);
    expect(yard.schedule().starts).toHaveLength(1);
  });

  test('a running job cannot be held, and the refusal says what to do', () => {
    const yard = aYard();
    yard.run(aJob());
    expect(yard.refusalOf(holding(1))).toMatchObject({
      code: 'wrongState',
      message: 'job 1 is already running',
      hint: 'use `trainyard requeue --hold` to stop it and keep it from starting again',
    });
  });

  test('released, a job still waits for its time and for those it depends on', () => {
    const yard = aYard();
    yard.run(aJob());
    yard.submit(aJob().held().after('afterok', 1));
    yard.submit(
      aJob()
        .held()
        .beginningAt(yard.now + MINUTE),
    );
    yard.tell(releasing(2));
    yard.tell(releasing(3));
    expect([yard.job(2).phase, yard.job(3).phase]).toEqual(['waiting', 'waiting']);
    yard.ends(1);
    yard.pass(MINUTE);
    expect([yard.job(2).phase, yard.job(3).phase]).toEqual(['pending', 'pending']);
  });

  test('what a held job depends on can fail meanwhile', () => {
    const yard = aYard();
    yard.run(aJob());
    yard.submit(aJob().held().after('afterok', 1));
    yard.ends(1, 1);
    expect(yard.job(2).phase).toBe('held');
    yard.tell(releasing(2));
    expect(yard.job(2)).toMatchObject({ phase: 'ended', outcome: 'dependencyFailed' });
  });
});

describe('requeue', () => {
  test('stops a running job and queues it with the age it had', () => {
    const yard = aYard();
    yard.run(aJob());
    const { eligibleAt } = yard.job(1);
    yard.pass(MINUTE);
    yard.tell(requeueing(1));
    yard.ends(1, 0);
    expect(yard.job(1)).toMatchObject({ phase: 'pending', restarts: 1, eligibleAt, note: 'requeued by ann' });
    yard.schedule();
    expect(yard.job(1).attempt).toMatchObject({ id: '1.2', n: 2, phase: 'assigned' });
  });

  test('and hold: it is held once it has stopped', () => {
    const yard = aYard();
    yard.run(aJob());
    yard.tell(requeueing(1, true));
    yard.ends(1, 143);
    expect(yard.job(1)).toMatchObject({ phase: 'held', hold: { by: 'user' } });
  });

  test('and hold outlasts the loss of the node', () => {
    const yard = aYard();
    yard.run(aJob());
    yard.tell(requeueing(1, true));
    yard.tell({ type: 'nodeLost', node: 'n1', reason: 'gone' });
    expect(yard.job(1).phase).toBe('held');
  });

  test('queues an ended job once more', () => {
    const yard = aYard();
    yard.run(aJob());
    yard.ends(1, 3);
    yard.pass(MINUTE);
    yard.tell(requeueing(1));
    expect(yard.job(1)).toMatchObject({
      phase: 'pending',
      outcome: null,
      endedAt: null,
      eligibleAt: yard.now,
    });
    yard.schedule();
    yard.ends(1, 0);
    expect(yard.job(1)).toMatchObject({ phase: 'ended', outcome: 'completed', restarts: 1 });
  });

  test('an ended job can be queued and held', () => {
    const yard = aYard();
    yard.run(aJob());
    yard.ends(1);
    yard.tell(requeueing(1, true));
    expect(yard.job(1).phase).toBe('held');
  });

  test('is refused while the job waits', () => {
    const yard = aYard();
    yard.submit(aJob());
    expect(yard.refusalOf(requeueing(1)).message).toBe('job 1 is still waiting to run');
  });
});

describe('signal', () => {
  const signalling = (job: number) =>
    ({ type: 'signal', target: at(job), by: 'ann', signal: 10, scope: 'main' }) as const;

  test('is owed until it was sent, each one once', () => {
    const yard = aYard();
    yard.run(aJob());
    yard.tell(signalling(1));
    yard.tell(signalling(1));
    expect(yard.owed(1)).toMatchObject([
      { type: 'watch' },
      { type: 'signal', n: 1 },
      { type: 'signal', n: 2 },
    ]);
    yard.tell({ type: 'signalSent', attempt: '1.1', n: 1 });
    expect(yard.tell({ type: 'signalSent', attempt: '1.1', n: 1 }).changed).toBe(false);
    expect(yard.owed(1)).toMatchObject([{ type: 'watch' }, { type: 'signal', n: 2 }]);
  });

  test('goes to every running element of an array', () => {
    const yard = aYard();
    yard.submit(aJob().asArray('0-2'));
    yard.schedule();
    yard.runs({ job: 1, index: 0 });
    yard.runs({ job: 1, index: 2 });
    yard.tell(signalling(1));
    const asked = [0, 1, 2].map((index) => yard.job({ job: 1, index }).attempt?.signalCount);
    expect(asked).toEqual([1, 0, 1]);
  });

  test('is refused when nothing runs', () => {
    const yard = aYard();
    yard.submit(aJob());
    expect(yard.refusalOf(signalling(1)).message).toBe('job 1 is not running');
  });

  test('is refused once the job has been asked to end, since nobody would send it', () => {
    const yard = aYard();
    yard.submit(aJob().asArray('0-1'));
    yard.schedule();
    yard.runs({ job: 1, index: 0 });
    yard.runs({ job: 1, index: 1 });
    yard.tell({ ...cancelling(1), target: { job: 1, index: 0 } });
    yard.tell(signalling(1));
    const asked = [0, 1].map((index) => yard.job({ job: 1, index }).attempt?.signalCount);
    expect(asked).toEqual([0, 1]);
    yard.tell(cancelling(1));
    expect(yard.refusalOf(signalling(1)).message).toBe('job 1 has been asked to end already');
  });
});

describe('everybody', () => {
  const commands: UserCommand[] = [
    cancelling(1, 'bob'),
    holding(1, 'bob'),
    releasing(1, 'bob'),
    { type: 'requeue', target: at(1), by: 'bob', hold: false },
    { type: 'signal', target: at(1), by: 'bob', signal: 10, scope: 'all' },
    { type: 'update', target: at(1), by: 'bob', changes: { priority: 5 } },
  ];

  test.each(commands)('may not $type what belongs to another', (command) => {
    const yard = aYard();
    yard.run(aJob());
    expect(yard.refusalOf(command)).toMatchObject({ code: 'notAllowed', message: 'job 1 belongs to ann' });
  });

  test.each(commands)('is told when there is nothing to $type', (command) => {
    expect(aYard().refusalOf(command)).toMatchObject({ code: 'noSuchJob', message: 'there is no job 1' });
  });

  test('except root, who may', () => {
    const yard = aYard().withNodes(aNode('n1'));
    yard.run(aJob());
    expect(yard.tell(cancelling(1, 'root')).changed).toBe(true);
  });

  test.each([holding(1), releasing(1)])('cannot $type what has ended', (command) => {
    const yard = aYard();
    yard.run(aJob());
    yard.ends(1);
    expect(yard.refusalOf(command).code).toBe('wrongState');
  });
});
