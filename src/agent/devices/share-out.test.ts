import { expect, test } from 'vitest';
import type { DeviceProcess, DeviceReading } from '../../model/device-use.ts';
import type { Owner } from './attribution.ts';
import { type Scene, shareOut } from './share-out.ts';

const GIB = 1024 ** 3;
const on = (pid: number, gib: number, loadMillis: number | null = null): DeviceProcess => ({
  pid,
  memoryBytes: gib * GIB,
  loadMillis,
});
const reading = (changes: Partial<DeviceReading> = {}): DeviceReading => ({
  node: 'box',
  index: 0,
  usedBytes: (changes.processes ?? []).reduce((sum, { memoryBytes }) => sum + memoryBytes, 0),
  totalBytes: 16 * GIB,
  loadMillis: 800,
  temperatureC: null,
  powerW: null,
  processes: [],
  ...changes,
});
const of = (attempt: string): Owner => ({ kind: 'attempt', attempt });
const FOREIGN: Owner = { kind: 'foreign' };

const shared = (
  changes: Partial<DeviceReading>,
  held: readonly string[],
  owners: Readonly<Record<number, Owner>> = {},
  scene: Partial<Scene> = {},
) =>
  shareOut({
    reading: reading(changes),
    held,
    isFree: held.length === 0,
    baselineBytes: 0,
    whoIs(pid) {
      const owner = owners[pid];
      const facts = {
        pid,
        startTicks: 1,
        ancestry: [],
        session: 1,
        markedFor: null,
        cgroups: '',
        command: `c${pid}`,
        user: 'bob',
      };
      return owner === undefined ? null : { facts, owner };
    },
    ...scene,
  });
const tenantsOf = (...given: Parameters<typeof shared>) => Object.fromEntries(shared(...given).tenants);

test('each has what its own processes have', () => {
  const processes = [on(1, 2, 100), on(2, 3, 200), on(3, 1, 50)];
  const owners = { 1: of('1.1'), 2: of('2.1'), 3: of('1.1') };
  expect(tenantsOf({ processes }, ['1.1', '2.1'], owners)).toEqual({
    '1.1': { memoryBytes: 3 * GIB, loadMillis: 150 },
    '2.1': { memoryBytes: 3 * GIB, loadMillis: 200 },
  });
});

test('the load of the device is that of whoever is alone on it', () => {
  const alone = tenantsOf({ processes: [on(1, 2), on(2, 0)] }, ['1.1'], { 1: of('1.1'), 2: FOREIGN });
  expect(alone['1.1']?.loadMillis).toBe(800);
  const owners = { 1: of('1.1'), 2: FOREIGN };
  const beside = tenantsOf({ processes: [on(1, 2), on(2, 1)] }, ['1.1'], owners);
  expect(beside['1.1']).toEqual({ memoryBytes: 2 * GIB, loadMillis: null });
});

test('who has no process on it uses nothing, whatever others do', () => {
  const seen = tenantsOf({ processes: [on(2, 1)] }, ['1.1', '2.1'], { 2: of('2.1') });
  expect(seen['1.1']).toEqual({ memoryBytes: 0, loadMillis: 0 });
  expect(tenantsOf({}, ['1.1'])['1.1']).toEqual({ memoryBytes: 0, loadMillis: 0 });
});

test('strangers are told by name, those of the yard that come or go are not', () => {
  const processes = [on(1, 2), on(2, 3), on(3, 1)];
  const { foreign, foreignBytes } = shared({ processes }, [], { 1: FOREIGN, 2: { kind: 'yard' } });
  expect(foreign).toEqual([
    { pid: 1, memoryBytes: 2 * GIB, command: 'c1', user: 'bob' },
    { pid: 3, memoryBytes: GIB, command: '', user: '' },
  ]);
  expect(foreignBytes).toBe(3 * GIB);
});

test.each<[string, Partial<DeviceReading>]>([
  ['says nothing', { processes: null, usedBytes: 5 * GIB }],
  ['names nobody', { processes: [], usedBytes: 5 * GIB }],
  ['names those whom we cannot see', { processes: [on(9, 5)] }],
])('one that %s is used by its only holder, above what was there before', (_what, changes) => {
  const small = { baselineBytes: GIB };
  expect(tenantsOf(changes, ['1.1'], {}, small)).toEqual({
    '1.1': { memoryBytes: 4 * GIB, loadMillis: 800 },
  });
  expect(shared(changes, ['1.1', '2.1'], {}, small).tenants.size).toBe(0);
  expect(shared(changes, ['1.1', '2.1'], {}, small).foreignBytes).toBe(0);
  const large = shared(changes, ['1.1'], {}, { baselineBytes: 3 * GIB });
  expect(large.tenants.get('1.1')).toEqual({ memoryBytes: 2 * GIB, loadMillis: null });
  expect(large.foreignBytes).toBe(3 * GIB);
});

test('while somebody is about to hold it, what is used is nobody’s yet', () => {
  const soon = { isFree: false, baselineBytes: 2 * GIB };
  expect(shared({ processes: null, usedBytes: 5 * GIB }, [], {}, soon).foreignBytes).toBe(2 * GIB);
  expect(shared({ processes: [on(9, 5)] }, [], {}, { ...soon, baselineBytes: 0 }).foreignBytes).toBe(0);
});

test('what a driver keeps for itself is no stranger’s', () => {
  const none = { processes: null };
  expect(shared({ ...none, usedBytes: GIB / 2 }, []).foreignBytes).toBe(0);
  expect(shared({ ...none, usedBytes: 2 * GIB }, []).foreignBytes).toBe(2 * GIB);
});
