/**
 * Manifests that somebody else has written: every field of a real one is replaced, one or a few at a time, by what an
 * attacker or a broken disk would put there. Whatever it says, nothing outside the repository is read, written or
 * removed, nothing of others in it is lost, and whoever asks gets an answer or a sentence. A seed reproduces a failure.
 */

import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Fault } from '../../src/model/refusal.ts';
import { scanDirectory } from '../../src/storage/scan.ts';
import { openShelf, type Shelf } from '../../src/storage/shelf.ts';

let root: string;
let shelfDirectory: string;
let local: string;
beforeEach(() => {
  root = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'trainyard-hostile-'));
  [shelfDirectory, local] = [join(root, 'shelf'), join(root, 'local')];
});
afterEach(() => rmSync(root, { recursive: true }));

const FEW_FIELDS = 3;
const MANIFESTS = 400;

function open(): Promise<Shelf> {
  const owner = { yardId: 'yard', job: 1 };
  let clock = 1_800_000_000_000;
  return openShelf({ directory: shelfDirectory, owner, keepCount: 2, keepForMs: null, now: () => ++clock });
}

function write(path: string, text: string): void {
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text);
}

async function putAll(shelf: Shelf): Promise<void> {
  for (const unit of await scanDirectory(local)) await shelf.put(unit, local, '1.1');
}

/** One of each kind, with versions before them, something set apart and a change that was announced. */
async function realManifest(): Promise<{ record: unknown; next: unknown }> {
  write(join(local, 'a/deep/weights'), 'one');
  write(join(local, 'last.pt'), 'one');
  write(join(local, 'model.ckpt-1.index'), 'index');
  write(join(local, 'model.ckpt-1.data-00000-of-00001'), 'data');
  symlinkSync('last.pt', join(local, 'latest'));
  const shelf = await open();
  await putAll(shelf);
  write(join(local, 'a/deep/weights'), 'two');
  write(join(local, 'last.pt'), 'two!');
  await putAll(shelf);
  for (const step of [1, 2, 3]) write(join(local, `step_${step}.pt`), `${step}`);
  await putAll(shelf);
  const unit = (await scanDirectory(local)).find(({ name }) => name === 'last.pt');
  if (unit !== undefined) await shelf.putUnproven({ ...unit, name: 'last.pt' }, local, '1.1');
  await shelf.close();
  const record = JSON.parse(readFileSync(join(shelfDirectory, '.trainyard/manifest.json'), 'utf8'));
  const [entry] = record.kept;
  record.leaving = [
    { ...entry, name: 'gone', files: [], directories: [{ ...entry.directories?.[0], path: 'gone' }] },
  ];
  const settling = {
    what: 'put',
    id: entry.id,
    name: entry.name,
    tops: [entry.name],
    exchangedInos: { [entry.name]: 5 },
    before: [{ top: entry.name, aside: null }],
    keepsPrevious: true,
  };
  return { record, next: { ...record, settling } };
}

/** A small generator of numbers: the same seed, the same run. */
function numbersFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function nastyValues(): readonly unknown[] {
  const up = '../'.repeat(12);
  return [
    '..',
    '.',
    '',
    '/',
    '.trainyard',
    '.trainyard/manifest.json',
    '.trainyard/damaged/..',
    '.trainyard/unproven/../../..',
    'mine.txt',
    'theirs',
    'link',
    'link/precious',
    'a/../../outside/precious',
    '../outside',
    '../outside/precious',
    `${up}${root.slice(1)}/outside`,
    join(root, 'outside'),
    join(root, 'outside/precious'),
    'with\0nul',
    'with\nnewline',
    '\u001b[2J',
    'x'.repeat(300),
    'x/'.repeat(3000),
    '__proto__',
    'constructor',
    null,
    true,
    -1,
    1.5,
    1e308,
    Number.MAX_SAFE_INTEGER,
    [],
    {},
    [['..']],
    { path: '../outside/precious' },
    JSON.parse('['.repeat(500) + ']'.repeat(500)),
  ];
}

interface Spot {
  readonly holder: Record<string, unknown>;
  readonly key: string;
}

function spotsOf(value: unknown): Spot[] {
  if (typeof value !== 'object' || value === null) return [];
  const holder = value as Record<string, unknown>;
  return Object.keys(holder).flatMap((key) => [{ holder, key }, ...spotsOf(holder[key])]);
}

