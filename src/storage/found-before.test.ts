import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { json, type KeepingPlace, keepingPlace, ORDERLY } from '../../test/storage/keeping.ts';

let place: KeepingPlace;

beforeEach(() => {
  place = keepingPlace();
});
afterEach(() => place.remove());

test('what was there before is named as long as nothing is kept there', async () => {
  mkdirSync(place.to);
  writeFileSync(join(place.to, 'config.json'), '{}');
  const keeper = place.keeper();
  expect((await keeper.prepare(place.order())).remarks).toEqual([]);
  for (const step of [1, 2]) writeFileSync(join(place.to, `ckpt-${step}.pt`), `${step}`);
  const { resumeFrom, remarks } = await keeper.prepare(place.order());
  expect(resumeFrom).toBe(null);
  expect(remarks).toEqual([
    `nothing is recorded of ckpt-2.pt and 1 more in ${place.to}, so no run resumes from there; a program may look there itself, in TRAINYARD_PERSIST`,
  ]);
  place.write('ckpt-3.json', json(3));
  await keeper.flush(place.order(), ORDERLY);
  const next = await keeper.prepare(place.order({ attempt: '17.2' }));
  expect(next).toMatchObject({ checkpoint: { name: 'ckpt-3.json' }, remarks: [] });
});
