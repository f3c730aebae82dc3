import { expect, test } from 'vitest';
import { interpreterOf } from './shebang.ts';

const of = (text: string) => interpreterOf(Buffer.from(text, 'latin1'));

test('interpreter and one argument, as the kernel splits them', () => {
  expect(of('#!/bin/bash\necho\n')).toEqual(['/bin/bash']);
  expect(of('#! /usr/bin/env  python3 -u \nprint()')).toEqual(['/usr/bin/env', 'python3 -u']);
  expect(of('#!\t/bin/sh\t-e')).toEqual(['/bin/sh', '-e']);
});

test('without a first line of that kind it is for sh', () => {
  expect(of('echo hi\n')).toEqual(['/bin/sh']);
  expect(of('')).toEqual(['/bin/sh']);
  expect(of('#!\n')).toEqual(['/bin/sh']);
  expect(of('# !/bin/bash\n')).toEqual(['/bin/sh']);
});

test('an interpreter is not searched for', () => {
  expect(of('#!python\n')).toEqual(['./python']);
});

test('a carriage return belongs to the name, as it does for the kernel', () => {
  expect(of('#!/bin/sh\r\necho\r\n')).toEqual(['/bin/sh\r']);
});
