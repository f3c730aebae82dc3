import {
  chmodSync,
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
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Furnishings } from '../model/voice.ts';
import { NO_MEMORY, privateDirectory } from '../platform/private-directory.ts';
import { createFurnisher } from './furnishings.ts';
import { openYardFiles, type YardFiles } from './yard-files.ts';

let base: string;
let files: YardFiles;
let logged: string[];
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'yard-furnish-'));
  files = openYardFiles(join(base, 'yard'), '', join(import.meta.dirname, '../../libexec/shim.sh'), 0);
  logged = [];
});
afterEach(() => rmSync(base, { recursive: true }));

const open = () => {
  const log = (line: string) => logged.push(line);
  const temporary = privateDirectory({ parent: base, name: 'tmp', memory: NO_MEMORY, log });
  return createFurnisher(files, temporary, log);
};
const at = (...names: string[]) => join(base, ...names);
const wish = (name: string, changes: Partial<Furnishings> = {}): Furnishings => ({
  directories: [at('tmp', name)],
  files: [],
  keptFiles: [],
  ...changes,
});
const notes = () => readdirSync(files.furnishings);

test('directories and files are made, and removed with all that has come into them', async () => {
  const furnisher = open();
  const host = at('tmp', '1.1', 'host');
  furnisher.furnish('1.1', wish('1.1', { files: [{ path: host, text: 'box 4\n' }] }), 0o022);
  expect(statSync(at('tmp', '1.1')).mode & 0o777).toBe(0o700);
  expect(readFileSync(host, 'utf8')).toBe('box 4\n');
  mkdirSync(at('tmp', '1.1', 'deep', 'er'), { recursive: true });
  writeFileSync(at('tmp', '1.1', 'deep', 'er', 'file'), '');
  chmodSync(at('tmp', '1.1', 'deep'), 0o500);
  await furnisher.clear('1.1');
  expect(readdirSync(at('tmp'))).toEqual([]);
  expect(notes()).toEqual([]);
  await furnisher.clear('1.1');
});

test('once more does no harm to what a run has there', () => {
  open().furnish('1.1', wish('1.1', { files: [{ path: at('tmp/1.1/host'), text: 'box' }] }), 0);
  writeFileSync(at('tmp/1.1/work'), 'mine');
  const before = statSync(at('tmp/1.1/host')).mtimeMs;
  open().furnish('1.1', wish('1.1', { files: [{ path: at('tmp/1.1/host'), text: 'box' }] }), 0);
  expect(readFileSync(at('tmp/1.1/work'), 'utf8')).toBe('mine');
  expect(statSync(at('tmp/1.1/host')).mtimeMs).toBe(before);
});

test('who finds the attempt over removes what another had made', async () => {
  open().furnish('1.1', wish('a'), 0);
  await open().clear('1.1');
  expect(existsSync(at('tmp/a'))).toBe(false);
  await open().clear('2.1');
});

test('what belongs to nobody any more is swept; what belongs to somebody stays', async () => {
  const first = open();
  first.furnish('1.1', wish('a'), 0);
  first.furnish('2.1', wish('b'), 0);
  mkdirSync(at('tmp/stranger'));
  writeFileSync(join(files.furnishings, '3.1'), '["/cut of');
  writeFileSync(join(files.furnishings, '4.1.99.draft'), '');
  await open().sweep((attempt) => attempt === '2.1');
  expect(readdirSync(at('tmp')).sort()).toEqual(['b', 'stranger']);
  expect(notes()).toEqual(['2.1']);
  expect(logged).toEqual([]);
});

test('a later run has a fresh directory of the same name, and keeps it when the earlier one is cleared', async () => {
  const furnisher = open();
  furnisher.furnish('1.1', wish('a'), 0);
  writeFileSync(at('tmp/a/old'), '');
  furnisher.furnish('1.2', wish('a'), 0);
  expect(readdirSync(at('tmp/a'))).toEqual([]);
  await furnisher.clear('1.1');
  expect(existsSync(at('tmp/a'))).toBe(true);
  await furnisher.clear('1.2');
  expect(existsSync(at('tmp/a'))).toBe(false);
});

