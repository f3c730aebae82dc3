import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  closeSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { lastChangeOf } from './finished-signs.ts';
import { scanDirectory } from './scan.ts';
import { createSettling, type Settling } from './settled.ts';

let directory: string;
let settling: Settling;
const children: ChildProcess[] = [];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'trainyard-settled-'));
  settling = createSettling(directory);
});
afterEach(async () => {
  for (const child of children.splice(0)) await killed(child);
  rmSync(directory, { recursive: true });
});

const inside = (...parts: string[]) => join(directory, ...parts);

/** So long after anything in the directory last happened. */
async function after(ms: number): Promise<number> {
  return Math.max(...(await scanDirectory(directory)).map(lastChangeOf)) + ms;
}

async function looked(ms: number): Promise<{ ready: string[]; growing: string[] }> {
  const { ready, growing } = await settling.look(await after(ms));
  return { ready: ready.map(({ name }) => name), growing: growing.map(({ name }) => name) };
}

async function lastLooked(isOrderly = false): Promise<{ ready: string[]; unproven: string[] }> {
  const { ready, unproven } = await settling.lastLook({ isOrderly });
  return { ready: ready.map(({ name }) => name), unproven: unproven.map(({ name }) => name) };
}

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

/** A process that has written this much of a file and has it still open. */
async function writer(path: string, text: string): Promise<ChildProcess> {
  const code = `const fs = require('fs'); fs.writeSync(fs.openSync(process.argv[1], 'w'), process.argv[2]);
    process.stdout.write('written'); setInterval(() => {}, 1e9);`;
  const child = spawn(process.execPath, ['-e', code, path, text], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  await once(child.stdout as NodeJS.ReadableStream, 'data');
  return child;
}

/** As long ago as that, and sealed by it, as utimes changes only one of two times. */
function age(path: string, ms: number): void {
  const at = (Date.now() - ms) / 1000;
  utimesSync(path, at, at);
}

const JSON_TEXT = '{"step": 1, "weights": [1, 2, 3]}';

describe('a file', () => {
  test('that its format shows whole is finished a moment after it was closed, and not while somebody can write', async () => {
    const child = await writer(inside('step-1.json'), JSON_TEXT);
    expect(await looked(1)).toEqual({ ready: [], growing: ['step-1.json'] });
    expect(await looked(100_000)).toEqual({ ready: [], growing: ['step-1.json'] });
    await killed(child);
    expect(await looked(5)).toEqual({ ready: [], growing: ['step-1.json'] });
    expect(await looked(30)).toEqual({ ready: ['step-1.json'], growing: [] });
  });

  test('that says nothing about itself must be quiet for a while', async () => {
    writeFileSync(inside('step-1.raw'), 'all');
    expect(await looked(1500)).toEqual({ ready: [], growing: ['step-1.raw'] });
    expect(await looked(2100)).toEqual({ ready: ['step-1.raw'], growing: [] });
  });

  test('that grew again after it had been quiet makes its program wait longer from then on, but not for ever', async () => {
    writeFileSync(inside('step-1.raw'), 'half');
    await looked(0);
    expect((await looked(2100)).ready).toEqual(['step-1.raw']);
    appendFileSync(inside('step-1.raw'), ' and half');
    expect((await looked(5000)).growing).toEqual(['step-1.raw']);
    expect((await looked(19_000)).growing).toEqual(['step-1.raw']);
    expect((await looked(31_000)).ready).toEqual(['step-1.raw']);
    writeFileSync(inside('step-2.raw'), 'half');
    expect((await looked(19_000)).growing).toEqual(['step-2.raw']);
    appendFileSync(inside('step-2.raw'), ' and half');
    expect((await looked(30)).ready).toEqual(['step-2.raw', 'step-1.raw']);
  });

  test('that is a log grows all the time, which says nothing about checkpoints', async () => {
    writeFileSync(inside('train.log'), 'one');
    await looked(0);
    await looked(2100);
    appendFileSync(inside('train.log'), 'two');
    await looked(5000);
    writeFileSync(inside('step-1.raw'), 'all');
    expect((await looked(2100)).ready).toContain('step-1.raw');
  });

  test('that says nothing about itself, and whose writer is dead, may have been cut short: the kernel closes it then', async () => {
    const child = await writer(inside('step-1.raw'), 'half');
    await looked(1);
    await killed(child);
    expect(await looked(100_000)).toEqual({ ready: [], growing: ['step-1.raw'] });
    writeFileSync(inside('step-2.raw'), 'another');
    expect(await looked(100_000)).toEqual({ ready: ['step-2.raw'], growing: ['step-1.raw'] });
    // Each written by a program of its own, and all of one size.
    writeFileSync(inside('step-3.raw'), 'half');
    expect((await looked(100_000)).ready).toEqual(['step-3.raw', 'step-2.raw', 'step-1.raw']);
  });

  test('that was cut short and then written anew by somebody else is finished like any other', async () => {
    const child = await writer(inside('last.raw'), 'half');
    await looked(1);
    await killed(child);
    expect((await looked(100_000)).growing).toEqual(['last.raw']);
    writeFileSync(inside('last.raw'), 'all of it');
    expect((await looked(2100)).ready).toEqual(['last.raw']);
  });

  test('of the size of the one before it, or with a later one begun, need not wait', async () => {
    writeFileSync(inside('step-1.raw'), 'one');
    await looked(2100);
    writeFileSync(inside('step-2.raw'), 'two');
    expect((await looked(30)).ready).toEqual(['step-2.raw', 'step-1.raw']);
    writeFileSync(inside('step-3.raw'), 'longer');
    expect((await looked(30)).growing).toEqual(['step-3.raw']);
    await writer(inside('step-4.raw'), 'be');
    expect((await looked(30)).ready).toContain('step-3.raw');
  });

  test('is finished when it did not change between two looks, where clocks differ', async () => {
    writeFileSync(inside('step-1.json'), JSON_TEXT);
    expect(await looked(-60_000)).toEqual({ ready: [], growing: ['step-1.json'] });
    expect(await looked(-59_970)).toEqual({ ready: ['step-1.json'], growing: [] });
  });

  test('does not wait for a clock that was set back', async () => {
    writeFileSync(inside('step-1.json'), JSON_TEXT);
    expect((await looked(0)).ready).toEqual([]);
    expect((await looked(-3_600_000)).ready).toEqual([]);
    expect((await looked(-3_599_950)).ready).toEqual(['step-1.json']);
  });

  test('that was renamed into place is finished at once', async () => {
    writeFileSync(inside('step-1.txt.tmp'), 'all');
    await settling.look(0);
    renameSync(inside('step-1.txt.tmp'), inside('step-1.txt'));
    expect(await looked(0)).toEqual({ ready: ['step-1.txt'], growing: [] });
  });

  test('whose name was given after the last write is finished at once, and not when it is empty', async () => {
    for (const [name, text] of [
      ['full', 'all'],
      ['empty', ''],
    ] as const) {
      writeFileSync(inside(name), text);
      age(inside(name), 1000);
    }
    expect(await looked(0)).toEqual({ ready: ['full'], growing: ['empty'] });
  });

  test('in the place of another, with its number perhaps, is another one', async () => {
    writeFileSync(inside('a.tmp'), 'x');
    await settling.look(0);
    unlinkSync(inside('a.tmp'));
    writeFileSync(inside('b.txt'), 'half');
    expect(await looked(0)).toEqual({ ready: [], growing: ['b.txt'] });
  });

  test('that is written again is not finished again until it is', async () => {
    writeFileSync(inside('last.json'), JSON_TEXT);
    expect((await looked(30)).ready).toEqual(['last.json']);
    const fd = openSync(inside('last.json'), 'w');
    appendFileSync(fd, '{');
    expect(await looked(30)).toEqual({ ready: [], growing: ['last.json'] });
    closeSync(fd);
    expect(await looked(100_000)).toEqual({ ready: [], growing: ['last.json'] });
    appendFileSync(inside('last.json'), '}');
    expect((await looked(30)).ready).toEqual(['last.json']);
  });

  test('of which its format says that a piece is missing is not finished, however quiet it is', async () => {
    writeFileSync(inside('model.pt'), Buffer.from('PK\x03\x04 the disk was full here', 'latin1'));
    for (const ms of [30, 5000, 1e9]) expect((await looked(ms)).growing).toEqual(['model.pt']);
    expect(await lastLooked()).toEqual({ ready: [], unproven: ['model.pt'] });
  });

  test('without a family of files, in a directory that is not there, is nothing', async () => {
    rmSync(directory, { recursive: true });
    expect(await settling.look(1)).toEqual({ ready: [], growing: [] });
    expect(await lastLooked()).toEqual({ ready: [], unproven: [] });
    mkdirSync(directory);
  });
});

describe('a directory', () => {
  const shard = (step: number, name: string, text = JSON_TEXT) => {
    mkdirSync(inside(`step-${step}`), { recursive: true });
    writeFileSync(inside(`step-${step}`, name), text);
  };

  test('is finished when it has been quiet for two looks and two seconds', async () => {
    shard(1, 'a.json');
    expect((await looked(5000)).ready).toEqual([]);
    expect((await looked(1000)).ready).toEqual([]);
    expect((await looked(2100)).ready).toEqual(['step-1']);
    shard(1, 'b.json');
    expect((await looked(2100)).ready).toEqual([]);
    expect((await looked(2200)).ready).toEqual(['step-1']);
  });

  test('is not finished while somebody writes to a file in it', async () => {
    shard(1, 'a.json');
    await writer(inside('step-1', 'b.txt'), 'half');
    for (const ms of [0, 3000, 60_000]) expect((await looked(ms)).growing).toEqual(['step-1']);
  });

  test.each(['commit_success.txt', 'COMPLETE', '.complete', '_SUCCESS', 'DONE', '_CHECKPOINT_METADATA'])(
    'is finished when %s is in it',
    async (marker) => {
      shard(1, 'a.json');
      expect((await looked(0)).ready).toEqual([]);
      shard(1, marker, '');
      expect((await looked(0)).ready).toEqual(['step-1']);
    },
  );

  test('is not finished by a marker that is older than what is in it', async () => {
    shard(1, 'DONE', '');
    age(inside('step-1', 'DONE'), 5000);
    shard(1, 'a.json');
    expect((await looked(0)).ready).toEqual([]);
  });

  test('is finished when it got its name last', async () => {
    mkdirSync(inside('tmp-step-1'));
    writeFileSync(inside('tmp-step-1', 'a.json'), JSON_TEXT);
    await settling.look(0);
    renameSync(inside('tmp-step-1'), inside('step-1'));
    expect((await looked(0)).ready).toEqual(['step-1']);
    shard(1, 'b.json');
    expect((await looked(0)).ready).toEqual([]);
  });

  test('is finished when it was sealed after all that is in it', async () => {
    mkdirSync(inside('step-1', 'sub'), { recursive: true });
    writeFileSync(inside('step-1', 'sub', 'a.json'), JSON_TEXT);
    for (const path of [inside('step-1', 'sub', 'a.json'), inside('step-1', 'sub'), inside('step-1')])
      age(path, 1000);
    expect((await looked(0)).ready).toEqual(['step-1']);
    writeFileSync(inside('step-1', 'sub', 'b.json'), JSON_TEXT);
    age(inside('step-1', 'sub', 'b.json'), -1000);
    expect((await looked(0)).ready).toEqual([]);
  });

  test('is finished when a pointer names it', async () => {
    shard(100, 'a.json');
    expect((await looked(0)).ready).toEqual([]);
    writeFileSync(inside('latest'), 'step-100\n');
    expect((await looked(0)).ready).toEqual(['step-100']);
    shard(200, 'a.json');
    expect((await looked(0)).ready).not.toContain('step-200');
    writeFileSync(inside('latest_checkpointed_iteration.txt'), '200');
    expect((await looked(0)).ready).toContain('step-200');
    mkdirSync(inside('other'));
    writeFileSync(inside('other', 'a.json'), JSON_TEXT);
    symlinkSync('other', inside('last'));
    expect((await looked(0)).ready).toContain('other');
  });

  test('is not finished by a pointer that is older than what is in it', async () => {
    shard(100, 'a.json');
    writeFileSync(inside('latest'), 'step-100');
    age(inside('latest'), 5000);
    expect((await looked(0)).growing).toEqual(['step-100']);
  });

  test('is finished when a later one has been begun', async () => {
    shard(1, 'a.json');
    expect((await looked(0)).ready).toEqual([]);
    shard(2, 'a.json');
    age(inside('step-2', 'a.json'), -1000);
    expect(await looked(0)).toEqual({ ready: ['step-1'], growing: ['step-2'] });
  });

  test('is waited for longer while it lacks what the one before it had', async () => {
    shard(1, 'model.json');
    shard(1, 'rank-0.json');
    shard(1, 'rank-1.json');
    shard(1, 'DONE', '');
    expect((await looked(0)).ready).toEqual(['step-1']);
    shard(2, 'model.json');
    shard(2, 'rank-0.json');
    shard(2, 'done-not', '');
    await looked(3000);
    expect((await looked(50_000)).growing).toEqual(['step-2']);
    expect((await looked(61_000)).growing).toEqual([]);
  });

  test('is waited for longer while temporary files are in it', async () => {
    shard(1, 'a.json');
    shard(1, 'b.json.tmp', '{');
    await looked(3000);
    expect((await looked(4000)).growing).toEqual(['step-1']);
    renameSync(inside('step-1', 'b.json.tmp'), inside('step-1', 'b.json'));
    writeFileSync(inside('step-1', 'b.json'), '{}');
    await looked(3000);
    expect((await looked(4000)).ready).toEqual(['step-1']);
  });

  test('with a broken file in it is not finished by being quiet', async () => {
    shard(1, 'a.json', '{"half":');
    await looked(3000);
    expect((await looked(9000)).growing).toEqual(['step-1']);
  });

  test('that cannot be looked at to its end is never finished', async () => {
    mkdirSync(inside(...Array.from({ length: 40 }, () => 'deep')), { recursive: true });
    await looked(3000);
    expect((await looked(1e9)).growing).toEqual(['deep']);
    expect(await lastLooked(true)).toEqual({ ready: [], unproven: ['deep'] });
  });
});

describe('files of TensorFlow', () => {
  test('are finished together, when the index and all shards are there', async () => {
    writeFileSync(inside('model.ckpt-1.data-00000-of-00002'), 'data');
    writeFileSync(inside('model.ckpt-1.index'), 'index');
    expect((await looked(9000)).growing).toEqual(['model.ckpt-1']);
    const shard = await writer(inside('model.ckpt-1.data-00001-of-00002'), 'data');
    expect((await looked(9000)).growing).toEqual(['model.ckpt-1']);
    await killed(shard);
    expect((await looked(30)).ready).toEqual(['model.ckpt-1']);
  });

  test('are finished when the pointer names them', async () => {
    writeFileSync(inside('model.ckpt-1.data-00000-of-00001'), 'data');
    writeFileSync(inside('model.ckpt-1.index'), 'index');
    expect((await looked(0)).growing).toEqual(['model.ckpt-1']);
    writeFileSync(inside('checkpoint'), 'model_checkpoint_path: "model.ckpt-1"\n');
    expect((await looked(0)).ready).toContain('model.ckpt-1');
  });
});

describe('when all that wrote is dead', () => {
  test('after an orderly end everything is finished', async () => {
    writeFileSync(inside('a.txt'), 'x');
    writeFileSync(inside('b.pt'), 'PK\x03\x04');
    mkdirSync(inside('5'));
    expect(await lastLooked(true)).toMatchObject({ unproven: [] });
    expect((await lastLooked(true)).ready.sort()).toEqual(['5', 'a.txt', 'b.pt']);
  });

  test('a file that was cut short is unproven, and one that its format proves is not', async () => {
    const half = await writer(inside('step-1.json'), JSON_TEXT.slice(0, 20));
    const whole = await writer(inside('step-2.json'), JSON_TEXT);
    const nobodyKnows = await writer(inside('notes.txt'), 'a few words');
    await looked(100);
    for (const child of [half, whole, nobodyKnows]) await killed(child);
    const found = { ready: ['step-2.json'], unproven: ['notes.txt', 'step-1.json'] };
    const sorted = async () => {
      const { ready, unproven } = await lastLooked();
      return { ready, unproven: unproven.sort() };
    };
    expect(await sorted()).toEqual(found);
    expect(await sorted()).toEqual(found);
  });

  test('one that was quiet is finished, and so is one as long as the one before it', async () => {
    writeFileSync(inside('step-1.raw'), '1'.repeat(100));
    await looked(2100);
    writeFileSync(inside('notes.txt'), 'closed, a moment ago');
    await looked(30);
    await killed(await writer(inside('step-2.raw'), '2'.repeat(100)));
    await killed(await writer(inside('step-3.raw'), '3'.repeat(99)));
    const { ready, unproven } = await lastLooked();
    expect(ready.sort()).toEqual(['step-1.raw', 'step-2.raw']);
    expect(unproven.sort()).toEqual(['notes.txt', 'step-3.raw']);
  });

  test('one that was renamed into place is finished', async () => {
    writeFileSync(inside('notes.tmp'), 'all');
    await settling.look(0);
    renameSync(inside('notes.tmp'), inside('notes.txt'));
    expect(await lastLooked()).toEqual({ ready: ['notes.txt'], unproven: [] });
    expect(await lastLooked()).toEqual({ ready: ['notes.txt'], unproven: [] });
  });

  test('a directory of whole files may lack one, unless it has what the one before it had', async () => {
    const save = (step: number, ...names: string[]) => {
      mkdirSync(inside(`step-${step}`));
      for (const name of names) writeFileSync(inside(`step-${step}`, name), JSON_TEXT);
    };
    save(1, 'model.json', 'optimizer.json');
    expect(await lastLooked()).toEqual({ ready: [], unproven: ['step-1'] });
    await looked(3000);
    expect((await looked(4000)).ready).toEqual(['step-1']);
    save(2, 'model.json');
    expect(await lastLooked()).toEqual({ ready: ['step-1'], unproven: ['step-2'] });
    writeFileSync(inside('step-2', 'optimizer.json'), '{');
    expect((await lastLooked()).unproven).toEqual(['step-2']);
    writeFileSync(inside('step-2', 'optimizer.json'), JSON_TEXT);
    expect((await lastLooked()).ready).toEqual(['step-2', 'step-1']);
  });

  test('a directory with a marker is finished, and one with temporary files is not', async () => {
    for (const name of ['a', 'b']) mkdirSync(inside(name));
    writeFileSync(inside('a', 'x.txt'), 'x');
    writeFileSync(inside('a', 'DONE'), '');
    writeFileSync(inside('b', 'x.json'), '{}');
    writeFileSync(inside('b', 'y.json.tmp'), '{');
    symlinkSync('b', inside('last'));
    expect(await lastLooked()).toEqual({ ready: ['last', 'a'], unproven: ['b'] });
  });

  test('files of another user and without permission do no harm', async () => {
    writeFileSync(inside('secret.json'), JSON_TEXT);
    chmodSync(inside('secret.json'), 0);
    const isReadable = process.getuid?.() === 0;
    await looked(0);
    expect((await lastLooked()).ready).toEqual(isReadable ? ['secret.json'] : []);
    expect(lstatSync(inside('secret.json')).mode & 0o777).toBe(0);
  });
});
