import { describe, expect, it } from 'vitest';
import { formatRanges } from '../../../model/ranges.ts';
import { parseArray } from './array-values.ts';
import { parseConstraintWords } from './constraint-values.ts';
import { parseDependencies } from './dependency-values.ts';
import { parseGpus, parseGres, sumOf } from './gpu-values.ts';
import { parseMailTypes } from './mail-values.ts';
import { propagatedLimits } from './rlimit-values.ts';
import { parseWarning } from './signal-values.ts';
import { parseCount, parseNodeCount, parseSizeBytes, parseTimeLimit } from './values.ts';

const MEGABYTE = 1024 ** 2;
const MINUTE = 60_000;

describe('counts', () => {
  it('are whole, and not less than the least', () => {
    expect(['4', '0', '-1', '2k', '1.5', '', ' 1', '+3'].map((text) => parseCount(text, 1))).toEqual([
      4,
      null,
      null,
      null,
      null,
      null,
      null,
      3,
    ]);
    expect(parseCount('0', 0)).toBe(0);
    expect(parseCount('99999999999', 1)).toBe(2 ** 31 - 1);
  });
});

describe('sizes', () => {
  it.each([
    ['2000', 2000],
    ['100K', 1],
    ['1k', 1],
    ['100Mb', 100],
    ['1GB', 1024],
    ['2g', 2048],
    ['1T', 1024 ** 2],
    ['0', 0],
  ])('%s', (text, megabytes) => expect(parseSizeBytes(text)).toBe(megabytes * MEGABYTE));

  it.each(['x', '-1', '1X', '1.5G', '', '1 G', '1b'])('%s is none', (text) =>
    expect(parseSizeBytes(text)).toBeNull(),
  );
});

describe('time limits', () => {
  it.each([
    ['5', 5],
    ['0:30', 1],
    ['1:30', 2],
    ['10:70', 12],
    ['70:00', 70],
    ['1:1:1', 62],
    ['10:00:00', 600],
    ['1-', 1440],
    ['1-2', 1560],
    ['1-2:3', 1563],
    ['1-2:3:4', 1564],
  ])('%s is %i whole minutes', (text, minutes) =>
    expect(parseTimeLimit(text)).toEqual({ limitMs: minutes * MINUTE }),
  );

  it.each(['0', '-1', 'infinite', 'UNLIMITED'])('%s is none at all', (text) =>
    expect(parseTimeLimit(text)).toEqual({ limitMs: null }),
  );

  it.each(['banana', '1:2:3:4', '1-2-3', '', '1.5', ' 5', '-5'])('%s is no limit', (text) =>
    expect(parseTimeLimit(text)).toBeNull(),
  );
});

describe('node counts', () => {
  it.each([
    ['2', 2, 2],
    ['1-3', 1, 3],
    ['-2', 1, 2],
    ['1k', 1024, 1024],
  ])('%s', (text, min, max) => expect(parseNodeCount(text)).toEqual({ ok: true, min, max }));

  it.each([
    ['x', '"x" is not a valid node count'],
    ['', '"" is not a valid node count'],
    ['0', '"0" is not a valid node count'],
    ['1,2', '"1,2" is not a valid node count'],
    ['1-3:2', '"3:2" is not a valid node count'],
    ['2-1', 'Maximum node count 1 is less than minimum node count 2'],
    ['2-', 'Maximum node count -1 is less than minimum node count 2'],
  ])('%s is refused', (text, message) => expect(parseNodeCount(text)).toEqual({ ok: false, message }));
});

