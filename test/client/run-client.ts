/** Runs the launcher as a user would, so that it becomes one client or the other. */

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { launchers, packageRoot } from '../../src/platform/install.ts';
import { temporaryDirectory } from './fake-yard.ts';

/** What the launcher becomes. */
export const CLIENTS = ['quick', 'full'] as const;
/** The compiled one is not asked for by the launcher, but by links, and is there where a C compiler was. */
export type Client = (typeof CLIENTS)[number] | 'compiled';

export const LAUNCHER = join(packageRoot(), 'bin', 'trainyard');
const COMPILED = launchers().compiled;
export const ALL_CLIENTS: readonly Client[] = COMPILED === null ? CLIENTS : [...CLIENTS, 'compiled'];

/** A name that is not Trainyard's own, so that even the full client leaves the whole command to the yard. */
const probe = whileThere(() => linkFor('quick', 'probe'));
const compiledProbe = whileThere(() => linkFor('compiled', 'probe'));

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

export interface Run {
  readonly client: Client;
  /** The yard's directory, as TRAINYARD_DIR. */
  readonly directory: string | null;
  readonly args?: readonly string[];
  readonly environment?: Record<string, string>;
  readonly cwd?: string;
  readonly stdin?: string | Buffer;
  readonly program?: string;
  /** Shell words to run rather than the program itself; that is then `"$0"`. */
  readonly script?: string;
}

/** The full client is what there is where PATH has no perl. */
const pathWithoutPerl = whileThere(() =>
  makeBin(['sh', 'env', 'cat', 'printf', 'readlink', 'head', 'true', 'nohup']),
);

export function startClient(run: Run): ChildProcess {
  const path = run.client === 'full' ? pathWithoutPerl() : (process.env.PATH as string);
  const program = run.program ?? (run.client === 'compiled' ? compiledProbe() : probe());
  const environment = {
    PATH: path,
    HOME: '/nonexistent',
    ...(run.directory === null ? {} : { TRAINYARD_DIR: run.directory }),
    ...run.environment,
  };
  const [command, args] =
    run.script === undefined
      ? [program, [...(run.args ?? [])]]
      : ['/bin/sh', ['-c', run.script, program, ...(run.args ?? [])]];
  const child = spawn(command, args, {
    env: environment,
    cwd: run.cwd ?? '/',
    stdio: [run.stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  if (run.stdin !== undefined) {
    child.stdin?.on('error', () => {});
    child.stdin?.end(run.stdin);
  }
  return child;
}

export function ended(child: ChildProcess): Promise<Ended> {
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => err.push(chunk));
  return new Promise((resolve) => {
    child.once('close', (code, signal) =>
      resolve({ code, signal, stdout: Buffer.concat(out), stderr: Buffer.concat(err).toString() }),
    );
  });
}

export function runClient(run: Run): Promise<Ended> {
  return ended(startClient(run));
}

/** Made when it is first wanted, and again when a test file has removed it. */
function whileThere(make: () => string): () => string {
  let path: string | null = null;
  return () => {
    if (path === null || !existsSync(path)) path = make();
    return path;
  };
}

/** A command by this name that becomes this client. */
export function linkFor(client: Client, name: string): string {
  return linkTo(client === 'compiled' ? (COMPILED as string) : LAUNCHER, name);
}

function linkTo(target: string, name: string): string {
  const link = join(temporaryDirectory(), name);
  symlinkSync(target, link);
  return link;
}

function makeBin(names: readonly string[]): string {
  const bin = join(temporaryDirectory(), 'bin');
  mkdirSync(bin);
  for (const name of names) {
    const found = (process.env.PATH ?? '').split(delimiter).concat('/usr/bin', '/bin');
    symlinkSync(firstExecutable(found, name), join(bin, name));
  }
  symlinkSync(process.execPath, join(bin, 'node'));
  return bin;
}

function firstExecutable(directories: readonly string[], name: string): string {
  for (const directory of directories) {
    const path = join(directory, name);
    if (existsSync(path)) return path;
  }
  throw new Error(`this test needs ${name}`);
}
