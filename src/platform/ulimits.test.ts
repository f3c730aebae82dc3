import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { ownUlimits, ulimitsFrom } from './ulimits.ts';

test('limits are counted as ulimit counts them', () => {
  const text =
    'Limit                     Soft Limit           Hard Limit           Units     \n' +
    'Max cpu time              unlimited            unlimited            seconds   \n' +
    'Max stack size            8388608              unlimited            bytes     \n' +
    'Max core file size        1024                 unlimited            bytes     \n' +
    'Max open files            1024                 524288               files     \n' +
    'Max pending signals       96349                96349                signals   \n';
  expect(ulimitsFrom(text)).toEqual({ t: 'unlimited', s: '8192', c: '2', n: '1024' });
});

test('a shell that we start sees the same', () => {
  const own = ownUlimits();
  for (const letter of ['t', 'f', 's', 'c', 'n']) {
    const seen = execFileSync('/bin/sh', ['-c', `ulimit -S -${letter}`], { encoding: 'utf8' });
    expect(`${letter} ${seen.trim()}`).toBe(`${letter} ${own[letter]}`);
  }
});
