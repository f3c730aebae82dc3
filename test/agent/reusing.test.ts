import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { identityOf, isAlive, listProcesses, sendSignal } from '../../src/platform/processes.ts';
import { nodeOf, PLAIN_ENVIRONMENT, type Wish } from './builders.ts';
import { openYard, TEST_TIMES, type TestYard } from './yard.ts';

/** However busy the machine is, these jobs are short. */
const times = { ...TEST_TIMES, shortJobMs: 10_000 };

let yard: TestYard;
beforeEach(async () => {
  yard = await openYard({ times });
});
afterEach(() => yard.close());

const rankFile = (attempt: string) => join(yard.directory, 'yard', 'ranks', `${attempt}.0`);
const claimOf = (id: number) => readFileSync(rankFile(`${id}.1`), 'utf8').split('\n')[0] as string;
const shimOf = (id: number) => Number.parseInt(claimOf(id), 10);
const isHandedOn = (id: number) => claimOf(id).split(' ').length === 6;
const goesOn = () => writeFileSync(join(yard.workDir, 'go'), '');

/** Does what a file in its working directory says, so that attempts of one program can differ. */
const script = '#!/bin/sh\n[ ! -e todo ] || . ./todo\n';
const todo = (text: string) => writeFileSync(join(yard.workDir, 'todo'), text);
const WAITS = 'echo run >>runs\n: >ready\nwhile [ ! -e go ]; do sleep 0.01; done\nexit 7\n';

/** The second attempt has the shim of the first. */
async function startOnReused(wish: Partial<Wish> = {}) {
  todo('');
  await yard.run({ id: 1, script, ...wish });
  todo(WAITS);
  const made = yard.start({ id: 2, script, ...wish });
  await yard.made('ready');
  expect([shimOf(2), isHandedOn(2)]).toEqual([shimOf(1), true]);
  return made;
}

test('short attempts of one program share a shim, and each has its own exit status', async () => {
  const codes = [];
  for (const id of [1, 2, 3, 4]) {
    todo(`exit ${id % 2}`);
    codes.push((await yard.run({ id, script })).exit.code);
  }
  expect(codes).toEqual([1, 0, 1, 0]);
  expect(new Set([1, 2, 3, 4].map(shimOf)).size).toBe(1);
});

test('nothing that one was told is left for the next', async () => {
  todo('env | grep -E "^(TRAINYARD_A|TRAINYARD_J|OMP|PWD|OLDPWD)" | sort');
  const streams = { stdout: '%j.out' };
  const job = { element: { array: 1, index: 4 } };
  await yard.run({ id: 1, script, streams, job, resources: { cpusAsked: true, cpusPerRank: 3 } });
  await yard.run({ id: 2, script, streams });
  expect(isHandedOn(2)).toBe(true);
  const told = (id: number) => yard.output(`${id}.out`).trim().split('\n');
  expect(told(1)).toEqual([
    'OMP_NUM_THREADS=3',
    `PWD=${yard.workDir}`,
    'TRAINYARD_ARRAY_ID=1',
    'TRAINYARD_ARRAY_INDEX=4',
    'TRAINYARD_ATTEMPT=1.1',
    'TRAINYARD_JOB_ID=1',
  ]);
  expect(told(2)).toEqual([`PWD=${yard.workDir}`, 'TRAINYARD_ATTEMPT=2.1', 'TRAINYARD_JOB_ID=2']);
});

test('a variable that the yard had taken over is again what its submitter had', async () => {
  await yard.close();
  const device = { index: 0, kind: 'x', memoryBytes: 1, simulated: true };
  yard = await openYard({ times, nodes: [nodeOf({ devices: [device] }), nodeOf({ name: 'plain' })] });
  todo('echo "<$CUDA_VISIBLE_DEVICES>"');
  const environment = `${PLAIN_ENVIRONMENT}CUDA_VISIBLE_DEVICES=it's 9\0`;
  await yard.run({ id: 1, script, environment });
  expect(yard.output()).toBe('<>\n');
  await yard.run({ id: 2, script, environment, nodes: [{ node: 'plain' }] });
  expect([isHandedOn(2), yard.output()]).toEqual([true, "<it's 9>\n"]);
});

test('each is in its own directory, with its own files', async () => {
  const argv = ['sh', '-c', 'pwd; echo err >&2'];
  await yard.run({ id: 1, argv, streams: { stdout: '1.out', stderr: '1.err' } });
  await yard.run({ id: 2, argv, streams: { stdout: '2.out' } });
  await yard.run({ id: 3, argv, workDir: '/', streams: { stdout: join(yard.workDir, '3.out') } });
  expect([shimOf(2), shimOf(3)]).toEqual([shimOf(1), shimOf(1)]);
  expect(['1.out', '1.err', '2.out', '3.out'].map((name) => yard.output(name))).toEqual([
    `${yard.workDir}\n`,
    'err\n',
    `${yard.workDir}\nerr\n`,
    '/\nerr\n',
  ]);
});

