/** What attempts do on simulated devices: real processes say in real files what they use. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { DEVICE_TIMES, type DeviceTimes } from '../../src/agent/devices/options.ts';
import type { DeviceReading, DevicesNow } from '../../src/model/device-use.ts';
import { simulatedGpusIn } from '../../src/model/device-variables.ts';
import type { DeviceShare } from '../../src/model/job.ts';
import { identityOf } from '../../src/platform/processes.ts';
import type { DeviceSource } from '../../src/telemetry/device-source.ts';
import { openSimulatedDevices } from '../../src/telemetry/simulated.ts';
import { nodeOf, type Wish } from './builders.ts';
import { openYard, TEST_TIMES, type TestYard } from './yard.ts';

const GIB = 1024 ** 3;
const NODE = nodeOf({
  devices: [0, 1].map((index) => ({ index, kind: 'v100', memoryBytes: 16 * GIB, simulated: true })),
});

let yard: TestYard;
const others: { readonly kill: () => void }[] = [];
afterEach(async () => {
  for (const other of others.splice(0)) other.kill();
  await yard.close();
});

interface Wants {
  readonly times?: Partial<DeviceTimes>;
  readonly learnAfterMs?: number;
  readonly see?: (readings: readonly DeviceReading[]) => readonly DeviceReading[];
}

async function openWithDevices({ times = {}, learnAfterMs = 3_600_000, see }: Wants = {}) {
  yard = await openYard((directory) => {
    mkdirSync(join(directory, 'yard'));
    const simulated = openSimulatedDevices({
      nodes: [NODE],
      directory: simulatedGpusIn(join(directory, 'yard')),
    });
    const source: DeviceSource =
      see === undefined ? simulated : { ...simulated, read: async () => see(await simulated.read()) };
    return {
      nodes: [NODE],
      devices: { source, samplesPerSecond: 100, learnAfterMs, userName: (uid) => `user ${uid}` },
      times: { ...TEST_TIMES, devices: { ...DEVICE_TIMES, lookForStrangersEveryMs: 50, ...times } },
    };
  });
}

/** The claim of whoever runs this line: so much memory, and so busy. */
const uses = (gib: number, load: number, device = 0, pid = '$$') =>
  `echo "${gib * GIB} ${load}" >$TRAINYARD_SIMULATED_GPUS/${device}/${pid}`;
const UNTIL_TOLD = 'while [ ! -e go ]; do sleep 0.02; done';
const letGo = () => writeFileSync(join(yard.workDir, 'go'), '');

const having = (shares: readonly Partial<DeviceShare>[], script: string, wish: Partial<Wish> = {}) => ({
  script: `#!/bin/sh\n${script}\n`,
  nodes: [{ devices: shares.map((share) => ({ index: 0, millis: 1000, ...share })) }],
  ...wish,
});

/** Asks again until what is seen satisfies. */
async function until(isThere: (now: DevicesNow) => boolean): Promise<DevicesNow> {
  await expect.poll(() => isThere(yard.engine.devices()), { interval: 20, timeout: 8000 }).toBe(true);
  return yard.engine.devices();
}
const memoryOf = (attempt: string) => (now: DevicesNow) =>
  now.devices.flatMap(({ tenants }) => tenants).find((tenant) => tenant.attempt === attempt)?.memoryBytes ??
  null;
const isThere = (attempt: string) => (now: DevicesNow) => (memoryOf(attempt)(now) ?? 0) > 0;

/** A process that the yard did not start, on a device of it. */
async function stranger(gib: number, device = 0) {
  const directory = join(simulatedGpusIn(join(yard.directory, 'yard')), 'box', `${device}`);
  const child = spawn('sleep', ['60'], { env: { PATH: process.env.PATH } });
  others.push({ kill: () => child.kill('SIGKILL') });
  await once(child, 'spawn');
  const path = join(directory, `${child.pid}`);
  writeFileSync(path, `${gib * GIB} 50\n`);
  return { pid: child.pid as number, identity: identityOf(child.pid as number)!, path, child };
}

test('what a job has used is told with its end, and while it runs', async () => {
  await openWithDevices();
  const { attempt } = yard.start(having([{}], `${uses(4, 60)}\n${UNTIL_TOLD}`));
  const now = await until(isThere('17.1'));
  expect(now.source).toBe('simulated');
  expect(now.devices.map(({ reading }) => reading.usedBytes)).toEqual([4 * GIB, 0]);
  expect(now.devices[0]?.tenants).toEqual([
    { attempt: '17.1', memoryBytes: 4 * GIB, loadMillis: 600, idleSince: null },
  ]);
  expect(now.devices[1]?.tenants).toEqual([]);
  expect(yard.engine.measure(attempt.id)?.devices).toMatchObject([
    { node: 'box', index: 0, kind: 'v100', memoryBytes: { peak: 4 * GIB } },
  ]);
  letGo();
  const { usage } = await yard.reports.next('attemptEnded');
  expect(usage?.devices).toMatchObject([
    { node: 'box', index: 0, kind: 'v100', memoryBytes: { peak: 4 * GIB }, loadMillis: { peak: 600 } },
  ]);
  expect(usage?.devices?.[0]?.samples).toBeGreaterThanOrEqual(1);
  expect(usage?.devices?.[0]?.curve?.memoryBytes).toContain(4 * GIB);
  expect(yard.engine.remarks()).toContainEqual(expect.stringMatching(/^GPUs are looked at through/));
});

