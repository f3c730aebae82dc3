import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { NO_MEMORY } from '../platform/private-directory.ts';
import { chooseDirectory, type Places, socketPathFor, type Trial, tryPlaceOnDisk } from './directory.ts';

const HOME = '/home/ada/.local/state/trainyard';
const LOCAL = '/var/tmp/trainyard-1000';
const DEFAULTS: Places = {
  explicit: false,
  directories: [
    { path: HOME, inSharedDirectory: false },
    { path: LOCAL, inSharedDirectory: true },
  ],
};
const NAMED: Places = { explicit: true, directories: [{ path: '/data/yard', inSharedDirectory: false }] };
const FINE: Trial = { unusable: null, network: null, holdsYard: false };

function choose(places: Places, trials: Record<string, Partial<Trial>>) {
  return chooseDirectory(places, ({ path }) => ({ ...FINE, ...trials[path] }));
}

describe('choosing a directory', () => {
  test('the first place, and no remarks, when all is well', () => {
    expect(choose(DEFAULTS, {})).toEqual({ directory: HOME, safeMode: false, remarks: [] });
  });

  test('a home on NFS leads to the local disk and says so', () => {
    const { directory, safeMode, remarks } = choose(DEFAULTS, { [HOME]: { network: 'nfs' } });
    expect(directory).toBe(LOCAL);
    expect(safeMode).toBe(false);
    expect(remarks.join('\n')).toMatch(/network file system \(nfs\)/);
    expect(remarks.at(-1)).toBe(`so the yard is in ${LOCAL}`);
  });

  test('a home that cannot be written leads to the local disk', () => {
    const { directory, remarks } = choose(DEFAULTS, { [HOME]: { unusable: 'read-only file system' } });
    expect(directory).toBe(LOCAL);
    expect(remarks[0]).toMatch(/read-only file system/);
  });

  test('a place that remembers jobs is not left for another when it fails', () => {
    const trial = { unusable: 'no space left', holdsYard: true };
    expect(() => choose(DEFAULTS, { [HOME]: trial })).toThrow(/cannot be used: no space left/);
  });

  test('a named directory on NFS is taken, in safe mode', () => {
    const { directory, safeMode, remarks } = choose(NAMED, { '/data/yard': { network: 'nfs' } });
    expect({ directory, safeMode }).toEqual({ directory: '/data/yard', safeMode: true });
    expect(remarks.join()).toMatch(/safe mode/);
  });

  test('a named directory that cannot be used is refused', () => {
    expect(() => choose(NAMED, { '/data/yard': { unusable: 'permission denied' } })).toThrow(
      /\/data\/yard cannot be used: permission denied/,
    );
  });

  test('when nothing can be used, each place is named with its reason', () => {
    const trials = { [HOME]: { unusable: 'no home' }, [LOCAL]: { unusable: 'full' } };
    expect(() => choose(DEFAULTS, trials)).toThrow(/no home.*full/);
  });
});

