/**
 * Real other users, for attacks: user numbers without a name, which only root can start processes as. They run a copy of
 * Trainyard in a directory that everybody can read, since a checkout may lie in a home that others cannot enter.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, chownSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../src/platform/install.ts';

/** Attacks need two users. Whoever is not root cannot make them: such tests are skipped. */
export const canBecomeOthers = process.geteuid?.() === 0;

export interface User {
  readonly uid: number;
  /** Nobody else may enter it. */
  readonly home: string;
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Where programs are that every user may run; a test's own PATH can lead into root's home. */
export const SYSTEM_PATH = '/usr/local/bin:/usr/bin:/bin';

const temporary: string[] = [];

/** Others of this process: what two suites on one machine put into /tmp under a user's number is not mixed up. */
const FIRST_UID = 50_000;
const COUPLES = 2_000;

/** The victim is `ann`, the attacker `bo`. Their homes are gone after `removeUsers`. */
export function makeUser(name: 'ann' | 'bo'): User {
  const uid = FIRST_UID + 2 * (process.pid % COUPLES) + (name === 'ann' ? 0 : 1);
  const home = directoryForAll(`trainyard-${name}-`);
  chownSync(home, uid, uid);
  chmodSync(home, 0o700);
  return { uid, home };
}

/** A new directory in /tmp that everybody may enter; root owns it. */
export function directoryForAll(prefix: string): string {
  const directory = mkdtempSync(join('/tmp', prefix));
  chmodSync(directory, 0o755);
  temporary.push(directory);
  return directory;
}

export function removeUsers(): void {
  for (const directory of temporary.splice(0)) rmSync(directory, { recursive: true, force: true });
}

export interface RunOptions {
  readonly environment?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly stdin?: 'ignore' | 'pipe';
}

export function startAs(
  { uid, home }: User,
  argv: readonly string[],
  options: RunOptions = {},
): ChildProcess {
  const [program = '', ...words] = argv;
  return spawn(program, words, {
    uid,
    gid: uid,
    cwd: options.cwd ?? home,
    env: { PATH: SYSTEM_PATH, HOME: home, USER: `${uid}`, ...options.environment },
    stdio: [options.stdin ?? 'ignore', 'pipe', 'pipe'],
  });
}

export function runAs(user: User, argv: readonly string[], options: RunOptions = {}): Promise<Ended> {
  return ended(startAs(user, argv, options));
}

export function ended(child: ChildProcess): Promise<Ended> {
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
}

let installed: string | null = null;

/** The root of an installation that every user can run: made once per test process, gone after `removeUsers`. */
export function installationForAll(): string {
  if (installed !== null && existsSync(installed)) return installed;
  const to = directoryForAll('trainyard-installed-');
  const from = packageRoot();
  for (const name of ['bin', 'dist', 'libexec', 'python', 'package.json'])
    cpSync(join(from, name), join(to, name), { recursive: true });
  for (const name of packagesNeeded(from))
    cpSync(join(from, 'node_modules', name), join(to, 'node_modules', name), { recursive: true });
  installed = to;
  return to;
}

/** What a user's installation has, which is less than a developer's. */
function packagesNeeded(root: string): string[] {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean }>;
  };
  return Object.entries(packages)
    .filter(([path, { dev }]) => path.startsWith('node_modules/') && dev !== true)
    .map(([path]) => path.slice('node_modules/'.length))
    .filter((name) => existsSync(join(root, 'node_modules', name)));
}
