import { describe, expect, test } from 'vitest';
import {
  aJob,
  aPolicy,
  aQos,
  aQueue,
  aYard,
  GIB,
  HOUR,
  type JobBuilder,
  MINUTE,
} from '../../../test/builders.ts';
import type { Account } from '../../model/policy.ts';
import { reasonOf } from '../schedule/explain.ts';

const submitting = (job: JobBuilder) => ({ type: 'submit', spec: job.spec }) as const;
const updating = (changes: object) =>
  ({ type: 'update', target: { job: 1, index: null }, by: 'ann', changes }) as const;

describe('QOS', () => {
  const policy = aPolicy({
    qos: [
      aQos('normal', { isDefault: true }),
      aQos('long', { maxRunningPerUser: 1, maxQueuedPerUser: 3, priority: 10 }),
      aQos('short', { maxLimitMs: HOUR, priority: -5, maxCpusPerUser: 2 }),
    ],
    unknownQos: 'refuse',
  });

  test('the default holds for who names none; another one has to be there', () => {
    const yard = aYard(policy);
    yard.submit(aJob());
    expect(yard.job(1).spec.qos).toBe('normal');
    expect(yard.refusalOf(submitting(aJob().withQos('best')))).toEqual({
      code: 'noSuchQos',
      message: "there is no QOS 'best'",
      hint: 'choose one of normal, long, short',
      choices: ['normal', 'long', 'short'],
    });
  });

  test('where none is configured a job may name any', () => {
    const yard = aYard();
    yard.submit(aJob().withQos('best'));
    yard.submit(aJob());
    expect([yard.job(1).spec.qos, yard.job(2).spec.qos]).toEqual(['best', 'normal']);
  });

  test('it limits the time', () => {
    const yard = aYard(policy);
    const short = aJob().withQos('short');
    expect(yard.refusalOf(submitting(short.limitedTo(2 * HOUR)))).toMatchObject({
      code: 'limitReached',
      message: 'QOS short allows 1h at most, not 2h',
    });
    expect(yard.refusalOf(submitting(short.limitedTo(null)))).toMatchObject({ code: 'limitReached' });
    yard.submit(short.limitedTo(HOUR));
    expect(yard.refusalOf(updating({ limitMs: 2 * HOUR }))).toMatchObject({ code: 'limitReached' });
    yard.tell(updating({ limitMs: 2 * HOUR, qos: null }));
    expect(yard.job(1).spec).toMatchObject({ limitMs: 2 * HOUR, qos: 'normal' });
  });

  test('it limits what one user may run, and says so', () => {
    const yard = aYard(policy);
    for (const user of ['ann', 'ann', 'eve']) yard.submit(aJob().by(user).withQos('long'));
    yard.schedule();
    expect(yard.running()).toEqual([1, 3]);
    expect(reasonOf(yard.state, policy, yard.job(2), yard.now)).toEqual({
      kind: 'limit',
      limit: 'running',
      of: { kind: 'userInQos', user: 'ann', qos: 'long' },
      allowed: 1,
      used: 1,
    });
    yard.submit(aJob());
    yard.schedule();
    expect(yard.running()).toEqual([1, 3, 4]);
    yard.ends(1);
    yard.schedule();
    expect(yard.running()).toEqual([2, 3, 4]);
  });

  test('it limits CPUs within one pass too', () => {
    const yard = aYard(policy);
    const job = aJob().withQos('short').limitedTo(MINUTE);
    for (let n = 0; n < 4; n++) yard.submit(job);
    yard.schedule();
    expect(yard.running()).toEqual([1, 2]);
  });

  test('it limits what one user may have queued, elements of arrays included', () => {
    const yard = aYard(policy);
    yard.submit(aJob().withQos('long').asArray('0-1'));
    expect(yard.refusalOf(submitting(aJob().withQos('long').asArray('0-1')))).toMatchObject({
      code: 'limitReached',
      message: 'ann may have 3 jobs queued with QOS long and has 2',
    });
    yard.submit(aJob().withQos('long'));
    yard.submit(aJob());
  });

  test('its priority counts against the greatest there is', () => {
    const weights = { age: 0, qos: 100, fairShare: 0, queue: 0, size: 0 };
    const yard = aYard({ ...policy, weights });
    yard.submit(aJob().withQos('short').limitedTo(MINUTE).wanting({ cpus: 8 }));
    yard.submit(aJob().wanting({ cpus: 8 }));
    yard.submit(aJob().withQos('long').wanting({ cpus: 8 }));
    yard.schedule();
    expect(yard.running()).toEqual([3]);
    yard.ends(3);
    yard.schedule();
    expect(yard.running()).toEqual([2]);
  });

  test('of a job that runs it stays', () => {
    const yard = aYard(policy);
    yard.run(aJob());
    expect(yard.refusalOf(updating({ qos: 'long' }))).toMatchObject({
      code: 'wrongState',
      message: 'job 1 is running and cannot change its QOS',
    });
  });
});

