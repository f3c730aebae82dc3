import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { ulimitsFrom } from './limits.ts';

test('soft values in the units of ulimit; what has no common letter is left out', () => {
  const text = [
    'Limit                     Soft Limit           Hard Limit           Units     ',
    'Max cpu time              unlimited            unlimited            seconds   ',
    'Max file size             1048576              unlimited            bytes     ',
    'Max stack size            8388608              unlimited            bytes     ',
    'Max processes             96349                96349                processes ',
    'Max open files            1024                 20000                files     ',
    'Max realtime priority     0                    0                    ',
  ].join('\n');
  expect(ulimitsFrom(text)).toEqual({ t: 'unlimited', f: '2048', s: '8192', n: '1024', r: '0' });
});

test('every letter is one that sh knows, and says the same there', () => {
  const script = 'cat /proc/$$/limits; for x in t f d s c m n l v r; do echo "$x $(ulimit -S -$x)"; done';
  const lines = execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8' }).trimEnd().split('\n');
  const said = Object.fromEntries(lines.slice(-10).map((line) => line.split(' ')));
  expect(ulimitsFrom(lines.slice(0, -10).join('\n'))).toEqual(said);
});
