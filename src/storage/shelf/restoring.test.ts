import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { scanDirectory } from '../scan.ts';
import type { Shelf } from '../shelf.ts';
import { openWorkshop, type Workshop, withCalls } from './fake-workshop.ts';

let shop: Workshop;
let back: string;
beforeEach(() => {
  shop = openWorkshop();
  back = join(shop.root, 'back');
});
afterEach(() => shop.close());

const at = (path: string) => readFileSync(join(back, path), 'utf8');

/** Written one after another, so that the last is the newest. */
async function saveSteps(shelf: Shelf, steps: readonly number[]): Promise<void> {
  for (const step of steps) {
    shop.write(`step_${step}.pt`, `step ${step}`);
    utimesSync(join(shop.from, `step_${step}.pt`), step, 1_600_000_000 + step);
    await shop.put(shelf, `step_${step}.pt`);
  }
}

describe('the newest whole one', () => {
  test('is put back with its permissions and its time, and known where it is now', async () => {
    const shelf = await shop.open();
    await saveSteps(shelf, [1, 2]);
    chmodSync(join(shop.from, 'step_2.pt'), 0o600);
    await shop.put(shelf, 'step_2.pt');
    expect(await shelf.restoreNewest(back)).toMatchObject({
      path: join(back, 'step_2.pt'),
      entry: { name: 'step_2.pt', state: 'kept' },
      note: { name: 'step_2.pt', step: 2 },
      remarks: [],
    });
    expect(at('step_2.pt')).toBe('step 2');
    const { mtimeMs, mode } = statSync(join(back, 'step_2.pt'));
    expect({ mtimeMs, mode: mode & 0o777 }).toEqual({ mtimeMs: 1_600_000_002_000, mode: 0o600 });
    expect(readdirSync(back)).toEqual(['step_2.pt']);
    const [unit] = await scanDirectory(back);
    expect(unit && shelf.isKept(unit)).toBe(true);
    expect(shelf.isKept(await shop.unit('step_2.pt'))).toBe(true);
  });

  test('is none when there is none', async () => {
    const shelf = await shop.open();
    const nothing = { entry: null, note: null, remarks: [] };
    expect(await shelf.newestWhole()).toEqual(nothing);
    expect(await shelf.restoreNewest(back)).toEqual({ ...nothing, path: null });
    expect(await shelf.restore('step_1.pt', back)).toBeNull();
  });

  test.each(['newestWhole', 'restoreNewest'] as const)(
    'is the one before a damaged one (%s)',
    async (how) => {
      const shelf = await shop.open();
      await saveSteps(shelf, [1, 2, 3]);
      writeFileSync(join(shop.to, 'step_3.pt'), 'step !');
      rmSync(join(shop.to, 'step_2.pt'));
      const found = await shelf[how](back);
      expect(found).toMatchObject({ entry: { name: 'step_1.pt' }, note: { step: 1 } });
      expect(found.remarks).toEqual([
        expect.stringMatching(
          /^step_3\.pt is damaged \(.*checksum.*\) and was moved to \.trainyard\/damaged\/step_3\.pt$/,
        ),
        `step_2.pt is no longer in ${shop.to}`,
      ]);
      expect(shop.hidden('damaged/step_3.pt')).toBe('step !');
      expect(shelf.entries()).toMatchObject([
        { name: 'step_1.pt', state: 'kept' },
        { name: 'step_3.pt', state: 'damaged', path: join(shop.to, '.trainyard/damaged/step_3.pt') },
      ]);
      expect(shelf.isWanted(await shop.unit('step_3.pt'))).toBe(true);
      expect(await shop.put(shelf, 'step_3.pt')).toMatchObject({ step: 3 });
      expect(shop.kept('step_3.pt')).toBe('step 3');
    },
  );

  test('is the version before, when that was overwritten and the present one is damaged', async () => {
    const shelf = await shop.open();
    for (const content of ['one', 'two']) await shop.save(shelf, 'last.pt', content);
    writeFileSync(join(shop.to, 'last.pt'), 'tvo');
    const { path, remarks } = await shelf.restoreNewest(back);
    expect(path).toBe(join(back, 'last.pt'));
    expect(at('last.pt')).toBe('one');
    expect(shop.kept('last.pt')).toBe('one');
    expect(remarks.join()).toContain('the version before it has taken its place');
    await shop.save(shelf, 'last.pt', 'three');
    expect((await shelf.verify()).remarks).toEqual([]);
    expect(shop.hidden('previous/last.pt/last.pt')).toBe('one');
  });

  test('is neither of two versions that are damaged', async () => {
    const shelf = await shop.open();
    for (const content of ['one', 'two']) await shop.save(shelf, 'last.pt', content);
    writeFileSync(join(shop.to, 'last.pt'), 'tvo');
    writeFileSync(join(shop.to, '.trainyard/previous/last.pt/last.pt'), 'onw');
    expect(await shelf.restoreNewest(back)).toMatchObject({ path: null, entry: null });
    expect(readdirSync(back)).toEqual([]);
  });

  test('is not moved over another damaged one', async () => {
    const shelf = await shop.open();
    for (const round of [1, 2]) {
      await shop.save(shelf, 'step_1.pt', `whole ${round}`);
      rmSync(join(shop.to, '.trainyard/previous'), { recursive: true, force: true });
      writeFileSync(join(shop.to, 'step_1.pt'), `broken ${round}`);
      expect((await shelf.verify()).remarks).toHaveLength(1);
    }
    expect([shop.hidden('damaged/step_1.pt'), shop.hidden('damaged/step_1.pt.2')]).toEqual([
      'broken 1',
      'broken 2',
    ]);
  });

  test('of a directory, or of a group, is all of it', async () => {
    const shelf = await shop.open();
    for (const part of ['index', 'data-00000-of-00001']) shop.write(`model.ckpt-5.${part}`, part);
    await shop.put(shelf, 'model.ckpt-5');
    shop.write('step_7/a/w', 'w');
    mkdirSync(join(shop.from, 'step_7/empty'));
    symlinkSync('a/w', join(shop.from, 'step_7/link'));
    await shop.put(shelf, 'step_7');
    expect(await shelf.restoreNewest(back)).toMatchObject({ path: join(back, 'step_7') });
    expect(at('step_7/link')).toBe('w');
    expect(existsSync(join(back, 'step_7/empty'))).toBe(true);
    expect(await shelf.restore('model.ckpt-5', back)).toMatchObject({
      path: join(back, 'model.ckpt-5'),
      paths: [join(back, 'model.ckpt-5.data-00000-of-00001'), join(back, 'model.ckpt-5.index')],
    });
    for (const unit of await scanDirectory(back)) expect(shelf.isKept(unit)).toBe(true);
    rmSync(join(shop.to, 'model.ckpt-5.data-00000-of-00001'));
    rmSync(join(shop.to, 'step_7/a/w'));
    const { remarks, entry } = await shelf.newestWhole();
    expect(entry).toBeNull();
    expect(remarks).toHaveLength(2);
    expect(readdirSync(join(shop.to, '.trainyard/damaged/model.ckpt-5'))).toEqual(['model.ckpt-5.index']);
  });

  test('is not called damaged when its server does not answer', async () => {
    let isDown = false;
    const manners = withCalls((calls) => ({
      read: (fd, into, bytes, from) => {
        if (isDown) throw Object.assign(new Error('ESTALE'), { code: 'ESTALE' });
        return calls.read(fd, into, bytes, from);
      },
    }));
    const shelf = await shop.open({}, manners);
    await saveSteps(shelf, [1]);
    isDown = true;
    await expect(shelf.newestWhole()).rejects.toThrow('cannot read');
    await expect(shelf.restoreNewest(back)).rejects.toThrow('cannot read');
    isDown = false;
    expect(await shelf.newestWhole()).toMatchObject({ entry: { name: 'step_1.pt' }, remarks: [] });
  });
});

