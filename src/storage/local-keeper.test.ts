import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  beginWriting,
  json,
  type KeepingPlace,
  KILLED,
  keepingPlace,
  listed,
  ORDERLY,
  QUICK,
} from '../../test/storage/keeping.ts';
import { Fault } from '../model/refusal.ts';
import { openShelf } from './shelf.ts';

/** Machines may be busy. */
const PATIENCE = { timeout: 20_000 };

let place: KeepingPlace;

beforeEach(() => {
  place = keepingPlace();
});
afterEach(() => place.remove());

describe('while it runs', () => {
  test('what is finished is copied, and told', async () => {
    const keeper = place.keeper();
    keeper.watch(place.order());
    place.write('ckpt-100.json', json(100));
    expect(await place.told.untilKept('ckpt-100.json')).toMatchObject({ step: 100, bytes: json(100).length });
    expect(place.kept('ckpt-100.json')).toBe(json(100));
  });

  test('a file that somebody has open is copied when it is closed', async () => {
    const keeper = place.keeper();
    keeper.watch(place.order());
    const growing = beginWriting(join(place.from, 'big.pt'), 'half');
    place.write('ckpt-1.json', json(1));
    await place.told.untilKept('ckpt-1.json');
    expect(place.keptNames()).toEqual(['ckpt-1.json']);
    expect(await listed(keeper, place.order())).toContain('big.pt growing');
    growing.more(' and the other half');
    growing.finish();
    await place.told.untilKept('big.pt');
    expect(place.kept('big.pt')).toBe('half and the other half');
  });

  test('the newest is copied first, and what points to it last', async () => {
    const order: string[] = [];
    for (const step of [1, 3, 2]) {
      place.write(`ckpt-${step}.json`, json(step));
      // All of them are finished when they are first looked at.
      const at = Date.now() / 1000 - 100 + step;
      utimesSync(join(place.from, `ckpt-${step}.json`), at, at);
    }
    symlinkSync('ckpt-3.json', join(place.from, 'last'));
    const keeper = place.keeper((shelf) => ({
      put: (unit, from, attempt) => {
        order.push(unit.name);
        return shelf.put(unit, from, attempt);
      },
    }));
    keeper.watch(place.order());
    await expect.poll(() => order.length, PATIENCE).toBe(4);
    expect(order).toEqual(['ckpt-3.json', 'ckpt-2.json', 'ckpt-1.json', 'last']);
    await keeper.flush(place.order(), ORDERLY);
    expect(readlinkSync(join(place.to, 'last'))).toBe('ckpt-3.json');
  });

  test('one that changed while it was copied is tried again', async () => {
    let tries = 0;
    const keeper = place.keeper((shelf) => ({
      put: async (unit, from, attempt) => (++tries < 3 ? 'changed' : shelf.put(unit, from, attempt)),
    }));
    keeper.watch(place.order());
    place.write('ckpt-1.json', json(1));
    await place.told.untilKept('ckpt-1.json');
    expect(tries).toBe(3);
  });

  test('a full disk is told once, and once more when there is room', async () => {
    let tries = 0;
    const keeper = place.keeper((shelf) => ({
      put: async (unit, from, attempt) => {
        if (++tries < 4) throw new Fault('the disk is full', true);
        return shelf.put(unit, from, attempt);
      },
    }));
    keeper.watch(place.order());
    place.write('ckpt-1.json', json(1));
    await place.told.untilKept('ckpt-1.json');
    await place.told.untilTrouble((trouble) => trouble === null);
    expect(place.told.troubles).toEqual(['the disk is full', null]);
  });

  test('one that cannot be read does not keep the others from being copied', async () => {
    const keeper = place.keeper((shelf) => ({
      put: async (unit, from, attempt) => {
        if (unit.name === 'ckpt-2.json') throw new Fault('ckpt-2.json: permission denied', false);
        return shelf.put(unit, from, attempt);
      },
    }));
    place.write('ckpt-1.json', json(1));
    place.write('ckpt-2.json', json(2));
    keeper.watch(place.order());
    await place.told.untilKept('ckpt-1.json');
    await expect.poll(() => place.told.troubles.at(-1), PATIENCE).toBe('ckpt-2.json: permission denied');
  });

  test('a place that somebody else has is tried again until it is free', async () => {
    const theirs = await openShelf({
      directory: place.to,
      owner: { yardId: 'other', job: 3 },
      keepCount: null,
      keepForMs: null,
      now: () => Date.now(),
    });
    const keeper = place.keeper();
    keeper.watch(place.order());
    place.write('ckpt-1.json', json(1));
    await place.told.untilTrouble((trouble) => trouble !== null);
    expect(place.keptNames()).toEqual([]);
    await theirs.close();
    await place.told.untilKept('ckpt-1.json');
    expect(place.keptNames()).toEqual(['ckpt-1.json']);
  });

  test('the directory may be made later, and may be made anew', async () => {
    const keeper = place.keeper();
    keeper.watch(place.order());
    place.write('ckpt-1.json', json(1));
    await place.told.untilKept('ckpt-1.json');
    rmSync(place.from, { recursive: true });
    place.write('ckpt-2.json', json(2));
    await place.told.untilKept('ckpt-2.json');
    expect(place.keptNames()).toEqual(['ckpt-1.json', 'ckpt-2.json']);
  });

  test('logs are copied now and then, and too much in scratch is told', async () => {
    const logs = [{ from: join(place.directory, 'logs'), to: join(place.directory, 'kept-logs') }];
    const directory = join(place.directory, 'scratch');
    mkdirSync(join(place.directory, 'logs'));
    mkdirSync(directory);
    const keeper = place.keeper(undefined, { ...QUICK, logsMs: 5 });
    const order = place.order({ from: null, to: null, logs, scratch: { directory, maxBytes: 1000 } });
    keeper.watch(order);
    writeFileSync(join(place.directory, 'logs/train.log'), 'one\n');
    const copy = join(place.directory, 'kept-logs/train.log');
    await expect.poll(() => existsSync(copy) && readFileSync(copy, 'utf8'), PATIENCE).toBe('one\n');
    appendFileSync(join(place.directory, 'logs/train.log'), 'two\n');
    writeFileSync(join(directory, 'much'), Buffer.alloc(100_000, 1));
    expect(await place.told.overScratch).toBeGreaterThan(1000);
    expect(await keeper.flush(order, ORDERLY)).toEqual({ trouble: null, checkpoint: null });
    expect(readFileSync(copy, 'utf8')).toBe('one\ntwo\n');
  });

  test('what is let go is not copied any more, and its place is free', async () => {
    const keeper = place.keeper();
    keeper.watch(place.order());
    place.write('ckpt-1.json', json(1));
    await place.told.untilKept('ckpt-1.json');
    keeper.letGo('17.1');
    place.write('ckpt-2.json', json(2));
    const other = { yardId: 'other', job: 3 };
    const shelf = await openShelf({
      directory: place.to,
      owner: other,
      keepCount: null,
      keepForMs: null,
      now: Date.now,
    });
    await shelf.close();
    expect(place.keptNames()).toEqual(['ckpt-1.json']);
  });
});

