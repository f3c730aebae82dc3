import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Fault } from '../../model/refusal.ts';
import type { Shelf } from '../shelf.ts';
import { openWorkshop, type Workshop, withCalls } from './fake-workshop.ts';
import type { Manners } from './ground.ts';

const BLOCK = 4 << 20;

let shop: Workshop;
beforeEach(() => {
  shop = openWorkshop();
});
afterEach(() => shop.close());

function failure(code: string): Error {
  return Object.assign(new Error(code), { code });
}

/** A disk with room for so many calls that need some. */
function fillingUp(code: string) {
  let left = Number.POSITIVE_INFINITY;
  let used = 0;
  const needRoom = <Args extends unknown[], Result>(call: (...args: Args) => Result) => {
    return (...args: Args): Result => {
      used++;
      if (left-- <= 0) throw failure(code);
      return call(...args);
    };
  };
  const manners: Manners = withCalls((calls) => ({
    write: needRoom(calls.write),
    reserve: needRoom(calls.reserve),
    makeDirectory: needRoom(calls.makeDirectory),
    makeLink: needRoom(calls.makeLink),
    nameAlso: needRoom(calls.nameAlso),
    rename: needRoom(calls.rename),
    sync: needRoom(calls.sync),
  }));
  return {
    manners,
    allow(calls: number) {
      left = calls;
      used = 0;
    },
    used: () => used,
  };
}

const CONTENTS = ['one', 'two', 'three'];

test.each([
  ['ENOSPC', /^the disk is full at .*: last(\.pt)? needs \d+\S* and \S+ is free$/],
  ['EDQUOT', /^the disk quota is used up in .*: last(\.pt)? needs/],
  ['EFBIG', /^no file in .* may be as large as last/],
  ['EIO', /^cannot copy last(\.pt)? to .*: EIO$/],
])('wherever a disk gives %s, what was there stays, and it goes on afterwards', async (code, sentence) => {
  const disk = fillingUp(code);
  const shelf = await shop.open({}, disk.manners);
  shop.write('last/same', 'same');
  for (const content of CONTENTS) {
    await shop.save(shelf, 'last.pt', content);
    await shop.save(shelf, 'last/weights', content);
  }
  for (const name of ['last.pt', 'last/weights']) {
    let failures = 0;
    for (let room = 0; ; room++) {
      const [before, after] = [shop.kept(name), `${name} with room for ${room}`];
      shop.write(name, after);
      disk.allow(room);
      const outcome = await shop.put(shelf, name.split('/')[0] as string).catch((error: unknown) => error);
      const needed = disk.used();
      disk.allow(Number.POSITIVE_INFINITY);
      expect([before, after]).toContain(shop.kept(name));
      if (!(outcome instanceof Error)) {
        expect(needed).toBeLessThanOrEqual(room);
        break;
      }
      failures++;
      expect(outcome).toBeInstanceOf(Fault);
      expect(outcome).toMatchObject({ retryable: true, message: expect.stringMatching(sentence) });
      expect((await shelf.verify()).remarks).toEqual([]);
      await shop.put(shelf, name.split('/')[0] as string);
      expect(shop.kept(name)).toBe(after);
    }
    expect(failures).toBeGreaterThan(5);
  }
  expect(readdirSync(join(shop.to, '.trainyard/drafts'))).toEqual([]);
});

test('a copy that cannot be finished leaves no draft behind', async () => {
  const disk = fillingUp('ENOSPC');
  const shelf = await shop.open({}, disk.manners);
  const content = Buffer.alloc(BLOCK * 3, 1);
  for (const mark of [1, 2, 3]) await shop.save(shelf, 'last.pt', content.fill(mark, 0, 9));
  for (const room of [1, 2, 3, 4, 5, 6]) {
    shop.write('last.pt', content.fill(room + 9, BLOCK * 2 - 5, BLOCK * 2 + 5));
    disk.allow(room);
    await expect(shop.put(shelf, 'last.pt')).rejects.toThrow('the disk is full');
    expect(readdirSync(join(shop.to, '.trainyard/drafts'))).toEqual([]);
    disk.allow(Number.POSITIVE_INFINITY);
    expect((await shelf.verify()).remarks).toEqual([]);
  }
  await shelf.close();
  const again = await shop.open();
  expect((await again.verify()).remarks).toEqual([]);
});

test('what is there can be put back though nothing can be recorded', async () => {
  const disk = fillingUp('ENOSPC');
  const first = await shop.open();
  await shop.save(first, 'step_1.pt', 'weights');
  await first.close();
  const back = join(shop.root, 'back');
  mkdirSync(back);
  const shelf: Shelf = await shop.open(
    {},
    {
      ...disk.manners,
      // The disk of the program has room.
      patient: {
        ...disk.manners.patient,
        open: (path, flags, mode) => {
          disk.allow(path.startsWith(shop.to) && path.endsWith('draft') ? 0 : Number.POSITIVE_INFINITY);
          return disk.manners.direct.open(path, flags, mode);
        },
      },
    },
  );
  expect(await shelf.restoreNewest(back)).toMatchObject({ path: join(back, 'step_1.pt') });
  expect(readFileSync(join(back, 'step_1.pt'), 'utf8')).toBe('weights');
});

test('no room where it is put back is said, and nothing is left there', async () => {
  const disk = fillingUp('ENOSPC');
  const shelf = await shop.open({}, disk.manners);
  await shop.save(shelf, 'step_1.pt', 'weights');
  const back = join(shop.root, 'back');
  disk.allow(3);
  await expect(shelf.restore('step_1.pt', back)).rejects.toThrow(
    `the disk is full at ${back}: step_1.pt needs 7B`,
  );
  expect(readdirSync(back)).toEqual([]);
});

test.runIf(canMount())('a small file system that is really full', async () => {
  const small = join(shop.root, 'small');
  mkdirSync(small);
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=14m', 'tmpfs', small]);
  try {
    const shelf = await shop.open({ directory: small });
    await shop.save(shelf, 'step_1.pt', Buffer.alloc(BLOCK + 5, 1));
    await expect(shop.save(shelf, 'step_2.pt', Buffer.alloc(BLOCK * 3, 2))).rejects.toThrow(
      /^the disk is full at .*: step_2\.pt needs 12M, and \S+M is free$/,
    );
    writeFileSync(join(small, 'filler'), Buffer.alloc(BLOCK * 2));
    await expect(shop.save(shelf, 'step_3/w', Buffer.alloc(BLOCK, 2))).rejects.toThrow('the disk is full');
    expect(existsSync(join(small, 'step_3'))).toBe(false);
    expect(await shelf.newestWhole()).toMatchObject({ entry: { name: 'step_1.pt' }, remarks: [] });
    await shelf.close();
  } finally {
    execFileSync('umount', ['-l', small]);
  }
});

/** Only root may mount, and not in every container. */
function canMount(): boolean {
  if (process.getuid?.() !== 0) return false;
  const workshop = openWorkshop();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', workshop.from], { stdio: 'ignore' });
    execFileSync('umount', [workshop.from]);
    return true;
  } catch {
    return false;
  } finally {
    void workshop.close();
  }
}
