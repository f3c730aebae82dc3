import { describe, expect, test } from 'vitest';
import {
  aJob,
  aNode,
  aPolicy,
  aQueue,
  aYard,
  GIB,
  HOUR,
  type JobBuilder,
  MINUTE,
} from '../../../test/builders.ts';
import type { JobSpec } from '../../model/job-spec.ts';
import type { Refusal } from '../../model/refusal.ts';

const submitting = ({ spec }: JobBuilder) => ({ type: 'submit', spec }) as const;

describe('a submitted job', () => {
  test('gets the next number and is pending', () => {
    const yard = aYard();
    expect(yard.submit(aJob())).toBe(1);
    expect(yard.submit(aJob())).toBe(2);
    expect(yard.job(2)).toMatchObject({ phase: 'pending', eligibleAt: yard.now, submittedAt: yard.now });
  });

  test('gets what its queue says it should have', () => {
    const queue = aQueue('main', { defaultLimitMs: HOUR, defaultMemoryBytes: 2 * GIB });
    const yard = aYard(aPolicy({ queues: [queue] }));
    yard.submit(aJob());
    expect(yard.job(1).spec).toMatchObject({
      queue: 'main',
      limitMs: HOUR,
      resources: { memory: { bytes: 2 * GIB, per: 'node' } },
    });
  });

  test('has the longest time its queue allows when neither of them says more', () => {
    const yard = aYard(aPolicy({ queues: [aQueue('main', { maxLimitMs: HOUR })] }));
    yard.submit(aJob());
    expect(yard.job(1).spec.limitMs).toBe(HOUR);
  });

  test('goes to the default queue unless it names one', () => {
    const yard = aYard(aPolicy({ queues: [aQueue('a'), aQueue('b', { isDefault: true })] }));
    yard.submit(aJob());
    yard.submit(aJob().inQueue('a'));
    expect([yard.job(1).spec.queue, yard.job(2).spec.queue]).toEqual(['b', 'a']);
  });

  test('is held when it says so', () => {
    const yard = aYard();
    yard.submit(aJob().held());
    expect(yard.job(1)).toMatchObject({ phase: 'held', hold: { by: 'user' } });
    expect(yard.schedule().starts).toEqual([]);
  });

  test('may come before any node is known', () => {
    const yard = aYard();
    yard.tell({ type: 'nodesSeen', nodes: [] });
    expect(yard.submit(aJob().wanting({ gpus: 64 }))).toBe(1);
  });
});

