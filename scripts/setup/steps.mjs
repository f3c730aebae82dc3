/** What can follow the set-up, and how a program is run in our place. */

import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { inRoot, root } from './paths.mjs';

const bin = (name) => inRoot('node_modules', '.bin', name);
const node = (...script) => [process.execPath, inRoot(...script)];

/** Programs run in order, all of them even when one fails; the arguments somebody gave go to the last one. */
export const STEPS = {
  start: { needsBuild: true, programs: [node('dist', 'bin', 'demo.js')] },
  test: { needsBuild: true, programs: [[bin('vitest'), 'run']] },
  check: {
    needsBuild: false,
    programs: [
      [bin('biome'), 'check', '--error-on-warnings', '.'],
      [bin('oxlint'), '--deny-warnings'],
      [bin('tsc'), '-p', '.'],
    ],
  },
  'test:attack': {
    needsBuild: true,
    programs: [[bin('vitest'), 'run', '--config', 'vitest.attack.config.ts']],
  },
  'test:crash': {
    needsBuild: true,
    programs: [[bin('vitest'), 'run', '--config', 'vitest.crash.config.ts']],
  },
  'test:real': {
    needsBuild: true,
    programs: [
      node('scripts', 'real-tools', 'install.mjs'),
      [bin('vitest'), 'run', '--config', 'vitest.real.config.ts'],
    ],
  },
  soak: { needsBuild: true, programs: [node('scripts', 'soak.mjs')] },
  sim: { needsBuild: true, programs: [node('dist', 'bin', 'sim.js')] },
  bench: { needsBuild: true, programs: [node('bench', 'run.mjs')] },
};

/** Gives the first bad exit code. A signal ends the whole step. */
export async function runStep(step, args) {
  const { programs } = STEPS[step];
  let worst = 0;
  for (const [at, program] of programs.entries()) {
    const code = await runInForeground(at === programs.length - 1 ? [...program, ...args] : program);
    if (code > 128) return code;
    if (worst === 0) worst = code;
  }
  return worst;
}

/** As a shell would: our streams, and its exit code or 128 + the signal that ended it. */
function runInForeground([file, ...args]) {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { cwd: root, stdio: 'inherit' });
    const stopPassing = passSignalsTo(child);
    child.on('error', (error) => {
      stopPassing();
      reject(error);
    });
    child.on('exit', (code, signal) => {
      stopPassing();
      resolve(code ?? 128 + constants.signals[signal]);
    });
  });
}

/** Ctrl-C on a terminal reaches the child by itself; a signal sent to this process alone is passed on. */
function passSignalsTo(child) {
  const onInterrupt = () => process.stdin.isTTY || child.kill('SIGINT');
  const onOther = (signal) => child.kill(signal);
  process.on('SIGINT', onInterrupt).on('SIGTERM', onOther).on('SIGHUP', onOther);
  return () => process.off('SIGINT', onInterrupt).off('SIGTERM', onOther).off('SIGHUP', onOther);
}
