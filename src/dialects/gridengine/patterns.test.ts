import { describe, expect, it } from 'vitest';
import { isPattern, matchesExpression, matchesInstance } from './patterns.ts';

describe('a name', () => {
  it.each([
    ['train', 'train'],
    ['t*', 'train'],
    ['tr?in', 'train'],
    ['[st]rain', 'train'],
    ['[!s]rain', 'train'],
    ['[r-t]rain', 'train'],
    ['fit|train', 'train'],
    ['t*&!*x', 'train'],
    ['!(fit|bad)', 'train'],
    ['*.sh', 'a.sh'],
    ['a.b', 'a.b'],
    ['a*b*c', 'a\nb c'],
    ['[]x]a', ']a'],
    ['a[', 'a['],
    ['[^a]b', 'cb'],
    ['*ab*abc', 'xababxabc'],
    ['?', '日'],
    ['[日-本]', '本'],
    ['[a-]x', '-x'],
  ])('is matched by %s', (expression, name) => {
    expect(matchesExpression(expression, name)).toBe(true);
  });

  it.each([
    ['TRAIN', 'train'],
    ['tr', 'train'],
    ['[z-a]*', 'train'],
    ['a.b', 'axb'],
    ['fit|bad', 'train'],
    ['t*&!*n', 'train'],
    ['(fit', 'fit'],
    ['', 'train'],
  ])('is not matched by %s', (expression, name) => {
    expect(matchesExpression(expression, name)).toBe(false);
  });

  it('says whether it is a pattern', () => {
    expect(isPattern('a*')).toBe(true);
    expect(isPattern('train.sh')).toBe(false);
  });

  it('takes no long time', () => {
    const begun = performance.now();
    expect(matchesExpression('*'.repeat(2000), 'a'.repeat(2000))).toBe(true);
    // A regular expression tries every way to share the letters out: longer than anybody waits.
    expect(matchesExpression(`${'*a'.repeat(20)}*b`, 'a'.repeat(100))).toBe(false);
    expect(matchesExpression(`${'*a'.repeat(2000)}b`, 'a'.repeat(1000))).toBe(false);
    expect(matchesExpression('*a'.repeat(50_000), 'a')).toBe(false);
    expect(matchesExpression('['.repeat(100_000), 'a')).toBe(false);
    expect(performance.now() - begun).toBeLessThan(1000);
  });

  it.each(['(', '!', '!('])('is not matched by %s without end, nor is the reader overwhelmed', (piece) => {
    const [open, close] = [piece.repeat(1300), ')'.repeat(piece.includes('(') ? 1300 : 0)];
    expect(matchesExpression(`${open}train${close}`, 'train')).toBe(false);
    expect(matchesExpression(`${piece.repeat(100_000)}train`, 'train')).toBe(false);
  });
});

describe('a queue on a host', () => {
  it.each(['cpu', 'c*', 'cpu@n1', 'cpu@N1', '*@n[12]', 'cpu@@allhosts', '@n1', '*', 'gpu|cpu'])(
    'is matched by %s',
    (word) => {
      expect(matchesInstance(word, 'cpu', 'n1')).toBe(true);
    },
  );
  it.each(['gpu', 'cpu@n2', 'cpu@@others', '@n2', '', 'cpu,gpu'])('is not matched by %s', (word) => {
    expect(matchesInstance(word, 'cpu', 'n1')).toBe(false);
  });
});
