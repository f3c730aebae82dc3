import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../src/platform/install.ts';

/** In a process of its own, which opens all the files it may and then looks at processes. */
const LOOK = `
  const { openSync } = await import('node:fs');
  const { processInfo, listProcesses, readEnvironment } = await import(process.env.PROCESSES);
  const before = listProcesses().length;
  const open = () => { try { openSync('/dev/null', 'r'); return true } catch (error) { return error.code !== 'EMFILE' } };
  while (open());
  process.stdout.write(JSON.stringify({
    self: processInfo(process.pid)?.pid === process.pid,
    all: listProcesses().length > before / 2,
    environment: readEnvironment(process.pid) !== null,
    nobody: processInfo(2 ** 22 + 1),
  }));
`;

test('a process is not taken for gone where no more files can be opened', () => {
  const node = `exec ${process.execPath} --input-type=module -e "$LOOK"`;
  const text = execFileSync('/bin/sh', ['-c', `ulimit -n 256; ${node}`], {
    encoding: 'utf8',
    env: { ...process.env, LOOK, PROCESSES: join(packageRoot(), 'dist/platform/processes.js') },
  });
  expect(JSON.parse(text)).toEqual({ self: true, all: true, environment: true, nobody: null });
});
