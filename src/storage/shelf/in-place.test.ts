import {
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Shelf } from '../shelf.ts';
import { openWorkshop, type Workshop, withCalls } from './fake-workshop.ts';

let shop: Workshop;
beforeEach(() => {
  shop = openWorkshop();
});
afterEach(() => shop.close());

function open(more = {}): Promise<Shelf> {
  return shop.open({ directory: shop.from, inPlace: true, ...more });
}

const local = (path: string) => join(shop.from, path);

/** Other bytes with the same numbers, as a disk gives them that forgets. */
function rot(path: string): void {
  const { mtimeMs, size } = statSync(path);
  writeFileSync(path, 'x'.repeat(size));
  utimesSync(path, mtimeMs / 1000, mtimeMs / 1000);
}

test('a checkpoint is recorded where its program wrote it, and nothing is copied', async () => {
  const shelf = await open();
  shop.write('step_1/a/w', 'weights');
  symlinkSync('a/w', local('step_1/link'));
  const before = statSync(local('step_1/a/w'));
  expect(await shop.save(shelf, 'step_2.pt', 'two')).toMatchObject({ name: 'step_2.pt', step: 2 });
  expect(await shop.put(shelf, 'step_1')).toMatchObject({ name: 'step_1' });
  const { ino, mtimeMs, ctimeMs } = before;
  expect(statSync(local('step_1/a/w'))).toMatchObject({ ino, mtimeMs, ctimeMs });
  expect(readdirSync(shop.from).sort()).toEqual(['.trainyard', 'step_1', 'step_2.pt']);
  expect(readdirSync(local('.trainyard')).sort()).toEqual(['lock', 'manifest.json', 'owner']);
  await shelf.close();
  const again = await open();
  expect(again.isKept(await shop.unit('step_1'))).toBe(true);
  expect((await again.verify()).remarks).toEqual([]);
  expect(await again.restoreNewest(shop.from)).toMatchObject({ remarks: [], entry: { state: 'kept' } });
  expect(await again.restore('step_1', shop.from)).toMatchObject({ path: local('step_1') });
});

test('what is written again gets a new record', async () => {
  const shelf = await open();
  for (const content of ['one', 'two'])
    expect(await shop.save(shelf, 'last.pt', content)).not.toBe('changed');
  expect(shelf.entries()).toHaveLength(1);
  expect((await shelf.verify()).remarks).toEqual([]);
  expect(readdirSync(local('.trainyard'))).not.toContain('previous');
});

test('what changes while it is read is not recorded', async () => {
  const manners = withCalls((calls) => ({
    sync: (fd) => {
      rmSync(local('step_1.pt'), { force: true });
      return calls.sync(fd);
    },
  }));
  const shelf = await shop.open({ directory: shop.from, inPlace: true }, manners);
  expect(await shop.save(shelf, 'step_1.pt', 'one')).toBe('changed');
  expect(shelf.entries()).toEqual([]);
});

test('retention removes what is recorded, and nothing that was written since', async () => {
  const shelf = await open({ keepCount: 1 });
  await shop.save(shelf, 'step_1.pt', 'one');
  shop.write('step_1.pt', 'one, written again and not recorded yet');
  await shop.save(shelf, 'step_2.pt', 'two');
  await shop.save(shelf, 'step_3.pt', 'three');
  expect(readdirSync(shop.from).sort()).toEqual(['.trainyard', 'step_1.pt', 'step_3.pt']);
});

test('one that the disk has damaged is set aside, one that was written to is passed over', async () => {
  const shelf = await open();
  for (const step of [1, 2, 3]) {
    shop.write(`step_${step}.pt`, `step ${step}`);
    utimesSync(local(`step_${step}.pt`), step, 1_600_000_000 + step);
    await shop.put(shelf, `step_${step}.pt`);
  }
  rot(local('step_3.pt'));
  shop.write('step_2.pt', 'half of st');
  const { entry, remarks } = await shelf.newestWhole();
  expect(entry).toMatchObject({ name: 'step_1.pt' });
  expect(remarks).toEqual([
    expect.stringContaining('step_3.pt is damaged'),
    'step_2.pt has been written to since it was recorded, and is passed over',
  ]);
  expect(existsSync(local('.trainyard/damaged/step_3.pt'))).toBe(true);
  expect(readFileSync(local('step_2.pt'), 'utf8')).toBe('half of st');
});

test('what may not be whole is remembered as such, and stays where it is', async () => {
  const shelf = await open();
  shop.write('step_1.pt', 'half');
  await shelf.putUnproven(await shop.unit('step_1.pt'), shop.from, '12.1');
  expect(shelf.entries()).toMatchObject([{ name: 'step_1.pt', state: 'unproven', path: local('step_1.pt') }]);
  expect(shelf.isKept(await shop.unit('step_1.pt'))).toBe(true);
  expect((await shelf.newestWhole()).entry).toBeNull();
  await shop.save(shelf, 'step_1.pt', 'whole');
  expect(shelf.entries()).toMatchObject([{ name: 'step_1.pt', state: 'kept' }]);
  expect(readFileSync(local('step_1.pt'), 'utf8')).toBe('whole');
});

test('it can be put into another directory', async () => {
  const shelf = await open();
  await shop.save(shelf, 'step_1.pt', 'one');
  const other = join(shop.root, 'other');
  expect(await shelf.restoreNewest(other)).toMatchObject({ path: join(other, 'step_1.pt') });
  expect(readFileSync(join(other, 'step_1.pt'), 'utf8')).toBe('one');
});
