import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { logFlusher } from './flush.ts';

const directory = mkdtempSync(join(tmpdir(), 'flush-'));
const log = join(directory, 'log');
writeFileSync(log, 'x');
afterAll(() => rmSync(directory, { recursive: true }));

test('without a commit there is nothing to wait for, not even a file', async () => {
  await expect(logFlusher(join(directory, 'missing')).flush()).resolves.toBeUndefined();
});

test('those who come while one flush is under way share the next one, in order', async () => {
  const flusher = logFlusher(log);
  const order: string[] = [];
  const flush = (name: string) => {
    flusher.noteCommit();
    return flusher.flush().then(() => order.push(name));
  };
  const all = [flush('first'), flush('second'), flush('third')];
  // Nothing new since the third: whoever asks now waits for the same.
  all.push(flusher.flush().then(() => order.push('fourth')));
  await Promise.all(all);
  expect(order).toEqual(['first', 'second', 'third', 'fourth']);
  flusher.close();
});

test('a file that cannot be flushed is an error for everyone who waits', async () => {
  const flusher = logFlusher(join(directory, 'missing'));
  flusher.noteCommit();
  await expect(flusher.flush()).rejects.toThrow(/ENOENT/);
});