test('a job without devices has nothing to tell of them', async () => {
  await openWithDevices();
  const ended = await yard.run({ argv: ['true'] });
  expect(ended.usage).not.toHaveProperty('devices');
});

test('neighbours on a device do not count for each other, wherever their processes have gone', async () => {
  await openWithDevices();
  const share = { millis: 500 };
  yard.start(having([share], `${uses(2, 10)}\n${UNTIL_TOLD}`, { id: 1 }));
  // In a session of its own, and without the environment by which it could be recognised.
  const lost = `GPUS=$TRAINYARD_SIMULATED_GPUS; (env -i sh -c 'echo "${5 * GIB} 30" >'$GPUS'/0/$$; sleep 60') &\n${UNTIL_TOLD}`;
  yard.start(having([share], lost, { id: 2 }));
  const now = await until((seen) => isThere('1.1')(seen) && isThere('2.1')(seen));
  expect(memoryOf('1.1')(now)).toBe(2 * GIB);
  expect(memoryOf('2.1')(now)).toBe(5 * GIB);
  const loads = now.devices[0]?.tenants.map(({ attempt, loadMillis }) => [attempt, loadMillis]);
  expect(Object.fromEntries(loads ?? [])).toEqual({ '1.1': 100, '2.1': 300 });
  expect(now.devices[0]?.foreign).toEqual([]);
  letGo();
  const ended = await yard.reports.next('attemptEnded', '1.1');
  expect(ended.usage?.devices?.[0]?.memoryBytes.peak).toBe(2 * GIB);
  await yard.reports.next('attemptEnded', '2.1');
});

test('a job on a device that it was not given is a stranger there', async () => {
  await openWithDevices();
  yard.start(having([{ index: 0 }], `${uses(2, 10, 1)}\n${UNTIL_TOLD}`));
  const now = await until((seen) => seen.devices[1]?.foreign.length === 1);
  expect(memoryOf('17.1')(now)).toBe(0);
  expect(now.devices[1]?.foreign[0]).toMatchObject({ memoryBytes: 2 * GIB });
});

test('strangers are told of once at the start, when they come and when they go', async () => {
  await openWithDevices();
  expect((await yard.reports.next('foreignUseSeen')).foreign).toEqual([]);
  const told = () => yard.reports.seen.filter(({ type }) => type === 'foreignUseSeen');
  const { pid, child, path } = await stranger(3, 1);
  await expect.poll(told, { interval: 20 }).toHaveLength(2);
  expect(told()[1]).toMatchObject({ node: 'box', foreign: [{ index: 1, bytes: 3 * GIB }] });
  expect(yard.engine.devices().devices[1]?.foreign).toEqual([
    { pid, memoryBytes: 3 * GIB, command: 'sleep 60', user: `user ${process.getuid?.()}` },
  ]);
  writeFileSync(path, `${3 * GIB + 1024 ** 2} 50\n`);
  child.kill('SIGKILL');
  await expect.poll(told, { interval: 20 }).toHaveLength(3);
  expect(told()[2]).toMatchObject({ node: 'box', foreign: [] });
});

test('whoever holds a device from outside has it for itself and all that it starts', async () => {
  await openWithDevices();
  const { identity } = await stranger(3);
  yard.start({
    program: { spread: 'caller', caller: identity },
    nodes: [{ devices: [{ index: 0, millis: 1000 }] }],
  });
  const now = await until(isThere('17.1'));
  expect(memoryOf('17.1')(now)).toBe(3 * GIB);
  expect(now.devices[0]?.foreign).toEqual([]);
  // It goes without a word.
  others[0]?.kill();
  const ended = await yard.reports.next('attemptEnded');
  expect(ended.exit.signal).toBe(9);
  expect(ended.usage?.devices?.[0]?.memoryBytes.peak).toBe(3 * GIB);
});

