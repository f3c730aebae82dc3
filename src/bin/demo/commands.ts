/**
 * The commands of the demo, run as a user would type them: it depends on nothing but what they print with
 * `--json`, so whatever it does, its reader can do too.
 */

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { packageRoot } from '../../platform/install.ts';

const program = join(packageRoot(), 'bin', 'trainyard');

export interface YardPlace {
  readonly directory: string;
}

/** What the demo reads of `trainyard show --json`. */
export interface ShownJob {
  readonly id: number;
  readonly phase: string;
  readonly outcome: string | null;
  readonly note: string | null;
  readonly elapsedMs: number | null;
  readonly stdoutPath: string;
  readonly attempt: {
    readonly exit: { readonly code: number | null; readonly signal: number | null } | null;
    readonly usage: { readonly cpuMs: number | null; readonly peakMemoryBytes: number | null } | null;
  } | null;
}

/** A command said no; what it said is the message. */
export class CommandFailed extends Error {}

export async function startYard(): Promise<YardPlace> {
  await run(['up']);
  return readJson<YardPlace>(['status', '--json']);
}

/** Gives the job's number. The script finds the directory for its results in RUNS_DIR. */
export async function submitScript(script: string, workDir: string, runsDirectory: string): Promise<number> {
  const args = ['submit', '--json', '--output', `${runsDirectory}/%j.out`, script];
  const surroundings = { cwd: workDir, env: { ...process.env, RUNS_DIR: runsDirectory } };
  return (await readJson<{ id: number }>(args, surroundings)).id;
}

export function showJob(id: number): Promise<ShownJob> {
  return readJson<ShownJob>(['show', '--json', `${id}`]);
}

export interface Following {
  /** Resolves when the job has ended and all of its output was seen. */
  readonly ended: Promise<void>;
  stop(): void;
}

/** Every line of the job's output as it is written. What it waits for is said on stderr. */
export function followOutput(id: number, onLine: (line: string) => void): Following {
  const child: ChildProcess = spawn(program, ['logs', '-f', `${id}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (child.stdout !== null) createInterface({ input: child.stdout }).on('line', onLine);
  const ended = new Promise<void>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', () => resolve());
  });
  return { ended, stop: () => void child.kill('SIGTERM') };
}

async function readJson<T>(args: readonly string[], surroundings: Surroundings = {}): Promise<T> {
  return JSON.parse(await run(args, surroundings)) as T;
}

function run(args: readonly string[], surroundings: Surroundings = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(program, args, surroundings, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new CommandFailed(stderr.trim() || stdout.trim() || error.message));
    });
  });
}

interface Surroundings {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}
