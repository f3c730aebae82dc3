import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { json, type KeepingPlace, keepingPlace, ORDERLY } from '../../test/storage/keeping.ts';

let place: KeepingPlace;

beforeEach(() => {
  place = keepingPlace();
});
afterEach(() => place.remove());

function leave(name: string, text: string): void {
  mkdirSync(dirname(join(place.to, name)), { recursive: true });
  writeFileSync(join(place.to, name), text);
}

test('the newest that is not broken is gone on from, as long as nothing is kept there', async () => {
  leave('config.json', '{}');
  const keeper = place.keeper();
  expect(await keeper.prepare(place.order())).toMatchObject({ resumeFrom: null, remarks: [] });
  leave('ckpt-1.json', json(1));
  leave('ckpt-2.json', json(2));
  leave('ckpt-3.json', json(3).slice(0, -2));
  const { resumeFrom, remarks } = await keeper.prepare(place.order());
  expect(resumeFrom).toBe(join(place.from, 'ckpt-2.json'));
  expect(readFileSync(join(place.from, 'ckpt-2.json'), 'utf8')).toBe(json(2));
  expect(remarks).toEqual([
    `ckpt-3.json in ${place.to} is not whole`,
    `goes on from ckpt-2.json in ${place.to}, which was there before`,
  ]);
  place.write('ckpt-4.json', json(4));
  await keeper.flush(place.order(), ORDERLY);
  const next = await keeper.prepare(place.order({ attempt: '17.2' }));
  expect(next).toMatchObject({ checkpoint: { name: 'ckpt-4.json' }, remarks: [] });
  expect(readFileSync(join(place.to, 'ckpt-1.json'), 'utf8')).toBe(json(1));
});

test('a directory is taken with all that is in it, and what the program has already stays', async () => {
  leave('step-7/a.bin', 'a');
  leave('step-7/deep/b.bin', 'b');
  const { resumeFrom } = await place.keeper().prepare(place.order());
  expect(resumeFrom).toBe(join(place.from, 'step-7'));
  expect(readFileSync(join(place.from, 'step-7', 'deep', 'b.bin'), 'utf8')).toBe('b');
});
