/** A process that asks for a place and then runs what it is handed, as the quick client does. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunHere } from '../../src/model/run-here.ts';
import { encodePlan } from '../../src/model/run-plan.ts';
import type { Step } from '../../src/model/step.ts';
import { packageRoot } from '../../src/platform/install.ts';
import { identityOf, type ProcessIdentity } from '../../src/platform/processes.ts';
import type { TestYard } from './yard.ts';

export interface Caller {
  readonly child: ChildProcess;
  readonly identity: ProcessIdentity;
  /** Lets it run this, with what the yard adds. */
  run(run: RunHere): void;
  /** Its exit code, or the name of the signal that ended it. */
  readonly over: Promise<number | string>;
  readonly stdout: () => string;
  readonly stderr: () => string;
}

const WAIT_FOR_PLAN = [
  `do "${packageRoot()}/libexec/run-here.pl" or die $@;`,
  'my $path = <STDIN>; exit 9 if !defined $path; chomp $path;',
  'open my $file, "<", $path; read $file, my $plan, 1 << 20;',
  'open my $own, "<", "/proc/self/environ"; read $own, my $environment, 1 << 20;',
  'exit RunHere::run($plan, $environment, undef);',
].join(' ');

let plans = 0;

/** With another environment it is part of another job. */
export function newCaller(yard: TestYard, environment: Record<string, string> = {}): Caller {
  const child = spawn('perl', ['-e', WAIT_FOR_PLAN], {
    env: { PATH: process.env.PATH, ...environment },
    cwd: yard.workDir,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    stderr += chunk;
  });
  child.stdin?.on('error', () => {});
  const over = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | string);
  return {
    child,
    identity: identityOf(child.pid as number) as ProcessIdentity,
    run(run) {
      const path = join(yard.directory, `plan-${++plans}`);
      writeFileSync(path, encodePlan(yard.engine.planRun(run)));
      child.stdin?.write(`${path}\n`);
    },
    over,
    stdout: () => stdout,
    stderr: () => stderr,
  };
}

export function runOf(workDir: string, changes: Partial<RunHere> & { readonly each: string }): RunHere {
  const { each, ...rest } = changes;
  return {
    attempt: '17.1',
    step: null,
    holdsJob: true,
    input: { kind: 'none' },
    ranks: [0].map((rank) => ({
      argv: ['sh', '-c', each],
      workDir,
      variables: {},
      unset: [],
      node: 'box',
      nodeNumber: 0,
      rank,
      cpuIds: [],
      stdout: { kind: 'caller' },
      stderr: { kind: 'caller' },
    })),
    manner: {
      name: 'srun',
      stepName: '17.0',
      label: false,
      unbuffered: false,
      terminal: false,
      killOnBadExit: false,
      waitMs: null,
      limitMs: null,
      graceMs: 2000,
      quiet: false,
      quitOnInterrupt: false,
      pidVariable: null,
      farewell: null,
    },
    ...rest,
  };
}

export function stepOf(changes: Partial<Step> = {}): Step {
  return {
    attempt: '17.1',
    n: 0,
    name: 'sh',
    command: ['sh'],
    placement: {
      nodes: [{ node: 'box', ranks: 1, cpus: 1, cpuIds: [], memoryBytes: 2 ** 30, devices: [] }],
    },
    overlap: false,
    cpusPerRank: 1,
    startedAt: 0,
    endedAt: null,
    stoppedBy: null,
    exit: null,
    usage: null,
    ...changes,
  };
}
