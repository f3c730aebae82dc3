import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Fault } from '../model/refusal.ts';
import type { KeepOrder } from './keeper.ts';
import { createOpenShelves, isInPlace, placeOf } from './open-shelves.ts';
import type { Shelf, ShelfOptions } from './shelf.ts';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'open-shelves-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

function orderOf(from: string | null, to: string | null): KeepOrder {
  return {
    attempt: '1.1',
    owner: { yardId: 'cafe', job: 1 },
    from,
    to,
    keepCount: null,
    keepForMs: null,
    logs: [],
    scratch: null,
    umask: 0o022,
  };
}

/** Shelves that only note that they are opened and closed. */
function noting(failures: Error[] = []) {
  const notes: string[] = [];
  const open = async (options: ShelfOptions) => {
    const failure = failures.shift();
    if (failure !== undefined) throw failure;
    notes.push('open');
    const close = async () => {
      notes.push('close');
    };
    return { directory: options.directory, close, isStillThere: async () => true } as Shelf;
  };
  return { notes, shelves: createOpenShelves(open, () => 0, 60_000) };
}

describe('a shelf', () => {
  test('is opened once for all who use it, by whatever path, and closed after the last', async () => {
    const { notes, shelves } = noting();
    const real = join(directory, 'real');
    mkdirSync(real);
    symlinkSync(real, join(directory, 'link'));
    const leases = await Promise.all([
      shelves.take(orderOf('/a', join(real, 'later'))),
      shelves.take(orderOf('/b', join(directory, 'link', 'later'))),
    ]);
    expect(notes).toEqual(['open']);
    await leases[0].giveBack();
    await leases[0].giveBack();
    expect(notes).toEqual(['open']);
    await leases[1].giveBack();
    expect(notes).toEqual(['open', 'close']);
    await shelves.take(orderOf('/a', real));
    expect(notes).toEqual(['open', 'close', 'open']);
  });

  test('that somebody is about to let go of is waited for', async () => {
    const { notes, shelves } = noting([new Fault('in use', true), new Fault('in use', true)]);
    await shelves.take(orderOf('/a', directory));
    expect(notes).toEqual(['open']);
  });

  test('that cannot be had is asked for again by the next one', async () => {
    const { shelves } = noting([new Fault('no permission', false)]);
    await expect(shelves.take(orderOf('/a', directory))).rejects.toThrow('no permission');
    expect((await shelves.take(orderOf('/a', directory))).shelf.directory).toBe(directory);
  });
});

describe('where checkpoints last', () => {
  test('is where they are written when nothing else is said, or the same', () => {
    expect(isInPlace(orderOf('/a', null))).toBe(true);
    expect(isInPlace(orderOf('/a/b', '/a/./b/'))).toBe(true);
    expect(isInPlace(orderOf('/a', '/b'))).toBe(false);
    expect(placeOf(orderOf('/a', null))).toBe('/a');
    expect(placeOf(orderOf('/a', '/b'))).toBe('/b');
    expect(placeOf(orderOf('/a/local', '/a'))).toBe('/a');
    expect(placeOf(orderOf('/a', '/ab'))).toBe('/ab');
  });

  test('cannot be inside of that', () => {
    expect(() => placeOf(orderOf('/a', '/a/kept'))).toThrow('inside /a');
    expect(() => placeOf(orderOf(null, null))).toThrow('names no directory');
  });
});
