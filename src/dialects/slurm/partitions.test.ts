import { expect, test } from 'vitest';
import { aJob, aQueue, aSpec, runningJob } from '../fake-yard.ts';
import { partitionOf, partitionsOf } from './partitions.ts';

test('a job has all its partitions until it starts', () => {
  const spec = aSpec({ queue: 'gpu', queueChoices: ['gpu', 'main'] });
  expect(partitionsOf(aJob({ spec, phase: 'pending' }))).toEqual(['gpu', 'main']);
  expect(partitionsOf(runningJob(1, spec))).toEqual(['gpu']);
  expect(partitionsOf(aJob({ spec: aSpec(), phase: 'held' }))).toEqual(['main']);
});

test('a partition is up unless the config or somebody since says otherwise', () => {
  const view = (open: boolean, disabled: boolean, suspended: boolean) =>
    partitionOf({ queue: aQueue({ open }), state: { disabled, suspended }, waiting: 0, running: 0 });
  expect(view(true, false, false).open).toBe(true);
  expect(view(true, true, false).open).toBe(false);
  expect(view(true, false, true).open).toBe(false);
  expect(view(false, false, false).open).toBe(false);
});
