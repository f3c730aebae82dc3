/** Links that flip in a shared directory while a repository of checkpoints in it is used: nothing outside is touched. */

import {
  chmodSync,
  constants,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDirectory } from '../../src/platform/directory.ts';
import { scanDirectory } from '../../src/storage/scan.ts';
import { confineTo } from '../../src/storage/shelf/confined-calls.ts';
import { directCalls } from '../../src/storage/shelf/file-calls.ts';
import { openShelf } from '../../src/storage/shelf.ts';
import { flip } from './flip.ts';

const NAMES = ['bait', 'precious'];
/** Any number but ours. */
const ANOTHER_UID = 64_102;

let root: string;
let inside: string;
let outside: string;

beforeEach(() => {
  root = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'trainyard-links-'));
  [inside, outside] = [join(root, 'inside'), join(root, 'outside')];
  mkdirSync(inside);
  mkdirSync(outside);
  for (const name of NAMES) {
    writeFileSync(join(outside, name), `the ${name}`);
    utimesSync(join(outside, name), 1, 1);
  }
  chmodSync(join(outside, 'bait'), 0o640);
});
afterEach(() => rmSync(root, { recursive: true }));

function expectUntouched(): void {
  expect(readdirSync(outside).toSorted()).toEqual(NAMES);
  for (const name of NAMES) expect(readFileSync(join(outside, name), 'utf8')).toBe(`the ${name}`);
  expect(statSync(join(outside, 'bait')).mode & 0o777).toBe(0o640);
}

test('each of 20,000 calls by a path that flips meanwhile stays inside', async () => {
  const handle = openDirectory(inside);
  const confinement = confineTo([{ path: inside, handle }], true);
  const calls = confinement.confined(directCalls);
  mkdirSync(join(inside, 'flip'));
  symlinkSync(outside, join(inside, 'other'));
  const flipping = await flip(join(inside, 'flip'), join(inside, 'other'));
  let [strayed, reached, refused] = [0, 0, 0];
  const tried = async (deed: () => unknown) => {
    // What is remembered of a walk would lead to the same directory in any case.
    confinement.close();
    try {
      await deed();
      reached++;
    } catch {
      refused++;
    }
  };
  const create = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;
  try {
    for (let n = 0; n < 4000; n++) {
      // What plain calls would meet: without this the test would show nothing.
      if ((await directCalls.look(join(inside, 'flip/bait'))) !== null) strayed++;
      const file = join(inside, `flip/${n}`);
      await tried(async () => calls.close(await calls.open(file, create, 0o600)));
      await tried(() => calls.permit(join(inside, 'flip/bait'), 0o777));
      await tried(() => calls.remove(join(inside, 'flip/precious')));
      await tried(() => calls.rename(file, join(inside, `flip/${n}-again`)));
      await tried(() => calls.remove(join(inside, `flip/${n}-again`)));
    }
  } finally {
    await flipping.stop();
    confinement.close();
    handle.close();
  }
  expectUntouched();
  expect(Math.min(strayed, reached, refused)).toBeGreaterThan(100);
});

/** Which name of a directory is exchanged for a link, over and over, while checkpoints are put, restored and removed. */
const FLIPPED: readonly (readonly [
  string,
  (names: { shelf: string; local: string; back: string }) => string,
])[] = [
  ['the repository', ({ shelf }) => shelf],
  ['its record', ({ shelf }) => join(shelf, '.trainyard')],
  ['a checkpoint in it', ({ shelf }) => join(shelf, 'step_1')],
  ['a directory of a checkpoint in it', ({ shelf }) => join(shelf, 'step_1/deep')],
  ['the directory that it comes from', ({ local }) => local],
  ['a directory that is copied', ({ local }) => join(local, 'step_1/deep')],
  ['the directory that it is restored to', ({ back }) => back],
];

test.each(FLIPPED)(
  'while %s flips, nothing outside is read, written or removed',
  async (_what, flippedOf) => {
    const names = { shelf: join(root, 'shelf'), local: join(root, 'local'), back: join(root, 'back') };
    const { shelf: directory, local, back } = names;
    mkdirSync(join(local, 'step_1/deep'), { recursive: true });
    mkdirSync(back);
    // As long and as old as those outside: only their content tells them apart.
    for (const name of NAMES) {
      writeFileSync(join(local, 'step_1/deep', name), `own ${name}`);
      utimesSync(join(local, 'step_1/deep', name), 1, 1);
    }
    const owner = { yardId: 'yard', job: 1 };
    let clock = Date.now();
    const open = () => openShelf({ directory, owner, keepCount: 1, keepForMs: null, now: () => ++clock });
    const putAll = async (shelf: Awaited<ReturnType<typeof open>>) => {
      for (const unit of await scanDirectory(local)) await shelf.put(unit, local, '1.1');
    };
    const first = await open();
    await putAll(first);
    await first.close();

    const flipped = flippedOf(names);
    // As another user's: a link of one's own may be followed on the way to a directory that one names.
    symlinkSync(outside, join(root, 'link'));
    lchownSync(join(root, 'link'), ANOTHER_UID, ANOTHER_UID);
    const flipping = await flip(flipped, join(root, 'link'));
    const tried = (work: () => Promise<unknown>) => work().catch(() => {});
    try {
      for (let round = 0; round < 120; round++) {
        await tried(async () => {
          const shelf = await open();
          try {
            await tried(() => putAll(shelf));
            await tried(() => shelf.restoreNewest(back));
            await tried(() => shelf.verify());
            await tried(() => shelf.prune(1, null));
          } finally {
            await shelf.close();
          }
        });
      }
    } finally {
      await flipping.stop();
    }
    expectUntouched();
    for (const place of [directory, back])
      for (const text of textsBelow(place)) expect(text).toMatch(/^own /);
  },
);

/** Of the files of checkpoints in a directory, wherever they were moved in it. */
function textsBelow(directory: string): string[] {
  if (!lstatSync(directory).isDirectory()) return [];
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) return textsBelow(path);
    return entry.isFile() && NAMES.includes(entry.name) ? [readFileSync(path, 'utf8')] : [];
  });
}
