import { describe, expect, test } from 'vitest';
import { aJob, aNode, aYard, GIB } from '../../../test/builders.ts';
import { candidates, place, summary } from '../../../test/fitting.ts';
import type { ResourceRequest } from '../../model/job-spec.ts';
import { seededRandom } from '../../sim/random.ts';
import { subtract } from '../ledger.ts';
import { explain } from './explain.ts';
import { type Candidate, findPlace } from './fit.ts';

describe('one node', () => {
  test('the tightest one, so that large gaps stay whole', () => {
    const among = candidates(aNode('big').withCpus(16), aNode('small').withCpus(4));
    expect(summary({ cpus: 2 }, among)).toEqual([['small', 1, 2, '']]);
    expect(summary({ cpus: 5 }, among)).toEqual([['big', 1, 5, '']]);
    expect(place({ cpus: 17 }, among)).toBeNull();
  });

  test('nodes with devices are kept for those who want them', () => {
    const among = candidates(aNode('gpu').withCpus(2).withGpus(4), aNode('cpu').withCpus(64));
    expect(summary({}, among)).toEqual([['cpu', 1, 1, '']]);
    expect(summary({ gpus: 2 }, among)).toEqual([['gpu', 1, 1, '0,1']]);
  });

  test.each([
    ['node', 6 * GIB, 6 * GIB],
    ['rank', 6 * GIB, 12 * GIB],
    ['cpu', 6 * GIB, 36 * GIB],
  ] as const)('memory per %s', (memoryPer, memoryBytes, total) => {
    const wants = { ranks: 2, cpus: 3, memoryBytes, memoryPer };
    expect(place(wants, candidates(aNode('n').withMemory(total)))?.[0]?.memoryBytes).toBe(total);
    expect(place(wants, candidates(aNode('n').withMemory(total - 1)))).toBeNull();
  });

  test('all ranks on it', () => {
    expect(summary({ ranks: 4, cpus: 2 }, candidates(aNode('n')))).toEqual([['n', 4, 8, '']]);
    expect(place({ ranks: 5, cpus: 2 }, candidates(aNode('n')))).toBeNull();
  });

  test.each([
    ['job', 2, '0,1'],
    ['node', 2, '0,1'],
    ['rank', 2, '0,1,2,3'],
  ] as const)('GPUs per %s', (gpusPer, gpus, devices) => {
    const among = candidates(aNode('n').withGpus(4));
    expect(summary({ ranks: 2, gpus, gpusPer }, among)).toEqual([['n', 2, 2, devices]]);
  });

  test('a kind of GPU', () => {
    const among = candidates(aNode('n').withGpus(2, 'a100').withGpus(1, 'h100'));
    expect(summary({ gpus: 1, gpuKind: 'h100' }, among)).toEqual([['n', 1, 1, '2']]);
    expect(place({ gpus: 2, gpuKind: 'h100' }, among)).toBeNull();
    expect(summary({ gpus: 3 }, among)).toEqual([['n', 1, 1, '0,1,2']]);
  });

  test('shares go where others share already, whole devices where nobody does', () => {
    const among = candidates(aNode('n').withGpus(3));
    const free = (among[0] as Candidate).free;
    free.devices = [1000, 400, 700];
    expect(summary({ gpus: 1, gpuShare: 400 }, among)).toEqual([['n', 1, 1, '1']]);
    expect(summary({ gpus: 1, gpuShare: 500 }, among)).toEqual([['n', 1, 1, '2']]);
    expect(summary({ gpus: 1 }, among)).toEqual([['n', 1, 1, '0']]);
    expect(summary({ gpus: 2, gpuShare: 500 }, among)).toEqual([['n', 1, 1, '0,2']]);
    expect(place({ gpus: 2 }, among)).toBeNull();
  });

  test('alone on it, with everything there is', () => {
    const among = candidates(aNode('busy'), aNode('idle').withGpus(2));
    (among[0] as Candidate).free.attempts = 1;
    expect(place({ exclusive: true }, among)).toEqual([
      {
        node: 'idle',
        ranks: 1,
        cpus: 8,
        cpuIds: [],
        memoryBytes: 64 * GIB,
        devices: [
          { index: 0, millis: 1000 },
          { index: 1, millis: 1000 },
        ],
      },
    ]);
  });
});

