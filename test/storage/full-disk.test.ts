/** A disk that fills up while checkpoints are copied to it: what was safe stays safe, it is said, and it goes on. */

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type KeepingPlace, keepingPlace, listed, ORDERLY } from './keeping.ts';

const CANNOT_MOUNT = 'mounting a small disk needs root';
const MIB = 1 << 20;

/** Machines may be busy. */
const PATIENCE = { timeout: 20_000 };

let place: KeepingPlace;
let isMounted: boolean;

beforeEach(() => {
  place = keepingPlace();
  mkdirSync(place.to);
  isMounted = mounted('size=8m');
});
afterEach(async () => {
  // Lazily, because a file may still be open for a moment.
  if (isMounted) execFileSync('umount', ['-l', place.to]);
  await place.remove();
});

function mounted(options: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', place.to], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Leaves only so much. */
function fill(leftBytes: number): string {
  const { bavail, bsize } = statfsSync(place.to);
  const filler = join(place.to, 'filler');
  writeFileSync(filler, Buffer.alloc(bavail * bsize - leftBytes, 1));
  return filler;
}

const weights = (step: number) => Buffer.alloc(2 * MIB, `weights of step ${step};`);

describe('a full disk', () => {
  test('loses nothing that was safe, is told once, and is used again when there is room', async ({
    skip,
  }) => {
    if (!isMounted) skip(CANNOT_MOUNT);
    const keeper = place.keeper();
    keeper.watch(place.order());
    place.write('ckpt-1.bin', weights(1));
    await place.told.untilKept('ckpt-1.bin');
    const filler = fill(MIB);
    place.write('ckpt-2.bin', weights(2));
    await place.told.untilTrouble(
      (trouble) => trouble?.startsWith(`the disk is full at ${place.to}`) ?? false,
    );
    expect(readFileSync(join(place.to, 'ckpt-1.bin')).equals(weights(1))).toBe(true);
    expect(await listed(keeper, place.order())).toEqual(['ckpt-2.bin waiting', 'ckpt-1.bin kept']);
    rmSync(filler);
    await place.told.untilKept('ckpt-2.bin');
    await expect.poll(() => place.told.troubles.at(-1), PATIENCE).toBe(null);
    expect(place.told.troubles.filter((trouble) => trouble !== null).length).toBe(1);
    expect((await keeper.ask(place.order(), { what: 'verify' })).trouble).toBe(null);
  });

  test('at the end is waited for, and what is not safe then is told and can be copied later', async ({
    skip,
  }) => {
    if (!isMounted) skip(CANNOT_MOUNT);
    const keeper = place.keeper();
    place.write('ckpt-1.bin', weights(1));
    await keeper.flush(place.order(), ORDERLY);
    const filler = fill(MIB);
    place.write('ckpt-2.bin', weights(2));
    const flushed = await keeper.flush(place.order(), { isOrderly: true, limitMs: 1000 });
    expect(flushed.trouble).toMatch(
      new RegExp(`^ckpt-2.bin is not safe: the disk is full at ${place.to}.*; still in ${place.from}$`),
    );
    expect(flushed.checkpoint?.name).toBe('ckpt-1.bin');
    const waiting = keeper.flush(place.order(), ORDERLY);
    rmSync(filler);
    expect(await waiting).toMatchObject({ trouble: null, checkpoint: { name: 'ckpt-2.bin' } });
  });

  test('does not keep a job from going on with what is there', async ({ skip }) => {
    if (!isMounted) skip(CANNOT_MOUNT);
    const keeper = place.keeper();
    place.write('ckpt-1.bin', weights(1));
    await keeper.flush(place.order(), ORDERLY);
    rmSync(place.from, { recursive: true });
    fill(0);
    const prepared = await keeper.prepare(place.order({ attempt: '17.2' }));
    expect(prepared.resumeFrom).toBe(join(place.from, 'ckpt-1.bin'));
  });
});
