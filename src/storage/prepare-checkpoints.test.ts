import {
  chmodSync,
  existsSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  json,
  type KeepingPlace,
  KILLED,
  keepingPlace,
  namesIn,
  ORDERLY,
} from '../../test/storage/keeping.ts';
import { Fault } from '../model/refusal.ts';

let place: KeepingPlace;

beforeEach(() => {
  place = keepingPlace();
});
afterEach(() => place.remove());

describe('before it starts', () => {
  test('the newest is put back with what belongs to it, where there is nothing', async () => {
    const keeper = place.keeper();
    place.write('config.json', '{"layers":3}');
    for (const step of [1, 2]) place.write(`ckpt-${step}.json`, json(step));
    utimesSync(join(place.from, 'config.json'), 1000, 1000);
    symlinkSync('ckpt-2.json', join(place.from, 'last'));
    await keeper.flush(place.order(), ORDERLY);
    rmSync(place.from, { recursive: true });
    const told = place.told.kept.length;
    const prepared = await keeper.prepare(place.order({ attempt: '17.2' }));
    expect(prepared).toMatchObject({
      resumeFrom: join(place.from, 'ckpt-2.json'),
      checkpoint: { name: 'ckpt-2.json', step: 2 },
      remarks: [],
    });
    expect(namesIn(place.from)).toEqual(['ckpt-2.json', 'config.json', 'last']);
    expect(statSync(place.from).mode & 0o777).toBe(0o755);
    expect(place.told.kept.length).toBe(told);
  });

  test('there may be nothing to begin with', async () => {
    const keeper = place.keeper();
    expect(await keeper.prepare(place.order())).toEqual({ resumeFrom: null, checkpoint: null, remarks: [] });
    expect(await keeper.prepare(place.order({ from: null, to: null }))).toEqual({
      resumeFrom: null,
      checkpoint: null,
      remarks: [],
    });
    expect(existsSync(place.from)).toBe(true);
  });

  test('a damaged one is set aside, and the one before it used', async () => {
    const keeper = place.keeper();
    for (const step of [1, 2]) place.write(`ckpt-${step}.json`, json(step));
    await keeper.flush(place.order(), ORDERLY);
    rmSync(place.from, { recursive: true });
    chmodSync(join(place.to, 'ckpt-2.json'), 0o600);
    writeFileSync(join(place.to, 'ckpt-2.json'), json(2).replace('2', '3'));
    const prepared = await keeper.prepare(place.order({ attempt: '17.2' }));
    expect(prepared.resumeFrom).toBe(join(place.from, 'ckpt-1.json'));
    expect(prepared.remarks.join()).toContain('ckpt-2.json');
  });

  test('what a run left that nobody flushed is settled first', async () => {
    const keeper = place.keeper();
    place.write('ckpt-1.json', json(1));
    await keeper.flush(place.order(), ORDERLY);
    place.write('ckpt-2.json', json(2));
    place.write('ckpt-3.json', json(3).slice(0, 30));
    const prepared = await (await place.another()).prepare(place.order({ attempt: '17.2' }));
    expect(prepared).toMatchObject({
      resumeFrom: join(place.from, 'ckpt-2.json'),
      checkpoint: { name: 'ckpt-2.json' },
    });
    expect(existsSync(join(place.from, 'ckpt-3.json'))).toBe(false);
    expect(prepared.remarks.join()).toContain('ckpt-3.json was not finished when its program ended');
    expect(place.keptNames()).toEqual(['ckpt-1.json', 'ckpt-2.json']);
  });

  test('what only goes with checkpoints is nothing to go on from, and no news', async () => {
    const keeper = place.keeper();
    place.write('ckpt-1.json', json(1));
    keeper.watch(place.order());
    await place.told.untilKept('ckpt-1.json');
    place.write('config.json', '{}');
    place.write('metrics-2.csv', '1,2');
    place.write('events.out.tfevents.1700000000.host.12.0', 'x');
    await keeper.flush(place.order(), ORDERLY);
    rmSync(place.from, { recursive: true });
    const prepared = await keeper.prepare(place.order({ attempt: '17.2' }));
    expect(prepared.resumeFrom).toBe(join(place.from, 'ckpt-1.json'));
    expect(place.told.kept.map(({ name }) => name)).toEqual(['ckpt-1.json']);
  });

  test('what may not be whole is put out of the way, but not a log', async () => {
    const keeper = place.keeper();
    place.write('ckpt-1.raw', 'a whole one');
    await keeper.flush(place.order(), ORDERLY);
    place.write('ckpt-2.raw', 'perhaps');
    place.write('train.log', 'step 2\n');
    await (await place.another()).flush(place.order(), KILLED);
    const prepared = await keeper.prepare(place.order({ attempt: '17.2' }));
    expect(prepared.resumeFrom).toBe(join(place.from, 'ckpt-1.raw'));
    expect(prepared.remarks).toEqual([
      `ckpt-2.raw may not have been finished when its program ended: it is in ${place.from}/.trainyard/unfinished`,
    ]);
    expect(namesIn(place.from)).toEqual(['ckpt-1.raw', 'train.log']);
  });

  test('what could not be copied for want of room is resumed from where it is', async () => {
    const keeper = place.keeper();
    place.write('last.json', json(1));
    await keeper.flush(place.order(), ORDERLY);
    await keeper.close();
    unlinkSync(join(place.from, 'last.json'));
    place.write('last.json', json(2));
    const full = place.keeper(() => ({
      put: () => {
        throw new Fault('the disk is full', false);
      },
    }));
    const prepared = await full.prepare(place.order({ attempt: '17.2' }));
    expect(prepared.resumeFrom).toBe(join(place.from, 'last.json'));
    expect(prepared.remarks.join()).toContain('last.json is not safe: the disk is full');
    expect(readFileSync(join(place.from, 'last.json'), 'utf8')).toBe(json(2));
  });

  test('where nothing is copied the newest whole one is found where it is', async () => {
    const keeper = place.keeper();
    const order = place.order({ to: null });
    expect((await keeper.prepare(order)).resumeFrom).toBe(null);
    keeper.watch(order);
    place.write('ckpt-1.json', json(1));
    await place.told.untilKept('ckpt-1.json');
    await keeper.flush(order, ORDERLY);
    place.write('ckpt-2.json', json(2).slice(0, 30));
    const prepared = await (await place.another()).prepare(place.order({ to: null, attempt: '17.2' }));
    expect(prepared.resumeFrom).toBe(join(place.from, 'ckpt-1.json'));
    expect(readFileSync(join(place.from, 'ckpt-1.json'), 'utf8')).toBe(json(1));
  });

  test('a place that cannot be used is a fault in one sentence', async () => {
    const keeper = place.keeper();
    writeFileSync(place.to, 'a file');
    await expect(keeper.prepare(place.order())).rejects.toThrow(Fault);
    await expect(keeper.prepare(place.order({ to: join(place.from, 'kept') }))).rejects.toThrow(
      `checkpoints cannot last in ${join(place.from, 'kept')}, inside ${place.from}, where they are written: name a directory beside it`,
    );
    unlinkSync(place.to);
    writeFileSync(place.from, 'a file');
    await expect(keeper.prepare(place.order())).rejects.toThrow(
      `the directory for checkpoints ${place.from} cannot be made: `,
    );
  });
});