describe('trying a place on disk', () => {
  const root = mkdtempSync(join(tmpdir(), 'trainyard-directory-'));
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  const uid = process.geteuid?.() ?? 0;
  const attempt = (path: string, inSharedDirectory: boolean, as = uid, isNamed = true) =>
    tryPlaceOnDisk({ path, inSharedDirectory }, { uid: as, isNamed, networkFileSystem: () => null });

  test('makes it, for its owner alone', () => {
    const path = join(root, 'new/state/trainyard');
    expect(attempt(path, false)).toEqual(FINE);
    expect(statSync(path).mode & 0o777).toBe(0o700);
  });

  test('a private directory among others is closed to them', () => {
    const path = join(root, 'open');
    mkdirSync(path);
    chmodSync(path, 0o777);
    expect(attempt(path, true)).toEqual(FINE);
    expect(statSync(path).mode & 0o777).toBe(0o700);
  });

  test('a directory of somebody else in a shared place is refused', () => {
    const path = join(root, 'foreign');
    mkdirSync(path);
    expect(attempt(path, true, uid + 1).unusable).toMatch(
      /^it belongs to another user \(.+\), and a yard runs/,
    );
    expect(attempt(path, false, uid + 1).hint).toMatch(
      /^run the command as that user \(sudo -u .+ trainyard …\)/,
    );
  });

  test("somebody else's yard is passed over in a shared place, and elsewhere it is not", () => {
    const path = join(root, 'bait');
    mkdirSync(path);
    writeFileSync(join(path, 'lock'), '');
    expect(attempt(path, true, uid + 1).holdsYard).toBe(false);
    expect(attempt(path, false, uid + 1).holdsYard).toBe(true);
    symlinkSync(path, join(root, 'bait-link'));
    expect(attempt(join(root, 'bait-link'), true).holdsYard).toBe(false);
  });

  test('a symbolic link in a shared place is refused', () => {
    const path = join(root, 'link');
    mkdirSync(join(root, 'target'));
    symlinkSync(join(root, 'target'), path);
    expect(attempt(path, true).unusable).toMatch(/symbolic link/);
    expect(attempt(path, false).unusable).toBe(null);
  });

  test('a file in its place is refused', () => {
    const path = join(root, 'file');
    writeFileSync(path, '');
    expect(attempt(path, false).unusable).not.toBe(null);
    expect(attempt('/proc/trainyard', false).unusable).not.toBe(null);
  });

  test.runIf(uid === 0)('root makes nothing in the home of another user', () => {
    const home = join(root, 'theirs');
    mkdirSync(home);
    chownSync(home, 54321, 54321);
    for (const isNamed of [true, false]) {
      const { unusable, hint } = attempt(join(home, '.local/state/trainyard'), false, uid, isNamed);
      expect(unusable).toBe(`it would be in ${home}, which belongs to another user (54321)`);
      expect(hint).toContain("sudo -u '#54321' trainyard");
    }
    expect(readdirSync(home)).toEqual([]);
  });

  test('nothing is made where others could rename it, unless somebody named the place', () => {
    const home = join(root, 'shared-home');
    mkdirSync(home);
    chmodSync(home, 0o777);
    expect(attempt(join(home, 'yard'), false, uid, false).unusable).toContain('others may rename everything');
    expect(readdirSync(home)).toEqual([]);
    expect(attempt(join(home, 'yard'), false, uid, true)).toEqual(FINE);
  });

  test('one of this user that others could write to is closed to them', () => {
    const path = join(root, 'writable');
    mkdirSync(path);
    writeFileSync(join(path, 'mine'), '');
    chmodSync(path, 0o775);
    expect(attempt(path, false)).toEqual(FINE);
    expect(statSync(path).mode & 0o777).toBe(0o700);
  });

  test('knows a yard by its lock', () => {
    const path = join(root, 'used');
    mkdirSync(path);
    writeFileSync(join(path, 'lock'), '');
    expect(attempt(path, false).holdsYard).toBe(true);
  });
});

describe('the socket', () => {
  const root = mkdtempSync(join(tmpdir(), 'trainyard-socket-'));
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  const uid = process.geteuid?.() ?? 0;
  const FACTS = { uid, runtimeDir: root, temporaryDir: root, memory: NO_MEMORY, log: () => {} };
  const place = (directory: string, safeMode = false) => ({ directory, safeMode, remarks: [] });
  const long = `/${'d'.repeat(97)}`;

  test('is in the yard up to 107 bytes', () => {
    expect(socketPathFor(place(long.slice(0, 97)), FACTS)).toHaveLength(107);
    expect(socketPathFor(place(long), FACTS)).toMatch(/^.*\/yard-[0-9a-f]{12}\.sock$/);
    expect(socketPathFor(place(long), FACTS).startsWith(root)).toBe(true);
  });

  test('is never on a network file system', () => {
    expect(socketPathFor(place('/nfs/yard', true), FACTS).startsWith(root)).toBe(true);
  });

  test('does not go where others could write', () => {
    const open = join(root, 'open');
    mkdirSync(open);
    chmodSync(open, 0o777);
    expect(socketPathFor(place(long), { ...FACTS, runtimeDir: open })).toMatch(
      new RegExp(`^${root}/trainyard-${uid}/yard-`),
    );
    expect(statSync(join(root, `trainyard-${uid}`)).mode & 0o777).toBe(0o700);
  });

  test('differs between yards', () => {
    const one = socketPathFor(place(`${long}1`), FACTS);
    expect(socketPathFor(place(`${long}2`), FACTS)).not.toBe(one);
  });
});
