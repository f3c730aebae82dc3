import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { scanDirectory } from './scan.ts';
import { openShelf, type Shelf, type ShelfOptions } from './shelf.ts';
import type { Unit } from './units.ts';

let root: string;
let from: string;
let to: string;
let clock: number;
const open: Shelf[] = [];

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'trainyard-shelf-'));
  from = join(root, 'local');
  to = join(root, 'lasting');
  clock = 1_700_000_000_000;
  mkdirSync(from);
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((shelf) => shelf.close()));
  rmSync(root, { recursive: true });
});

async function shelfAt(more: Partial<ShelfOptions> = {}): Promise<Shelf> {
  const shelf = await openShelf({
    directory: to,
    owner: { yardId: 'yard', job: 12 },
    keepCount: null,
    keepForMs: null,
    now: () => ++clock,
    ...more,
  });
  open.push(shelf);
  return shelf;
}

async function unitOf(name: string): Promise<Unit> {
  const unit = (await scanDirectory(from)).find((one) => one.name === name);
  if (unit === undefined) throw new Error(`no unit ${name}`);
  return unit;
}

async function put(shelf: Shelf, name: string) {
  return shelf.put(await unitOf(name), from, '12.1');
}

describe('a file', () => {
  test('is kept under its own name, and known again', async () => {
    writeFileSync(join(from, 'step_1.pt'), 'weights');
    const shelf = await shelfAt();
    expect(await put(shelf, 'step_1.pt')).toMatchObject({ name: 'step_1.pt', step: 1, bytes: 7 });
    expect(readFileSync(join(to, 'step_1.pt'), 'utf8')).toBe('weights');
    expect(shelf.isKept(await unitOf('step_1.pt'))).toBe(true);
    expect(readdirSync(join(to, '.trainyard')).sort()).toEqual(['drafts', 'lock', 'manifest.json', 'owner']);
    expect(readdirSync(join(to, '.trainyard/drafts'))).toEqual([]);
    expect(await shelf.verify()).toMatchObject({ remarks: [], entries: [{ name: 'step_1.pt', state: 'kept' }] });
  });
  test('overwritten', async () => {
    const shelf = await shelfAt();
    for (const n of [1, 2, 3, 4]) {
      writeFileSync(join(from, 'last.pt'), Buffer.alloc(9 << 20, n));
      await put(shelf, 'last.pt');
      expect(readFileSync(join(to, 'last.pt'))[100]).toBe(n);
      if (n > 1) expect(readFileSync(join(to, '.trainyard/previous/last.pt/last.pt'))[100]).toBe(n - 1);
    }
    expect(existsSync(join(to, '.trainyard/drafts/x'))).toBe(false);
    expect((await shelf.verify()).remarks).toEqual([]);
  });
});
