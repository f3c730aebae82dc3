import { expect, it } from 'vitest';
import { bytesFromText } from '../../../model/bytes.ts';
import { directiveWords, requestWords, splitWords } from './directives.ts';
import { mergedFlags, ofLastSource, repeatedFlags } from './layers.ts';
import type { Layer } from './sources.ts';

function layer(...flags: readonly (readonly string[])[]): Layer {
  return { source: 'commandLine', flags: flags.map(([flag = '', ...words]) => ({ flag, words })), rest: [] };
}

it('directives are found in all of a script, with or without a space after them', () => {
  const script = bytesFromText(
    '#!/bin/sh\n#$ -N a\r\n#$-l h_rt=10\n #$ -j y\n# $ -j y\n#$\t-M a@b\necho hi\n#$ -q cpu # a comment\n#$',
  );
  expect(directiveWords(script, '#$')).toEqual(['-N', 'a', '-l', 'h_rt=10', '-M', 'a@b', '-q', 'cpu']);
  expect(directiveWords(bytesFromText('#PBS -N x\n#$ -N y\n'), '#PBS')).toEqual(['-N', 'x']);
  expect(directiveWords(script, '')).toEqual([]);
});

it('quotes keep words together, and a # outside of them ends the line', () => {
  expect(splitWords(`-N 'quoted name' -v "A=a b",B='c,d' x#y -z`)).toEqual([
    '-N',
    'quoted name',
    '-v',
    'A=a b,B=c,d',
    'x',
  ]);
  expect(splitWords(`-A "" -N un"terminated`)).toEqual(['-A', '', '-N', 'unterminated']);
  expect(requestWords(bytesFromText('# c\n-N x\n  -j y\n\n'))).toEqual(['-N', 'x', '-j', 'y']);
});

it('-clear forgets what was said before it, in other sources too', () => {
  const merged = mergedFlags([layer(['-N', 'a'], ['-j', 'y']), layer(['-p', '1'], ['-clear'], ['-A', 'x'])]);
  expect(merged.map(({ flag }) => flag)).toEqual(['-A']);
});

it('requests are hard again in the next source', () => {
  const merged = mergedFlags([
    layer(['-l', 'a'], ['-soft'], ['-l', 'b'], ['-hard'], ['-l', 'c'], ['-soft']),
    layer(['-l', 'd']),
  ]);
  expect(merged.map(({ words, isSoft }) => `${words[0]}${isSoft ? ' soft' : ''}`)).toEqual([
    'a',
    'b soft',
    'c',
    'd',
  ]);
});

it('of lists that a later source replaces only its own count', () => {
  const merged = mergedFlags([layer(['-q', 'a']), layer(['-q', 'b'], ['-q', 'c'])]);
  expect(ofLastSource(merged, '-q').map(({ words }) => words[0])).toEqual(['b', 'c']);
});

it('flags of which one counts are noticed when they are there twice', () => {
  expect(repeatedFlags(layer(['-N', 'a'], ['-p', '1'], ['-N', 'b'], ['-p', '2'], ['-j', 'y']))).toEqual([
    '-N',
  ]);
});
