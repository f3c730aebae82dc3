import { existsSync, readdirSync, rmSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { scanDirectory } from '../scan.ts';
import { openWorkshop, type Workshop } from './fake-workshop.ts';

let shop: Workshop;
beforeEach(() => {
  shop = openWorkshop();
});
afterEach(() => shop.close());

const names = () => readdirSync(shop.to).filter((name) => name !== '.trainyard');

test('what was removed is not wanted again, also after a restart', async () => {
  const shelf = await shop.open({ keepCount: 2 });
  for (const step of [1, 2, 3]) await shop.save(shelf, `step_${step}.pt`, `${step}`);
  expect(names()).toEqual(['step_2.pt', 'step_3.pt']);
  expect(shelf.isKept(await shop.unit('step_1.pt'))).toBe(true);
  await shelf.close();
  const again = await shop.open({ keepCount: 2 });
  expect(again.isKept(await shop.unit('step_1.pt'))).toBe(true);
  // Its program has written it anew.
  shop.write('step_1.pt', 'one again');
  expect(again.isWanted(await shop.unit('step_1.pt'))).toBe(true);
});

test('what would be removed at once is not wanted', async () => {
  for (const step of [1, 2, 3]) {
    shop.write(`step_${step}.pt`, `${step}`);
    utimesSync(join(shop.from, `step_${step}.pt`), step, step);
  }
  const shelf = await shop.open({ keepCount: 2 });
  for (const step of [3, 2]) await shop.put(shelf, `step_${step}.pt`);
  expect(shelf.isWanted(await shop.unit('step_1.pt'))).toBe(false);
});

test('what is too old goes when the next one is safe', async () => {
  const shelf = await shop.open({ keepForMs: 60_000 });
  for (const step of [1, 2]) await shop.save(shelf, `step_${step}.pt`, `${step}`);
  shop.setClock(shop.now() + 100_000);
  expect(shelf.entries()).toHaveLength(2);
  await shop.save(shelf, 'step_3.pt', '3');
  expect(names()).toEqual(['step_3.pt']);
});

test('a clock that is set back does not make old what is new', async () => {
  const shelf = await shop.open({ keepCount: 1 });
  await shop.save(shelf, 'step_1.pt', '1');
  shop.setClock(shop.now() - 86_400_000);
  shop.write('step_2.pt', '2');
  const dayBefore = shop.now() / 1000;
  utimesSync(join(shop.from, 'step_2.pt'), dayBefore, dayBefore);
  await shop.put(shelf, 'step_2.pt');
  expect(names()).toEqual(['step_2.pt']);
  expect(await shelf.newestWhole()).toMatchObject({ entry: { name: 'step_2.pt' } });
});

test('prune removes what is asked for, with the version before, and says what', async () => {
  const shelf = await shop.open();
  for (const content of ['a', 'b']) await shop.save(shelf, 'step_1.pt', content);
  for (const step of [2, 3]) await shop.save(shelf, `step_${step}.pt`, `${step}`);
  await shop.save(shelf, 'best.pt', 'best');
  symlinkSync('step_2.pt', join(shop.from, 'chosen'));
  for (const unit of await scanDirectory(shop.from)) await shelf.put(unit, shop.from, null);
  expect(await shelf.prune(1, null)).toEqual(['step_1.pt']);
  expect(names()).toEqual(['best.pt', 'chosen', 'step_2.pt', 'step_3.pt']);
  expect(existsSync(join(shop.to, '.trainyard/previous/step_1.pt'))).toBe(false);
  expect(await shelf.prune(1, null)).toEqual([]);
  expect((await shelf.verify()).remarks).toEqual([]);
});

test('what a link calls the best stays as long as it does', async () => {
  const shelf = await shop.open({ keepCount: 1 });
  const point = async (to: string) => {
    rmSync(join(shop.from, 'best.pt'), { force: true });
    symlinkSync(to, join(shop.from, 'best.pt'));
  };
  for (const [step, best] of [
    [1, 1],
    [2, 1],
    [3, 1],
    [4, 4],
    [5, 4],
    [6, 4],
  ]) {
    shop.write(`step_${step}.pt`, `${step}`);
    await point(`step_${best}.pt`);
    await shop.put(shelf, `step_${step}.pt`);
    await shop.put(shelf, 'best.pt');
  }
  expect(names()).toEqual(['best.pt', 'step_4.pt', 'step_6.pt']);
  expect(shelf.entries().map(({ name, isBest }) => [name, isBest])).toEqual([
    ['step_6.pt', false],
    ['step_4.pt', true],
  ]);
});

test('a checkpoint that people took away is no trouble', async () => {
  const shelf = await shop.open({ keepCount: 1 });
  await shop.save(shelf, 'step_1/w', '1');
  rmSync(join(shop.to, 'step_1'), { recursive: true });
  await shop.save(shelf, 'step_2/w', '2');
  expect((await shelf.verify()).remarks).toEqual([]);
  expect(names()).toEqual(['step_2']);
});