describe('arrays', () => {
  const read = (text: string) => {
    const array = parseArray(text, 20_000);
    if (array === undefined || array === null) return array;
    return `${formatRanges(array.indices)}${array.throttle === null ? '' : `%${array.throttle}`}`;
  };

  it.each([
    ['0-15:4%2', '0-12:4%2'],
    ['1', '1'],
    ['1,5,7', '1,5,7'],
    ['1-3,2-4', '1-4'],
    ['%2', '0%2'],
    ['1-10%0', '1-10'],
    ['1-10%x', '1-10'],
    ['1-3%', '1-3'],
    [' 1-3', '1-3'],
    ['[1-3]', '1-3'],
    ['1-3, 5', '1-3,5'],
    ['01-03', '1-3'],
    ['1,,2', '1,2'],
    ['1-3%2%3', '1-3%2'],
    ['20000', '20000'],
    ['0-20000', '0-20000'],
  ])('%s', (text, expected) => expect(read(text)).toBe(expected));

  it.each(['x', '3-1', '1-10:0', '1-10:x', '1-3 ', '-1', '1-2-3', '1:2', '0x5', '20001', '1-99999999'])(
    '%s is none',
    (text) => expect(read(text)).toBeUndefined(),
  );

  it('without any text there is no array', () => expect(read('')).toBeNull());
});

describe('dependencies', () => {
  it('are of all or of any', () => {
    expect(parseDependencies('afterok:5:6,afterany:7')).toEqual({
      need: 'all',
      terms: [
        { kind: 'afterok', job: 5, index: null },
        { kind: 'afterok', job: 6, index: null },
        { kind: 'afterany', job: 7, index: null },
      ],
    });
    expect(parseDependencies('afterok:5?afterany:7')?.need).toBe('any');
    expect(parseDependencies('afterok:5,afterany:7?after:8')).toMatchObject({ need: 'any' });
  });

  it.each([
    ['5', { kind: 'afterany', job: 5, index: null }],
    ['after:5+10', { kind: 'after', job: 5, index: null, delayMs: 10 * MINUTE }],
    ['afterok:5_1', { kind: 'afterok', job: 5, index: 1 }],
    ['afterany:5_*', { kind: 'afterany', job: 5, index: null }],
    ['afterburstbuffer:5', { kind: 'afterany', job: 5, index: null }],
    ['AFTERNOTOK:5', { kind: 'afternotok', job: 5, index: null }],
    ['aftercorr:5', { kind: 'aftercorr', job: 5, index: null }],
    ['singleton', { kind: 'singleton' }],
  ])('%s', (text, term) => expect(parseDependencies(text)).toEqual({ need: 'all', terms: [term] }));

  it.each([
    'afterok',
    'afterok:',
    'foo:5',
    'afterok:x',
    'afterok:5, afterok:6',
    'after:5+x',
    'afterok:0',
    '5:6',
  ])('%s is none', (text) => expect(parseDependencies(text)).toBeUndefined());
});

describe('GPUs', () => {
  it.each([
    ['gpu', { count: 1, kind: null, mixed: false }],
    ['gpu:2', { count: 2, kind: null, mixed: false }],
    ['gpu:v100:8', { count: 8, kind: 'v100', mixed: false }],
    ['gpu:v100', { count: 1, kind: 'v100', mixed: false }],
    ['gres:gpu:1', { count: 1, kind: null, mixed: false }],
    ['gres/gpu:a100:2', { count: 2, kind: 'a100', mixed: false }],
    ['gpu:1k', { count: 1024, kind: null, mixed: false }],
    ['gpu:1,gpu:3', { count: 3, kind: null, mixed: false }],
    ['gpu:a:1,gpu:b:2', { count: 3, kind: null, mixed: true }],
    ['gpu:0', null],
    ['shard:4', { count: 1, kind: null, mixed: false, sharing: 'auto' }],
    ['shard', { count: 1, kind: null, mixed: false, sharing: 'auto' }],
    ['gres/shard:v100:2', { count: 1, kind: 'v100', mixed: false, sharing: 'auto' }],
    ['mps:50', { count: 1, kind: null, mixed: false, sharing: 'auto' }],
    ['mps:250', { count: 2, kind: null, mixed: false, sharing: 'auto' }],
    ['mps:0', null],
    ['none', null],
  ])('--gres=%s', (text, expected) => {
    const terms = parseGres(text);
    expect(typeof terms === 'string' ? terms : sumOf(terms)).toEqual(expected);
  });

  it.each([
    ['fpga:1', 'unknownResource'],
    ['gpu,fpga', 'unknownResource'],
    ['gpu:', 'unknownResource'],
    ['gpu:1,shard:1', 'unknownResource'],
    ['shards:1', 'unknownResource'],
    ['gpu:-1', 'unknownResource'],
    ['', 'noList'],
    [',gpu', 'noList'],
  ])('--gres=%s is none', (text, mistake) => expect(parseGres(text)).toBe(mistake));

  it.each([
    ['2', { count: 2, kind: null, mixed: false }],
    ['v100:3', { count: 3, kind: 'v100', mixed: false }],
    ['v100', { count: 1, kind: 'v100', mixed: false }],
    ['volta:3,kepler:1', { count: 4, kind: null, mixed: true }],
    ['gpu:2', { count: 2, kind: null, mixed: false }],
  ])('--gpus=%s', (text, expected) => {
    const terms = parseGpus(text);
    expect(typeof terms === 'string' ? terms : sumOf(terms)).toEqual(expected);
  });
});

