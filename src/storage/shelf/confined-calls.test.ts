import {
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type DirectoryHandle, openDirectory } from '../../platform/directory.ts';
import { type Confinement, confineTo } from './confined-calls.ts';
import { directCalls, type FileCalls, patientCalls } from './file-calls.ts';

let root: string;
let inside: string;
let outside: string;
let handle: DirectoryHandle;
let confinement: Confinement;
let calls: FileCalls;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'trainyard-confined-'));
  [inside, outside] = [join(root, 'inside'), join(root, 'outside')];
  mkdirSync(inside);
  mkdirSync(outside);
  writeFileSync(join(outside, 'precious'), 'precious');
  chmodSync(join(outside, 'precious'), 0o640);
  handle = openDirectory(inside);
  confinement = confineTo([{ path: inside, handle }], true);
  calls = confinement.confined(directCalls);
});
afterEach(() => {
  confinement.close();
  handle.close();
  rmSync(root, { recursive: true });
});

const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;

async function makeFile(path: string): Promise<void> {
  await calls.close(await calls.open(path, CREATE, 0o600));
}

function expectUntouched(): void {
  expect(readdirSync(outside)).toEqual(['precious']);
  expect(readFileSync(join(outside, 'precious'), 'utf8')).toBe('precious');
  expect(statSync(join(outside, 'precious')).mode & 0o777).toBe(0o640);
}

/** Whatever each of them can do to an entry. */
const DEEDS: Readonly<Record<string, (path: string) => unknown>> = {
  open: (path) => calls.open(path, constants.O_RDONLY),
  create: (path) => makeFile(`${path}-new`),
  names: (path) => calls.names(path.slice(0, path.lastIndexOf('/'))),
  makeDirectory: (path) => calls.makeDirectory(`${path}/a/b`),
  makeLink: (path) => calls.makeLink('x', `${path}-link`),
  nameAlso: (path) => calls.nameAlso(path, join(inside, 'stolen')),
  rename: (path) => calls.rename(path, join(inside, 'stolen')),
  exchange: (path) => calls.exchange(path, join(inside, 'own')),
  remove: (path) => calls.remove(path),
  removeDirectory: (path) => calls.removeDirectory(path),
  permit: (path) => calls.permit(path, 0o777),
  date: (path) => calls.date(path, 0),
};

describe('calls that are confined to a directory', () => {
  test('do there what they do anywhere', async () => {
    await calls.makeDirectory(join(inside, 'a/b'));
    await makeFile(join(inside, 'a/b/file'));
    await calls.rename(join(inside, 'a/b'), join(inside, 'c'));
    expect(await calls.names(join(inside, 'c'))).toEqual(['file']);
    expect(await calls.look(join(inside, 'a/b/file'))).toBeNull();
    await calls.permit(join(inside, 'c/file'), 0o644);
    expect(statSync(join(inside, 'c/file')).mode & 0o777).toBe(0o644);
    await calls.remove(join(inside, 'c/file'));
    await calls.removeDirectory(join(inside, 'c'));
    expect((await calls.names(inside)).toSorted()).toEqual(['a']);
    expect((await calls.look(inside))?.isDirectory()).toBe(true);
  });

  test.each(Object.keys(DEEDS))('%s follows no link on the way, nor leads a path out', async (deed) => {
    writeFileSync(join(inside, 'own'), '');
    symlinkSync(outside, join(inside, 'link'));
    const act = DEEDS[deed] as (path: string) => unknown;
    for (const path of [
      join(inside, 'link/precious'),
      `${inside}/../outside/precious`,
      `${inside}/link/../../outside/precious`,
      join(outside, 'precious'),
      `${inside}/./../outside/precious`,
    ])
      await expect(async () => act(path)).rejects.toThrow();
    expectUntouched();
    expect(existsSync(join(inside, 'stolen'))).toBe(false);
  });

  test('a link at the end is itself what is meant', async () => {
    symlinkSync(join(outside, 'precious'), join(inside, 'link'));
    await expect(async () => calls.open(join(inside, 'link'), constants.O_RDONLY)).rejects.toThrow('ELOOP');
    await expect(async () => calls.permit(join(inside, 'link'), 0o777)).rejects.toThrow();
    await calls.remove(join(inside, 'link'));
    expectUntouched();
  });

  test('they stay with the directory, whatever takes its name', async () => {
    rmSync(inside, { recursive: true });
    symlinkSync(outside, inside);
    await expect(async () => makeFile(join(inside, 'file'))).rejects.toThrow('ENOENT');
    expectUntouched();
  });

  test('a directory that is moved while it is in use is closed when nobody uses it', async () => {
    const before = readdirSync('/proc/self/fd').length;
    const patient = confinement.confined(patientCalls);
    for (let n = 0; n < 200; n++) {
      await calls.makeDirectory(join(inside, `a${n}/b`));
      const looks = [1, 2, 3].map(() => patient.look(join(inside, `a${n}/b/none`)));
      await patient.rename(join(inside, `a${n}`), join(inside, `c${n}`));
      await Promise.all(looks);
    }
    confinement.close();
    expect(readdirSync('/proc/self/fd').length).toBe(before);
  });
});