test('a lease taken inside a job counts for itself on its device', async () => {
  await openWithDevices();
  yard.start(
    having([{ index: 0 }], `echo $$ >pid; ${uses(1, 1)}; ${uses(6, 9, 1)}\n${UNTIL_TOLD}`, { id: 1 }),
  );
  await until(isThere('1.1'));
  const holder = identityOf(Number(yard.output('pid')))!;
  yard.start({
    id: 2,
    program: { spread: 'caller', caller: holder },
    nodes: [{ devices: [{ index: 1, millis: 1000 }] }],
  });
  const now = await until(isThere('2.1'));
  expect(memoryOf('1.1')(now)).toBe(1 * GIB);
  expect(memoryOf('2.1')(now)).toBe(6 * GIB);
});

test('one that uses more than is kept for it is reported, and again only when it grows', async () => {
  await openWithDevices();
  const grows = `${uses(2, 10)}; : >small; while [ ! -e grow ]; do sleep 0.02; done; ${uses(6, 10)}\n${UNTIL_TOLD}`;
  yard.start(having([{ millis: 250 }], grows));
  await until(isThere('17.1'));
  expect(yard.reports.seen.some(({ type }) => type === 'deviceUseSeen')).toBe(false);
  writeFileSync(join(yard.workDir, 'grow'), '');
  const seen = await yard.reports.next('deviceUseSeen');
  expect(seen).toMatchObject({ attempt: '17.1', uses: [{ index: 0, memoryBytes: { peak: 6 * GIB } }] });
  expect(seen.uses[0]).not.toHaveProperty('curve');
  letGo();
  await yard.reports.next('attemptEnded');
  expect(yard.reports.seen.filter(({ type }) => type === 'deviceUseSeen')).toHaveLength(1);
});

test('the first of a kind is reported once it has run for long enough', async () => {
  await openWithDevices({ learnAfterMs: 200 });
  yard.start(having([{ learningOn: 'v100' }], `${uses(2, 10)}\n${UNTIL_TOLD}`));
  const seen = await yard.reports.next('deviceUseSeen');
  expect(seen.ranMs).toBeGreaterThanOrEqual(200);
  expect(seen.uses).toMatchObject([{ memoryBytes: { peak: 2 * GIB } }]);
  letGo();
  await yard.reports.next('attemptEnded');
  expect(yard.reports.seen.filter(({ type }) => type === 'deviceUseSeen')).toHaveLength(1);
});

test('one that does nothing on its device is idle, and that is said once', async () => {
  await openWithDevices({ times: { idleAfterMs: 0, sayIdleAfterMs: 100 } });
  const startedAt = Date.now();
  yard.start(having([{ index: 0 }, { index: 1 }], `${uses(1, 50, 1)}\n${UNTIL_TOLD}`));
  await until(({ devices }) => devices[1]?.tenants[0]?.memoryBytes === GIB);
  const idle = (now: DevicesNow) => now.devices[0]?.tenants[0]?.idleSince ?? null;
  const now = await until((seen) => idle(seen) !== null);
  expect(idle(now)).toBeGreaterThan(startedAt - 1000);
  expect(idle(now)).toBeLessThanOrEqual(Date.now());
  expect(now.devices[1]?.tenants[0]?.idleSince).toBeNull();
  await expect
    .poll(() => yard.log, { interval: 20 })
    .toContainEqual('attempt 17.1 has had GPU 0 for 0m and does nothing on it');
  letGo();
  await yard.reports.next('attemptEnded');
  expect(yard.log.filter((line) => line.includes('does nothing'))).toHaveLength(1);
});

test('what was seen before a daemon died counts with what is seen after it', async () => {
  await openWithDevices({ times: { noteEveryMs: 20 } });
  const shrinks = `${uses(7, 10)}; while [ ! -e less ]; do sleep 0.02; done; ${uses(1, 10)}\n${UNTIL_TOLD}`;
  const made = yard.start(having([{}], shrinks));
  await until(isThere('17.1'));
  const note = join(yard.directory, 'yard', 'device-use', '17.1');
  await expect.poll(() => existsSync(note), { interval: 20 }).toBe(true);
  // As good as killed: what it would write on its way out is taken back.
  const before = readFileSync(note);
  await yard.engine.close();
  writeFileSync(note, before);
  writeFileSync(join(yard.workDir, 'less'), '');
  await yard.reopen();
  yard.perform('watch', made);
  await until((now) => memoryOf('17.1')(now) === GIB);
  letGo();
  const { usage } = await yard.reports.next('attemptEnded');
  expect(usage?.devices?.[0]?.memoryBytes.peak).toBe(7 * GIB);
  expect(usage?.devices?.[0]?.curve?.memoryBytes).toContain(7 * GIB);
  expect(existsSync(note)).toBe(true);
  yard.engine.forget('17.1');
  expect(existsSync(note)).toBe(false);
});

