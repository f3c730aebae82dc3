/** A process that swaps two names as fast as it can, as somebody does who shares a directory. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { packageRoot } from '../../src/platform/install.ts';

const SWAPS = `
  const { exchangeNames } = await import(process.argv[1]);
  const [, , one, other] = process.argv;
  process.stdout.write('ready');
  for (;;) try { exchangeNames(one, other); } catch {}
`;

export interface Flipping {
  stop(): Promise<void>;
}

/** Needs a build; that user must be able to read it. The names must be in directories that the user of this process may write to. */
export async function flip(
  one: string,
  other: string,
  uid?: number,
  installation = packageRoot(),
): Promise<Flipping> {
  const disk = pathToFileURL(join(installation, 'dist/platform/disk.js')).href;
  const child: ChildProcess = spawn(
    process.execPath,
    ['--input-type=module', '-e', SWAPS, disk, one, other],
    { stdio: ['ignore', 'pipe', 'inherit'], cwd: '/', ...(uid === undefined ? {} : { uid, gid: uid }) },
  );
  await once(child.stdout as NodeJS.ReadableStream, 'data');
  return {
    async stop() {
      const exit = once(child, 'exit');
      child.kill('SIGKILL');
      await exit;
    },
  };
}
