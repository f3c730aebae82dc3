/** A keeper that is killed at seeded moments while it copies: what lasts is whole then, and the next one finishes it. */

import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { processInfo } from '../../src/platform/processes.ts';
import { createKeeperProcess, type KeeperProcess } from '../../src/storage/keeper-process.ts';
import { encodeLine, KEEPER_PROTOCOL } from '../../src/storage/keeper-protocol.ts';
import { compiled } from '../compiled.ts';
import { json, type KeepingPlace, keepingPlace, listed, ORDERLY } from './keeping.ts';

let workshop: KeepingPlace;
let program: string;
let place: KeepingPlace;
let keeper: KeeperProcess;

beforeAll(() => {
  workshop = keepingPlace();
  program = compiled('src/bin/keeper.ts', workshop.directory);
});
afterAll(() => workshop.remove());
beforeEach(() => {
  place = keepingPlace();
  keeper = newKeeper();
});
afterEach(async () => {
  await keeper.close();
  await place.remove();
});

function newKeeper(): KeeperProcess {
  const times = { restartMs: 1, longestRestartMs: 10, mostDeaths: 1000 };
  return createKeeperProcess({ program, events: place.told.events, times });
}

const MIB = 1 << 20;

/** Bytes that differ everywhere, and are the same for the same seed. */
function bytesOf(seed: number, size: number): Buffer {
  const block = createHash('sha512').update(`${seed}`).digest();
  const bytes = Buffer.alloc(size, block);
  for (let at = 0; at + 4 <= size; at += 4096) bytes.writeUInt32LE((at ^ (seed * 2_654_435_761)) >>> 0, at);
  return bytes;
}

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function passing(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function kill(): void {
  const pid = keeper.pid();
  if (pid !== null) process.kill(pid, 'SIGKILL');
}

function drafts(): string[] {
  const directory = join(place.to, '.trainyard/drafts');
  return existsSync(directory) ? readdirSync(directory) : [];
}

/** Or until it is there already. */
async function untilCopying(name: string): Promise<void> {
  while (drafts().length === 0 && !existsSync(join(place.to, name))) await passing(1);
}

/** Under its name there is either nothing or all of it. */
function isWholeOrAbsent(name: string, content: Buffer): boolean {
  const path = join(place.to, name);
  return !existsSync(path) || readFileSync(path).equals(content);
}

describe('a keeper that is killed', () => {
  test.each([1, 2, 3])('leaves only what is whole, and the next one goes on (seed %i)', async (seed) => {
    const random = seeded(seed);
    const contents = new Map<string, Buffer>();
    let cutOff = 0;
    keeper.watch(place.order());
    for (let step = 1; step <= 5; step++) {
      const name = `ckpt-${step}.bin`;
      contents.set(name, bytesOf(seed * 100 + step, 24 * MIB + step));
      place.write(name, contents.get(name) as Buffer);
      place.write(`sharded-${step}/a`, bytesOf(step, MIB));
      place.write(`sharded-${step}/b`, bytesOf(step + 1, MIB));
      for (let kills = 0; kills < 3; kills++) {
        await untilCopying(name);
        await passing(random() * 40);
        if (drafts().length > 0) cutOff++;
        kill();
        for (const [each, content] of contents) expect(isWholeOrAbsent(each, content)).toBe(true);
      }
    }
    expect(cutOff).toBeGreaterThan(0);
    expect(await keeper.flush(place.order(), ORDERLY)).toMatchObject({ trouble: null });
    for (const [name, content] of contents)
      expect(readFileSync(join(place.to, name)).equals(content)).toBe(true);
    const { trouble, checkpoints } = await keeper.ask(place.order(), { what: 'verify' });
    expect(trouble).toBe(null);
    expect(checkpoints.map(({ state }) => state)).toEqual(Array.from({ length: 10 }, () => 'kept'));
    expect(drafts()).toEqual([]);
  });

  test('while it flushes or puts back is asked again', async () => {
    const random = seeded(7);
    const content = bytesOf(7, 32 * MIB);
    place.write('ckpt-1.bin', content);
    const flushed = keeper.flush(place.order(), ORDERLY);
    for (let kills = 0; kills < 3; kills++) {
      await passing(random() * 150);
      kill();
    }
    expect(await flushed).toMatchObject({ trouble: null, checkpoint: { name: 'ckpt-1.bin' } });
    rmSync(place.from, { recursive: true });
    const prepared = keeper.prepare(place.order({ attempt: '17.2' }));
    for (let kills = 0; kills < 3; kills++) {
      await passing(random() * 150);
      kill();
    }
    expect(await prepared).toMatchObject({ resumeFrom: join(place.from, 'ckpt-1.bin') });
    expect(readFileSync(join(place.from, 'ckpt-1.bin')).equals(content)).toBe(true);
  });
});

describe('the process of a keeper', () => {
  test('lets go of its place when it is closed, and another one has it', async () => {
    place.write('ckpt-1.json', json(1));
    keeper.watch(place.order());
    await place.told.untilKept('ckpt-1.json');
    const pid = keeper.pid() as number;
    await keeper.close();
    expect(processInfo(pid)).toBe(null);
    keeper = newKeeper();
    keeper.watch(place.order());
    expect(await listed(keeper, place.order())).toEqual(['ckpt-1.json kept']);
  });

  test('ends with its yard, in the middle of a copy', async () => {
    const content = bytesOf(1, 64 * MIB);
    place.write('ckpt-1.bin', content);
    const child = spawn(process.execPath, [program, KEEPER_PROTOCOL], {
      stdio: ['pipe', 'ignore', 'inherit'],
    });
    const ended = once(child, 'close');
    child.stdin.write(encodeLine({ say: 'watch', order: place.order() }));
    await untilCopying('ckpt-1.bin');
    child.stdin.end();
    await ended;
    expect(isWholeOrAbsent('ckpt-1.bin', content)).toBe(true);
    expect(await keeper.flush(place.order(), ORDERLY)).toMatchObject({ trouble: null });
    expect(drafts()).toEqual([]);
  });

  test('of another version does nothing, and says so', () => {
    const { status, stderr } = spawnSync(process.execPath, [program, '0'], { encoding: 'utf8' });
    expect(status).toBe(2);
    expect(stderr).toBe('the keeper is of another version than the yard that started it: restart the yard\n');
  });
});
