import { describe, expect, it } from 'vitest';
import { painter } from './colour.ts';
import { table } from './table.ts';
import { cutTo, displayWidth, padEnd, padStart } from './width.ts';

const plain = { paint: painter(false), width: null };

describe('width', () => {
  it('counts what a terminal shows', () => {
    expect(displayWidth('abc')).toBe(3);
    expect(displayWidth('日本語')).toBe(6);
    expect(displayWidth('e\u0301')).toBe(1);
    expect(displayWidth('👩‍👩‍👧')).toBe(2);
    expect(displayWidth('❤️')).toBe(2);
    expect(displayWidth('\u200b')).toBe(0);
    expect(displayWidth('naïve…')).toBe(6);
  });

  it('cuts between characters, never within one', () => {
    expect(cutTo('abcdef', 4)).toBe('abc…');
    expect(cutTo('日本語', 4)).toBe('日…');
    expect(cutTo('日本語', 6)).toBe('日本語');
    expect(cutTo('e\u0301e\u0301e\u0301', 2)).toBe('e\u0301…');
    expect(cutTo('abc', 0)).toBe('');
  });

  it('pads to columns, not to characters', () => {
    expect(padEnd('日本', 6)).toBe('日本  ');
    expect(padStart('é', 3)).toBe('  é');
  });
});

describe('table', () => {
  it('aligns columns and leaves no spaces at the ends of lines', () => {
    const text = table(
      [{ title: 'ID' }, { title: 'SIZE', align: 'right' }, { title: 'NOTE' }],
      [
        ['1', '2', 'x'],
        ['日本', '1000', ''],
      ],
      plain,
    );
    expect(text).toBe('ID    SIZE  NOTE\n1        2  x\n日本  1000\n');
  });

  it('shows control characters instead of sending them', () => {
    const text = table([{ title: 'A' }, { title: 'B' }], [['a\nb\x1b[2J', 'c']], plain);
    expect(text.split('\n')).toHaveLength(3);
    expect(text).toContain('a\\nb\\x1b[2J  c');
  });

  it('paints without disturbing the alignment', () => {
    const columns = [{ title: 'STATE' }, { title: 'N' }];
    const rows = [[{ text: 'up', colour: 'green' as const }, '1']];
    const painted = table(columns, rows, { paint: painter(true), width: null });
    expect(painted).toContain('\x1b[32mup\x1b[0m     1');
    expect(painted.replace(/\x1b\[\d+m/g, '')).toBe(table(columns, rows, plain));
  });

  it('shrinks the widest column that may shrink until a row fits', () => {
    const columns = [{ title: 'ID' }, { title: 'NAME', shrinkTo: 4 }, { title: 'WHY', shrinkTo: 6 }];
    const rows = [['1234567', 'a-rather-long-name', 'a much longer reason than fits']];
    const text = table(columns, rows, { ...plain, width: 30 });
    for (const line of text.split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(30);
    expect(text).toContain('1234567');
    expect(table(columns, rows, { ...plain, width: 5 })).toContain('1234567  a-r…  a muc…');
  });
});
