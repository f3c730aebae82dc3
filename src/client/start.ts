/**
 * Starts a daemon that outlives the command that needed it. The daemon says on a pipe (fd 3) that it listens,
 * or in a sentence why it does not; the end of the pipe without a word means that it crashed. When two commands
 * start one at once, the lock in the yard's directory lets one through, and the other waits for it to listen.
 */

import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, realpathSync } from 'node:fs';
import { basename } from 'node:path';
import type { Readable } from 'node:stream';
import { openOwnDirectory } from '../platform/directory.ts';
import { errorWords } from '../platform/files.ts';
import { awaitYard, type FoundYard } from './connect.ts';
import { ownUid } from './places.ts';
import { parseReadiness, READINESS_FLAG, type Readiness } from './readiness.ts';
import { ownListeners } from './yard-pointer.ts';

export interface DaemonStart {
  /** dist/bin/daemon.js */
  readonly program: string;
  readonly programArguments: readonly string[];
  /** Of this user, and nobody else may write to it. */
  readonly directory: string;
  /** A file in the directory. */
  readonly logPath: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

const FIRST_PATIENCE_MS = 250;
const LAST_LINES = 40;

export type StartResult =
  | { readonly ok: true; readonly yard: FoundYard; readonly byUs: boolean }
  | { readonly ok: false; readonly sentence: string; readonly hint: string | null };

export async function startDaemon(start: DaemonStart): Promise<StartResult> {
  const deadline = performance.now() + start.timeoutMs;
  for (let patienceMs = FIRST_PATIENCE_MS; ; patienceMs *= 2) {
    const word = await launch(start);
    if (word === null) return { ok: false, sentence: crashSentence(start), hint: seeLog(start) };
    if (word.kind === 'failed') return { ok: false, sentence: word.sentence, hint: word.hint };
    if (word.kind === 'ready') {
      const { socketPath } = word;
      const yard = { directory: start.directory, socketPath, listeners: ownListeners(ownUid()) };
      return { ok: true, byUs: true, yard };
    }
    // Whoever has the lock is starting, and will answer; or is stopping, and then it is our turn.
    const leftMs = deadline - performance.now();
    const yard = await awaitYard(start.directory, Math.min(patienceMs, Math.max(leftMs, 1)));
    if (yard !== null) return { ok: true, byUs: false, yard };
    if (leftMs <= patienceMs) {
      return { ok: false, sentence: `${word.sentence}, and does not answer`, hint: seeLog(start) };
    }
  }
}

/**
 * Left alone, V8 lets its heap grow to several times what is in use before it collects. A daemon that runs for months
 * beside training jobs collects sooner: small new space, and at most twice what was left the last time.
 */
const MEMORY_FLAGS: readonly string[] = ['--max-semi-space-size=4', '--heap-growing-percent=100'];

/** Null: it ended without a word. */
async function launch(start: DaemonStart): Promise<Readiness | null> {
  let log: number;
  try {
    log = withLog(start, (path) => openSync(path, 'a', 0o600));
  } catch (error) {
    return { kind: 'failed', sentence: `the yard cannot start: ${errorWords(error)}`, hint: null };
  }
  const words = [...MEMORY_FLAGS, start.program, READINESS_FLAG, ...start.programArguments];
  const daemon = spawn(process.execPath, words, {
    detached: true,
    cwd: '/',
    env: start.environment,
    stdio: ['ignore', log, log, 'pipe'],
  });
  closeSync(log);
  daemon.unref();
  const pipe = daemon.stdio[3] as Readable;
  return new Promise((resolve) => {
    let said = '';
    pipe.setEncoding('utf8');
    pipe.on('data', (text: string) => {
      said += text;
      const word = parseReadiness(said);
      if (word !== null) finish(word);
    });
    pipe.once('end', () => finish(null));
    daemon.once('error', (error) =>
      finish({ kind: 'failed', sentence: `cannot start ${process.execPath}: ${error.message}`, hint: null }),
    );
    const finish = (word: Readiness | null) => {
      pipe.destroy();
      resolve(word);
    };
  });
}

/** The log by a path that leads into the very directory that was verified to be this user's. */
function withLog<T>({ directory, logPath }: DaemonStart, use: (path: string) => T): T {
  // A link that the user named is followed; whose directory it leads to is what counts.
  const own = openOwnDirectory(realpathSync(directory));
  try {
    return use(own.entry(basename(logPath)));
  } finally {
    own.close();
  }
}

function seeLog({ logPath }: DaemonStart): string {
  return `its log is ${logPath}`;
}

/** What Node prints when it gives up has the error's own line among a stack of others. */
function crashSentence(start: DaemonStart): string {
  let lines: string[] = [];
  try {
    const text = withLog(start, (path) => readFileSync(path, 'utf8'));
    lines = text.trimEnd().split('\n').slice(-LAST_LINES);
  } catch {
    // Then the sentence alone has to do.
  }
  const telling = lines.findLast((line) => /^\w*Error\b/.test(line)) ?? lines.at(-1);
  return `the yard ended while it started${telling === undefined ? '' : `: ${telling}`}`;
}

/**
 * What of the caller's environment a daemon keeps: it serves later callers as well, and jobs bring their own.
 */
export function daemonEnvironment(caller: Readonly<Record<string, string>>): Record<string, string> {
  const out: Record<string, string> = {};
  for (const [name, value] of Object.entries(caller)) {
    if (KEPT.has(name) || name.startsWith('TRAINYARD_') || name.startsWith('XDG_')) out[name] = value;
  }
  return out;
}

const KEPT = new Set([
  'HOME',
  'LANG',
  'LD_LIBRARY_PATH',
  'LD_PRELOAD',
  'LOGNAME',
  'PATH',
  'SHELL',
  'TMPDIR',
  'TZ',
  'USER',
]);
