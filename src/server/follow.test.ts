import {
  appendFileSync,
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
import { type FakeYard, fakeYard } from '../../test/api/fake-yard.ts';
import { readGrowing, untilEvent, untilJobsChange } from './follow.ts';

const never = new AbortController().signal;

/** True when it resolved before everything that is due now was done. */
async function isOver(promise: Promise<unknown>): Promise<boolean> {
  const later = Symbol('later');
  const turn = new Promise((resolve) => setImmediate(() => resolve(later)));
  return (await Promise.race([promise, turn])) !== later;
}

describe('jobs and events', () => {
  let yard: FakeYard;
  beforeEach(() => {
    yard = fakeYard();
    yard.record({ type: 'jobPending', job: 1 }, { type: 'jobPending', job: 2 });
  });
  afterEach(() => {
    if (yard.listenerCount() > 0) throw new Error('a listener was left behind');
  });

  test('wakes for the job that is waited for, and no other', async () => {
    const waiting = untilJobsChange(yard, [1, 3], yard.lastSeq(), null, never);
    yard.record({ type: 'jobPending', job: 2 });
    expect(await isOver(waiting)).toBe(false);
    yard.record({ type: 'jobPending', job: 3 });
    await waiting;
  });

  test('a change between the last look and the wait is not missed', async () => {
    const looked = yard.lastSeq();
    yard.record({ type: 'jobPending', job: 2 });
    yard.record({ type: 'jobPending', job: 1 });
    expect(await isOver(untilJobsChange(yard, [1], looked, null, never))).toBe(true);
  });

  test('old changes do not wake', async () => {
    const stop = new AbortController();
    const waiting = untilJobsChange(yard, [1], yard.lastSeq(), null, stop.signal);
    expect(await isOver(waiting)).toBe(false);
    stop.abort();
    await waiting;
  });

  test('an array wakes when an element of it gets a record', async () => {
    const waiting = untilJobsChange(yard, [1], yard.lastSeq(), null, never);
    yard.record({ type: 'elementSplit', job: 9, array: 1, index: 0 });
    expect(await isOver(waiting)).toBe(true);
  });

  test('ends after its time', async () => {
    const waiting = untilJobsChange(yard, [1], yard.lastSeq(), 5, never);
    expect(yard.listenerCount()).toBe(1);
    await waiting;
  });

  test('a time longer than a timer can count is not over at once', async () => {
    const stop = new AbortController();
    const waiting = untilJobsChange(yard, [1], yard.lastSeq(), 1e12, stop.signal);
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await isOver(waiting)).toBe(false);
    stop.abort();
    await waiting;
  });

  test('an event that is there already, one that comes, and none at all', async () => {
    await untilEvent(yard, 1, never);
    const waiting = untilEvent(yard, 2, never);
    expect(await isOver(waiting)).toBe(false);
    yard.record({ type: 'jobPending', job: 7 });
    await waiting;
    await untilEvent(yard, 99, AbortSignal.abort());
  });

  test('an error while looking back leaves nothing behind', async () => {
    const broken = {
      ...yard,
      lastSeq: () => 99,
      query: () => {
        throw new Error('no disk');
      },
    };
    await expect(untilJobsChange(broken, [1], 0, 60_000, never)).rejects.toThrow('no disk');
  });
});

describe('files', () => {
  let directory: string;
  let path: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'yard-follow-'));
    path = join(directory, 'log');
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  const read = async (offset: number, timeoutMs: number, signal = never, maxBytes = 1000) => {
    const slice = await readGrowing({ path, offset, maxBytes, timeoutMs, signal });
    return slice === null ? null : Buffer.from(slice.bytes).toString();
  };

  test('what is there comes at once, bounded', async () => {
    writeFileSync(path, 'hello');
    expect(await read(1, 60_000)).toBe('ello');
    expect(await read(1, 60_000, never, 2)).toBe('el');
  });

  test('waits for growth', async () => {
    writeFileSync(path, 'hello');
    const reading = read(5, 60_000);
    setTimeout(() => appendFileSync(path, ' world'), 10);
    expect(await reading).toBe(' world');
  });

  test('waits for a file, and for a directory, that is not there', async () => {
    const reading = read(0, 60_000);
    setTimeout(() => writeFileSync(path, 'born'), 10);
    expect(await reading).toBe('born');
    path = join(directory, 'sub', 'log');
    const deeper = read(0, 60_000);
    mkdirSync(join(directory, 'sub'));
    writeFileSync(path, 'polled');
    expect(await deeper).toBe('polled');
  });

  test('gives up after its time: nothing new, or no file', async () => {
    expect(await read(0, 5)).toBeNull();
    expect(await read(0, 0)).toBeNull();
    writeFileSync(path, 'x');
    expect(await read(1, 5)).toBe('');
  });

  test('leaves no watch and no timer behind', async () => {
    writeFileSync(path, '');
    const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    const before = timers();
    const stops = Array.from({ length: 20 }, () => new AbortController());
    const readings = stops.map(({ signal }) => read(0, 60_000, signal));
    while (!isWatched(path) || timers() < before + 20) await new Promise(setImmediate);
    for (const stop of stops) stop.abort();
    expect(await Promise.all(readings)).toEqual(Array.from({ length: 20 }, () => ''));
    await new Promise(setImmediate);
    expect(isWatched(path)).toBe(false);
    expect(timers()).toBeLessThan(before + 20);
  });
});

/** The kernel lists every inode that this process watches. */
function isWatched(path: string): boolean {
  const wanted = ` ino:${statSync(path).ino.toString(16)} `;
  return readdirSync('/proc/self/fdinfo').some((fd) => {
    try {
      return readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8').includes(wanted);
    } catch {
      // It was closed in the meantime.
      return false;
    }
  });
}
