import { describe, expect, test } from 'vitest';
import {
  aJob,
  aNode,
  aPolicy,
  aQueue,
  aYard,
  GIB,
  type TestYard,
  type Wants,
} from '../../../test/builders.ts';
import { reasonOf } from './explain.ts';

const started = (yard: TestYard) => yard.plan().starts.map(({ job }) => job);

describe('a plan', () => {
  test('starts what fits, the oldest first', () => {
    const yard = aYard().withNodes(aNode('n1').withCpus(2));
    for (let job = 0; job < 3; job++) {
      yard.submit(aJob().by(`user${job}`));
      yard.now += 1;
    }
    expect(started(yard)).toEqual([1, 2]);
  });

  test('the same age: the lower number first', () => {
    const yard = aYard().withNodes(aNode('n1').withCpus(1));
    yard.submit(aJob().by('zoe'));
    yard.submit(aJob().by('ann'));
    expect(started(yard)).toEqual([1]);
  });

  test('what was asked for counts, and nice counts against', () => {
    const yard = aYard().withNodes(aNode('n1').withCpus(1));
    yard.submit(aJob());
    yard.submit(aJob().withPriority(20).nicedBy(15));
    yard.submit(aJob().withPriority(10));
    expect(started(yard)).toEqual([3]);
  });

  test('changes nothing', () => {
    const yard = aYard();
    yard.submit(aJob().asArray('0-9%3'));
    const before = structuredClone([...yard.state.jobs]);
    const first = yard.plan();
    expect(yard.plan()).toEqual(first);
    expect([...yard.state.jobs]).toEqual(before);
  });

  test('gives each CPU and each device to one job', () => {
    const yard = aYard().withNodes(aNode('n1').withNumberedCpus(0, 2, 4, 6).withGpus(3));
    for (let job = 0; job < 3; job++) yard.submit(aJob().wanting({ gpus: 1 }));
    yard.schedule();
    const shares = [1, 2, 3].map((job) => yard.job(job).attempt?.placement.nodes[0]);
    expect(shares.map((share) => share?.cpuIds)).toEqual([[0], [2], [4]]);
    expect(shares.map((share) => share?.devices[0]?.index)).toEqual([0, 1, 2]);
    yard.ends(2);
    yard.submit(aJob().wanting({ cpus: 2, gpus: 1 }));
    yard.schedule();
    expect(yard.job(4).attempt?.placement.nodes[0]).toMatchObject({
      cpuIds: [2, 6],
      devices: [{ index: 1 }],
    });
  });

  test('places several nodes and their ranks', () => {
    const yard = aYard().withNodes(aNode('a').withCpus(4), aNode('b').withCpus(4), aNode('c').withCpus(4));
    yard.run(aJob().wanting({ nodes: 2, ranks: 6 }));
    const shares = yard
      .job(1)
      .attempt?.placement.nodes.map(({ node, ranks, cpus }) => ({ node, ranks, cpus }));
    expect(shares).toEqual([
      { node: 'a', ranks: 3, cpus: 3 },
      { node: 'b', ranks: 3, cpus: 3 },
    ]);
  });

  test('shares a device between several jobs, and no further', () => {
    const yard = aYard().withNodes(aNode('n1').withGpus(1));
    for (let job = 0; job < 4; job++) yard.submit(aJob().wanting({ gpus: 1, gpuShare: 300 }));
    yard.schedule();
    expect(yard.running()).toEqual([1, 2, 3]);
    expect(yard.state.ledgers.get('n1')?.free.devices).toEqual([100]);
  });

  test('a job that wants a node alone waits until it is empty, and then has it alone', () => {
    const yard = aYard();
    yard.run(aJob());
    yard.submit(aJob().wanting({ exclusive: true }).withPriority(100));
    yard.submit(aJob());
    expect(started(yard)).toEqual([]);
    yard.ends(1);
    yard.schedule();
    expect(yard.running()).toEqual([2]);
    expect(started(yard)).toEqual([]);
  });

  test('keeps to constraints, named nodes, and the nodes of a queue', () => {
    const policy = aPolicy({ queues: [aQueue('main', { isDefault: true }), aQueue('b', { nodes: ['n2'] })] });
    const yard = aYard(policy).withNodes(aNode('n1').withFeatures('fast'), aNode('n2'), aNode('n3'));
    const where = (job: ReturnType<typeof aJob>) => yard.job(yard.run(job)).attempt?.placement.nodes[0]?.node;
    expect(where(aJob().wanting({ constraint: 'fast' }))).toBe('n1');
    expect(where(aJob().wanting({ onlyNodes: ['n3'] }))).toBe('n3');
    expect(where(aJob().wanting({ constraint: '!fast', exceptNodes: ['n3'] }))).toBe('n2');
    expect(where(aJob().inQueue('b'))).toBe('n2');
  });

  test('starts nothing from a closed queue, or from one that the config no longer has', () => {
    const yard = aYard(aPolicy({ queues: [aQueue('main', { open: false })] }));
    yard.submit(aJob());
    expect(started(yard)).toEqual([]);
    yard.policy = aPolicy({ queues: [aQueue('other')] });
    expect(started(yard)).toEqual([]);
  });

  test('looks at so many kinds of blocked jobs and no more', () => {
    const yard = aYard(aPolicy({ passDepth: 2 })).withNodes(
      aNode('n1')
        .withCpus(2)
        .withMemory(8 * GIB),
    );
    yard.run(aJob().wanting({ memoryBytes: 8 * GIB }));
    for (let gib = 1; gib <= 3; gib++)
      yard.submit(
        aJob()
          .wanting({ memoryBytes: gib * GIB })
          .withPriority(9 - gib),
      );
    yard.submit(aJob());
    expect(started(yard)).toEqual([]);
    yard.policy = aPolicy({ passDepth: 4 });
    expect(started(yard)).toEqual([5]);
  });
});

