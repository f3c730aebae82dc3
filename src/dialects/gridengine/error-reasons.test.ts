import { expect, test } from 'vitest';
import { errorReason } from './error-reasons.ts';

test('files and directories that cannot be had, as a shepherd says it', () => {
  expect(errorReason('cannot open its output file /nosuch/x.out: its directory does not exist')).toBe(
    'error: can\'t open output file "/nosuch/x.out": No such file or directory',
  );
  expect(errorReason('cannot enter the working directory /nosuch: no such file or directory')).toBe(
    "error: can't chdir to /nosuch: No such file or directory",
  );
  expect(errorReason('cannot enter the working directory /etc/passwd: it is not a directory')).toBe(
    "error: can't chdir to /etc/passwd: Not a directory",
  );
  expect(errorReason('cannot open its error file /nosuch/: it is a directory')).toBe(
    'error: can\'t open output file "/nosuch/": Is a directory',
  );
  expect(errorReason('cannot open its standard input /nosuch/in: no such file or directory')).toBe(
    "error: can't open /nosuch/in as dummy input file",
  );
});

test('a program that cannot be executed, such as that of a first line', () => {
  expect(errorReason('cannot execute /nosuch/python: no such file or directory')).toBe(
    'execvlp(/nosuch/python, "/nosuch/python") failed: No such file or directory',
  );
});

test('a path may hold anything', () => {
  expect(errorReason('cannot open its output file /a: b/c: permission denied')).toBe(
    'error: can\'t open output file "/a: b/c": Permission denied',
  );
});

test('what Grid Engine has no words for is said as it is', () => {
  for (const reason of [
    'exit_status of job start = 100',
    'its script is gone from the store',
    'cannot open its output file',
    '',
  ])
    expect(errorReason(reason)).toBe(reason);
  expect(errorReason('cannot open its output file /x: the system refused')).toBe(
    'error: can\'t open output file "/x": the system refused',
  );
});
