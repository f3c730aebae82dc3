import { describe, expect, test } from 'vitest';
import { aJob, aNode, aPolicy, aQueue, aYard, MINUTE, type TestYard } from '../../../test/builders.ts';
import type { UserCommand } from '../../model/command.ts';

const policy = aPolicy({
  queues: [aQueue('main', { isDefault: true }), aQueue('gpu'), aQueue('shut', { open: false })],
});

type Change = Pick<Extract<UserCommand, { type: 'setQueue' }>, 'disabled' | 'suspended'>;

function set(yard: TestYard, queue: string, change: Change) {
  return yard.tell({ type: 'setQueue', queue, by: 'ann', ...change });
}

const tell = (yard: TestYard, type: 'suspend' | 'resume', job: number) =>
  yard.tell({ type, target: { job, index: null }, by: 'ann' });

const started = (yard: TestYard) => yard.plan().starts.map(({ job }) => job);

describe('a queue that is disabled', () => {
  test('starts nothing, and leaves what runs alone', () => {
    const yard = aYard(policy);
    yard.run(aJob());
    set(yard, 'main', { disabled: true });
    yard.submit(aJob());
    yard.submit(aJob().inQueue('gpu'));
    expect(started(yard)).toEqual([3]);
    expect(yard.job(1).attempt?.suspendedAt).toBeNull();
    set(yard, 'main', { disabled: false });
    expect(started(yard)).toEqual([2, 3]);
  });

  test('said once more, it changes nothing; and what is left out stays', () => {
    const yard = aYard(policy);
    set(yard, 'main', { disabled: true });
    expect(set(yard, 'main', { disabled: true }).changed).toBe(false);
    set(yard, 'main', { suspended: true });
    expect(yard.state.queues.get('main')).toEqual({ disabled: true, suspended: true });
    set(yard, 'main', { disabled: false });
    expect(yard.state.queues.get('main')).toEqual({ disabled: false, suspended: true });
  });

  test('the config has its say beside that', () => {
    const yard = aYard(policy);
    yard.submit(aJob().inQueue('shut'));
    set(yard, 'shut', { disabled: false });
    expect(started(yard)).toEqual([]);
  });

  test('there is no queue of that name', () => {
    const refused = aYard(policy).refusalOf({ type: 'setQueue', queue: 'nope', by: 'ann', disabled: true });
    expect(refused).toMatchObject({ code: 'noSuchQueue', choices: ['main', 'gpu', 'shut'] });
  });

  test('between the plan and its being taken up', () => {
    const yard = aYard(policy);
    yard.submit(aJob());
    const [start] = yard.plan().starts;
    set(yard, 'main', { disabled: true });
    if (start === undefined) throw new Error('nothing would have started');
    expect(yard.tell({ type: 'place', ...start }).changed).toBe(false);
  });
});

describe('a queue that is suspended', () => {
  test('suspends what runs in it, and lets it go on again', () => {
    const yard = aYard(policy);
    yard.run(aJob().limitedTo(10 * MINUTE));
    yard.run(aJob().inQueue('gpu'));
    set(yard, 'main', { suspended: true });
    expect(yard.job(1).attempt).toMatchObject({ suspendedAt: yard.now, suspendedFor: ['queue'] });
    expect(yard.job(2).attempt?.suspendedAt).toBeNull();
    expect(yard.owed(1)).toMatchObject([{ type: 'watch' }, { type: 'suspend', n: 1 }]);
    yard.pass(60 * MINUTE);
    expect(yard.job(1).attempt?.stop).toBeNull();
    set(yard, 'main', { suspended: false });
    expect(yard.job(1).attempt).toMatchObject({
      suspendedAt: null,
      suspendedFor: [],
      suspendedMs: 60 * MINUTE,
    });
    expect(yard.owed(1)).toMatchObject([{ type: 'watch' }, { type: 'resume', n: 2 }]);
  });

  test('what somebody suspended too stays suspended', () => {
    const yard = aYard(policy);
    yard.run(aJob());
    set(yard, 'main', { suspended: true });
    tell(yard, 'suspend', 1);
    expect(yard.job(1).attempt).toMatchObject({ suspendedFor: ['queue', 'job'], suspensions: 1 });
    set(yard, 'main', { suspended: false });
    expect(yard.job(1).attempt).toMatchObject({ suspendedFor: ['job'], suspensions: 1 });
    expect(yard.job(1).attempt?.suspendedAt).not.toBeNull();
    tell(yard, 'resume', 1);
    expect(yard.job(1).attempt).toMatchObject({ suspendedAt: null, suspendedFor: [], suspensions: 2 });
  });

  test('whoever resumes the job alone does not resume it', () => {
    const yard = aYard(policy);
    yard.run(aJob());
    tell(yard, 'suspend', 1);
    set(yard, 'main', { suspended: true });
    tell(yard, 'resume', 1);
    expect(yard.job(1).attempt).toMatchObject({ suspendedFor: ['queue'] });
    expect(yard.job(1).attempt?.suspendedAt).not.toBeNull();
    const refused = yard.refusalOf({ type: 'resume', target: { job: 1, index: null }, by: 'ann' });
    expect(refused.message).toBe('job 1 is suspended with its queue main, and goes on when that does');
  });

  test('what had a place and had not started is suspended as soon as it runs', () => {
    const yard = aYard(policy);
    yard.submit(aJob());
    yard.schedule();
    set(yard, 'main', { suspended: true });
    expect(yard.job(1).attempt?.suspendedAt).toBeNull();
    yard.runs(1);
    expect(yard.job(1).attempt).toMatchObject({ suspendedFor: ['queue'], suspendedAt: yard.now });
  });

  test('what is to end is resumed first, and what is ending is left alone', () => {
    const yard = aYard(policy);
    yard.run(aJob());
    yard.run(aJob());
    const cancel = (job: number) => yard.tell({ type: 'cancel', target: { job, index: null }, by: 'ann' });
    cancel(2);
    set(yard, 'main', { suspended: true });
    expect(yard.job(2).attempt?.suspendedAt).toBeNull();
    cancel(1);
    expect(yard.job(1).attempt).toMatchObject({ suspendedAt: null, suspendedFor: [] });
    yard.ends(1, 143);
    yard.ends(2, 143);
    set(yard, 'main', { suspended: false });
  });

  test('its elements too', () => {
    const yard = aYard(policy).withNodes(aNode('n1').withCpus(2));
    yard.submit(aJob().asArray('0-3'));
    yard.schedule();
    for (const index of [0, 1]) yard.runs({ job: 1, index });
    set(yard, 'main', { suspended: true });
    expect(yard.job({ job: 1, index: 1 }).attempt?.suspendedFor).toEqual(['queue']);
    yard.ends({ job: 1, index: 0 });
    expect(started(yard)).toEqual([]);
  });
});
