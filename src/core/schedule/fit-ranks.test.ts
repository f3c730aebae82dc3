/** How many ranks a job gets, and on which nodes they are. */

import { describe, expect, test } from 'vitest';
import { aNode, GIB, type Wants } from '../../../test/builders.ts';
import { candidates, place, summary } from '../../../test/fitting.ts';
import { seededRandom } from '../../sim/random.ts';

describe('a range of ranks', () => {
  const nodes = () => candidates(aNode('a').withCpus(4), aNode('b').withCpus(6));

  test('as many as can be had at once on one node, and the tightest of those that have them', () => {
    expect(summary({ ranks: 2, ranksMax: 5 }, nodes())).toEqual([['b', 5, 5, '']]);
    expect(summary({ ranks: 2, ranksMax: 3 }, nodes())).toEqual([['a', 3, 3, '']]);
    expect(summary({ ranks: 2, ranksMax: 100 }, nodes())).toEqual([['b', 6, 6, '']]);
    expect(place({ ranks: 7, ranksMax: 100 }, nodes())).toBeNull();
  });

  test('over several nodes', () => {
    expect(summary({ ranks: 2, ranksMax: 100, nodes: [1, 4] }, nodes())).toEqual([
      ['a', 4, 4, ''],
      ['b', 6, 6, ''],
    ]);
    expect(summary({ ranks: 2, ranksMax: 9_999_999, nodes: [1, 1_000_000] }, nodes())).toHaveLength(2);
  });

  test('memory and devices bound it too', () => {
    const one = candidates(
      aNode('a')
        .withCpus(8)
        .withMemory(10 * GIB)
        .withGpus(3),
    );
    const ranks = (wants: Wants) => place({ ranks: 1, ranksMax: 8, ...wants }, one)?.[0]?.ranks;
    expect(ranks({ memoryBytes: 3 * GIB, memoryPer: 'rank' })).toBe(3);
    expect(ranks({ gpus: 1, gpusPer: 'rank' })).toBe(3);
    expect(ranks({ gpus: 1 })).toBe(8);
  });

  test('a node that takes just so many takes all or none', () => {
    expect(summary({ ranks: 4, ranksMax: 12, ranksPerNode: 4, nodes: [1, 3] }, nodes())).toEqual([
      ['a', 4, 4, ''],
      ['b', 4, 4, ''],
    ]);
    const few = candidates(aNode('a').withCpus(4), aNode('b').withCpus(3));
    expect(summary({ ranks: 4, ranksMax: 12, ranksPerNode: 4, nodes: [1, 3] }, few)).toEqual([
      ['a', 4, 4, ''],
    ]);
  });

  test.each(Array.from({ length: 30 }, (_, at) => at + 1))('is the most that fits, seed %i', (seed) => {
    const random = seededRandom(seed);
    const among = candidates(
      ...Array.from({ length: random.between(1, 4) }, (_, at) =>
        aNode(`n${at}`).withCpus(random.between(1, 6)),
      ),
    );
    const wants: Wants = {
      ranks: random.between(1, 3),
      cpus: random.between(1, 2),
      nodes: [1, random.between(1, 4)],
      spread: random.pick(['wide', 'fill'] as const),
    };
    const given = (place({ ...wants, ranksMax: 12 }, among) ?? []).reduce((sum, { ranks }) => sum + ranks, 0);
    let most = 0;
    for (let ranks = wants.ranks ?? 1; ranks <= 12; ranks++)
      if (place({ ...wants, ranks }, among) !== null) most = ranks;
    expect(given).toBe(most);
  });
});

describe('how ranks are spread', () => {
  const nodes = () => candidates(aNode('a').withCpus(4), aNode('b').withCpus(4), aNode('c').withCpus(4));
  const ranksOn = (wants: Wants) => place({ nodes: [1, 6], ...wants }, nodes())?.map(({ ranks }) => ranks);

  test('evenly over as few nodes as can be, unless it is said otherwise', () => {
    expect(ranksOn({ ranks: 6 })).toEqual([3, 3]);
    expect(ranksOn({ ranks: 6, spread: 'fill' })).toEqual([4, 2]);
    expect(ranksOn({ ranks: 6, spread: 'wide' })).toEqual([2, 2, 2]);
  });

  test('wide is over no more nodes than it may have or has ranks for', () => {
    expect(ranksOn({ ranks: 2, spread: 'wide' })).toEqual([1, 1]);
    expect(ranksOn({ ranks: 6, spread: 'wide', nodes: [1, 2] })).toEqual([3, 3]);
    expect(ranksOn({ ranks: 12, spread: 'wide' })).toEqual([4, 4, 4]);
    expect(ranksOn({ ranks: 13, spread: 'wide' })).toBeUndefined();
  });

  test('fill takes all of one node before the next', () => {
    expect(ranksOn({ ranks: 9, spread: 'fill' })).toEqual([4, 4, 1]);
    expect(ranksOn({ ranks: 3, spread: 'fill' })).toEqual([3]);
  });
});
