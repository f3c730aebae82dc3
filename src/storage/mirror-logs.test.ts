import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { textFromBytes } from '../model/bytes.ts';
import { createLogsMirror, type MirrorOptions } from './mirror-logs.ts';

let directory: string;
let from: string;
let to: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'mirror-logs-'));
  from = join(directory, 'from');
  to = join(directory, 'lasting', 'to');
  mkdirSync(from);
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

function mirror(options: Partial<MirrorOptions> = {}) {
  return createLogsMirror({
    logs: { from, to },
    umask: 0o022,
    attempt: '17.1',
    yardId: 'cafe',
    now: () => Date.now(),
    inTurn: (work) => work(),
    isOver: () => false,
    ...options,
  });
}

function write(path: string, content: string | Buffer): void {
  mkdirSync(join(from, path, '..'), { recursive: true });
  writeFileSync(join(from, path), content);
}

const kept = (path: string) => readFileSync(join(to, path), 'utf8');

describe('logs', () => {
  test('are copied as they are, links as links, with their times and permissions', async () => {
    write('train.log', 'one\n');
    write('run/events.out', 'x');
    mkdirSync(join(from, 'empty'));
    symlinkSync('../outside', join(from, 'run', 'link'));
    chmodSync(join(from, 'run', 'events.out'), 0o640);
    utimesSync(join(from, 'train.log'), 1000, 2000);
    expect(await mirror().copy()).toBe(null);
    expect(kept('train.log')).toBe('one\n');
    expect(statSync(join(to, 'train.log')).mtimeMs).toBe(2_000_000);
    expect(statSync(join(to, 'run/events.out')).mode & 0o777).toBe(0o640);
    expect(readlinkSync(join(to, 'run/link'))).toBe('../outside');
    expect(readdirSync(join(to, 'empty'))).toEqual([]);
  });

  test('that have grown are copied again, and others are not touched', async () => {
    write('train.log', 'one\n');
    write('old.log', 'old');
    utimesSync(join(from, 'old.log'), 1000, 2000);
    const logs = mirror();
    await logs.copy();
    const before = lstatSync(join(to, 'old.log')).ino;
    writeFileSync(join(to, 'somebody-elses'), 'mine');
    appendFileSync(join(from, 'train.log'), 'two\n');
    expect(await logs.copy()).toBe(null);
    expect(kept('train.log')).toBe('one\ntwo\n');
    expect(lstatSync(join(to, 'old.log')).ino).toBe(before);
    expect(kept('somebody-elses')).toBe('mine');
  });

  test('of the same size that were written twice at once are copied again', async () => {
    write('status', 'a');
    const logs = mirror();
    await logs.copy();
    const { mtimeMs, atimeMs } = statSync(join(from, 'status'));
    writeFileSync(join(from, 'status'), 'b');
    utimesSync(join(from, 'status'), atimeMs / 1000, mtimeMs / 1000);
    await logs.copy();
    expect(kept('status')).toBe('b');
  });

  test('that are removed by their program stay where they last', async () => {
    write('a.log', 'a');
    const logs = mirror();
    await logs.copy();
    rmSync(join(from, 'a.log'));
    expect(await logs.copy()).toBe(null);
    expect(kept('a.log')).toBe('a');
  });

  test('of an earlier run under the same name are put beside those of this one', async () => {
    write('train.log', 'the first run\n');
    await mirror().copy();
    write('train.log', 'the second\n');
    const second = mirror({ attempt: '17.2' });
    await second.copy();
    appendFileSync(join(from, 'train.log'), 'goes on\n');
    await second.copy();
    expect(kept('train.log')).toBe('the second\ngoes on\n');
    expect(kept('train.log.before-17.2')).toBe('the first run\n');
    expect(readdirSync(to).length).toBe(2);
  });

  test('that an earlier keeper had begun to copy are only made longer', async () => {
    write('train.log', 'one\n');
    await mirror().copy();
    appendFileSync(join(from, 'train.log'), 'two\n');
    await mirror().copy();
    expect(readdirSync(to)).toEqual(['train.log']);
    expect(kept('train.log')).toBe('one\ntwo\n');
  });

  test('whose copy was cut off leave no draft', async () => {
    write('a/train.log', 'x'.repeat(3 << 20));
    let asked = 0;
    await mirror({ isOver: () => ++asked > 3 }).copy();
    expect(existsSync(join(to, 'a/train.log'))).toBe(false);
    expect(readdirSync(join(to, 'a'))).toEqual([]);
    // As it is after a kill.
    writeFileSync(join(to, 'a/.trainyard-cafe-17.1.draft'), 'half');
    await mirror().copy();
    expect(readdirSync(join(to, 'a'))).toEqual(['train.log']);
  });

  test('with names that are not UTF-8 keep them', async () => {
    const name = Buffer.from([0x61, 0xff, 0x0a, 0x62]);
    writeFileSync(Buffer.concat([Buffer.from(`${from}/`), name]), 'odd');
    await mirror().copy();
    expect(readdirSync(to, { encoding: 'buffer' }).map(textFromBytes)).toEqual([textFromBytes(name)]);
  });

  test('are not written through a link that leads out of where they last', async () => {
    write('sub/x.log', 'x');
    write('y.log', 'y');
    const elsewhere = join(directory, 'elsewhere');
    mkdirSync(elsewhere);
    writeFileSync(join(elsewhere, 'y.log'), 'theirs');
    mkdirSync(to, { recursive: true });
    symlinkSync(elsewhere, join(to, 'sub'));
    symlinkSync(join(elsewhere, 'y.log'), join(to, 'y.log'));
    expect(await mirror().copy()).toBe(
      `cannot copy the logs in ${from}/sub: ${join(to, 'sub')} is no directory`,
    );
    expect(readdirSync(elsewhere)).toEqual(['y.log']);
    expect(readFileSync(join(elsewhere, 'y.log'), 'utf8')).toBe('theirs');
    expect(kept('y.log')).toBe('y');
  });

  test('that last inside the directory they come from are not copied into themselves', async () => {
    write('a.log', 'a');
    const inside = join(from, 'kept');
    const logs = mirror({ logs: { from, to: inside } });
    await logs.copy();
    await logs.copy();
    expect(readdirSync(inside)).toEqual(['a.log']);
    expect(await mirror({ logs: { from, to: from } }).copy()).toBe(null);
  });

  test('may not be there, and may be pipes', async () => {
    rmSync(from, { recursive: true });
    expect(await mirror().copy()).toBe(null);
    expect(existsSync(to)).toBe(false);
    mkdirSync(from);
    execFileSync('mkfifo', [join(from, 'pipe')]);
    expect(await mirror().copy()).toBe(null);
    expect(readdirSync(to)).toEqual([]);
  });

  test('that cannot be written where they should last say so', async () => {
    write('a.log', 'a');
    writeFileSync(join(directory, 'lasting'), 'a file');
    expect(await mirror().copy()).toBe(
      `cannot copy the logs in ${from} to ${to}: a part of the path is not a directory`,
    );
  });
});
