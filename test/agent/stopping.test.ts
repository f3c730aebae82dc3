import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { processInfo, sendSignal } from '../../src/platform/processes.ts';
import type { Wish } from './builders.ts';
import { openYard, type TestYard } from './yard.ts';

let yard: TestYard;
beforeEach(async () => {
  yard = await openYard();
});
afterEach(() => yard.close());

async function startAndAwait(file: string, wish: Partial<Wish>) {
  const made = yard.start(wish);
  await yard.made(file);
  return made;
}

function isGone(pid: number): boolean {
  const info = processInfo(pid);
  return info === null || info.state === 'Z';
}

test('asked to end, a job ends by that signal, whether script or command', async () => {
  const made = await startAndAwait('ready', { script: '#!/bin/sh\n: >ready\nsleep 60\n' });
  yard.effect({ type: 'stop', ...made, step: 'term' });
  expect((await yard.reports.next('attemptEnded')).exit).toEqual({
    code: null,
    signal: 15,
    outOfMemory: false,
  });
});

test('a job that handles the request may end in its own way', async () => {
  const script = '#!/bin/sh\ntrap "echo saved; exit 0" TERM\n: >ready\nwhile :; do sleep 0.01; done\n';
  const made = await startAndAwait('ready', { script });
  yard.effect({ type: 'stop', ...made, step: 'term' });
  expect((await yard.reports.next('attemptEnded')).exit.code).toBe(0);
  expect(yard.output()).toContain('saved\n');
});

test('it is asked by the signal that it named', async () => {
  const script =
    '#!/bin/sh\ntrap "" TERM\ntrap "echo told; exit 4" USR2\n: >ready\nwhile :; do sleep 0.01; done\n';
  const made = await startAndAwait('ready', { script });
  yard.effect({ type: 'stop', ...made, step: 'term', signal: 12 });
  expect((await yard.reports.next('attemptEnded')).exit.code).toBe(4);
  expect(yard.output()).toContain('told\n');
});

test('one that will not listen is killed, with its children, and the status is not lost', async () => {
  const script =
    '#!/bin/sh\ntrap "" TERM\nsleep 60 &\necho $!\nsetsid sleep 61 &\n(sleep 62 & :)\n: >ready\nwait\n';
  const made = await startAndAwait('ready', { script });
  yard.effect({ type: 'stop', ...made, step: 'term' });
  yard.effect({ type: 'stop', ...made, step: 'kill' });
  expect((await yard.reports.next('attemptEnded')).exit).toMatchObject({ code: null, signal: 9 });
  expect(isGone(Number.parseInt(yard.output(), 10))).toBe(true);
});

test('a fork bomb of a kind is outrun', async () => {
  const script = '#!/bin/sh\ntrap "" TERM\n: >ready\nwhile :; do sleep 5 & sleep 0.001; done\n';
  const made = await startAndAwait('ready', { script });
  yard.effect({ type: 'stop', ...made, step: 'kill' });
  expect((await yard.reports.next('attemptEnded')).exit.signal).toBe(9);
});

test('a stop before the start means that it never starts', async () => {
  const made = yard.build({ argv: ['touch', 'ran'] });
  yard.effect({ type: 'stop', ...made, step: 'term' });
  const ended = await yard.reports.next('attemptEnded');
  expect(ended).toMatchObject({ exit: { code: null, signal: 15 }, fault: null });
  yard.perform('start', made);
  await yard.reopen();
  yard.perform('start', made);
  expect((await yard.reports.next('attemptEnded')).exit.signal).toBe(15);
  expect(existsSync(join(yard.workDir, 'ran'))).toBe(false);
});

test('a stop right after the start ends it one way or the other', async () => {
  const made = yard.start({ argv: ['sleep', '60'] });
  yard.effect({ type: 'stop', ...made, step: 'kill' });
  const { exit } = await yard.reports.next('attemptEnded');
  expect([9, 15]).toContain(exit.signal);
});

test('a signal for the main process reaches only that', async () => {
  const script =
    '#!/bin/sh\ntrap "echo main; : >told" USR1\nsh -c \'trap "echo child" USR1; : >ready; while :; do sleep 0.01; done\' &\n' +
    'while [ ! -e told ]; do sleep 0.01; done\nkill $!\n';
  const made = await startAndAwait('ready', { script });
  yard.effect({ type: 'warn', ...made, signal: 10, scope: 'main' });
  await yard.reports.next('warningSent');
  await yard.reports.next('attemptEnded');
  expect(yard.output()).toBe('main\n');
});

test('a signal for all reaches all, and is reported by its number', async () => {
  const child = 'sh -c \'trap "echo child; exit" USR1; : >ready; while :; do sleep 0.01; done\'';
  const script = `#!/bin/sh\ntrap "echo main" USR1\n${child} &\nwait\nwait\n`;
  const made = await startAndAwait('ready', { script });
  yard.effect({ type: 'signal', ...made, n: 3, signal: 10, scope: 'all' });
  expect((await yard.reports.next('signalSent')).n).toBe(3);
  await yard.reports.next('attemptEnded');
  expect(yard.output().split('\n')).toEqual(expect.arrayContaining(['child', 'main']));
});

test('children that a job leaves behind are ended, also in a session of their own', async () => {
  const script = '#!/bin/sh\nsetsid sleep 60 &\necho $!\nexit 0\n';
  const { exit } = await yard.run({ script });
  expect(exit.code).toBe(0);
  const pid = Number.parseInt(yard.output(), 10);
  await expect.poll(() => isGone(pid), { timeout: 5000, interval: 20 }).toBe(true);
});

test('a device is free only when those who used it are gone', async () => {
  const script = '#!/bin/sh\nsetsid sh -c "trap \'\' TERM; sleep 60" >/dev/null 2>&1 &\necho $!\nexit 0\n';
  await yard.run({ script, nodes: [{ devices: [{ index: 0, millis: 1000 }] }] });
  expect(isGone(Number.parseInt(yard.output(), 10))).toBe(true);
});

test('a shim that somebody stopped is made to go on', async () => {
  const made = await startAndAwait('ready', { script: '#!/bin/sh\necho $PPID\n: >ready\nsleep 60\n' });
  sendSignal(Number.parseInt(yard.output(), 10), 19);
  yard.effect({ type: 'stop', ...made, step: 'kill' });
  expect((await yard.reports.next('attemptEnded')).exit.signal).toBe(9);
});