describe('when it has ended', () => {
  test('everything that it left is copied, and its place is free', async () => {
    const keeper = place.keeper();
    keeper.watch(place.order());
    place.write('ckpt-1.json', json(1));
    place.write('model/part-0', 'zero');
    place.write('model/part-1', 'one');
    place.write('raw.dat', 'no format at all');
    expect(await keeper.flush(place.order(), ORDERLY)).toMatchObject({ trouble: null });
    expect(place.keptNames()).toEqual(['ckpt-1.json', 'model', 'raw.dat']);
    await (
      await openShelf({
        directory: place.to,
        owner: { yardId: 'x', job: 1 },
        keepCount: null,
        keepForMs: null,
        now: Date.now,
      })
    ).close();
  });

  test('a keeper that has never heard of it does the same, and may do it twice', async () => {
    place.write('ckpt-1.json', json(1));
    const first = await place.keeper().flush(place.order(), KILLED);
    const again = await (await place.another()).flush(place.order(), KILLED);
    expect(first).toMatchObject({ trouble: null, checkpoint: { name: 'ckpt-1.json' } });
    expect(again).toEqual(first);
    expect(place.told.kept.length).toBe(1);
  });

  test('what was cut off in the middle is set apart', async () => {
    const keeper = place.keeper();
    keeper.watch(place.order());
    place.write('ckpt-1.json', json(1));
    await place.told.untilKept('ckpt-1.json');
    const cut = beginWriting(join(place.from, 'ckpt-2.json'), json(2).slice(0, 40));
    await expect.poll(() => listed(keeper, place.order()), PATIENCE).toContain('ckpt-2.json growing');
    cut.finish();
    const { checkpoint } = await keeper.flush(place.order(), KILLED);
    expect(checkpoint?.name).toBe('ckpt-1.json');
    expect(place.keptNames()).toEqual(['ckpt-1.json']);
    expect(await listed(keeper, place.order())).toContain('ckpt-2.json unproven');
  });

  test('a full disk is waited for, and when it stays full that is said', async () => {
    let tries = 0;
    const full = place.keeper(() => ({
      put: () => {
        tries++;
        throw new Fault('the disk is full', true);
      },
    }));
    place.write('ckpt-1.json', json(1));
    place.write('ckpt-2.json', json(2));
    const flushed = await full.flush(place.order(), { isOrderly: true, limitMs: 1000 });
    expect(flushed).toEqual({
      trouble: `ckpt-2.json and ckpt-1.json are not safe: the disk is full; still in ${place.from}`,
      checkpoint: null,
    });
    expect(tries).toBeGreaterThan(1);
    const answer = await (await place.another()).ask(place.order(), { what: 'flush' });
    expect(answer.done).toEqual(['ckpt-2.json', 'ckpt-1.json']);
    expect(answer.trouble).toBe(null);
  });

  test('storage that hangs is not waited for beyond the limit', async () => {
    let goOn: () => void = () => {};
    const hanging = place.keeper((shelf) => ({
      put: async (unit, from, attempt) => {
        await new Promise<void>((resolve) => {
          goOn = resolve;
        });
        return shelf.put(unit, from, attempt);
      },
    }));
    place.write('ckpt-1.json', json(1));
    const { trouble } = await hanging.flush(place.order(), { isOrderly: true, limitMs: 500 });
    expect(trouble).toContain('the storage did not answer in time');
    goOn();
    // What was under way ends well, and lets go of the place.
    await expect.poll(() => listed(hanging, place.order()), PATIENCE).toEqual(['ckpt-1.json kept']);
  });
});
