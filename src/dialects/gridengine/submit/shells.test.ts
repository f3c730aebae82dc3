import { expect, it } from 'vitest';
import { shellCommand, writtenLine } from './shells.ts';

it('a command line is found again as it was written, with and without a login', () => {
  for (const isLogin of [true, false]) {
    for (const shell of ['/bin/sh', '/usr/bin/python3']) {
      expect(writtenLine(shellCommand(shell, ['sleep', '5'], isLogin))).toBe('sleep 5');
    }
  }
  expect(writtenLine(['sleep', '5'])).toBeNull();
});