describe('several nodes', () => {
  const four = () => candidates(...['a', 'b', 'c', 'd'].map((name) => aNode(name).withCpus(4).withGpus(2)));

  test('ranks are spread as evenly as the rooms allow', () => {
    expect(summary({ nodes: 2, ranks: 3 }, four())).toEqual([
      ['a', 2, 2, ''],
      ['b', 1, 1, ''],
    ]);
    const uneven = candidates(aNode('a').withCpus(1), aNode('b').withCpus(5));
    expect(summary({ nodes: 2, ranks: 6 }, uneven)).toEqual([
      ['a', 1, 1, ''],
      ['b', 5, 5, ''],
    ]);
  });

  test('as few nodes as allowed', () => {
    expect(summary({ nodes: [1, 4], ranks: 4 }, four())?.map(([node]) => node)).toEqual(['a']);
    expect(summary({ nodes: [1, 4], ranks: 6 }, four())?.map(([node]) => node)).toEqual(['a', 'b']);
    expect(place({ nodes: [1, 4], ranks: 17 }, four())).toBeNull();
  });

  test('so many ranks on each', () => {
    const shares = summary({ nodes: [1, 4], ranks: 6, ranksPerNode: 2 }, four());
    expect(shares?.map(([node, ranks]) => [node, ranks])).toEqual([
      ['a', 2],
      ['b', 2],
      ['c', 2],
    ]);
  });

  test('GPUs per node, per rank, and divided among the nodes', () => {
    expect(summary({ nodes: 2, gpus: 2, gpusPer: 'node' }, four())?.map(([, , , gpus]) => gpus)).toEqual([
      '0,1',
      '0,1',
    ]);
    expect(
      summary({ nodes: 2, ranks: 3, gpus: 1, gpusPer: 'rank' }, four())?.map(([, , , gpus]) => gpus),
    ).toEqual(['0,1', '0']);
    expect(summary({ nodes: 2, gpus: 3 }, four())?.map(([, , , gpus]) => gpus)).toEqual(['0,1', '0']);
  });

  test('devices are divided according to who has them', () => {
    const among = candidates(
      aNode('a').withCpus(8).withGpus(1),
      aNode('b').withCpus(4).withGpus(2),
      aNode('c'),
    );
    expect(summary({ nodes: 2, gpus: 3 }, among)).toEqual([
      ['a', 1, 1, '0'],
      ['b', 1, 1, '0,1'],
    ]);
    expect(place({ nodes: 3, gpus: 4 }, among)).toBeNull();
    expect(
      place({ nodes: 3, gpus: 3, ranks: 3 }, candidates(aNode('a').withGpus(2), aNode('b'), aNode('c'))),
    ).toBeNull();
  });
});

/** Tries every way of dividing the ranks among the nodes. */
function fitsSomehow(request: ResourceRequest, among: readonly Candidate[]): boolean {
  const { nodes, ranks, cpusPerRank, memory, gpus } = request;
  const devicesOf = ({ free }: Candidate) =>
    gpus === null ? 0 : free.devices.filter((millis) => millis >= gpus.shareMillis).length;

  function holds(candidate: Candidate, here: number): boolean {
    if (here * cpusPerRank > candidate.free.cpus) return false;
    const times = memory?.per === 'rank' ? here : memory?.per === 'cpu' ? here * cpusPerRank : 1;
    if (memory !== null && memory.bytes * times > candidate.free.memoryBytes) return false;
    if (gpus === null || gpus.per === 'job') return true;
    return devicesOf(candidate) >= gpus.count * (gpus.per === 'rank' ? here : 1);
  }

  function devicesDivide(used: readonly Candidate[]): boolean {
    if (gpus === null || gpus.per !== 'job') return true;
    const each = Math.floor(gpus.count / used.length);
    const counts = used.map(devicesOf);
    const withMore = counts.filter((count) => count > each).length;
    return counts.every((count) => count >= each) && withMore >= gpus.count % used.length;
  }

  function from(at: number, left: number, used: readonly Candidate[]): boolean {
    const candidate = among[at];
    if (candidate === undefined)
      return left === 0 && used.length >= nodes.min && used.length <= nodes.max && devicesDivide(used);
    if (from(at + 1, left, used)) return true;
    for (let here = 1; here <= left; here++)
      if (holds(candidate, here) && from(at + 1, left - here, [...used, candidate])) return true;
    return false;
  }
  return from(0, ranks, []);
}