test('another program, umask, limit or environment gets a shim of its own', async () => {
  const argv = ['/bin/true'];
  const wishes: Partial<Wish>[] = [
    { argv },
    { argv: ['/bin/true', 'x'] },
    { argv, program: { umask: 0o077 } },
    { argv, program: { ulimits: { n: '99' } } },
    { argv, environment: 'PATH=/bin\0' },
    { argv, resources: { cpusAsked: true }, nodes: [{ cpuIds: [0] }] },
  ];
  for (const [at, wish] of wishes.entries()) await yard.run({ id: at + 1, ...wish });
  const ids = wishes.map((_, at) => at + 1);
  expect(ids.filter(isHandedOn)).toEqual([]);
  await yard.run({ id: 9, argv });
  expect(shimOf(9)).toBe(shimOf(1));
});

test('arguments may be anything', async () => {
  const argv = [
    'sh',
    '-c',
    'for a in "$@"; do printf "<%s>" "$a"; done',
    'sh',
    "it's",
    'a\nb',
    '\udcff',
    '$HOME\\',
  ];
  for (const id of [1, 2]) await yard.run({ id, argv, streams: { stdout: 'out "%j\n\'' } });
  expect(isHandedOn(2)).toBe(true);
  expect(yard.output('out "2\n\'')).toBe("<it's><a\nb><\xff><$HOME\\>");
});

test('arguments too long for the way to a shim that waits are no obstacle', async () => {
  const argv = ['sh', '-c', 'printf %s "$1" | wc -c', 'sh', 'x'.repeat(10_000)];
  for (const id of [1, 2]) expect((await yard.run({ id, argv })).exit.code).toBe(0);
  expect([yard.output(), isHandedOn(2)]).toEqual(['10000\n', false]);
});

test('CPU time is that of the attempt alone', async () => {
  todo('i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done');
  const first = await yard.run({ id: 1, script });
  todo('');
  const second = await yard.run({ id: 2, script });
  expect(isHandedOn(2)).toBe(true);
  expect(first.usage?.cpuMs).toBeGreaterThan(5);
  expect(second.usage?.cpuMs).toBeLessThan(first.usage?.cpuMs ?? 0);
  for (const { usage } of [first, second]) expect(usage?.userCpuMs).toBeLessThanOrEqual(usage?.cpuMs ?? -1);
  expect(first.usage?.userCpuMs).toBeGreaterThan(0);
  expect(second.usage?.peakMemoryBytes).toBeNull();
});

test('a shim whose job left somebody behind is not handed on, and they are ended', async () => {
  todo('sleep 60 >/dev/null 2>&1 &\necho $!');
  await yard.run({ id: 1, script });
  const left = Number.parseInt(yard.output(), 10);
  expect(processState(left)).toMatch(/^(Z|gone)$/);
  todo('');
  await yard.run({ id: 2, script });
  expect(isHandedOn(2)).toBe(false);
});

test('somebody who left the group is not taken for the next attempt’s', async () => {
  todo(
    'setsid sh -c ": >away; exec sleep 60" >/dev/null 2>&1 &\necho $!; while [ ! -e away ]; do sleep 0.01; done',
  );
  await yard.run({ id: 1, script, streams: { stdout: '%j.out' } });
  const left = identityOf(Number.parseInt(yard.output('1.out'), 10))!;
  todo(WAITS);
  const made = yard.start({ id: 2, script });
  await yard.made('ready');
  expect(isHandedOn(2)).toBe(true);
  await expect.poll(() => isAlive(left), { timeout: 5000, interval: 20 }).toBe(false);
  expect(yard.reports.seen.filter((one) => one.type === 'attemptEnded')).toHaveLength(1);
  yard.effect({ type: 'stop', ...made, step: 'kill' });
  expect((await yard.reports.next('attemptEnded', '2.1')).exit.signal).toBe(9);
});

test('a shim that nobody needs goes away', async () => {
  await yard.run({ argv: ['/bin/true'] });
  const shim = identityOf(shimOf(17))!;
  expect(isAlive(shim)).toBe(true);
  await expect.poll(() => identityOf(shim.pid), { timeout: 5000, interval: 50 }).toBeNull();
});

test('closing lets those go that wait', async () => {
  await yard.run({ argv: ['/bin/true'] });
  const shim = identityOf(shimOf(17))!;
  await yard.engine.close();
  await expect.poll(() => isAlive(shim), { interval: 10 }).toBe(false);
});

test('one that dies while it waits is replaced', async () => {
  await yard.run({ id: 1, argv: ['/bin/true'] });
  const shim = identityOf(shimOf(1))!;
  sendSignal(shim.pid, 9);
  await expect.poll(() => isAlive(shim), { interval: 5 }).toBe(false);
  expect((await yard.run({ id: 2, argv: ['/bin/true'] })).exit.code).toBe(0);
  expect(shimOf(2)).not.toBe(shim.pid);
});

