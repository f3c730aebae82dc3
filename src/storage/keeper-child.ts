/**
 * One process of a keeper: started in a session of its own, so that a Ctrl-C or a signal for a job is not for it, with
 * an environment in which no job is named, and with less claim on the processors than training has. Knows nothing of
 * what is asked; it ends when its standard input does.
 */

import { spawn } from 'node:child_process';
import { setPriority } from 'node:os';
import { errorWords } from '../platform/files.ts';
import {
  encodeLine,
  type FromKeeper,
  KEEPER_PROTOCOL,
  lineReader,
  type ToKeeper,
} from './keeper-protocol.ts';

export interface KeeperChild {
  readonly pid: number | null;
  send(message: ToKeeper): void;
  /** Asks it to end, and sees to it. */
  end(): Promise<void>;
}

export interface KeeperChildStart {
  /** dist/bin/keeper.js */
  readonly program: string;
  readonly heard: (message: FromKeeper) => void;
  /** Called once, after the last that was heard. */
  readonly ended: (how: string) => void;
  readonly log: (line: string) => void;
}

const NICENESS = 10;
/** Copies wait for the disk in threads; the four that Node has by default would make small files queue behind big ones. */
const THREADS = 16;
const PATIENCE_MS = 2000;

/** A machine that is short of processes or files may refuse; that counts as an end as well. */
export function startKeeperChild(start: KeeperChildStart): KeeperChild {
  try {
    return started(start);
  } catch (error) {
    setImmediate(start.ended, `cannot be started: ${errorWords(error)}`);
    return NOBODY;
  }
}

const NOBODY: KeeperChild = { pid: null, send: () => {}, end: async () => {} };

function started({ program, heard, ended, log }: KeeperChildStart): KeeperChild {
  const child = spawn(process.execPath, [program, KEEPER_PROTOCOL], {
    detached: true,
    cwd: '/',
    env: keeperEnvironment(process.env),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  yieldTo(child.pid);

  const gone = new Promise<string>((resolve) => {
    child.once('close', (code, signal) =>
      resolve(signal === null ? `ended with status ${code}` : `was ended by ${signal}`),
    );
    child.once('error', (error) => resolve(`cannot be started: ${errorWords(error)}`));
  });
  gone.then(ended, () => {});
  // Where no more files may be open it has no pipes either, whatever its type says.
  if ((child.stdin as unknown) == null) return NOBODY;

  // A process that is gone says so by ending; what could not be sent to it is asked of the next one.
  child.stdin.on('error', () => {});
  const messages: FromKeeper[] = [];
  const read = lineReader((line) => messages.push(JSON.parse(line) as FromKeeper));
  child.stdout.on('data', (chunk: Buffer) => {
    try {
      read(chunk);
    } catch (error) {
      log(`the keeper said what makes no sense, and is ended: ${errorWords(error)}`);
      child.kill('SIGKILL');
    }
    for (const message of messages.splice(0)) heard(message);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    for (const line of text.split('\n')) if (line !== '') log(`keeper: ${line}`);
  });

  return {
    pid: child.pid ?? null,
    send: (message) => {
      child.stdin.write(encodeLine(message));
    },
    async end() {
      child.stdin.end();
      const killing = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
      await gone;
      clearTimeout(killing);
    },
  };
}

/** It needs next to nothing; above all no marker of a job that its yard happens to have been started in. */
function keeperEnvironment(own: NodeJS.ProcessEnv): Record<string, string> {
  const environment: Record<string, string> = { UV_THREADPOOL_SIZE: `${THREADS}` };
  for (const name of ['HOME', 'LANG', 'LD_LIBRARY_PATH', 'LD_PRELOAD', 'PATH', 'TZ']) {
    const value = own[name];
    if (value !== undefined) environment[name] = value;
  }
  return environment;
}

/** Before it has threads, which inherit it. */
function yieldTo(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, NICENESS);
  } catch {
    // It is gone already, or may not be asked; it does its work all the same.
  }
}
