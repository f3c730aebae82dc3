import { describe, expect, test } from 'vitest';
import { encodeLine, lineReader } from './keeper-protocol.ts';

describe('lines between a yard and its keeper', () => {
  test('come whole, however they were cut', () => {
    const text = ['{"a":1}', '{"b":"ü\\n"}', '{"c":[]}'].join('\n');
    const bytes = Buffer.from(`${text}\n`);
    for (let size = 1; size <= bytes.length; size++) {
      const lines: string[] = [];
      const read = lineReader((line) => lines.push(line));
      for (let at = 0; at < bytes.length; at += size) read(bytes.subarray(at, at + size));
      expect(lines.join('\n')).toBe(text);
    }
  });

  test('carry names with odd bytes as they are', () => {
    const checkpoint = {
      name: 'a\n\udcff"\u2028',
      step: null,
      bytes: 0,
      writtenAt: 0,
      keptAt: 0,
    };
    const message = { say: 'kept', attempt: '1.1', checkpoint } as const;
    const heard: unknown[] = [];
    const bytes = Buffer.from(encodeLine(message));
    lineReader((line) => heard.push(JSON.parse(line)))(bytes);
    expect(heard).toEqual([message]);
  });

  test('are bounded', () => {
    const read = lineReader(() => {}, 10);
    read(Buffer.from('123456789\n12345'));
    expect(() => read(Buffer.from('678901'))).toThrow('a line of more than 10 bytes');
  });
});
