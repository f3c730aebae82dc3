import { chmodSync, linkSync, mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { usedIn, watchScratch } from './scratch-quota.ts';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'scratch-quota-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const MIB = 1 << 20;

describe('what is used of a scratch directory', () => {
  test('is all that takes room on its disk, at whatever depth, and once', async () => {
    const empty = await usedIn(directory);
    mkdirSync(join(directory, 'a/b'), { recursive: true });
    writeFileSync(join(directory, 'a/b/data'), Buffer.alloc(MIB, 1));
    linkSync(join(directory, 'a/b/data'), join(directory, 'again'));
    writeFileSync(join(directory, 'hole'), '');
    truncateSync(join(directory, 'hole'), 1000 * MIB);
    const used = (await usedIn(directory)) - empty;
    expect(used).toBeGreaterThanOrEqual(MIB);
    expect(used).toBeLessThan(1.5 * MIB);
  });

  test('is nothing where there is no directory, or it may not be read', async () => {
    expect(await usedIn(join(directory, 'none'))).toBe(0);
    mkdirSync(join(directory, 'closed'), { mode: 0 });
    expect(await usedIn(directory)).toBeLessThan(MIB);
    chmodSync(join(directory, 'closed'), 0o700);
  });

  test('is told once when it is too much', async () => {
    let rounds = 0;
    const usedBytes = await new Promise<number>((resolve) => {
      watchScratch({
        directory,
        maxBytes: MIB,
        soonestMs: 1,
        log: () => {},
        over: (bytes) => {
          rounds++;
          resolve(bytes);
        },
      });
      writeFileSync(join(directory, 'much'), Buffer.alloc(2 * MIB, 1));
    });
    expect(usedBytes).toBeGreaterThan(MIB);
    expect(rounds).toBe(1);
  });
});
