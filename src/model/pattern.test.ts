import { expect, test } from 'vitest';
import { build, createBlobs } from '../../test/agent/builders.ts';
import { fillPattern } from './pattern.ts';

const { job, attempt } = build(createBlobs(), {
  id: 42,
  n: 3,
  argv: ['true'],
  workDir: '/home/ada/my work',
  spec: { name: 'a/b c' },
});
const element = { ...job, element: { array: 40, index: 17 } };
const node = { name: 'gpu-1', number: 2 };

test('every letter stands for what it says', () => {
  const filled = fillPattern('/x/%j-%A-%a-%b-%x-%u-%N-%n-%t-%r-%J-%%', element, attempt, node, 5);
  expect(filled).toBe('/x/42-40-17-7-a_b c-ada-gpu-1-2-5-2-42.3-%');
});

test.each([
  ['..', 'logs/%x/out', '/home/ada/my work/logs/__/out'],
  ['.', '/x/%x', '/x/_'],
  ['.', '/x/.%x', '/x/__'],
  ['', '/x/%x/%j', '/x/_/42'],
  ['..', '/x/%x.out', '/x/...out'],
  ['..', '/x/../%j', '/42'],
])('a job with the name %j does not lead %s elsewhere', (name, pattern, filled) => {
  const named = { ...job, spec: { ...job.spec, name } };
  expect(fillPattern(pattern, named, attempt, node, 0)).toBe(filled);
});

test('a width pads with zeros', () => {
  expect(fillPattern('/%4t.%3j.%1j', job, attempt, node, 5)).toBe('/0005.042.42');
});

test('a relative path starts at the working directory, an absolute one where it says', () => {
  expect(fillPattern('logs/%j.out', job, attempt, node, 0)).toBe('/home/ada/my work/logs/42.out');
  expect(fillPattern('/dev/null', job, attempt, node, 0)).toBe('/dev/null');
});

test('a job that is no element is its own array, and has no index', () => {
  expect(fillPattern('/%A_%a', job, attempt, node, 0)).toBe('/42_%a');
});

test('what is not known yet or means nothing stays as written', () => {
  expect(fillPattern('/%N-%J-%z-%', job, null, null, 0)).toBe('/%N-%J-%z-%');
});