describe('refused with nothing changed', () => {
  const policy = aPolicy({
    queues: [
      aQueue('main', { isDefault: true, maxLimitMs: HOUR }),
      aQueue('small', { limits: { ...aQueue('x').limits, maxQueued: 2 } }),
    ],
    perUser: { ...aPolicy().perUser, maxQueued: 5 },
    maxArraySize: 100,
    maxQueuedJobs: 6,
  });

  function refused(job: JobBuilder): Refusal {
    const yard = aYard(policy).withNodes(aNode('n1').withGpus(2), aNode('n2').withFeatures('fast'));
    return yard.refusalOf(submitting(job));
  }

  test.each<[string, JobBuilder, Partial<Refusal>]>([
    ['an unknown queue', aJob().inQueue('nope'), { code: 'noSuchQueue', choices: ['main', 'small'] }],
    ['no nodes', aJob().wanting({ nodes: [0, 1] }), { code: 'badRequest' }],
    ['half a CPU', aJob().wanting({ cpus: 0.5 }), { code: 'badRequest' }],
    ['fewer ranks than nodes', aJob().wanting({ nodes: 2, ranks: 1 }), { code: 'badRequest' }],
    ['less than no memory', aJob().wanting({ memoryBytes: -1 }), { code: 'badRequest' }],
    ['more than the whole of a device', aJob().wanting({ gpus: 1, gpuShare: 1001 }), { code: 'badRequest' }],
    ['no time', aJob().limitedTo(0), { code: 'badRequest' }],
    ['a throttle of nothing', aJob().asArray('0-3%0'), { code: 'badRequest' }],
    [
      'more time than the queue allows',
      aJob().limitedTo(2 * HOUR),
      { code: 'limitReached', about: 'timeLimit' },
    ],
    ['too large an array', aJob().asArray('0-100'), { code: 'limitReached', about: 'arraySize' }],
    ['more than a user may queue', aJob().asArray('0-5'), { code: 'limitReached', about: 'jobCount' }],
    ['more than a queue takes', aJob().inQueue('small').asArray('0-2'), { code: 'limitReached' }],
    ['more than the yard holds', aJob().asArray('0-6'), { code: 'limitReached' }],
    ['a passed deadline', aJob().endedBy(1), { code: 'neverPossible', about: 'deadline' }],
    ['a job that is not there', aJob().after('afterok', 99), { code: 'noSuchJob' }],
    [
      'more CPUs than any node has',
      aJob().wanting({ cpus: 9 }),
      { code: 'neverPossible', about: 'cpus', message: 'it wants 9 CPUs on one node and the largest has 8' },
    ],
    [
      'more memory than any node has',
      aJob().wanting({ memoryBytes: 65 * GIB }),
      {
        code: 'neverPossible',
        about: 'memory',
        message: 'it wants 65G of memory on one node and the largest has 64G',
      },
    ],
    [
      'more GPUs than any node has',
      aJob().wanting({ gpus: 3 }),
      {
        code: 'neverPossible',
        about: 'gpus',
        message: 'it wants 3 GPUs on one node and the most on one is 2',
      },
    ],
    [
      'a kind of GPU that there is not',
      aJob().wanting({ gpus: 1, gpuKind: 'h100' }),
      { code: 'neverPossible', message: "it wants a GPU of kind 'h100' and there are only: a100" },
    ],
    [
      'more nodes than there are',
      aJob().wanting({ nodes: 3 }),
      { code: 'neverPossible', about: 'nodes', message: 'it wants 3 nodes and queue main has 2' },
    ],
    [
      'a node that there is not',
      aJob().wanting({ onlyNodes: ['n9'] }),
      { about: 'nodeName', message: "there is no node 'n9'" },
    ],
    [
      'a feature that no node has',
      aJob().wanting({ constraint: 'slow' }),
      { about: 'feature', message: "no node of queue main satisfies 'slow'" },
    ],
    [
      'a constraint that is none',
      aJob().wanting({ constraint: 'a&' }),
      { about: 'feature', message: "'a&' is not a constraint that can be understood" },
    ],
    [
      'what no single node has all of',
      aJob().wanting({ gpus: 1, constraint: 'fast' }),
      { code: 'neverPossible', message: 'it wants 1 GPU and no node of queue main has any' },
    ],
  ])('%s', (_what, job, expected) => {
    expect(refused(job)).toMatchObject(expected);
  });

  test('a begin after the deadline', () => {
    const yard = aYard(policy);
    const job = aJob()
      .beginningAt(yard.now + HOUR)
      .endedBy(yard.now + MINUTE);
    expect(yard.refusalOf(submitting(job)).code).toBe('neverPossible');
  });

  test('counts array elements that have no record, and forgets what has ended', () => {
    const yard = aYard(policy);
    yard.submit(aJob().asArray('0-3'));
    yard.submit(aJob());
    expect(yard.refusalOf(submitting(aJob())).message).toBe('ann may have 5 jobs queued and has 5');
    yard.tell({ type: 'cancel', target: { job: 1, index: 2 }, by: 'ann' });
    expect(yard.submit(aJob())).toBeGreaterThan(0);
  });
});

test('what was asked for is kept word by word', () => {
  const yard = aYard();
  const spec: JobSpec = { ...aJob().spec, comment: 'öäü', origin: { dialect: 'slurm', words: { qos: 'x' } } };
  yard.tell({ type: 'submit', spec });
  expect(yard.job(1).spec).toEqual({ ...spec, queue: 'main', qos: 'normal' });
});
