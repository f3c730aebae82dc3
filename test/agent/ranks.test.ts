import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Wish } from './builders.ts';
import { openYard, type TestYard } from './yard.ts';

let yard: TestYard;
beforeEach(async () => {
  yard = await openYard();
});
afterEach(() => yard.close());

const twoNodes: Partial<Wish> = {
  program: { spread: 'everyRank' },
  nodes: [
    { node: 'a', ranks: 2 },
    { node: 'b', ranks: 1 },
  ],
};

test('each rank is a process that knows its place, with its own output', async () => {
  const script = '#!/bin/sh\necho $RANK/$WORLD_SIZE $TRAINYARD_NODE $LOCAL_RANK\n';
  const { exit } = await yard.run({ ...twoNodes, script, streams: { stdout: 'out.%t' } });
  expect(exit.code).toBe(0);
  expect(['out.0', 'out.1', 'out.2'].map((name) => yard.output(name))).toEqual([
    '0/3 a 0\n',
    '1/3 a 1\n',
    '2/3 b 0\n',
  ]);
});

test('ranks that share an output file lose no line of it', async () => {
  writeFileSync(join(yard.workDir, 'out'), 'old\n');
  await yard.run({ ...twoNodes, script: '#!/bin/sh\necho $RANK\n' });
  expect(yard.output().split('\n').filter(Boolean).sort()).toEqual(['0', '1', '2']);
});

test('it ends when all have ended', async () => {
  const script =
    '#!/bin/sh\n[ $RANK = 0 ] && exit 0\nwhile [ ! -e go ]; do sleep 0.01; done\n: >last.$RANK\n';
  yard.start({ ...twoNodes, script });
  await yard.reports.next('attemptRunning');
  writeFileSync(join(yard.workDir, 'go'), '');
  expect((await yard.reports.next('attemptEnded')).exit.code).toBe(0);
  await Promise.all([yard.made('last.1'), yard.made('last.2')]);
});

test('when one fails the others are stopped, and its status is the one that counts', async () => {
  const script = '#!/bin/sh\n: >up.$RANK\n[ $RANK = 1 ] && exit 6\nsleep 60\n';
  expect((await yard.run({ ...twoNodes, script })).exit).toEqual({
    code: 6,
    signal: null,
    outOfMemory: false,
  });
});

test('that is so also when another agent finds it', async () => {
  const script =
    '#!/bin/sh\n: >up.$RANK\nwhile [ ! -e go ]; do sleep 0.01; done\n[ $RANK = 1 ] && exit 6\nsleep 60\n';
  const made = yard.start({ ...twoNodes, script });
  await Promise.all(['up.0', 'up.1', 'up.2'].map((name) => yard.made(name)));
  await yard.engine.close();
  writeFileSync(join(yard.workDir, 'go'), '');
  await yard.reopen();
  yard.perform('watch', made);
  expect((await yard.reports.next('attemptEnded')).exit.code).toBe(6);
});

test('all ranks are stopped together', async () => {
  const made = yard.start({ ...twoNodes, script: '#!/bin/sh\n: >up.$RANK\nsleep 60\n' });
  await Promise.all(['up.0', 'up.1', 'up.2'].map((name) => yard.made(name)));
  yard.effect({ type: 'stop', ...made, step: 'term' });
  expect((await yard.reports.next('attemptEnded')).exit.signal).toBe(15);
});

test('one fault among ranks is the fault of all', async () => {
  const ended = await yard.run({ ...twoNodes, script: 'sleep 60', streams: { stdout: 'd%t/out' } });
  expect(ended).toMatchObject({ exit: { code: null, signal: null }, usage: null });
  expect(ended.fault).toMatch(/cannot open its output file .*its directory does not exist/);
});
