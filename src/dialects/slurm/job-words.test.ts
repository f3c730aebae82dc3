import { expect, test } from 'vitest';
import { splitOutsideBrackets } from './host-list.ts';
import { parseJobWord, parseStepWord, refsOf, refText } from './job-words.ts';

const refs = (text: string) => {
  const word = parseJobWord(text);
  return word === null ? null : refsOf(word).map(refText);
};

test('a job is a number, or some elements of an array', () => {
  expect(refs('17')).toEqual(['17']);
  expect(refs('4_1')).toEqual(['4_1']);
  expect(refs('4_[1-3,7%2]')).toEqual(['4_1', '4_2', '4_3', '4_7']);
  expect(refs('4_[0-8:4]')).toEqual(['4_0', '4_4', '4_8']);
});

test.each([
  '',
  '0',
  'abc',
  '12x',
  '-5',
  '4_x',
  '4_',
  '4_*',
  '4_[1-3',
  '4_[3-1]',
  '4_[0-999999999]',
  '4_[]',
  '1e3',
  '٣',
])('%j is no job', (text) => {
  expect(parseJobWord(text)).toBeNull();
});

test('a step is a number after a point', () => {
  expect(parseStepWord('17.0')).toMatchObject({ job: 17, step: 0, text: '17.0' });
  expect(parseStepWord('4_2.13')).toMatchObject({ job: 4, indices: [[2, 2, 1]], step: 13 });
  expect(parseStepWord('17')).toMatchObject({ job: 17, step: null });
  expect(parseStepWord('17.batch')).toBeNull();
  expect(parseStepWord('17.')).toBeNull();
});

test('a list is cut at commas outside of brackets', () => {
  expect(splitOutsideBrackets('1,4_[1,3],,7')).toEqual(['1', '4_[1,3]', '7']);
});
