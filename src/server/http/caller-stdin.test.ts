import { expect, test } from 'vitest';
import { callerStdin } from './caller-stdin.ts';

const bytes = (text: string) => Buffer.from(text);

function stdin() {
  let asked = 0;
  const input = callerStdin(() => {
    asked += 1;
  });
  return { ...input, asked: () => asked };
}

test('is asked for when somebody reads, and once', async () => {
  const input = stdin();
  expect(input.wasAsked()).toBe(false);
  const line = input.readLine();
  expect(input.wasAsked()).toBe(true);
  input.add(bytes('one\ntwo\n'));
  expect(await line).toBe('one');
  expect(await input.readLine()).toBe('two');
  expect(input.asked()).toBe(1);
});

test('is read whole', async () => {
  const input = stdin();
  const all = input.read(100);
  input.add(bytes('a\n'));
  input.add(bytes('b'));
  input.end();
  expect(await all).toEqual({ ok: true, bytes: bytes('a\nb') });
  expect(await input.read(100)).toEqual({ ok: true, bytes: bytes('') });
});

test('a line comes in pieces, and the last one without an end', async () => {
  const input = stdin();
  const first = input.readLine();
  for (const piece of ['on', 'e\n', 'tw']) input.add(bytes(piece));
  expect(await first).toBe('one');
  const second = input.readLine();
  input.add(bytes('o'));
  input.end();
  expect(await second).toBe('two');
  expect(await input.readLine()).toBeNull();
});

test('what follows the lines is read whole', async () => {
  const input = stdin();
  const line = input.readLine();
  input.add(bytes('one\ntwo\nthree'));
  input.end();
  expect(await line).toBe('one');
  expect(await input.read(100)).toEqual({ ok: true, bytes: bytes('two\nthree') });
});

test('has bounds', async () => {
  const input = stdin();
  const all = input.read(3);
  input.add(bytes('four'));
  expect(await all).toEqual({ ok: false, error: 'tooLarge' });
  const other = stdin();
  const line = other.readLine();
  other.add(Buffer.alloc(2_000_000, 0x61));
  expect(await line).toBeNull();
});

test('whoever reads while somebody reads finds nothing', async () => {
  const input = stdin();
  const first = input.readLine();
  expect(await input.readLine()).toBeNull();
  expect(await input.read(10)).toMatchObject({ ok: true, bytes: { length: 0 } });
  input.end();
  expect(await first).toBeNull();
});