test('one that ended while nobody looked is told with what was noted', async () => {
  await openWithDevices();
  const made = yard.start(having([{}], `${uses(7, 10)}\n${UNTIL_TOLD}`));
  await until(isThere('17.1'));
  await yard.engine.close();
  letGo();
  const rank = join(yard.directory, 'yard', 'ranks', '17.1.0');
  await expect.poll(() => readFileSync(rank, 'utf8'), { interval: 20 }).toContain('end\n');
  await yard.reopen();
  yard.perform('watch', made);
  const { usage } = await yard.reports.next('attemptEnded');
  expect(usage?.devices?.[0]?.memoryBytes.peak).toBe(7 * GIB);
});

test('notes of attempts that nobody knows are removed', async () => {
  await openWithDevices();
  const note = join(yard.directory, 'yard', 'device-use', '9.1');
  writeFileSync(note, '{}');
  await yard.reopen();
  await expect.poll(() => existsSync(note), { interval: 50, timeout: 5000 }).toBe(false);
});

const untold = (readings: readonly DeviceReading[]) =>
  readings.map((reading) => ({ ...reading, usedBytes: reading.usedBytes + GIB, processes: null }));

test('where a device does not say who uses it, all above what was there before is its only holder’s', async () => {
  await openWithDevices({ see: untold });
  await until((now) => now.devices.length === 2);
  yard.start(having([{}], `${uses(4, 60)}\n${UNTIL_TOLD}`));
  const now = await until((seen) => memoryOf('17.1')(seen) === 4 * GIB);
  expect(now.devices[0]?.tenants[0]?.loadMillis).toBe(600);
  letGo();
  await yard.reports.next('attemptEnded');
});

test('and with several holders nobody can tell', async () => {
  await openWithDevices({ see: untold });
  yard.start(having([{ millis: 500 }], `${uses(4, 60)}; : >one\n${UNTIL_TOLD}`, { id: 1 }));
  yard.start(having([{ millis: 500 }], `: >two\n${UNTIL_TOLD}`, { id: 2 }));
  await yard.made('one');
  await yard.made('two');
  const now = await until(
    ({ devices }) => devices[0]?.tenants.length === 2 && devices[0].reading.usedBytes === 5 * GIB,
  );
  expect(
    now.devices[0]?.tenants.map(({ memoryBytes, loadMillis, idleSince }) => [
      memoryBytes,
      loadMillis,
      idleSince,
    ]),
  ).toEqual([
    [0, null, null],
    [0, null, null],
  ]);
  letGo();
  await yard.reports.next('attemptEnded', '2.1');
});

test('a log in the style of nvidia-smi is kept for a job that asks for it', async () => {
  await openWithDevices({ times: { gpuLogEveryMs: 1 } });
  const spec = { gpuLog: 'logs/gpu-%j.log' };
  const wish = having([{ index: 0 }, { index: 1 }], `${uses(4, 60)}\n${UNTIL_TOLD}`, {
    spec,
    streams: { makeDirectories: true },
  });
  yard.start(wish);
  const path = join(yard.workDir, 'logs', 'gpu-17.log');
  const text = () => (existsSync(path) ? readFileSync(path, 'utf8') : '');
  await expect.poll(text, { interval: 20 }).toMatch(/ 4096\n/);
  letGo();
  await yard.reports.next('attemptEnded');
  await yard.engine.close();
  const [header, units, ...lines] = text().trimEnd().split('\n');
  expect([header, units].every((line) => line?.startsWith('#'))).toBe(true);
  expect(lines.length).toBeGreaterThanOrEqual(4);
  expect(lines.map((line) => line.trim().split(/\s+/)[2])).toEqual(lines.map((_, at) => `${at % 2}`));
  await yard.reopen();
});

test('a log that cannot be written is said once and does no harm', async () => {
  await openWithDevices({ times: { gpuLogEveryMs: 1 } });
  const wish = having([{}], `${uses(4, 60)}\n${UNTIL_TOLD}`, { spec: { gpuLog: 'no/such/place' } });
  yard.start(wish);
  await expect.poll(() => yard.log.join('\n'), { interval: 20 }).toContain('its GPU log');
  letGo();
  expect((await yard.reports.next('attemptEnded')).exit.code).toBe(0);
  await yard.engine.close();
  expect(yard.log.filter((line) => line.includes('its GPU log'))).toHaveLength(1);
  await yard.reopen();
});

test('a source that fails is said once, and looked at again', async () => {
  let fails = true;
  await openWithDevices({
    see: (readings) => {
      if (fails) throw new Error('off the bus');
      return readings;
    },
  });
  await expect.poll(() => yard.log, { interval: 20 }).toContain('GPUs cannot be looked at: off the bus');
  fails = false;
  await until((now) => now.devices.length === 2);
  expect(yard.log.filter((line) => line.includes('off the bus'))).toHaveLength(1);
  rmSync(join(yard.workDir, 'go'), { force: true });
});
