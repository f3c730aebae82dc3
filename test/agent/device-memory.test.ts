/** Jobs that fail because the memory of a GPU is not enough, and those that only look like it. */

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
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

const OOM = 'torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB';
const ON_A_DEVICE = [{ devices: [{ index: 0, millis: 500 }] }];
const saying = (words: string, then: string, wish: Partial<Wish> = {}): Partial<Wish> => ({
  script: `#!/bin/sh\necho "${words}" >&2\n${then}\n`,
  nodes: ON_A_DEVICE,
  ...wish,
});

test('one that says so and fails ran out of it', async () => {
  const ended = await yard.run(saying(OOM, 'exit 1'));
  expect(ended.exit).toEqual({ code: 1, signal: null, outOfMemory: false, deviceOutOfMemory: true });
});

test('in whichever of its files it says so', async () => {
  const ended = await yard.run(saying(OOM, 'exit 1', { streams: { stdout: 'out', stderr: 'err' } }));
  expect(ended.exit.deviceOutOfMemory).toBe(true);
});

test('whichever rank says so', async () => {
  const script = `#!/bin/sh\n[ $RANK = 1 ] || exec sleep 60\necho "${OOM}"; exit 1\n`;
  const nodes = [{ ranks: 2, devices: [{ index: 0, millis: 1000 }] }];
  const ended = await yard.run({ script, nodes, program: { spread: 'everyRank' } });
  expect(ended.exit).toMatchObject({ code: 1, deviceOutOfMemory: true });
});

test.each<[string, Partial<Wish>]>([
  ['one that does well in the end', saying(OOM, 'exit 0')],
  ['one that fails of something else', saying('ValueError: no', 'exit 1')],
  ['one without a device', { ...saying(OOM, 'exit 1'), nodes: [{}] }],
])('%s did not', async (_what, wish) => {
  expect((await yard.run(wish)).exit).not.toHaveProperty('deviceOutOfMemory');
});

test('nor did one that we have ended', async () => {
  const made = yard.start(saying(OOM, ': >ready; sleep 60'));
  await yard.made('ready');
  yard.effect({ type: 'stop', ...made, step: 'kill' });
  expect((await yard.reports.next('attemptEnded')).exit).toEqual({
    code: null,
    signal: 9,
    outOfMemory: false,
  });
});

test('what a run before it has said in the same file does not count', async () => {
  const append = { streams: { openMode: 'append' } } as const;
  writeFileSync(join(yard.workDir, 'out'), `${OOM}\n`);
  expect((await yard.run(saying('no', 'exit 1', { id: 1, ...append }))).exit).not.toHaveProperty(
    'deviceOutOfMemory',
  );
  expect((await yard.run(saying(OOM, 'exit 1', { id: 2, n: 2 }))).exit.deviceOutOfMemory).toBe(true);
  expect((await yard.run(saying('no', 'exit 1', { id: 2, n: 3 }))).exit).not.toHaveProperty(
    'deviceOutOfMemory',
  );
});

test('a pipe is not waited for', async () => {
  execFileSync('mkfifo', [join(yard.workDir, 'pipe')]);
  const script = '#!/bin/sh\nexit 1\n';
  const made = yard.start({ script, nodes: ON_A_DEVICE, streams: { stdout: 'out', stderr: 'pipe' } });
  // Without a reader its shim would wait to open it.
  const reader = spawn('cat', ['pipe'], { cwd: yard.workDir, stdio: 'ignore' });
  await once(reader, 'close');
  expect((await yard.reports.next('attemptEnded', made.attempt.id)).exit.code).toBe(1);
});