describe('what is there already', () => {
  test('and is the same stays as it is', async () => {
    const shelf = await shop.open();
    shop.write('step_1/big', Buffer.alloc(5 << 20, 3));
    await shop.save(shelf, 'step_1/small', 'x');
    const before = statSync(join(shop.from, 'step_1/big'));
    expect(await shelf.restoreNewest(shop.from)).toMatchObject({ path: join(shop.from, 'step_1') });
    expect(statSync(join(shop.from, 'step_1/big'))).toMatchObject({
      ino: before.ino,
      ctimeMs: before.ctimeMs,
    });
    // Only some of it is missing.
    rmSync(join(shop.from, 'step_1/small'));
    expect(await shelf.restoreNewest(shop.from)).toMatchObject({
      remarks: [expect.stringContaining('replaced')],
    });
    expect(statSync(join(shop.from, 'step_1/big')).ino).toBe(before.ino);
    expect(readFileSync(join(shop.from, 'step_1/small'), 'utf8')).toBe('x');
  });

  test('and differs is moved aside, and said', async () => {
    const shelf = await shop.open();
    await shop.save(shelf, 'last.pt', 'kept');
    for (const content of ['theirs', 'again']) {
      writeFileSync(join(shop.from, 'last.pt'), content);
      const { remarks } = await shelf.restoreNewest(shop.from);
      expect(remarks).toEqual([expect.stringContaining(join(shop.from, '.trainyard/replaced/last.pt'))]);
      expect(readFileSync(join(shop.from, 'last.pt'), 'utf8')).toBe('kept');
    }
    const aside = join(shop.from, '.trainyard/replaced');
    expect(readdirSync(aside).map((name) => readFileSync(join(aside, name), 'utf8'))).toEqual([
      'theirs',
      'again',
    ]);
  });

  test('and is known to be set apart or older makes room', async () => {
    const shelf = await shop.open();
    await shop.save(shelf, 'last.pt', 'kept');
    shop.write('last.pt', 'half');
    await shelf.putUnproven(await shop.unit('last.pt'), shop.from, null);
    expect(await shelf.restoreNewest(shop.from)).toMatchObject({ remarks: [] });
    expect(readFileSync(join(shop.from, 'last.pt'), 'utf8')).toBe('kept');
    expect(readdirSync(shop.from)).toEqual(['last.pt']);
    expect(shelf.entries().map(({ state }) => state)).toEqual(['kept', 'unproven']);
  });

  test('and is a directory where a file belongs is moved aside', async () => {
    const shelf = await shop.open();
    await shop.save(shelf, 'last.pt', 'kept');
    mkdirSync(join(back, 'last.pt'), { recursive: true });
    writeFileSync(join(back, 'last.pt/theirs'), 'x');
    await shelf.restoreNewest(back);
    expect(at('last.pt')).toBe('kept');
    expect(at('.trainyard/replaced/last.pt/theirs')).toBe('x');
  });
});

