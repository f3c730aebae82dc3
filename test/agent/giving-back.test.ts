/** Places that somebody holds from outside, such as a lease on a GPU, and how they are given back. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Exit, GivenBack } from '../../src/model/job.ts';
import { identityOf, isAlive, type ProcessIdentity } from '../../src/platform/processes.ts';
import { nodeOf } from './builders.ts';
import { newCaller, runOf } from './caller.ts';
import { openYard, type TestYard } from './yard.ts';

let yard: TestYard;
let child: ChildProcess;
let holder: ProcessIdentity;
beforeEach(async () => {
  const devices = [{ index: 0, kind: 'v100', memoryBytes: 2 ** 34, simulated: true }];
  yard = await openYard({ nodes: [nodeOf({ devices })] });
  child = spawn('sleep', ['600'], { stdio: 'ignore' });
  await once(child, 'spawn');
  holder = identityOf(child.pid as number)!;
});
afterEach(async () => {
  child.kill('SIGKILL');
  await yard.close();
});

const hold = (caller: ProcessIdentity | null = holder) =>
  yard.start({
    program: { spread: 'caller', caller },
    nodes: [{ devices: [{ index: 0, millis: 1000 }] }],
  });
const running = (made: ReturnType<typeof hold>) => ({
  ...made,
  attempt: { ...made.attempt, startedAt: 5, phase: 'running' as const },
});
const rankFile = () => join(yard.directory, 'yard', 'ranks', '17.1.0');
const ends = () => yard.reports.seen.filter(({ type }) => type === 'attemptEnded');

const WAYS: readonly (readonly [GivenBack, Exit])[] = [
  ['succeeded', { code: 0, signal: null, outOfMemory: false }],
  ['failed', { code: 1, signal: null, outOfMemory: false }],
  ['deviceOutOfMemory', { code: 1, signal: null, outOfMemory: false, deviceOutOfMemory: true }],
  ['killed', { code: null, signal: 9, outOfMemory: false }],
];

test.each(WAYS)('a place that is given back as %s has ended so, and only once', async (how, exit) => {
  hold();
  await yard.reports.next('attemptRunning');
  expect(yard.engine.giveBack('17.1', how)).toBe(true);
  expect(yard.engine.giveBack('17.1', 'succeeded')).toBe(false);
  expect(await yard.reports.next('attemptEnded')).toMatchObject({ exit, usage: null, fault: null });
  expect(yard.engine.giveBack('17.1', how)).toBe(false);
  expect(yard.reports.seen.map(({ type }) => type)).toEqual(['nodesSeen', 'attemptRunning', 'attemptEnded']);
  expect(isAlive(holder)).toBe(true);
});

test.each(WAYS)('a yard that dies before it can tell has %s written down', async (how, exit) => {
  const made = hold();
  await yard.reports.next('attemptRunning');
  yard.engine.giveBack('17.1', how);
  expect(ends()).toEqual([]);
  await yard.reopen();
  yard.perform('watch', running(made));
  expect(yard.engine.giveBack('17.1', 'failed')).toBe(false);
  expect((await yard.reports.next('attemptEnded')).exit).toEqual(exit);
});

test.each(WAYS)('another yard takes it back as %s, too', async (how, exit) => {
  const made = hold();
  await yard.reports.next('attemptRunning');
  await yard.reopen();
  yard.perform('watch', running(made));
  expect(yard.engine.giveBack('17.1', how)).toBe(true);
  expect((await yard.reports.next('attemptEnded')).exit).toEqual(exit);
  expect(yard.reports.seen.filter(({ type }) => type === 'attemptRunning')).toEqual([]);
});

test('nobody need be there for it to be held and given back', async () => {
  hold(null);
  await yard.reports.next('attemptRunning');
  expect(yard.engine.giveBack('17.1', 'succeeded')).toBe(true);
  expect((await yard.reports.next('attemptEnded')).exit.code).toBe(0);
});

test('what is not held so cannot be given back', async () => {
  const { attempt } = yard.start({ id: 3, argv: ['sleep', '60'] });
  await yard.reports.next('attemptRunning');
  expect(yard.engine.giveBack(attempt.id, 'succeeded')).toBe(false);
  expect(yard.engine.giveBack('9.1', 'succeeded')).toBe(false);
});

test('a place in which its caller runs something ends when the caller says so', async () => {
  const caller = newCaller(yard);
  hold(caller.identity);
  caller.run(runOf(yard.workDir, { each: ': >ready; while [ ! -e go ]; do sleep 0.01; done; exit 4' }));
  await yard.made('ready');
  expect(yard.engine.giveBack('17.1', 'succeeded')).toBe(false);
  appendFileSync(join(yard.workDir, 'go'), '');
  expect((await yard.reports.next('attemptEnded')).exit.code).toBe(4);
  await caller.over;
});

test('one that is given back cannot be claimed any more', async () => {
  const caller = newCaller(yard);
  hold(caller.identity);
  await yard.reports.next('attemptRunning');
  const run = runOf(yard.workDir, { each: 'touch ran' });
  caller.run(run);
  if (yard.engine.giveBack('17.1', 'succeeded')) {
    await yard.reports.next('attemptEnded');
    expect(readFileSync(rankFile(), 'utf8')).toMatch(/^returned succeeded\n/);
    expect(await caller.over).not.toBe(0);
  }
  expect(await caller.over).toBeDefined();
  expect(ends()).toHaveLength(1);
});

test('a claim that came first counts, whoever wrote what after it', async () => {
  hold();
  await yard.reports.next('attemptRunning');
  const claim = `${holder.pid} ${holder.bootId} ${holder.startTicks} 0 0 0\n`;
  appendFileSync(rankFile(), `${claim}returned failed\n`);
  expect(yard.engine.giveBack('17.1', 'succeeded')).toBe(false);
  appendFileSync(rankFile(), '0m0.000s 0m0.000s\n0m0.000s 0m0.000s\nstatus 6\nend\n');
  expect((await yard.reports.next('attemptEnded')).exit.code).toBe(6);
});

test('a holder that is killed has given it back', async () => {
  hold();
  await yard.reports.next('attemptRunning');
  child.kill('SIGKILL');
  expect((await yard.reports.next('attemptEnded')).exit).toEqual(WAYS[3]?.[1]);
});

test('a holder that is killed while no yard is there, too', async () => {
  const made = hold();
  await yard.reports.next('attemptRunning');
  await yard.engine.close();
  child.kill('SIGKILL');
  await once(child, 'close');
  await yard.reopen();
  yard.perform('watch', running(made));
  expect((await yard.reports.next('attemptEnded')).exit).toEqual(WAYS[3]?.[1]);
});

test('a yard that dies when it has just seen that knows it afterwards', async () => {
  const made = hold();
  await yard.reports.next('attemptRunning');
  await yard.engine.close();
  appendFileSync(rankFile(), 'revoked\n');
  await yard.reopen();
  yard.perform('watch', running(made));
  expect((await yard.reports.next('attemptEnded')).exit).toEqual(WAYS[3]?.[1]);
});

test('one that is cancelled while it is held has ended, and its holder is left alone', async () => {
  const made = hold();
  await yard.reports.next('attemptRunning');
  const stop = { cause: 'cancelled', by: 'ada', requestedAt: 0, killAt: 0, step: 'term' } as const;
  yard.effect({ type: 'stop', ...made, attempt: { ...made.attempt, stop }, step: 'term' });
  expect((await yard.reports.next('attemptEnded')).exit).toEqual({
    code: null,
    signal: 15,
    outOfMemory: false,
  });
  expect(yard.engine.giveBack('17.1', 'succeeded')).toBe(false);
  expect(isAlive(holder)).toBe(true);
});
