import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  ageMs,
  bootId,
  childrenOf,
  environmentValue,
  groupExists,
  identityOf,
  isAlive,
  listProcesses,
  parseStat,
  processInfo,
  sendSignal,
  ticksNow,
  valueIn,
} from './processes.ts';

let child: ReturnType<typeof spawn>;
const before = ticksNow();
beforeAll(async () => {
  child = spawn('sleep', ['60'], { detached: true, env: { MARK: 'x=y', MARKED: 'no' } });
  await once(child, 'spawn');
});
afterAll(async () => {
  child.kill('SIGKILL');
  await once(child, 'exit');
});

test('a process is who it is by number, start and boot', () => {
  const identity = identityOf(child.pid!)!;
  expect(isAlive(identity)).toBe(true);
  expect(isAlive({ ...identity, startTicks: identity.startTicks + 1 })).toBe(false);
  expect(isAlive({ ...identity, bootId: 'another' })).toBe(false);
  expect(identity.bootId).toBe(bootId());
  expect(identity.startTicks).toBeGreaterThanOrEqual(before);
});

test('one that has died but was not reaped is dead', async () => {
  const parent = spawn('sh', ['-c', 'sleep 60 & echo $!; exec sleep 60'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [line] = (await once(parent.stdout!, 'data')) as [Buffer];
  const pid = Number.parseInt(line.toString(), 10);
  // A shell would reap it; what it turns into does not.
  await expect.poll(() => readFileSync(`/proc/${parent.pid}/comm`, 'utf8'), { interval: 5 }).toBe('sleep\n');
  sendSignal(pid, 9);
  await expect.poll(() => processInfo(pid)?.state, { interval: 5 }).toBe('Z');
  expect(isAlive(identityOf(pid)!)).toBe(false);
  parent.kill('SIGKILL');
  await once(parent, 'exit');
});

test('it is found among all processes, among our children, and by its group', () => {
  expect(listProcesses().find(({ pid }) => pid === child.pid)).toMatchObject({
    ppid: process.pid,
    pgid: child.pid,
    session: child.pid,
  });
  expect(groupExists(child.pid!)).toBe(true);
  expect(groupExists(2 ** 22 - 1)).toBe(false);
  expect(sendSignal(child.pid!, 0)).toBe(true);
});

test('children are known to their parent', () => {
  expect(childrenOf(child.pid!)).toEqual([]);
});

test('its environment is read by whole names', () => {
  expect(environmentValue(child.pid!, 'MARK')).toBe('x=y');
  expect(environmentValue(child.pid!, 'ARK')).toBeNull();
  expect(environmentValue(2 ** 22 - 1, 'MARK')).toBeNull();
  expect(valueIn('A=1\0B=2', 'B')).toBe('2');
  expect(valueIn('', 'B')).toBeNull();
});

test('it has an age', () => {
  const age = ageMs(processInfo(child.pid!)!.startTicks);
  expect(age).toBeGreaterThanOrEqual(0);
  expect(age).toBeLessThan(30_000);
});

test('a name may hold anything', () => {
  const stat = `7 (a) b) (c\n) S 1 2 3 ${'0 '.repeat(7)}4 1 3 2 ${'0 '.repeat(4)}99 4096 12 0`;
  expect(parseStat(stat)).toEqual({
    pid: 7,
    state: 'S',
    ppid: 1,
    pgid: 2,
    session: 3,
    startTicks: 99,
    rssPages: 12,
    virtualBytes: 4096,
    userCpuMs: 70,
    systemCpuMs: 30,
  });
  expect(parseStat('')).toBeNull();
});