test('finds a place whenever there is one, and never takes more than there is', () => {
  const random = seededRandom(5);
  let placed = 0;
  for (let round = 0; round < 3000; round++) {
    const nodes = Array.from({ length: random.between(1, 4) }, (_, at) =>
      aNode(`n${at}`)
        .withCpus(random.between(1, 8))
        .withMemory(random.between(1, 12) * GIB)
        .withGpus(random.between(0, 4)),
    );
    const among = candidates(...nodes);
    for (const { free } of among) free.devices = free.devices.map(() => random.pick([0, 500, 1000, 1000]));
    const min = random.between(1, 3);
    const gpusPer = random.pick(['job', 'node', 'rank'] as const);
    const memoryPer = random.pick(['node', 'rank', 'cpu'] as const);
    const { resources } = aJob().wanting({
      nodes: [min, random.between(min, 3)],
      ranks: random.between(min, 6),
      cpus: random.between(1, 2),
      ...(random.chance(0.5)
        ? { gpus: random.between(1, 5), gpusPer, gpuShare: random.pick([500, 1000]) }
        : {}),
      ...(random.chance(0.5) ? { memoryBytes: random.between(1, 3) * GIB, memoryPer } : {}),
    }).spec;
    const found = findPlace(resources, among)?.nodes ?? null;
    expect(found !== null, JSON.stringify({ resources, among })).toBe(fitsSomehow(resources, among));
    if (found === null) continue;
    placed++;
    expect(found.reduce((sum, { ranks }) => sum + ranks, 0)).toBe(resources.ranks);
    expect(new Set(found.map(({ node }) => node)).size).toBe(found.length);
    for (const share of found) {
      const { node, free } = among.find((one) => one.node.name === share.node) as Candidate;
      subtract(free, node, share);
      expect(Math.min(free.cpus, free.memoryBytes, ...free.devices)).toBeGreaterThanOrEqual(0);
    }
  }
  expect(placed).toBeGreaterThan(1000);
});

describe('all the memory of a node', () => {
  test('is had only where nobody else has any of it, whatever it is counted by', () => {
    for (const per of ['node', 'rank', 'cpu'] as const) {
      const yard = aYard().withNodes(aNode('n1').withMemory(4 * GIB), aNode('n2').withMemory(2 * GIB));
      yard.run(aJob().wanting({ memoryBytes: GIB, onlyNodes: ['n1'] }));
      yard.run(aJob().wanting({ memoryBytes: 0, memoryPer: per, cpus: 2 }));
      expect(yard.job(2).attempt?.placement.nodes).toMatchObject([{ node: 'n2', memoryBytes: 2 * GIB }]);
      yard.submit(aJob().wanting({ memoryBytes: 0, memoryPer: per }));
      expect(yard.schedule().starts).toEqual([]);
      expect(explain(yard.state, yard.policy, yard.now, yard.job(3)).reason).toMatchObject({
        kind: 'resources',
        short: [{ resource: 'memory', wanted: 4 * GIB, free: 3 * GIB, total: 4 * GIB }],
      });
      yard.ends(1);
      yard.schedule();
      expect(yard.job(3).attempt?.placement.nodes).toMatchObject([{ node: 'n1', memoryBytes: 4 * GIB }]);
    }
  });
});