test('an attempt on a shim of another is stopped like any', async () => {
  const made = await startOnReused();
  yard.effect({ type: 'stop', ...made, step: 'term' });
  expect((await yard.reports.next('attemptEnded', '2.1')).exit.signal).toBe(15);
  todo('');
  await yard.run({ id: 3, script });
  expect(isHandedOn(3)).toBe(false);
});

test('and is signalled like any', async () => {
  const made = await startOnReused();
  yard.effect({ type: 'signal', ...made, n: 1, signal: 12, scope: 'main' });
  expect((await yard.reports.next('attemptEnded', '2.1')).exit.signal).toBe(12);
});

test('an attempt on a shim of another is taken over, and its status is not lost', async () => {
  const made = await startOnReused();
  const shim = identityOf(shimOf(2))!;
  await yard.reopen();
  yard.perform('watch', made);
  expect((await yard.reports.next('attemptRunning')).forMs).toBeLessThan(5000);
  goesOn();
  expect((await yard.reports.next('attemptEnded')).exit.code).toBe(7);
  await expect.poll(() => isAlive(shim), { interval: 10 }).toBe(false);
  expect(yard.output('runs')).toBe('run\n');
});

test('it ends without us as well', async () => {
  const made = await startOnReused();
  const shim = identityOf(shimOf(2))!;
  await yard.engine.close();
  goesOn();
  await expect.poll(() => isAlive(shim), { interval: 10 }).toBe(false);
  await yard.reopen();
  yard.perform('watch', made);
  expect((await yard.reports.next('attemptEnded')).exit.code).toBe(7);
});

test('a stop after the takeover reaches it', async () => {
  const made = await startOnReused();
  await yard.reopen();
  yard.effect({ type: 'stop', ...made, step: 'kill' });
  expect((await yard.reports.next('attemptEnded')).exit.signal).toBe(9);
});

test('its shim is found also when somebody cleaned its claim away', async () => {
  const made = await startOnReused();
  await yard.engine.close();
  writeFileSync(rankFile('2.1'), '');
  await yard.reopen();
  yard.perform('watch', made);
  await yard.reports.next('attemptRunning');
  goesOn();
  expect((await yard.reports.next('attemptEnded')).exit.code).toBe(7);
  expect(yard.output('runs')).toBe('run\n');
});

test('an agent that dies between the assignment and the claim costs nothing', async () => {
  await yard.run({ id: 1, script });
  const shim = shimOf(1);
  todo(WAITS);
  sendSignal(shim, 19);
  await expect.poll(() => processState(shim), { interval: 5 }).toBe('T');
  const made = yard.start({ id: 2, script });
  await yard.reopen();
  yard.perform('start', made);
  await yard.made('ready');
  expect(shimOf(2)).not.toBe(shim);
  sendSignal(shim, 18);
  await expect.poll(() => processState(shim), { interval: 5 }).not.toMatch(/[ST]/);
  goesOn();
  expect((await yard.reports.next('attemptEnded', '2.1')).exit.code).toBe(7);
  expect(yard.output('runs')).toBe('run\n');
});

test('one that was stopped before its shim could claim it never runs', async () => {
  await yard.run({ id: 1, script });
  const shim = shimOf(1);
  todo(WAITS);
  sendSignal(shim, 19);
  await expect.poll(() => processState(shim), { interval: 5 }).toBe('T');
  const made = yard.start({ id: 2, script });
  yard.effect({ type: 'stop', ...made, step: 'term' });
  expect((await yard.reports.next('attemptEnded', '2.1')).exit.signal).toBe(15);
  sendSignal(shim, 18);
  await expect.poll(() => processState(shim), { interval: 5 }).toBe('gone');
  expect(readdirSync(yard.workDir)).not.toContain('runs');
});

test('many short ones in few sessions', async () => {
  const ids = Array.from({ length: 60 }, (_, at) => at + 1);
  todo('exit $((TRAINYARD_JOB_ID % 7))');
  const codes: (number | null)[] = [];
  const lane = async (mine: number[]) => {
    for (const id of mine) codes[id] = (await yard.run({ id, script })).exit.code;
  };
  await Promise.all([0, 1, 2].map((n) => lane(ids.filter((id) => id % 3 === n))));
  expect(ids.map((id) => codes[id])).toEqual(ids.map((id) => id % 7));
  expect(new Set(ids.map(shimOf)).size).toBeLessThan(10);
});

test('after a job that was not short a new shim is started', async () => {
  await yard.close();
  yard = await openYard({ times: { ...TEST_TIMES, shortJobMs: 50 } });
  for (const id of [1, 2]) await yard.run({ id, argv: ['sleep', '0.06'] });
  expect(isHandedOn(2)).toBe(false);
});

function processState(pid: number): string {
  return listProcesses().find((info) => info.pid === pid)?.state ?? 'gone';
}