describe('limits', () => {
  const ofUser = (changes: object) => aPolicy({ perUser: { ...aPolicy().perUser, ...changes } });
  const ofQueue = (changes: object) =>
    aPolicy({ queues: [aQueue('main', { limits: { ...aQueue('x').limits, ...changes } })] });

  test.each([
    ['running per user', ofUser({ maxRunning: 2 }), [1, 2, 4, 5]],
    ['CPUs per user', ofUser({ maxCpus: 3 }), [1, 4]],
    ['GPUs per user', ofUser({ maxGpus: 1.5 }), [1, 2, 3, 4, 5, 6]],
    ['running per queue', ofQueue({ maxRunning: 3 }), [1, 2, 3]],
    ['CPUs per queue', ofQueue({ maxCpus: 5 }), [1, 2]],
    ['GPUs per queue', ofQueue({ maxGpus: 2 }), [1, 2, 3, 4]],
    ['running per user of a queue', ofQueue({ maxRunningPerUser: 1 }), [1, 4]],
    ['CPUs per user of a queue', ofQueue({ maxCpusPerUser: 4 }), [1, 2, 4, 5]],
    ['GPUs per user of a queue', ofQueue({ maxGpusPerUser: 1 }), [1, 2, 4, 5]],
  ])('%s', (_what, policy, expected) => {
    const yard = aYard(policy).withNodes(aNode('n1').withCpus(64).withGpus(8));
    for (const user of ['ann', 'ann', 'ann', 'bob', 'bob', 'bob'])
      yard.submit(aJob().by(user).wanting({ cpus: 2, gpus: 1, gpuShare: 500 }));
    yard.schedule();
    expect(yard.running()).toEqual(expected);
    expect(started(yard)).toEqual([]);
    yard.ends(1);
    if (expected.length < 6) expect(yard.schedule().starts).toHaveLength(1);
  });

  test('a job over its limit keeps nobody else from starting', () => {
    const yard = aYard(ofUser({ maxRunning: 1 })).withNodes(aNode('n1').withCpus(2));
    yard.run(aJob());
    yard.submit(aJob().withPriority(1000));
    yard.submit(aJob().by('bob'));
    expect(started(yard)).toEqual([3]);
  });
});

describe('a range of ranks', () => {
  const ranksOf = (yard: TestYard, job: number) => yard.job(job).attempt?.placement.nodes[0]?.ranks;

  test('is never more than the limits allow, and what was given counts', () => {
    const limits = { ...aQueue('x').limits, maxCpus: 5 };
    const yard = aYard(aPolicy({ queues: [aQueue('main', { isDefault: true, limits })] }));
    for (let job = 0; job < 3; job++) yard.submit(aJob().wanting({ ranks: 1, ranksMax: 3 }));
    yard.schedule();
    expect([1, 2].map((job) => ranksOf(yard, job))).toEqual([3, 2]);
    expect(yard.job(3).phase).toBe('pending');
    expect(yard.state.tallies.byQueue.get('main')?.cpus).toBe(5);
  });

  test('it does not wait for more than the least', () => {
    const yard = aYard().withNodes(aNode('n1').withCpus(4));
    yard.run(aJob().wanting({ cpus: 2 }));
    yard.submit(aJob().wanting({ ranks: 2, ranksMax: 4 }));
    yard.submit(aJob().wanting({ ranks: 3, ranksMax: 4 }));
    yard.schedule();
    expect(ranksOf(yard, 2)).toBe(2);
    expect(yard.job(3).phase).toBe('pending');
    expect(
      yard.refusalOf({ type: 'submit', spec: aJob().wanting({ ranks: 5, ranksMax: 9 }).spec }).message,
    ).toBe('it wants 5 CPUs on one node and the largest has 4');
  });

  test('must be one', () => {
    const wish = aJob().wanting({ ranks: 4, ranksMax: 2 });
    expect(aYard().refusalOf({ type: 'submit', spec: wish.spec }).message).toBe(
      'a job cannot have 4 to 2 ranks',
    );
  });
});

describe('a layout', () => {
  test('has so many ranks for all its jobs together', () => {
    const layouts = [{ name: 'smp', spread: 'oneNode', maxRanks: 5 }] as const;
    const yard = aYard(aPolicy({ layouts }));
    const wanting = (wants: Wants) => {
      const { resources } = aJob().wanting(wants).spec;
      return aJob().saying({ resources: { ...resources, layout: 'smp' } });
    };
    yard.submit(wanting({ ranks: 2 }));
    yard.submit(wanting({ ranks: 2, ranksMax: 8 }));
    yard.submit(wanting({ ranks: 1 }));
    yard.submit(aJob().wanting({ ranks: 2 }));
    yard.schedule();
    expect([1, 2, 3, 4].map((job) => yard.job(job).attempt?.placement.nodes[0]?.ranks)).toEqual([
      2,
      3,
      undefined,
      2,
    ]);
    expect(reasonOf(yard.state, yard.policy, yard.job(3), yard.now)).toEqual({
      kind: 'limit',
      limit: 'ranks',
      of: { kind: 'layout', layout: 'smp' },
      allowed: 5,
      used: 5,
    });
    yard.ends(1);
    expect(yard.state.tallies.ranksByLayout).toEqual(new Map([['smp', 3]]));
    expect(yard.plan().starts).toMatchObject([{ job: 3 }]);
  });
});