test('pointers come with what they lead to, and not without it', async () => {
  const shelf = await shop.open();
  for (const step of [1, 2]) {
    await shop.save(shelf, `step_${step}/w`, `${step}`);
    shop.write('latest', `step_${step}\n`);
    rmSync(join(shop.from, 'last'), { force: true });
    symlinkSync(`step_${step}`, join(shop.from, 'last'));
  }
  for (const name of ['latest', 'last']) await shop.put(shelf, name);
  const { paths } = (await shelf.restore('step_2', back)) ?? { paths: [] };
  expect(paths.map((path) => path.slice(back.length + 1)).sort()).toEqual(['last', 'latest', 'step_2']);
  expect(at('last/w')).toBe('2');
  expect(at('latest')).toBe('step_2\n');
  const other = join(shop.root, 'other');
  await shelf.restore('step_1', other);
  expect(readdirSync(other)).toEqual(['step_1']);
  expect(readlinkSync(join(back, 'last'))).toBe('step_2');
});

test('a shelf that was moved, with times to the second, goes on', async () => {
  const shelf = await shop.open({ keepCount: 2 });
  await saveSteps(shelf, [1, 2]);
  await shop.save(shelf, 'last.pt', 'one');
  await shelf.close();
  const moved = join(shop.root, 'moved');
  renameSync(shop.to, moved);
  for (const name of ['step_1.pt', 'step_2.pt', 'last.pt']) {
    const { mtimeMs } = statSync(join(moved, name));
    writeFileSync(join(moved, `${name}.copy`), readFileSync(join(moved, name)));
    renameSync(join(moved, `${name}.copy`), join(moved, name));
    utimesSync(join(moved, name), 1, Math.floor(mtimeMs / 1000));
  }
  const again = await shop.open({ directory: moved, keepCount: 1 });
  shop.write('last.pt', 'two');
  await again.put(await shop.unit('last.pt'), shop.from, null);
  expect(readdirSync(moved).sort()).toEqual(['.trainyard', 'last.pt', 'step_2.pt']);
  expect(readdirSync(join(moved, '.trainyard'))).not.toContain('replaced');
  expect((await again.verify()).remarks).toEqual([]);
});
