import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Device } from '../model/node.ts';
import { startTicks } from '../platform/processes.ts';
import { openSimulatedDevices, parseClaim } from './simulated.ts';

const GIB = 1024 ** 3;
const LATER_MS = 60_000;

let directory = '';
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'simulated-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const device = (index: number): Device => ({ index, kind: 'toy', memoryBytes: 16 * GIB, simulated: true });
const twoNodes = [
  { name: 'a', devices: [device(0), device(1)] },
  { name: 'b', devices: [device(0)] },
];

function claim(path: string, text: string): void {
  writeFileSync(join(directory, path), text);
}

/** The number of a process that was there and is no more. */
function deadPid(): number {
  return Number(execFileSync('sh', ['-c', 'echo $$'], { encoding: 'utf8' }));
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
}

test('every node has its devices, and says in a file which', async () => {
  const source = openSimulatedDevices({ nodes: twoNodes, directory });
  expect(readFileSync(join(directory, 'a/devices'), 'utf8')).toBe(`0 ${16 * GIB} toy\n1 ${16 * GIB} toy\n`);
  expect(readdirSync(join(directory, 'b'))).toEqual(['0', 'devices']);
  expect(source.devices).toEqual([device(0), device(1), device(0)]);
  expect(await source.read()).toEqual(
    [
      ['a', 0],
      ['a', 1],
      ['b', 0],
    ].map(([node, index]) => ({
      node,
      index,
      usedBytes: 0,
      totalBytes: 16 * GIB,
      loadMillis: 0,
      temperatureC: 30,
      powerW: 40,
      processes: [],
    })),
  );
});

test('what living processes claim is added up; what makes no sense is passed over', async () => {
  const source = openSimulatedDevices({ nodes: twoNodes, directory });
  const own = process.pid;
  claim(`a/1/${own}`, `${2 * GIB} 30\n`);
  claim(`a/1/${own}.2`, `${GIB} 12.5 ${startTicks(own)}\n`);
  claim(`a/1/${process.ppid}`, `${4 * GIB} 5\n`);
  claim(`a/1/${own}.half`, `${GIB} 1`);
  claim(`a/1/${own}.words`, 'all of it\n');
  claim(`a/1/${own}.busy`, `${GIB} 101\n`);
  claim(`a/1/notes`, `${GIB} 10\n`);
  claim(`a/1/.${own}.draft`, `${GIB} 10\n`);
  mkdirSync(join(directory, `a/1/${own}.d`));
  execFileSync('mkfifo', [join(directory, `a/1/${own}.pipe`)]);
  const [idle, busy] = await source.read();
  expect(idle).toMatchObject({ index: 0, usedBytes: 0 });
  expect(busy).toMatchObject({
    node: 'a',
    index: 1,
    usedBytes: 7 * GIB,
    loadMillis: 475,
    temperatureC: 49,
    powerW: 135,
  });
  expect(new Map(busy?.processes?.map((process) => [process.pid, process]))).toEqual(
    new Map([
      [own, { pid: own, memoryBytes: 3 * GIB, loadMillis: 425 }],
      [process.ppid, { pid: process.ppid, memoryBytes: 4 * GIB, loadMillis: 50 }],
    ]),
  );
});

test('no device has more memory than it has, or is busier than busy', async () => {
  const source = openSimulatedDevices({ nodes: twoNodes, directory });
  claim(`b/0/${process.pid}`, `${12 * GIB} 80\n`);
  claim(`b/0/${process.ppid}`, `${12 * GIB} 80\n`);
  expect((await source.read())[2]).toMatchObject({ usedBytes: 16 * GIB, loadMillis: 1000 });
});

