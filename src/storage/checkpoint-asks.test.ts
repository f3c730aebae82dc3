import { chmodSync, existsSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { json, type KeepingPlace, keepingPlace, listed, ORDERLY, QUICK } from '../../test/storage/keeping.ts';

let place: KeepingPlace;

beforeEach(() => {
  place = keepingPlace();
});
afterEach(() => place.remove());

describe('asked about its checkpoints', () => {
  test('it lists them, running or not, and makes no directory for that', async () => {
    const keeper = place.keeper();
    expect(await listed(keeper, place.order())).toEqual([]);
    expect(existsSync(place.to)).toBe(false);
    place.write('ckpt-1.json', json(1));
    expect(await listed(keeper, place.order())).toEqual(['ckpt-1.json waiting']);
    keeper.watch(place.order());
    await place.told.untilKept('ckpt-1.json');
    expect(await listed(keeper, place.order())).toEqual(['ckpt-1.json kept']);
    await keeper.flush(place.order(), ORDERLY);
    expect(await listed(keeper, place.order())).toEqual(['ckpt-1.json kept']);
  });

  test('it lists the newest first, and nothing that would not be kept', async () => {
    const order = place.order({ keepCount: 1 });
    const write = (name: string, at: number) => {
      place.write(name, json(at));
      utimesSync(join(place.from, name), at, at);
    };
    write('ckpt-2.json', 2000);
    await place.keeper().flush(order, ORDERLY);
    write('ckpt-1.json', 1000);
    write('ckpt-3.json', 3000);
    write('best.json', 1500);
    expect(await listed(place.keeper(), order)).toEqual([
      'ckpt-3.json waiting',
      'ckpt-2.json kept',
      'best.json waiting',
    ]);
  });

  test('it says which are damaged', async () => {
    const keeper = place.keeper();
    place.write('ckpt-1.json', json(1));
    await keeper.flush(place.order(), ORDERLY);
    expect((await keeper.ask(place.order(), { what: 'verify' })).trouble).toBe(null);
    chmodSync(join(place.to, 'ckpt-1.json'), 0o600);
    writeFileSync(join(place.to, 'ckpt-1.json'), 'else');
    expect((await keeper.ask(place.order(), { what: 'verify' })).trouble).toContain('ckpt-1.json');
  });

  test('it puts one back, by default the newest', async () => {
    const keeper = place.keeper();
    for (const step of [1, 2]) place.write(`ckpt-${step}.json`, json(step));
    await keeper.flush(place.order(), ORDERLY);
    rmSync(place.from, { recursive: true });
    const restore = (name: string | null, to: string | null) =>
      keeper.ask(place.order(), { what: 'restore', name, to });
    expect((await restore(null, null)).done).toEqual([join(place.from, 'ckpt-2.json')]);
    const elsewhere = join(place.directory, 'elsewhere');
    expect((await restore('ckpt-1.json', elsewhere)).done).toEqual([join(elsewhere, 'ckpt-1.json')]);
    await expect(restore('ckpt-9.json', elsewhere)).rejects.toThrow(
      'there is no whole checkpoint ckpt-9.json: there are ckpt-2.json, ckpt-1.json',
    );
    keeper.watch(place.order({ attempt: '17.2' }));
    await expect(restore(null, null)).rejects.toThrow('the job is running and writes to');
  });

  test('it keeps fewer', async () => {
    const keeper = place.keeper();
    for (const step of [1, 2, 3]) place.write(`ckpt-${step}.json`, json(step));
    await keeper.flush(place.order(), ORDERLY);
    const answer = await keeper.ask(place.order(), { what: 'prune', keepCount: 1, keepForMs: null });
    expect([...answer.done].sort()).toEqual(['ckpt-1.json', 'ckpt-2.json']);
    expect(place.keptNames()).toEqual(['ckpt-3.json']);
  });

  test('it copies at once what a running program has finished', async () => {
    const keeper = place.keeper(undefined, { ...QUICK, lookMs: 60_000 });
    keeper.watch(place.order());
    place.write('ckpt-1.json', json(1));
    await keeper.ask(place.order(), { what: 'flush' });
    expect(place.keptNames()).toEqual(['ckpt-1.json']);
  });
});