test('a link in its place is not followed, neither then nor when all is removed', async () => {
  mkdirSync(at('elsewhere'));
  mkdirSync(at('tmp'), 0o700);
  writeFileSync(at('elsewhere/precious'), '');
  symlinkSync(at('elsewhere'), at('tmp/a'));
  const furnisher = open();
  expect(() => furnisher.furnish('1.1', wish('a'), 0)).toThrow(
    /cannot make .*tmp\/a: a part of the path is not a directory/,
  );
  furnisher.furnish('2.1', wish('b'), 0);
  symlinkSync(at('elsewhere'), at('tmp/b/link'));
  await furnisher.clear('2.1');
  furnisher.furnish('3.1', wish('c'), 0);
  rmSync(at('tmp/c'), { recursive: true });
  symlinkSync(at('elsewhere'), at('tmp/c'));
  await furnisher.clear('3.1');
  expect(readdirSync(at('elsewhere'))).toEqual(['precious']);
  rmSync(at('tmp'), { recursive: true });
  symlinkSync(at('elsewhere'), at('tmp'));
  expect(() => furnisher.furnish('4.1', wish('d'), 0)).toThrow(
    /cannot make .*tmp\/d: a part of the path is not a directory/,
  );
  expect(readdirSync(at('elsewhere'))).toEqual(['precious']);
});

test("files for the submitter are made with the submitter's umask, and left as they are", async () => {
  const furnisher = open();
  const kept = { directories: [], keptFiles: [at('job.po1')] };
  furnisher.furnish('1.1', wish('a', kept), 0o027);
  expect(statSync(at('job.po1')).mode & 0o777).toBe(0o640);
  writeFileSync(at('job.po1'), 'said');
  furnisher.furnish('1.1', wish('a', kept), 0o027);
  await furnisher.clear('1.1');
  expect(readFileSync(at('job.po1'), 'utf8')).toBe('said');
  expect(notes()).toEqual([]);
});

test('one that cannot be made is a fault of the attempt', () => {
  const fault = (path: string) => () => open().furnish('1.1', wish('a', { keptFiles: [path] }), 0);
  expect(fault(at('gone/x'))).toThrow(
    `cannot open its output file ${at('gone/x')}: no such file or directory`,
  );
  expect(fault(base)).toThrow(`cannot open its output file ${base}: it is a directory`);
});

test('the place for all of it goes when nobody has anything there, and not before', async () => {
  const furnisher = open();
  furnisher.furnish('1.1', wish('rooms/a'), 0);
  await furnisher.leave();
  await open().leave();
  expect(existsSync(at('tmp/rooms/a'))).toBe(true);
  await furnisher.clear('1.1');
  expect(existsSync(at('tmp/rooms'))).toBe(true);
  writeFileSync(at('tmp/left'), '');
  await furnisher.leave();
  expect(readdirSync(at('tmp'))).toEqual(['left']);
  rmSync(at('tmp/left'));
  await furnisher.leave();
  await furnisher.leave();
  expect(existsSync(at('tmp'))).toBe(false);
});

test('a note that names something else is not acted on, and that is said', async () => {
  mkdirSync(at('precious/a'), { recursive: true });
  const named = [at('precious/a'), `${at('tmp')}/../precious`, at('tmp'), '/'];
  writeFileSync(join(files.furnishings, '1.1'), JSON.stringify(named));
  writeFileSync(join(files.furnishings, '2.1'), '{"length": 1}');
  writeFileSync(join(files.furnishings, '3.1'), '[7, null]');
  await open().sweep(() => false);
  expect(existsSync(at('precious/a'))).toBe(true);
  expect(notes()).toEqual([]);
  expect(logged).toEqual(
    named.map((path) => `${path} is in no temporary directory of this yard: it is left alone`),
  );
  const outside = { directories: [at('precious/b')], files: [], keptFiles: [] };
  expect(() => open().furnish('4.1', outside, 0)).toThrow(
    `cannot make ${at('precious/b')}: it is in no temporary directory of this yard`,
  );
});
