import { expect, it } from 'vitest';
import { shellCommand, shellToWorkIn, writtenLine } from './shells.ts';

it('a command line is found again as it was written, with and without a login', () => {
  for (const isLogin of [true, false]) {
    for (const shell of ['/bin/sh', '/usr/bin/python3']) {
      expect(writtenLine(shellCommand(shell, ['sleep', '5'], isLogin))).toBe('sleep 5');
    }
  }
  expect(writtenLine(['sleep', '5'])).toBeNull();
});

it("a shell to work in comes after a login, whose PATH gets the yard's commands", () => {
  const [shell, ...words] = shellToWorkIn('/bin/bash');
  expect([shell, words.slice(0, 2), words.at(-1)]).toEqual(['/bin/bash', ['-l', '-c'], '/bin/bash']);
  expect(words[2]).toMatch(/^PATH=\S*SGE_BINARY_PATH\S*:\S*\$PATH; exec "\$0"$/);
  expect(shellToWorkIn('/usr/bin/tcsh')).toEqual(['/usr/bin/tcsh', '-l']);
});
