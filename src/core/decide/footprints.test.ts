import { expect, test } from 'vitest';
import { aJob, aNode, aPolicy, aYard, GIB, type TestYard } from '../../../test/builders.ts';
import { devicesOf, endsHavingUsed, estimatedBytes, knownOf } from '../../../test/gpu-yard.ts';

const train = aJob().sharing('python train.py');

function knowing(): { yard: TestYard; key: string } {
  const yard = aYard(aPolicy()).withNodes(aNode('n1').withCpus(64).withGpus(2));
  const id = yard.run(train);
  endsHavingUsed(yard, id, 4 * GIB);
  return { yard, key: knownOf(yard, id)?.key.text ?? '' };
}

test('what somebody says counts from then on, and runs go on being counted', () => {
  const { yard, key } = knowing();
  yard.tell({ type: 'setFootprint', key, device: null, by: 'ann', memoryBytes: 10 * GIB, loadMillis: 50 });
  const id = yard.run(train);
  expect(devicesOf(yard, id)).toMatchObject([{ millis: 250, loadMillis: 50 }]);
  endsHavingUsed(yard, id, 4 * GIB);
  expect(knownOf(yard, id)).toMatchObject({ setBytes: 10 * GIB, memory: { count: 2 } });
  yard.tell({ type: 'setFootprint', key, device: 'a100', by: 'ann', memoryBytes: null });
  expect(estimatedBytes(yard, id)).toBeLessThan(5 * GIB);
  expect(knownOf(yard, id)?.setLoadMillis).toBe(50);
});

test('saying it again is no news', () => {
  const { yard, key } = knowing();
  const say = () => yard.tell({ type: 'setFootprint', key, device: null, by: 'ann', memoryBytes: GIB });
  say();
  const before = yard.events.length;
  say();
  expect(yard.events.length).toBe(before);
});

test('the load that somebody says counts though nobody has seen any', () => {
  const { yard } = knowing();
  const blind = aJob().sharing('python blind.py');
  const id = yard.run(blind);
  endsHavingUsed(yard, id, 4 * GIB, { loadMillis: null });
  const key = knownOf(yard, id)?.key.text ?? '';
  yard.tell({ type: 'setFootprint', key, device: null, by: 'ann', loadMillis: 700 });
  expect(devicesOf(yard, yard.run(blind))).toMatchObject([{ millis: 125, loadMillis: 700 }]);
});

test.each([{ memoryBytes: 0 }, { memoryBytes: 1.5 }, { loadMillis: 1001 }, { loadMillis: -1 }])(
  '%j is refused',
  (said) => {
    const { yard, key } = knowing();
    expect(yard.refusalOf({ type: 'setFootprint', key, device: null, by: 'ann', ...said }).code).toBe(
      'badRequest',
    );
  },
);

test('nothing can be said or forgotten of what is not known', () => {
  const { yard, key } = knowing();
  const unknown = { key: 'command:other', device: null, by: 'ann' };
  expect(yard.refusalOf({ type: 'setFootprint', ...unknown, memoryBytes: GIB }).message).toContain('other');
  const forget = { type: 'forgetFootprints', keys: [key], device: 'l4', by: 'ann' } as const;
  expect(yard.refusalOf(forget).message).toContain('l4');
});

test('forgotten kinds are shown again', () => {
  const { yard, key } = knowing();
  yard.tell({ type: 'forgetFootprints', keys: [key], device: null, by: 'ann' });
  expect(yard.state.footprints.size).toBe(2);
  yard.tell({ type: 'forgetFootprints', keys: null, device: null, by: 'ann' });
  expect(yard.state.footprints.size).toBe(0);
  const [first, second] = [yard.submit(train), yard.submit(train)];
  yard.schedule();
  expect(devicesOf(yard, first)).toMatchObject([{ learningOn: 'a100' }]);
  expect(yard.job(second).phase).toBe('pending');
});
