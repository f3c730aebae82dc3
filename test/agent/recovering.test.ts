import { existsSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { bootId, identityOf, isAlive, processInfo, sendSignal } from '../../src/platform/processes.ts';
import { openYard, type TestYard } from './yard.ts';

let yard: TestYard;
beforeEach(async () => {
  yard = await openYard();
});
afterEach(() => yard.close());

const yardFile = (...names: string[]) => join(yard.directory, 'yard', ...names);
const WAITS = '#!/bin/sh\necho run >>runs\n: >ready\nwhile [ ! -e go ]; do sleep 0.01; done\nexit 7\n';
const runs = () => readFileSync(join(yard.workDir, 'runs'), 'utf8');
const letGo = () => writeFileSync(join(yard.workDir, 'go'), '');

function setBackEightDays(path: string): void {
  const then = Date.now() / 1000 - 8 * 86_400;
  utimesSync(path, then, then);
}

function claimOf(attempt: string): { pid: number; line: string } {
  const line = readFileSync(yardFile('ranks', `${attempt}.0`), 'utf8');
  return { pid: Number.parseInt(line, 10), line };
}

test('a job goes on without us, and its status is found afterwards', async () => {
  const made = yard.start({ script: WAITS });
  await yard.made('ready');
  await yard.engine.close();
  const shim = identityOf(claimOf('17.1').pid)!;
  letGo();
  await expect.poll(() => isAlive(shim), { interval: 10 }).toBe(false);
  await yard.reopen();
  yard.perform('watch', made);
  expect((await yard.reports.next('attemptEnded')).exit.code).toBe(7);
  expect(runs()).toBe('run\n');
});

test('a job that still runs is taken over, and is said to run for as long as it has', async () => {
  const made = yard.start({ script: WAITS });
  await yard.made('ready');
  await yard.reopen();
  yard.perform('watch', made);
  expect((await yard.reports.next('attemptRunning')).forMs).toBeGreaterThanOrEqual(0);
  letGo();
  expect((await yard.reports.next('attemptEnded')).exit.code).toBe(7);
});

test('however often it is told to start, it runs once', async () => {
  const made = yard.start({ script: WAITS });
  yard.perform('start', made);
  await yard.made('ready');
  yard.perform('start', made);
  for (let time = 0; time < 3; time++) {
    await yard.reopen();
    yard.perform('start', made);
    await yard.reports.next('attemptRunning');
  }
  letGo();
  expect((await yard.reports.next('attemptEnded')).exit.code).toBe(7);
  expect(runs()).toBe('run\n');
});

test('two agents that start it at the same moment start it once', async () => {
  const other = await openYard({ directory: join(yard.directory, 'yard'), yardId: yard.yardId });
  letGo();
  const made = yard.build({ script: WAITS });
  yard.perform('start', made);
  other.build({ script: WAITS });
  other.perform('start', made);
  expect((await yard.reports.next('attemptEnded')).exit.code).toBe(7);
  await other.reports.next('attemptEnded');
  expect(runs()).toBe('run\n');
  await other.close();
});

test('one that was placed but never claimed is started by the next agent', async () => {
  const made = yard.build({ argv: ['true'] });
  writeFileSync(yardFile('ranks', '17.1.0'), '');
  yard.perform('watch', made);
  expect((await yard.reports.next('attemptEnded')).exit.code).toBe(0);
});

test('one that was seen running and whose file is gone is lost: nobody can say that it has not run', async () => {
  const made = yard.build({ script: WAITS });
  yard.perform('watch', made);
  const { reason } = await yard.reports.next('attemptLost');
  expect(reason).toBe('the file in which its end is written is gone');
  expect(existsSync(join(yard.workDir, 'runs'))).toBe(false);
});

test('how old a file is decides nothing: an end of eight days ago is read', async () => {
  letGo();
  const made = yard.start({ script: WAITS });
  await yard.reports.next('attemptEnded');
  await yard.engine.close();
  setBackEightDays(yardFile('ranks', '17.1.0'));
  await yard.reopen();
  yard.perform('watch', made);
  expect((await yard.reports.next('attemptEnded')).exit.code).toBe(7);
  expect(runs()).toBe('run\n');
});

test('the file of an attempt whose end is on record goes, whatever its age', async () => {
  letGo();
  const { attempt } = yard.start({ script: WAITS });
  await yard.reports.next('attemptEnded');
  await yard.engine.close();
  yard.onRecord.add(attempt.id);
  await yard.reopen();
  await expect.poll(() => existsSync(yardFile('ranks', '17.1.0')), { interval: 20 }).toBe(false);
});

test('a shim that dies without a word is a loss, and nothing of the job stays', async () => {
  yard.start({ script: '#!/bin/sh\necho $$\n: >ready\nsleep 60\n' });
  await yard.made('ready');
  sendSignal(claimOf('17.1').pid, 9);
  const lost = await yard.reports.next('attemptLost');
  expect(lost.reason).toBe('its shim ended without leaving an exit status');
  const info = processInfo(Number.parseInt(yard.output(), 10));
  expect(info === null || info.state === 'Z').toBe(true);
});

test('after a restart of the machine a running job is lost, but a status on record counts', async () => {
  const otherBoot = '00000000-0000-0000-0000-000000000000';
  writeFileSync(yardFile('ranks', '1.1.0'), `${process.pid} ${otherBoot}\n`);
  yard.perform('watch', yard.build({ id: 1, argv: ['true'] }));
  expect((await yard.reports.next('attemptLost', '1.1')).reason).toBe('the machine restarted');

  const record = '0m0s 0m0s\n0m0s 0m0s\nstatus 4\nend\n';
  writeFileSync(yardFile('ranks', '2.1.0'), `${process.pid} ${otherBoot}\n${record}`);
  yard.perform('watch', yard.build({ id: 2, argv: ['true'] }));
  expect((await yard.reports.next('attemptEnded', '2.1')).exit.code).toBe(4);
});

test('a claim that a power failure took away is no leave to run again', async () => {
  await yard.engine.close();
  writeFileSync(yardFile('boot'), 'the boot before');
  await yard.reopen();
  yard.perform('start', yard.build({ id: 1, argv: ['true'], attempt: { assignedAt: Date.now() - 60_000 } }));
  expect((await yard.reports.next('attemptLost', '1.1')).reason).toBe('the machine restarted');
  yard.perform('start', yard.build({ id: 2, argv: ['true'], attempt: { assignedAt: Date.now() + 60_000 } }));
  expect((await yard.reports.next('attemptEnded', '2.1')).exit.code).toBe(0);
});

test('a number that now belongs to somebody else is left alone', async () => {
  const bystander = yard.start({ id: 50, argv: ['sleep', '60'] });
  await yard.reports.next('attemptRunning');
  await expect.poll(() => claimOf('50.1').line.length, { interval: 5 }).toBeGreaterThan(10);
  const stranger = identityOf(claimOf('50.1').pid)!;
  writeFileSync(yardFile('ranks', '1.1.0'), `${stranger.pid} ${bootId()}\n`);
  const made = yard.build({ id: 1, argv: ['true'] });
  yard.effect({ type: 'stop', ...made, step: 'kill' });
  await yard.reports.next('attemptLost', '1.1');
  expect(isAlive(stranger)).toBe(true);
  yard.effect({ type: 'stop', ...bystander, step: 'kill' });
  await yard.reports.next('attemptEnded', '50.1');
});

test('one that was prepared when the agent died is started by the next, once', async () => {
  letGo();
  writeFileSync(yardFile('ranks', '17.1.0'), '');
  yard.start({ script: WAITS });
  expect((await yard.reports.next('attemptEnded')).exit.code).toBe(7);
  expect(runs()).toBe('run\n');
});

test('a job whose claim somebody cleaned away is still found', async () => {
  const made = yard.start({ script: WAITS });
  await yard.made('ready');
  await yard.engine.close();
  rmSync(yardFile('ranks', '17.1.0'));
  await yard.reopen();
  yard.perform('watch', made);
  await yard.reports.next('attemptRunning');
  letGo();
  expect((await yard.reports.next('attemptEnded')).exit.code).toBe(7);
  expect(runs()).toBe('run\n');
});

test('why it never ran is remembered', async () => {
  const made = yard.start({ argv: ['a\0b'] });
  const { fault } = await yard.reports.next('attemptEnded');
  await yard.reopen();
  yard.perform('start', made);
  expect((await yard.reports.next('attemptEnded')).fault).toBe(fault);
});

test('a stop after the takeover reaches the job', async () => {
  const made = yard.start({ script: WAITS });
  await yard.made('ready');
  await yard.reopen();
  yard.effect({ type: 'stop', ...made, step: 'term' });
  expect((await yard.reports.next('attemptEnded')).exit.signal).toBe(15);
});

test('and one that ended after that counts as ended', async () => {
  const made = yard.start({ script: WAITS });
  await yard.made('ready');
  await yard.engine.close();
  const shim = identityOf(claimOf('17.1').pid)!;
  rmSync(yardFile('ranks', '17.1.0'));
  letGo();
  await expect.poll(() => isAlive(shim), { interval: 10 }).toBe(false);
  await yard.reopen();
  yard.perform('watch', made);
  expect((await yard.reports.next('attemptEnded')).exit.code).toBe(7);
  expect(runs()).toBe('run\n');
});

test('what a shim of an earlier agent may still come for stays a while', async () => {
  writeFileSync(yardFile('ranks', '17.1.0'), '');
  yard.start({ argv: ['true'] });
  const { attempt } = await yard.reports.next('attemptEnded');
  yard.engine.forget(attempt);
  expect(readFileSync(yardFile('ranks', '17.1.0'), 'utf8')).toContain('status 0');
  await expect.poll(() => existsSync(yardFile('ranks', '17.1.0')), { interval: 20 }).toBe(false);
});
