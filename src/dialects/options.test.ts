import { describe, expect, it } from 'vitest';
import { seededRandom } from '../sim/random.ts';
import { allValues, isGiven, lastGiven, lastValue, type OptionSpec, parseOptions } from './options.ts';

const SPECS: readonly OptionSpec[] = [
  { name: 'name', short: 'J', value: 'required' },
  { name: 'nodes', aliases: ['node-count'], short: 'N', value: 'required' },
  { name: 'nodelist', short: 'w', value: 'required' },
  { name: 'hold', short: 'H', value: 'none' },
  { name: 'quiet', short: 'q', value: 'none' },
  { name: 'colour', short: 'c', value: 'optional' },
  { name: 'env', value: 'required' },
];

function read(argv: readonly string[], style: 'anywhere' | 'endOptions' = 'anywhere') {
  const outcome = parseOptions(SPECS, argv, style);
  if (!outcome.ok) throw new Error(JSON.stringify(outcome.error));
  return outcome.arguments;
}

function mistake(argv: readonly string[]) {
  const outcome = parseOptions(SPECS, argv, 'anywhere');
  if (outcome.ok) throw new Error('no mistake was found');
  return outcome.error;
}

describe('long options', () => {
  it('takes a value after = or as the next word, whatever that looks like', () => {
    expect(lastValue(read(['--name=a=b']).options, 'name')).toBe('a=b');
    expect(lastValue(read(['--name', '--hold']).options, 'name')).toBe('--hold');
    expect(lastValue(read(['--name', '--']).options, 'name')).toBe('--');
    expect(lastValue(read(['--name=']).options, 'name')).toBe('');
  });

  it('understands an abbreviation that can only mean one option', () => {
    expect(lastValue(read(['--na', 'x']).options, 'name')).toBe('x');
    expect(lastValue(read(['--node-c=2']).options, 'nodes')).toBe('2');
    expect(lastValue(read(['--nodes', '2']).options, 'nodes')).toBe('2');
    expect(mistake(['--node', '2'])).toEqual({
      kind: 'ambiguous',
      written: '--node',
      word: '--node',
      choices: ['--nodes', '--node-count', '--nodelist'],
    });
  });

  it('takes an optional value only when it is attached', () => {
    const { options, positionals } = read(['--colour', 'never']);
    expect(options).toEqual([{ name: 'colour', value: null, written: '--colour' }]);
    expect(positionals).toEqual(['never']);
    expect(lastValue(read(['--colour=never']).options, 'colour')).toBe('never');
  });

  it('names what is wrong', () => {
    expect(mistake(['--naem=x'])).toEqual({
      kind: 'unknown',
      written: '--naem',
      word: '--naem=x',
      nearest: ['--name'],
    });
    expect(mistake(['--name'])).toEqual({ kind: 'missingValue', written: '--name', name: 'name' });
    expect(mistake(['--hold=1'])).toEqual({ kind: 'unexpectedValue', written: '--hold', name: 'hold' });
    expect(mistake(['--=x']).kind).toBe('unknown');
  });
});

describe('short options', () => {
  it('reads clusters, and values attached or apart', () => {
    const { options } = read(['-qHN5', '-J', 'x', '-cnever', '-c']);
    expect(options.map(({ name, value }) => [name, value])).toEqual([
      ['quiet', null],
      ['hold', null],
      ['nodes', '5'],
      ['name', 'x'],
      ['colour', 'never'],
      ['colour', null],
    ]);
  });

  it('takes a negative number as a value', () => {
    expect(lastValue(read(['-N', '-5']).options, 'nodes')).toBe('-5');
    expect(lastValue(read(['-N-5']).options, 'nodes')).toBe('-5');
  });

  it('names the letter that is wrong, and the long option with a dash too few', () => {
    expect(mistake(['-qZ'])).toEqual({ kind: 'unknown', written: '-Z', word: '-Z', nearest: [] });
    expect(mistake(['-name=x'])).toEqual({ kind: 'unknown', written: '-n', word: '-n', nearest: ['--name'] });
    expect(mistake(['-qJ'])).toEqual({ kind: 'missingValue', written: '-J', name: 'name' });
  });
});

describe('positionals', () => {
  it('may stand anywhere, and end at --', () => {
    const { options, positionals, afterDashes } = read(['a', '-q', 'b', '-', '--', '-H', 'c']);
    expect(options.map(({ name }) => name)).toEqual(['quiet']);
    expect(positionals).toEqual(['a', 'b', '-']);
    expect(afterDashes).toEqual(['-H', 'c']);
  });

  it('end the options where another command line begins', () => {
    const { options, positionals, afterDashes } = read(['-q', 'script', '-H', '--', 'x'], 'endOptions');
    expect(options).toHaveLength(1);
    expect(positionals).toEqual(['script', '-H', '--', 'x']);
    expect(afterDashes).toBeNull();
  });
});

describe('reading what was given', () => {
  it('lets the last one win, and keeps all of them', () => {
    const { options } = read(['--env', 'A=1', '--env=B=2', '-J', 'x', '-J', 'y', '-q']);
    expect(lastValue(options, 'name')).toBe('y');
    expect(allValues(options, 'env')).toEqual(['A=1', 'B=2']);
    expect(isGiven(options, 'quiet')).toBe(true);
    expect(isGiven(options, 'hold')).toBe(false);
    expect(lastGiven(options, ['env', 'quiet'])?.name).toBe('quiet');
  });
});

describe('arbitrary words', () => {
  it('are parsed or refused, never thrown at, and no value is lost', () => {
    const random = seededRandom(20_260_310);
    const pieces = [
      '-',
      '--',
      '=',
      'name',
      'J',
      'N',
      'q',
      'é',
      '\udc80',
      '\ud83d',
      '\n',
      '',
      '日本',
      '%',
      '\u0000',
      'no',
    ];
    for (let round = 0; round < 5000; round++) {
      const argv = Array.from({ length: random.below(6) }, () =>
        Array.from({ length: random.below(5) }, () => random.pick(pieces)).join(''),
      );
      const outcome = parseOptions(SPECS, argv, random.below(2) === 0 ? 'anywhere' : 'endOptions');
      if (!outcome.ok) continue;
      const { options, positionals, afterDashes } = outcome.arguments;
      const kept = [
        ...positionals,
        ...(afterDashes ?? []),
        ...options.flatMap(({ value }) => value ?? []),
      ].join('');
      expect(argv.join('').length).toBeGreaterThanOrEqual(kept.length);
      for (const { name } of options) expect(SPECS.some((spec) => spec.name === name)).toBe(true);
    }
  });
});
