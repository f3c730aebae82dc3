import { expect, test } from 'vitest';
import type { CommandResult } from '../../dialects/program.ts';
import { refusal } from '../../model/refusal.ts';
import { createIdempotency } from './idempotency.ts';

const done = (job: number): CommandResult => ({ ok: true, job, step: null, changed: true });

test('the same key is acted on once for each caller', async () => {
  const once = createIdempotency();
  let acted = 0;
  const act = async () => done(++acted);
  expect(await once('alice', 'k', { a: 1 }, act)).toEqual({ result: done(1), repeated: false });
  expect(await once('alice', 'k', { a: 1 }, act)).toEqual({ result: done(1), repeated: true });
  expect(await once('bob', 'k', { a: 1 }, act)).toEqual({ result: done(2), repeated: false });
});

test('a refusal is not remembered', async () => {
  const once = createIdempotency();
  const refused: CommandResult = { ok: false, refusal: refusal('limitReached', 'enough') };
  expect((await once('alice', 'k', {}, async () => refused)).result).toBe(refused);
  expect((await once('alice', 'k', {}, async () => done(1))).result).toEqual(done(1));
});

test('a key stands for one request only, and must be readable', async () => {
  const once = createIdempotency();
  await once('alice', 'k', { a: 1 }, async () => done(1));
  await expect(once('alice', 'k', { a: 2 }, async () => done(2))).rejects.toThrow(
    'belongs to another request',
  );
  for (const key of ['', 'a b', 'x'.repeat(256)]) {
    await expect(once('alice', key, {}, async () => done(1))).rejects.toThrow('Idempotency-Key');
  }
});

test('the oldest keys are forgotten first', async () => {
  const once = createIdempotency(2);
  for (const key of ['a', 'b', 'c']) await once('alice', key, {}, async () => done(1));
  expect((await once('alice', 'c', {}, async () => done(2))).repeated).toBe(true);
  expect((await once('alice', 'a', {}, async () => done(2))).repeated).toBe(false);
});
