/** Backups of a store: made beside a writer, checked before they count, few, and put back without losing anything. */

import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openBackups } from '../../src/server/backups.ts';
import { backUp } from '../../src/store/sqlite/back-up.ts';
import { backupName, isBackupDue, listBackups } from '../../src/store/sqlite/backups.ts';
import { loadDriver } from '../../src/store/sqlite/driver.ts';
import { MIGRATIONS, migrate } from '../../src/store/sqlite/migrations.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { restoreBackup } from '../../src/store/sqlite/replace.ts';
import { aBatch, aJob } from './builders.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'yard-backups-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const open = () => openSqliteStore({ directory, safeMode: false });
const names = () => readdirSync(join(directory, 'backups')).toSorted();
const DAY_MS = 86_400_000;
const NOON = Date.UTC(2026, 10, 18, 12);

async function storeWith(...ids: number[]) {
  const store = await open();
  store.append(aBatch({ jobs: ids.map((id) => aJob(id)), nextJobId: Math.max(...ids) + 1 }));
  return store;
}

test('a backup holds all that was committed, also what is only in the log, and nobody else may read it', async () => {
  const store = await storeWith(1, 2);
  const name = await backUp(directory, NOON);
  expect(name).toBe(`20261118T120000Z-${store.identity.id}.db`);
  expect(names()).toEqual([name]);
  expect(statSync(join(directory, 'backups')).mode & 0o777).toBe(0o700);
  expect(statSync(join(directory, 'backups', name)).mode & 0o777).toBe(0o600);
  store.append(aBatch({ jobs: [aJob(3)], nextJobId: 4 }));
  store.close();
  await restoreBackup(directory, null, NOON + DAY_MS);
  const restored = await open();
  expect(restored.load()).toMatchObject({ nextJobId: 3, restoredFrom: NOON, jobs: [{ id: 1 }, { id: 2 }] });
  // What has a claim of this store counts: it is the same store.
  expect(restored.identity).toEqual(store.identity);
  restored.settleRestored();
  expect(restored.load().restoredFrom).toBeNull();
  restored.close();
});

test('three are kept of each store, and all of another one', async () => {
  const store = await storeWith(1);
  mkdirSync(join(directory, 'backups'), { mode: 0o700 });
  const other = backupName(NOON - 900 * DAY_MS, 'f'.repeat(16), false);
  for (const name of [other, 'notes.txt']) writeFileSync(join(directory, 'backups', name), '');
  for (let day = 0; day < 5; day++) await backUp(directory, NOON + day * DAY_MS);
  const own = [2, 3, 4].map((day) => backupName(NOON + day * DAY_MS, store.identity.id, false));
  expect(names()).toEqual([other, ...own, 'notes.txt'].toSorted());
  expect(listBackups(directory)[0]).toMatchObject({ name: own[2], at: NOON + 4 * DAY_MS });
  store.close();
});

test('another is due when the newest of this store is a day old', async () => {
  const store = await storeWith(1);
  const { id } = store.identity;
  expect(isBackupDue(directory, id, NOON)).toBe(true);
  await backUp(directory, NOON);
  expect(isBackupDue(directory, id, NOON + DAY_MS - 1)).toBe(false);
  expect(isBackupDue(directory, id, NOON + DAY_MS)).toBe(true);
  // The clock was wrong when it was made.
  expect(isBackupDue(directory, id, NOON - DAY_MS)).toBe(true);
  expect(isBackupDue(directory, 'e'.repeat(16), NOON)).toBe(true);
  store.close();
});

test("a draft that somebody left is no backup, and is in nobody's way", async () => {
  const store = await storeWith(1);
  mkdirSync(join(directory, 'backups'), { mode: 0o700 });
  writeFileSync(join(directory, 'backups', `backup-${2 ** 30}.draft`), 'half');
  expect(listBackups(directory)).toEqual([]);
  const name = await backUp(directory, NOON);
  expect(names()).toEqual([name]);
  store.close();
});

test('the newest that is good is put back, and the damaged database is moved aside whole', async () => {
  const store = await storeWith(1);
  const good = await backUp(directory, NOON);
  const bad = await backUp(directory, NOON + DAY_MS);
  store.close();
  writeFileSync(
    join(directory, 'backups', bad),
    readFileSync(join(directory, 'backups', bad)).fill(0xff, 4096, 9000),
  );
  writeFileSync(join(directory, 'yard.db'), 'broken');
  writeFileSync(join(directory, 'yard.db-wal'), 'log');
  const { backup, aside } = await restoreBackup(directory, null, NOON + 2 * DAY_MS);
  expect(backup.name).toBe(good);
  expect(readFileSync(join(aside!, 'yard.db'), 'utf8')).toBe('broken');
  expect(readFileSync(join(aside!, 'yard.db-wal'), 'utf8')).toBe('log');
  expect(existsSync(join(directory, 'yard.db-wal'))).toBe(false);
  expect(names()).toEqual([good, bad]);
});

test('before the database is brought up to a new version, it is copied', async () => {
  const database = (await loadDriver())(join(directory, 'yard.db'));
  migrate(database, directory, MIGRATIONS.slice(0, 5));
  database.exec(`insert into meta (key, value) values ('nextJobId', 7)`);
  database.close();
  const store = await open();
  // It was in use before stores had ids: its running shims write to the directory without one.
  expect(store.identity).toEqual({ id: expect.stringMatching(/^[0-9a-f]{16}$/), claims: '' });
  store.close();
  expect(listBackups(directory)).toMatchObject([{ store: 'none', isBeforeUpgrade: true }]);
  await restoreBackup(directory, null, NOON);
  const before = (await loadDriver())(join(directory, 'yard.db'));
  expect(before.prepare('pragma user_version').get()).toEqual({ user_version: 5 });
  before.close();
});

test('a new store has an id of its own, and no copy is made of nothing', async () => {
  const first = await open();
  first.close();
  rmSync(join(directory, 'yard.db'));
  const second = await open();
  expect(second.identity.claims).toBe(`-${second.identity.id}`);
  expect(second.identity.id).not.toBe(first.identity.id);
  expect(existsSync(join(directory, 'backups'))).toBe(false);
  second.close();
});

describe('as a daemon has them made', () => {
  test('by another process, when one is due; what stands in the way is said', async () => {
    const store = await storeWith(1);
    const log: string[] = [];
    const start = (firstLookMs: number) =>
      openBackups({
        directory,
        store: store.identity.id,
        log: (line) => log.push(line),
        times: { firstLookMs, lookEveryMs: 20 },
      });
    writeFileSync(join(directory, 'backups'), 'in the way');
    const backups = start(0);
    await expect
      .poll(() => backups.remarks(), { timeout: 20_000 })
      .toEqual([expect.stringMatching(/^no backup of the store could be made: /)]);
    rmSync(join(directory, 'backups'));
    await expect.poll(() => backups.remarks(), { timeout: 20_000 }).toEqual([]);
    expect(listBackups(directory)).toMatchObject([{ store: store.identity.id }]);
    expect(log.filter((line) => line.startsWith('no backup'))).toHaveLength(1);
    backups.close();
    store.close();
  });

  test.skipIf(process.getuid?.() !== 0)(
    'without enough room, none is made and nothing is left of it',
    async () => {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=12m', 'tmpfs', directory]);
      try {
        const store = await storeWith(1);
        await expect(backUp(directory, NOON)).rejects.toThrow('not enough room');
        expect(names()).toEqual([]);
        store.close();
      } finally {
        execFileSync('umount', ['-l', directory]);
      }
    },
  );
});
