import { expect, test } from 'vitest';
import { build, createBlobs, nodeOf } from '../../../test/agent/builders.ts';
import type { DeviceShare } from '../../model/job.ts';
import { newLiveAttempt } from '../live.ts';
import { idleWords } from './idle-words.ts';
import { parseNote } from './notes.ts';
import { newsOf } from './reports.ts';
import { addSeen, goOnFrom, idleSince, newTenant, noteOf, type Tenant, usesOf } from './tenant.ts';

const GIB = 1024 ** 3;
const MINUTE = 60_000;
const devices = [0, 1, 2].map((index) => ({
  index,
  kind: 'v100',
  memoryBytes: 16 * GIB,
  simulated: true,
}));
const nodes = new Map([['box', nodeOf({ devices })]]);

function tenantWith(...shares: readonly Partial<DeviceShare>[]): Tenant {
  const held = shares.map((share, index) => ({ index, millis: 1000, ...share }));
  const { job, attempt } = build(createBlobs(), { workDir: '/', nodes: [{ devices: held }] });
  return newTenant(newLiveAttempt(job, attempt, 'start', 0), nodes, () => 0);
}
function sees(tenant: Tenant, gib: number, loadMillis: number | null, atMs = 0, device = 0): void {
  addSeen(tenant, tenant.holdings[device]!, { memoryBytes: gib * GIB, loadMillis }, 16 * GIB, atMs);
}
const idleOf = (tenant: Tenant, nowMs: number) => idleSince(tenant.holdings[0]!, MINUTE, nowMs);

test('who has nothing on a device, or nothing to do there, is idle after a while', () => {
  const tenant = tenantWith({});
  sees(tenant, 0, 0, 1000);
  expect(idleOf(tenant, 61_000)).toBeNull();
  expect(idleOf(tenant, 61_001)).toBe(1000);
  sees(tenant, 1, 0, 70_000);
  expect(idleOf(tenant, 70_000)).toBe(1000);
  sees(tenant, 1, 10, 80_000);
  expect(idleOf(tenant, 999_000)).toBeNull();
});

test('nobody is idle of whom nobody can tell, or who is suspended', () => {
  const tenant = tenantWith({});
  sees(tenant, 0, 0, 0);
  addSeen(tenant, tenant.holdings[0]!, null, 16 * GIB, 1000);
  expect(idleOf(tenant, 10 * MINUTE)).toBeNull();
  sees(tenant, 1, null, 0);
  expect(idleOf(tenant, 10 * MINUTE)).toBeNull();
  tenant.live.isSuspended = true;
  sees(tenant, 1, 0, 0);
  expect(idleOf(tenant, 10 * MINUTE)).toBeNull();
  expect(usesOf(tenant)[0]?.loadMillis).toMatchObject({ peak: 0, mean: 0 });
});

test('it is said once, of all that lie idle', () => {
  const tenant = tenantWith({}, {}, {});
  for (const device of [0, 1, 2]) sees(tenant, 0, device === 1 ? 0 : 5, 0, device);
  sees(tenant, 3, 500, 5, 1);
  expect(idleWords(tenant, 10 * MINUTE, 10 * MINUTE)).toBeNull();
  expect(idleWords(tenant, 10 * MINUTE, 10 * MINUTE + 1)).toBe(
    'attempt 17.1 has had GPUs 0 and 2 for 10m and does nothing on them',
  );
  expect(idleWords(tenant, 10 * MINUTE, 11 * MINUTE)).toBeNull();
});

test('more than its share is news, and a hundredth more again', () => {
  const tenant = tenantWith({ millis: 250 });
  sees(tenant, 4, 10);
  expect(newsOf(tenant, 5, 1000)).toBeNull();
  sees(tenant, 5, 10);
  expect(newsOf(tenant, 5.2, 1000)).toMatchObject({
    type: 'deviceUseSeen',
    attempt: '17.1',
    ranMs: 5,
    uses: [{ index: 0, kind: 'v100', memoryBytes: { peak: 5 * GIB } }],
  });
  sees(tenant, 5.1, 10);
  expect(newsOf(tenant, 5, 1000)).toBeNull();
  sees(tenant, 5.2, 10);
  expect(newsOf(tenant, 5, 1000)?.uses[0]?.memoryBytes.peak).toBe(5.2 * GIB);
});

test('the first of its kind is news once, and whenever it grows after that', () => {
  const tenant = tenantWith({ learningOn: 'v100' });
  expect(newsOf(tenant, 2000, 1000)).toBeNull();
  sees(tenant, 4, 10);
  expect(newsOf(tenant, 999, 1000)).toBeNull();
  expect(newsOf(tenant, 1000, 1000)?.ranMs).toBe(1000);
  expect(newsOf(tenant, 2000, 1000)).toBeNull();
  sees(tenant, 6, 10);
  expect(newsOf(tenant, 3000, 1000)?.uses[0]?.memoryBytes.peak).toBe(6 * GIB);
});

test('another agent goes on from what was noted', () => {
  const before = tenantWith({}, {});
  sees(before, 6, 100, 1000, 0);
  sees(before, 0, 0, 1000, 1);
  before.live.outputStarts = new Map([['/out', 7]]);
  const after = tenantWith({}, {});
  const note = parseNote(JSON.stringify(noteOf(before)))!;
  goOnFrom(after, note);
  expect(note.outputStarts).toEqual([['/out', 7]]);
  sees(after, 1, 300, 2000, 0);
  expect(usesOf(after)[0]).toMatchObject({ samples: 2, memoryBytes: { peak: 6 * GIB } });
  expect(idleSince(after.holdings[1]!, MINUTE, 2 * MINUTE)).toBe(1000);
});

test('a note that is none says nothing', () => {
  for (const text of ['', '{}', '[]', 'null', '{"devices":[]}', '{"outputStarts":[],"devices":7}'])
    expect(parseNote(text), text).toBeNull();
});