test('claims of the dead do not count, and are removed now and then', async () => {
  let nowMs = 0;
  const source = openSimulatedDevices({ nodes: twoNodes, directory, nowMs: () => nowMs });
  const dead = join(directory, `a/0/${deadPid()}`);
  const namesake = join(directory, `a/0/${process.pid}.1`);
  const alive = join(directory, `a/0/${process.pid}.2`);
  writeFileSync(dead, `${GIB} 10\n`);
  writeFileSync(namesake, `${GIB} 10 ${(startTicks(process.pid) ?? 0) + 1}\n`);
  writeFileSync(alive, `${GIB} 10\n`);
  expect((await source.read())[0]).toMatchObject({ usedBytes: GIB });
  expect(existsSync(dead)).toBe(true);
  nowMs += LATER_MS;
  expect((await source.read())[0]).toMatchObject({ usedBytes: GIB });
  expect([dead, namesake, alive].map(existsSync)).toEqual([false, false, true]);
});

test('a process that has ended and was not waited for is dead', async () => {
  const source = openSimulatedDevices({ nodes: twoNodes, directory });
  // The shell becomes `sleep`, which never asks how its child ended; until then the child waits for the end of a pipe.
  const parent = spawn('sh', ['-c', 'cat <&3 >/dev/null & echo $!; exec sleep 60 3<&-'], {
    stdio: ['ignore', 'pipe', 'ignore', 'pipe'],
  });
  const [line] = (await once(parent.stdout as Readable, 'data')) as [Buffer];
  const pid = Number(line.toString());
  await until(() => readFileSync(`/proc/${parent.pid}/comm`, 'latin1') === 'sleep\n');
  (parent.stdio[3] as Writable).end();
  await until(() => / Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1')));
  claim(`a/0/${pid}`, `${GIB} 10\n`);
  expect((await source.read())[0]).toMatchObject({ usedBytes: 0, processes: [] });
  parent.kill('SIGKILL');
  await once(parent, 'exit');
});

test('a claim that is being written anew still counts as it was', async () => {
  const source = openSimulatedDevices({ nodes: twoNodes, directory });
  const path = `a/0/${process.pid}`;
  claim(path, '');
  expect((await source.read())[0]).toMatchObject({ usedBytes: 0 });
  claim(path, `${GIB} 10\n`);
  await source.read();
  claim(path, '');
  expect((await source.read())[0]).toMatchObject({ usedBytes: GIB });
  expect((await source.read())[0]).toMatchObject({ usedBytes: GIB });
  rmSync(join(directory, path));
  expect((await source.read())[0]).toMatchObject({ usedBytes: 0 });
});

test('a directory that somebody removed is made again', async () => {
  const source = openSimulatedDevices({ nodes: twoNodes, directory });
  rmSync(join(directory, 'a'), { recursive: true });
  expect(await source.read()).toHaveLength(3);
  claim(`a/1/${process.pid}`, `${GIB} 10\n`);
  expect((await source.read())[1]).toMatchObject({ usedBytes: GIB });
  rmSync(join(directory, 'a'), { recursive: true });
  writeFileSync(join(directory, 'a'), 'in the way');
  expect((await source.read()).map(({ node }) => node)).toEqual(['b']);
});

test('real devices of a node are not simulated', () => {
  const real = { ...device(0), simulated: false };
  const source = openSimulatedDevices({ nodes: [{ name: 'r', devices: [real] }], directory });
  expect(source.devices).toEqual([]);
  expect(readdirSync(directory)).toEqual([]);
});

test('a claim is bytes, load, and perhaps when its process started', () => {
  expect(parseClaim('10 0\n')).toEqual({ memoryBytes: 10, loadMillis: 0, startTicks: null });
  expect(parseClaim('10\t99.95 7 \n')).toEqual({ memoryBytes: 10, loadMillis: 1000, startTicks: 7 });
  for (const text of ['', '\n', '10\n', '-1 5\n', '1 -5\n', '1 5\n2 5\n', '1 5 x\n', '1e3 5\n']) {
    expect(parseClaim(text), JSON.stringify(text)).toBeNull();
  }
});
