import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openWorkshop, type Workshop } from './fake-workshop.ts';

let shop: Workshop;
beforeEach(() => {
  shop = openWorkshop();
});
afterEach(() => shop.close());

test('a place has one user at a time, and says who', async () => {
  const shelf = await shop.open({ owner: { yardId: 'one', job: 12 } });
  const where = `${shop.to} is where job 12`;
  await expect(shop.open({ owner: { yardId: 'one', job: 13 } })).rejects.toThrow(
    `${where} keeps its checkpoints right now (process ${process.pid} on `,
  );
  await expect(shop.open({ owner: { yardId: 'two', job: 12 } })).rejects.toMatchObject({
    message: expect.stringContaining(`${where} of another yard keeps`),
    retryable: true,
  });
  await shop.save(shelf, 'step_1.pt', '1');
  await shelf.close();
  await shelf.close();
  const next = await shop.open({ owner: { yardId: 'two', job: 99 } });
  expect(next.entries()).toMatchObject([{ name: 'step_1.pt' }]);
  expect(JSON.parse(readFileSync(join(shop.to, '.trainyard/owner'), 'utf8'))).toMatchObject({
    yardId: 'two',
    job: 99,
  });
});

test('a directory is made with all above it, as its user makes them, and its record for the user alone', async () => {
  const directory = join(shop.root, 'a/b/c');
  await shop.open({ directory });
  mkdirSync(join(shop.root, 'plain'));
  const mode = (path: string) => statSync(join(shop.root, path)).mode & 0o777;
  expect([mode('a'), mode('a/b/c')]).toEqual([mode('plain'), mode('plain')]);
  expect(mode('a/b/c/.trainyard')).toBe(0o700);
});

test('what is no directory is refused', async () => {
  writeFileSync(join(shop.root, 'file'), '');
  await expect(shop.open({ directory: join(shop.root, 'file') })).rejects.toThrow(
    'is a file: checkpoints need a directory',
  );
  await expect(shop.open({ directory: join(shop.root, 'file/below') })).rejects.toThrow(
    `cannot make ${shop.root}/file/below: a part of the path is not a directory`,
  );
  await expect(shop.open({ directory: '/proc/trainyard' })).rejects.toMatchObject({
    message: expect.stringMatching(/^cannot make \/proc\/trainyard: /),
  });
});

test('the records of a newer Trainyard are left alone', async () => {
  const shelf = await shop.open();
  await shop.save(shelf, 'step_1.pt', '1');
  await shelf.close();
  const path = join(shop.to, '.trainyard/manifest.json');
  const newer = readFileSync(path, 'utf8').replace('"version": 1', '"version": 2');
  writeFileSync(path, newer);
  await expect(shop.open()).rejects.toThrow('was written by a newer Trainyard');
  expect(readFileSync(path, 'utf8')).toBe(newer);
});

test.each(['', '{', '[]', '{"format":"trainyard checkpoints","version":1,"kept":[{"name":"../x"}]}'])(
  'records that make no sense are set aside: %s',
  async (text) => {
    const shelf = await shop.open();
    await shop.save(shelf, 'step_1.pt', '1');
    await shelf.close();
    writeFileSync(join(shop.to, '.trainyard/manifest.json'), text);
    const again = await shop.open();
    expect(again.remarks).toEqual([expect.stringContaining('set aside as .trainyard/damaged/manifest.json')]);
    expect(again.entries()).toEqual([]);
    expect(shop.kept('step_1.pt')).toBe('1');
    expect(await shop.put(again, 'step_1.pt')).toMatchObject({ step: 1 });
    expect(existsSync(join(shop.to, '.trainyard/replaced/step_1.pt'))).toBe(true);
  },
);
