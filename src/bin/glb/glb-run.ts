/** `glb-run`: commands with a balancer at their side, which goes when they have ended, in whatever way. */

import { type ChildProcess, spawn } from 'node:child_process';
import { type Caller, variablesOf } from '../../client/caller.ts';
import { printable, textFromBytes } from '../../model/bytes.ts';
import { packageRoot } from '../../platform/install.ts';
import { commandsDirectory } from '../../server/command-links.ts';
import { ensureBalancer } from './balancer.ts';
import type { RunnableCommand } from './run.ts';
import { cameFromTerminal, signalFamily, statusOfSignal, takeEndingSignals } from './signals.ts';

export interface GlbRun {
  readonly caller: Caller;
  readonly simulateGpus: string | null;
  readonly commands: readonly RunnableCommand[];
  /** At the same time rather than one after the other. */
  readonly parallel: boolean;
}

/** As a shell has it. */
const EXIT_NO_PROGRAM = 127;
const EXIT_NOT_RUN = 126;

type Environment = Readonly<Record<string, string>>;

export async function glbRun({ caller, simulateGpus, commands, parallel }: GlbRun): Promise<number> {
  const signals = takeEndingSignals(caller);
  const running = new Set<ChildProcess>();
  signals.listen((signal) => {
    if (cameFromTerminal(signal)) return;
    for (const { pid } of running) if (pid !== undefined) signalFamily(pid, signal);
  });
  const balancer = await ensureBalancer(caller, simulateGpus);
  try {
    const environment = environmentFor(variablesOf(caller.environment), balancer.directory);
    const run = (command: RunnableCommand) => {
      const signal = signals.first();
      // Whoever ends one of them wants an end to all.
      if (signal !== null) return statusOfSignal(signal);
      return statusOf(command, environment, textFromBytes(caller.workDir), running);
    };
    if (parallel) return firstFailure(await Promise.all(commands.map(run)));
    const statuses: number[] = [];
    for (const command of commands) statuses.push(await run(command));
    return firstFailure(statuses);
  } finally {
    await balancer.stop();
  }
}

function firstFailure(statuses: readonly number[]): number {
  return statuses.find((status) => status !== 0) ?? 0;
}

/** Where the balancer is, the Python package at the end of where Python looks, and our commands at the end of the PATH. */
export function environmentFor(environment: Environment, directory: string): Environment {
  const after = (before: string | undefined, last: string) => (before ? `${before}:${last}` : last);
  return {
    ...environment,
    TRAINYARD_GLB_DIR: directory,
    PYTHONPATH: after(environment.PYTHONPATH, `${packageRoot()}/python`),
    PATH: after(environment.PATH, commandsDirectory(directory, 'glb')),
  };
}

function statusOf(
  command: RunnableCommand,
  environment: Environment,
  workDir: string,
  running: Set<ChildProcess>,
): Promise<number> {
  const [program, ...words] = typeof command === 'string' ? ['/bin/sh', '-c', command] : command;
  return new Promise((resolve) => {
    const child = spawn(program as string, words, { stdio: 'inherit', cwd: workDir, env: environment });
    running.add(child);
    child.once('error', (error: NodeJS.ErrnoException) => {
      running.delete(child);
      const isMissing = error.code === 'ENOENT';
      const why = isMissing ? 'there is no such program' : error.message;
      process.stderr.write(`glb-run: ${printable(`${program}`)} cannot be run: ${why}\n`);
      resolve(isMissing ? EXIT_NO_PROGRAM : EXIT_NOT_RUN);
    });
    child.once('exit', (code, signal) => {
      running.delete(child);
      resolve(signal === null ? (code ?? 1) : statusOfSignal(signal));
    });
  });
}
