import { expect, test } from 'vitest';
import { seededRandom } from '../sim/random.ts';
import { bytesFromText, isPrintable, jsonText, printable, textFromBytes } from './bytes.ts';

test('any bytes become text and the same bytes again', () => {
  const pieces = [
    0x00, 0x0a, 0x41, 0x7f, 0x80, 0x9b, 0xa0, 0xbf, 0xc2, 0xe0, 0xe2, 0xed, 0xef, 0xf0, 0xf4, 0xff,
  ];
  for (let seed = 1; seed <= 3000; seed++) {
    const random = seededRandom(seed);
    const bytes = Uint8Array.from({ length: random.below(12) }, () => random.pick(pieces));
    expect(bytesFromText(textFromBytes(bytes)), `seed ${seed}: ${bytes}`).toEqual(bytes);
  }
});

test('what is UTF-8 around a byte that is not stays readable', () => {
  const bytes = Buffer.concat([Buffer.from('日本😀 é'), Buffer.from([0xe9]), Buffer.from('ü')]);
  expect(textFromBytes(bytes)).toBe('日本😀 é\udce9ü');
});

test.each([
  ['plain 日本 é 😀 عربي', 'plain 日本 é 😀 عربي'],
  ['a\nb\tc', 'a\\nb\\tc'],
  ['\u001b[2J\u007f', '\\x1b[2J\\x7f'],
  ['\u009b31m\u0085', '\\x9b31m\\x85'],
  ['\udce9', '\\xe9'],
  ['\ud800', '\\ud800'],
  ['\u202eevil\u2066\u2028', '\\u202eevil\\u2066\\u2028'],
])('%j is shown as %s', (text, shown) => {
  expect(printable(text)).toBe(shown);
  expect(isPrintable(text)).toBe(text === shown);
});

test('JSON that is printed says the same and acts on no terminal', () => {
  const value = { 'k\u009b': ['\u001b[2J\u009b31m\u007f\u202e\u2028', '日本'] };
  expect(JSON.parse(jsonText(value))).toEqual(value);
  expect(isPrintable(jsonText(value))).toBe(true);
  expect(jsonText(value)).toContain('日本');
});

test.each([
  ['one byte that is not UTF-8', [0xe9], [0x61]],
  ['nothing but such bytes', [0xc2], [0xc2]],
  ['every other byte so', [0x61], [0xe9, 0x61]],
])('a long text with %s is read and written in stretches', (_name, first, rest) => {
  const bytes = Buffer.alloc(1024 * 1024, Buffer.from(rest));
  bytes[0] = first[0] as number;
  const before = process.cpuUsage();
  const back = bytesFromText(textFromBytes(bytes));
  const tookMs = process.cpuUsage(before).user / 1000;
  expect(bytes.equals(back)).toBe(true);
  // Every character on its own took two seconds and more.
  expect(tookMs).toBeLessThan(1000);
});
