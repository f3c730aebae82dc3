import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createWakeups, type Wakeups } from './wakeups.ts';

let above: string;
let directory: string;
let wakeups: Wakeups;

beforeEach(() => {
  above = mkdtempSync(join(tmpdir(), 'wakeups-'));
  directory = join(above, 'watched');
  wakeups = createWakeups(directory);
});
afterEach(() => {
  wakeups.close();
  rmSync(above, { recursive: true, force: true });
});

const LONG_MS = 600_000;

describe('waiting for something to happen in a directory', () => {
  test('is over when it happens', async () => {
    mkdirSync(directory);
    expect(await wakeups.next(LONG_MS)).toBe(true);
    const woken = wakeups.next(LONG_MS);
    writeFileSync(join(directory, 'a'), 'a');
    expect(await woken).toBe(true);
  });

  test('is over when the time is up', async () => {
    expect(await wakeups.next(1)).toBe(false);
  });

  test('begins anew with a directory that was made later, and with another one of the same name', async () => {
    await wakeups.next(1);
    mkdirSync(directory);
    expect(await wakeups.next(LONG_MS)).toBe(true);
    renameSync(directory, join(above, 'old'));
    mkdirSync(directory);
    while (await wakeups.next(100));
    const woken = wakeups.next(LONG_MS);
    writeFileSync(join(directory, 'a'), 'a');
    expect(await woken).toBe(true);
  });

  test('is not needed for what has happened meanwhile', async () => {
    mkdirSync(directory);
    await wakeups.next(LONG_MS);
    expect(wakeups.hasNews()).toBe(false);
    wakeups.wake();
    expect(wakeups.hasNews()).toBe(true);
    expect(await wakeups.next(LONG_MS)).toBe(true);
  });

  test('ends when nobody waits any more', async () => {
    const waiting = wakeups.next(LONG_MS);
    await new Promise((resolve) => setImmediate(resolve));
    wakeups.close();
    await waiting;
    expect(await wakeups.next(LONG_MS)).toBe(false);
  });
});
