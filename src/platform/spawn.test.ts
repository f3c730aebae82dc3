import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { affinityOf, type Reaped, reap } from './libc.ts';
import { processInfo } from './processes.ts';
import { type SpawnRequest, type SpawnResult, spawnDetached } from './spawn.ts';

let directory: string;
let stdin: number;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'trainyard-spawn-'));
  stdin = openSync('/dev/null', 'r');
});
afterEach(() => {
  closeSync(stdin);
  rmSync(directory, { recursive: true });
});

const block = (...strings: string[]) => Buffer.from(strings.map((text) => `${text}\0`).join(''), 'latin1');

function start(request: Partial<SpawnRequest>): Promise<SpawnResult> {
  const whole = { path: '/bin/sh', argv: block('sh'), environment: block(), stdin, cpuIds: null, ...request };
  return new Promise((resolve) => spawnDetached(whole, resolve));
}

async function pidOf(result: Promise<SpawnResult>): Promise<number> {
  const spawned = await result;
  if (!spawned.ok) throw new Error(spawned.error);
  return spawned.pid;
}

async function endOf(pid: number): Promise<Reaped> {
  for (;;) {
    const result = reap(pid);
    if (result === 'gone') throw new Error('gone');
    if (result !== 'running') return result;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

test('a process in a session of its own, told apart by how it ends', async () => {
  const pid = await pidOf(start({ argv: block('sh', '-c', 'kill -STOP $$; exit 3') }));
  await expect.poll(() => processInfo(pid)?.state, { interval: 2 }).toBe('T');
  expect(processInfo(pid)).toMatchObject({ pgid: pid, session: pid });
  process.kill(pid, 'SIGCONT');
  expect(await endOf(pid)).toMatchObject({ code: 3, signal: null });
  expect(reap(pid)).toBe('gone');
  const killed = await pidOf(start({ argv: block('sh', '-c', 'kill -9 $$') }));
  expect(await endOf(killed)).toMatchObject({ code: null, signal: 9 });
});

test('arguments and environment arrive as the bytes they are', async () => {
  const out = join(directory, 'out');
  const argv = block('sh', '-c', 'printf "%s|" "$@" "$A" "$B" >"$OUT"', 'sh', '', 'x\xff', ' y\n');
  await endOf(await pidOf(start({ argv, environment: block(`OUT=${out}`, 'A=\xfe', 'B=') })));
  expect(readFileSync(out, 'latin1')).toBe('|x\xff| y\n|\xfe||');
});

test('a program that is not there, and more than the kernel takes', async () => {
  expect(await start({ path: '/no/such/program' })).toEqual({ ok: false, error: 'ENOENT', tooLong: false });
  const long = block('sh', 'x'.repeat(200_000));
  expect(await start({ argv: long })).toEqual({ ok: false, error: 'E2BIG', tooLong: true });
});

test('many at once', async () => {
  const pids = await Promise.all(
    Array.from({ length: 50 }, () => pidOf(start({ argv: block('sh', '-c', ':') }))),
  );
  const ends = await Promise.all(pids.map(endOf));
  expect(ends.every(({ code }) => code === 0)).toBe(true);
});

test('bound to a CPU, without binding us; a CPU that there is not is no obstacle', async () => {
  const own = affinityOf()!;
  const one = [own.at(-1)!];
  const bound = await pidOf(start({ argv: block('sh', '-c', 'kill -STOP $$'), cpuIds: one }));
  expect(affinityOf(bound)).toEqual(one);
  expect(affinityOf()).toEqual(own);
  process.kill(bound, 'SIGKILL');
  await endOf(bound);
  const unbound = await pidOf(start({ argv: block('sh', '-c', 'exit 0'), cpuIds: [8000] }));
  expect((await endOf(unbound)).code).toBe(0);
});
