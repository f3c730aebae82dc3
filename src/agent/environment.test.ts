import { expect, test } from 'vitest';
import { assembleEnvironment, parseEnvironment } from './environment.ts';

const block = (...entries: string[]) => Buffer.from(entries.map((entry) => `${entry}\0`).join(''), 'latin1');
const entriesOf = (bytes: Buffer) => bytes.toString('latin1').split('\0').slice(0, -1);

test('values keep their bytes, whatever they are', () => {
  const submitted = parseEnvironment(block('A=\xff\xfe=x', 'B=', 'C=line\nline'));
  const assembled = assembleEnvironment(submitted, new Map([['D', 'é']]));
  expect(entriesOf(assembled)).toEqual(['A=\xff\xfe=x', 'B=', 'C=line\nline', 'D=\xc3\xa9']);
});

test('ours take the place of theirs, and nobody can pretend to be the yard', () => {
  const submitted = parseEnvironment(block('CUDA_VISIBLE_DEVICES=7', 'TRAINYARD_ATTEMPT=1.1', 'X=1'));
  const assembled = assembleEnvironment(submitted, new Map([['CUDA_VISIBLE_DEVICES', '0,1']]));
  expect(entriesOf(assembled)).toEqual(['X=1', 'CUDA_VISIBLE_DEVICES=0,1']);
});

test('what a shell would drop or change goes around it', () => {
  const submitted = parseEnvironment(
    block('BASH_FUNC_module%%=() {  :\n}', 'IFS=:', 'SHELLOPTS=errexit', 'ok=1'),
  );
  expect(submitted.aroundShell).toEqual(['BASH_FUNC_module%%=() {  :\n}', 'IFS=:', 'SHELLOPTS=errexit']);
  expect(entriesOf(assembleEnvironment(submitted, new Map()))).toEqual(['ok=1']);
});

test('what is no variable is left out, and the first of two counts', () => {
  const submitted = parseEnvironment(block('nonsense', '=odd', 'A=1', 'A=2'));
  expect(entriesOf(assembleEnvironment(submitted, new Map()))).toEqual(['A=1']);
});