describe('constraints', () => {
  it.each([
    ['intel', 1, 'intel', false],
    ['intel&gpu', 1, 'intel&gpu', false],
    ['(a|b)&c', 2, '(a|b)&c', false],
    ['[a|b]', 1, 'a|b', false],
    ['[a|b]', 2, 'a|b', true],
    ['a*2', 2, 'a', false],
    ['a*2', 4, 'a', true],
    ['[a*2&b*4]', 6, 'a|b', true],
    ['[(a&b)*2&c*1]', 3, '(a&b)|c', true],
  ])('%s on %i nodes', (text, nodes, constraint, isLossy) => {
    const words = parseConstraintWords(text, nodes);
    expect(words?.constraint).toBe(constraint);
    expect(words?.lost !== null).toBe(isLossy);
  });

  it.each(['', '&', 'a&', '(a', 'a)', '[a', 'a b', '[a][b]', 'a**2'])('%s is none', (text) =>
    expect(parseConstraintWords(text, 1)).toBeNull(),
  );
});

describe('warnings ahead of the limit', () => {
  it.each([
    ['USR1', { signal: 10, beforeMs: 60_000, scope: 'steps' }],
    ['usr1@100', { signal: 10, beforeMs: 100_000, scope: 'steps' }],
    ['B:USR1@100', { signal: 10, beforeMs: 100_000, scope: 'main' }],
    ['R:SIGTERM', { signal: 15, beforeMs: 60_000, scope: 'steps' }],
    ['RB:12@10', { signal: 12, beforeMs: 10_000, scope: 'main' }],
  ])('%s', (text, warning) => expect(parseWarning(text)).toEqual(warning));

  it.each(['x', 'B:x', '10@x', '10@70000', '0', '', '@10'])('%s is none', (text) =>
    expect(parseWarning(text)).toBeNull(),
  );
});

describe('letters', () => {
  it('are wanted for the words that mean something', () => {
    expect(parseMailTypes('begin,Time_Limit')).toEqual(['begin', 'timeLimit']);
    expect(parseMailTypes('ALL')).toEqual(['begin', 'end', 'fail', 'requeue', 'invalidDependency']);
    expect(parseMailTypes('end,bogus')).toEqual(['end']);
    expect(parseMailTypes('NONE')).toEqual([]);
    expect([parseMailTypes('x'), parseMailTypes(''), parseMailTypes('toString')]).toEqual([null, null, null]);
  });
});

describe('limits of the shell', () => {
  const ulimits = { n: '1024', s: '8192', v: 'unlimited' };

  it('are passed on as asked', () => {
    expect(propagatedLimits(ulimits, null)).toEqual({ ok: true, ulimits });
    expect(propagatedLimits(ulimits, 'ALL')).toEqual({ ok: true, ulimits });
    expect(propagatedLimits(ulimits, 'NONE')).toEqual({ ok: true, ulimits: {} });
    expect(propagatedLimits(ulimits, 'STACK,nofile')).toEqual({
      ok: true,
      ulimits: { n: '1024', s: '8192' },
    });
    expect(propagatedLimits(ulimits, 'STACK,x')).toEqual({ ok: false, unknownName: 'x' });
  });
});
