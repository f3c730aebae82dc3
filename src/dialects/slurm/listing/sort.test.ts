import { describe, expect, it } from 'vitest';
import { byNumber, byText, compareHosts, readSortKeys, sortedBy } from './sort.ts';

describe('orders', () => {
  it('are letters with what stands right before them', () => {
    const said = (text: string) =>
      readSortKeys(text)
        .map(({ letter, descending, marked }) => `${marked ? '#' : ''}${descending ? '-' : ''}${letter}`)
        .join(' ');
    expect(said('P,t,-p')).toBe('P t -p');
    expect(said('#P,-t')).toBe('#P -t');
    expect(said('+i--j')).toBe('i -j');
    expect(said('-#P')).toBe('#P');
    expect(said(',,')).toBe('');
  });

  it('leave alone what is equal', () => {
    const things = [
      { name: 'b', size: 1 },
      { name: 'a', size: 2 },
      { name: 'c', size: 2 },
      { name: 'a', size: 1 },
    ];
    const keys = [
      { order: byNumber<(typeof things)[0]>(({ size }) => size), descending: true },
      { order: byText<(typeof things)[0]>(({ name }) => name.slice(1)), descending: false },
    ];
    expect(sortedBy(things, keys).map(({ name }) => name)).toEqual(['a', 'c', 'b', 'a']);
  });

  it('count the numbers of hosts', () => {
    expect(['n10', 'n2', 'm3', 'n'].sort(compareHosts)).toEqual(['m3', 'n', 'n2', 'n10']);
  });
});
