/**
 * When backups of the store are made: soon after a start and then daily, if the newest one is a day old. Another process
 * makes them, one at a time. What goes wrong is said and tried again; it never disturbs the yard.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { packageRoot } from '../platform/install.ts';
import { isBackupDue } from '../store/sqlite/backups.ts';
import type { Log } from './log.ts';

export interface Backups {
  /** What is not well with them. */
  remarks(): readonly string[];
  close(): void;
}

export interface BackupOptions {
  readonly directory: string;
  /** The id of the store. */
  readonly store: string;
  readonly log: Log;
  readonly times?: Partial<BackupTimes>;
}

export interface BackupTimes {
  /** A yard that has just started has other things to do. */
  readonly firstLookMs: number;
  readonly lookEveryMs: number;
}

const TIMES: BackupTimes = { firstLookMs: 60_000, lookEveryMs: 3_600_000 };

/** For a store that nobody else can read while it is open. */
export const NO_BACKUPS: Backups = { remarks: () => [], close: () => {} };

export function openBackups({ directory, store, log, times }: BackupOptions): Backups {
  const { firstLookMs, lookEveryMs } = { ...TIMES, ...times };
  let child: ChildProcess | null = null;
  let trouble: string | null = null;
  let timer = setTimeout(look, firstLookMs);
  timer.unref();

  function look(): void {
    timer = setTimeout(look, lookEveryMs);
    timer.unref();
    if (child === null && isBackupDue(directory, store, Date.now())) make();
  }

  function make(): void {
    const since = performance.now();
    const maker = spawn(process.execPath, [`${packageRoot()}/dist/bin/back-up.js`, directory], {
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    child = maker;
    maker.unref();
    let said = '';
    maker.stdin?.on('error', () => {});
    maker.stdout?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    maker.once('error', (error) => finish({ trouble: error.message }));
    maker.once('close', () => finish(parseResult(said)));

    function finish(result: { readonly name?: string; readonly trouble?: string }): void {
      if (child !== maker) return;
      child = null;
      const words = result.name === undefined ? (result.trouble ?? 'it ended without a word') : null;
      if (words === null)
        log(`made the backup ${result.name} in ${Math.round(performance.now() - since)} ms`);
      else if (words !== trouble) log(`no backup of the store could be made: ${words}`);
      trouble = words;
    }
  }

  return {
    remarks: () => (trouble === null ? [] : [`no backup of the store could be made: ${trouble}`]),
    close() {
      clearTimeout(timer);
      // It ends with its input; a draft that it leaves is removed by the next.
      const maker = child;
      child = null;
      maker?.kill('SIGKILL');
    },
  };
}

function parseResult(said: string): { readonly name?: string; readonly trouble?: string } {
  try {
    return JSON.parse(said) as { readonly name?: string; readonly trouble?: string };
  } catch {
    return {};
  }
}
