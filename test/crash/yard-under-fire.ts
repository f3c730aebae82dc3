/** A real yard in a directory of its own that can be killed at any instant and started again. */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Api, yardApi } from '../../src/client/api.ts';
import { startDaemon } from '../../src/client/start.ts';
import { packageRoot } from '../../src/platform/install.ts';

export interface YardUnderFire {
  readonly directory: string;
  /** The yard's API; starts a daemon first when none runs. */
  api(): Promise<Api>;
  /** kill -9, and gone when this resolves. */
  kill(): Promise<void>;
  readonly kills: () => number;
  /** Ends the daemon and removes the directory. */
  close(): Promise<void>;
}

/** `configure` writes a config file, and tells where. */
export function yardUnderFire(configure: ((directory: string) => string) | null = null): YardUnderFire {
  const directory = mkdtempSync(join(tmpdir(), 'yard-under-fire-'));
  const config = configure?.(directory) ?? null;
  let running: { readonly api: Api; readonly pid: number } | null = null;
  let starting: Promise<Api> | null = null;
  let kills = 0;

  async function start(): Promise<Api> {
    const result = await startDaemon({
      program: `${packageRoot()}/dist/bin/daemon.js`,
      programArguments: config === null ? [] : ['--config', config],
      directory,
      logPath: join(directory, 'yard.log'),
      environment: { PATH: process.env.PATH ?? '', HOME: directory, TRAINYARD_DIR: directory },
      timeoutMs: 60_000,
    });
    if (!result.ok) throw new Error(result.sentence);
    const api = yardApi(result.yard.socketPath);
    running = { api, pid: lockHolder(directory) };
    starting = null;
    return api;
  }

  async function kill(): Promise<void> {
    await starting?.catch(() => {});
    if (running === null) return;
    const { pid } = running;
    running = null;
    kills++;
    process.kill(pid, 'SIGKILL');
    while (isRunning(pid)) await new Promise((resolve) => setImmediate(resolve));
  }

  return {
    directory,
    async api() {
      if (running !== null) return running.api;
      starting ??= start();
      return starting;
    },
    kill,
    kills: () => kills,
    async close() {
      await kill();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** The lock file names whoever holds it. */
function lockHolder(directory: string): number {
  const pid = /\d+/.exec(readFileSync(join(directory, 'lock'), 'utf8'));
  if (pid === null) throw new Error('the lock names nobody');
  return Number(pid[0]);
}

/** A zombie is dead: nobody is obliged to have reaped it yet. */
function isRunning(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