describe('accounts', () => {
  const account = (name: string, users: readonly string[] | null): Account => ({
    name,
    users,
    description: name,
    parent: null,
  });
  const policy = aPolicy({ accounts: [account('vision', ['ann']), account('speech', ['eve', 'ann'])] });

  test('are for those who are in them; who names none gets the first', () => {
    const yard = aYard(policy);
    yard.submit(aJob());
    yard.submit(aJob().by('eve'));
    yard.submit(aJob().inAccount('speech'));
    expect([1, 2, 3].map((id) => yard.job(id).spec.account)).toEqual(['vision', 'speech', 'speech']);
    expect(yard.refusalOf(submitting(aJob().by('eve').inAccount('vision')))).toMatchObject({
      code: 'noSuchAccount',
      message: "eve is not in account 'vision'",
      choices: ['speech'],
    });
    expect(yard.refusalOf(submitting(aJob().inAccount('music'))).message).toBe("there is no account 'music'");
    expect(yard.refusalOf(submitting(aJob().by('bob'))).message).toBe('bob is in no account');
    expect(yard.refusalOf(updating({ account: 'music' }))).toMatchObject({ code: 'noSuchAccount' });
    yard.tell(updating({ account: 'speech' }));
    expect(yard.job(1).spec.account).toBe('speech');
  });

  test('where none is configured a job may name any, or none', () => {
    const yard = aYard();
    yard.submit(aJob().inAccount('music'));
    yard.submit(aJob());
    expect([yard.job(1).spec.account, yard.job(2).spec.account]).toEqual(['music', null]);
  });
});

describe('queues', () => {
  test('a queue that is not there is the default one, where none was configured', () => {
    const yard = aYard(aPolicy({ unknownQueue: 'useDefault' }));
    yard.submit(aJob().inQueue('gpu-v100'));
    expect(yard.job(1).spec.queue).toBe('main');
    expect(aYard().refusalOf(submitting(aJob().inQueue('gpu-v100')))).toMatchObject({ code: 'noSuchQueue' });
  });

  test('memory for each CPU goes before memory for the node', () => {
    const queue = (changes: object) => aPolicy({ queues: [aQueue('main', { isDefault: true, ...changes })] });
    const yard = aYard(queue({ defaultMemoryPerCpuBytes: GIB, defaultMemoryBytes: 5 * GIB }));
    yard.run(aJob().wanting({ cpus: 3 }));
    expect(yard.job(1).spec.resources.memory).toEqual({ bytes: GIB, per: 'cpu' });
    expect(yard.job(1).attempt?.placement.nodes[0]?.memoryBytes).toBe(3 * GIB);
    yard.submit(aJob().wanting({ memoryBytes: 2 * GIB }));
    expect(yard.job(2).spec.resources.memory).toEqual({ bytes: 2 * GIB, per: 'node' });
  });
});
