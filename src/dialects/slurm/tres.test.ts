import { expect, it } from 'vitest';
import { PLAIN_SPEC } from '../../model/plain.ts';
import { megabytesText, requestedTres, tresText } from './tres.ts';

const MIB = 1024 ** 2;

it('says memory in the largest unit of which it is a whole number of halves', () => {
  const texts = [200, 1000, 1024, 1536, 12_800, 19_800, 1024 ** 2].map((mib) => megabytesText(mib * MIB));
  expect(texts).toEqual(['200M', '1000M', '1G', '1.50G', '12.50G', '19800M', '1T']);
});

it('lists what a waiting job would hold', () => {
  const { resources } = PLAIN_SPEC;
  const wanted = requestedTres({
    ...resources,
    ranks: 3,
    cpusPerRank: 2,
    memory: { bytes: 200 * MIB, per: 'cpu' },
    gpus: { count: 2, per: 'job', kind: null, shareMillis: 1000 },
  });
  expect(tresText(wanted)).toBe('cpu=6,mem=1200M,node=1,billing=6,gres/gpu=2');
});
