import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { build, createBlobs, createReports, nodeOf } from '../../test/agent/builders.ts';
import { createEmbeddedEngine } from './embedded.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'trainyard-engine-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const engineWith = (nodes = [nodeOf()]) =>
  createEmbeddedEngine({ directory, yardId: 'y', nodes, useCgroups: false });

test('its nodes are what it was given', async () => {
  const reports = createReports();
  const nodes = [nodeOf({ name: 'a' }), nodeOf({ name: 'b' })];
  const engine = engineWith(nodes);
  await engine.open({ report: reports.report, blob: () => null, isOwed: () => false, log: () => {} });
  expect(reports.seen).toEqual([{ type: 'nodesSeen', nodes }]);
  await engine.close();
});

test('it says what is in force', () => {
  expect(engineWith().remarks()[1]).toContain('not pinned');
  expect(engineWith([nodeOf({ cpuIds: [0, 1] })]).remarks()[1]).toBe(
    'jobs that ask for CPUs are pinned to them',
  );
  expect(engineWith([nodeOf({ cpuIds: [0] }), nodeOf()]).remarks()[1]).toContain('except on rehearsed nodes');
});

test('what goes wrong at a start is an observation, not an error', async () => {
  const reports = createReports();
  const engine = engineWith();
  await engine.open({ report: reports.report, blob: () => null, isOwed: () => false, log: () => {} });
  const made = build(createBlobs(), { argv: ['true'], workDir: '/' });
  engine.perform({ type: 'start', ...made });
  expect((await reports.next('attemptEnded')).fault).toBe('its environment is gone from the store');
  await engine.close();
});

test('effects before it is open are a mistake of ours', () => {
  const made = build(createBlobs(), { argv: ['true'], workDir: '/' });
  expect(() => engineWith().perform({ type: 'start', ...made })).toThrow('not open');
});