function spoiled(real: unknown, random: () => number): string {
  const copy: unknown = structuredClone(real);
  const nasty = nastyValues();
  for (let n = 1 + Math.floor(random() * FEW_FIELDS); n > 0; n--) {
    const spots = spotsOf(copy);
    const { holder, key } = spots[Math.floor(random() * spots.length)] as Spot;
    const how = random();
    const value = nasty[Math.floor(random() * nasty.length)];
    if (how < 0.75) holder[key] = value;
    else if (how < 0.85) delete holder[key];
    else if (how < 0.95) holder[`more${n}`] = value;
    else if (Array.isArray(holder)) holder.push(structuredClone(holder[0]));
  }
  return JSON.stringify(copy);
}

/** Every name below a directory with what it is and holds. */
function picture(directory: string, inside = ''): string[] {
  return readdirSync(join(directory, inside)).flatMap((name) => {
    const path = join(inside, name);
    const found = lstatSync(join(directory, path));
    if (found.isDirectory()) return [`${path}/ ${found.mode}`, ...picture(directory, path)];
    const holds = found.isSymbolicLink()
      ? readlinkSync(join(directory, path))
      : readFileSync(join(directory, path), 'utf8');
    return [`${path} ${found.mode} ${found.mtimeMs} ${holds}`];
  });
}

function countIn(directory: string): number {
  return existsSync(directory) ? readdirSync(directory).length : 0;
}

async function answered(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    expect(error.message).not.toContain('\n');
  }
}

async function useAll(): Promise<void> {
  const shelf = await open();
  try {
    shelf.entries();
    await answered(() => shelf.restoreNewest(join(root, 'back')));
    await answered(() => shelf.restore('last.pt', join(root, 'back')));
    await answered(() => shelf.verify());
    await answered(() => putAll(shelf));
    await answered(() => shelf.prune(1, null));
  } finally {
    await shelf.close();
  }
}

test('whatever a manifest says, nothing outside is touched and somebody answers', {
  timeout: 120_000,
}, async () => {
  write(join(root, 'outside/precious'), 'precious');
  write(join(root, 'outside/drafts/theirs'), 'theirs');
  const real = await realManifest();
  write(join(shelfDirectory, 'mine.txt'), 'mine');
  write(join(shelfDirectory, 'theirs/file'), 'theirs');
  symlinkSync(join(root, 'outside'), join(shelfDirectory, 'link'));
  const before = picture(join(root, 'outside'));
  const hidden = join(shelfDirectory, '.trainyard');
  let refused = 0;
  for (let seed = 1; seed <= MANIFESTS; seed++) {
    const random = numbersFrom(seed);
    const isNext = random() < 0.4;
    const text = spoiled(isNext ? real.next : real.record, random);
    writeFileSync(join(hidden, isNext ? 'manifest.next.json' : 'manifest.json'), text);
    const asideBefore = countIn(join(hidden, 'damaged'));
    const about = `seed ${seed}: ${text.slice(0, 2000)}`;
    await answered(useAll).catch((error: unknown) => {
      throw new Error(about, { cause: error });
    });
    if (countIn(join(hidden, 'damaged')) > asideBefore) refused++;
    expect(picture(join(root, 'outside')), about).toEqual(before);
    expect(picture(join(root, 'shelf/theirs')), about).toHaveLength(1);
    expect(readFileSync(join(shelfDirectory, 'mine.txt'), 'utf8'), about).toBe('mine');
    expect(readlinkSync(join(shelfDirectory, 'link')), about).toBe(join(root, 'outside'));
    rmSync(join(root, 'back'), { recursive: true, force: true });
  }
  expect(refused).toBeGreaterThan(MANIFESTS / 4);
});

test.each([
  ['a link to another one', (path: string) => symlinkSync(join(root, 'outside/manifest.json'), path)],
  ['a directory', (path: string) => mkdirSync(path)],
  ['nested too deeply', (path: string) => writeFileSync(path, '['.repeat(200_000))],
  ['not text', (path: string) => writeFileSync(path, Buffer.alloc(5000, 0xff))],
])('a manifest that is %s is set aside, and said', async (_what, make) => {
  const { record } = await realManifest();
  write(join(root, 'outside/manifest.json'), JSON.stringify(record));
  const path = join(shelfDirectory, '.trainyard/manifest.json');
  rmSync(path);
  make(path);
  const shelf = await open();
  expect(shelf.remarks).toEqual([expect.stringContaining('could not be read and was set aside')]);
  expect(shelf.entries()).toEqual([]);
  await shelf.close();
});
