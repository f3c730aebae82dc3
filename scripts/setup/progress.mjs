/**
 * Runs a program whose output matters only when it fails, and shows meanwhile that something happens: a
 * line that counts the seconds on a terminal, one line before and one after elsewhere.
 */

import { spawn } from 'node:child_process';

/** Gives its exit code (1 when it could not run or a signal ended it) and all it printed. */
export async function runVisibly(label, file, args, cwd) {
  const done = showProgress(label);
  const result = await run(file, args, cwd);
  done(result.code === 0);
  return result;
}

/** Shows progress on stderr; the returned function ends it. */
export function showProgress(label, stream = process.stderr) {
  const startedAt = Date.now();
  const seconds = () => `${((Date.now() - startedAt) / 1000).toFixed(1)} s`;
  if (!stream.isTTY) {
    stream.write(`${label} …\n`);
    return (ok) => void stream.write(`${label} ${ok ? 'took' : 'failed after'} ${seconds()}\n`);
  }
  const draw = () => stream.write(`\r\x1b[K${label} … ${seconds()}`);
  draw();
  const timer = setInterval(draw, 200);
  return (ok) => {
    clearInterval(timer);
    stream.write(`\r\x1b[K${label} ${ok ? 'took' : 'failed after'} ${seconds()}\n`);
  };
}

function run(file, args, cwd) {
  return new Promise((resolve) => {
    const child = spawn(file, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    const stopMinding = endTogether(child);
    let output = '';
    const collect = (chunk) => {
      output += chunk;
    };
    const finish = (result) => {
      stopMinding();
      resolve(result);
    };
    child.stdout.setEncoding('utf8').on('data', collect);
    child.stderr.setEncoding('utf8').on('data', collect);
    child.on('error', (error) => finish({ code: 1, output: `${output}${error.message}\n` }));
    child.on('close', (code) => finish({ code: code ?? 1, output }));
  });
}

/** When we are told to end, the child ends first: it must not go on writing once our lock is free. */
function endTogether(child) {
  const onSignal = (signal) => {
    child.kill(signal);
    child.removeAllListeners('close').on('close', () => {
      stop();
      process.stderr.write('\n');
      process.kill(process.pid, signal);
    });
  };
  const stop = () => {
    for (const signal of ENDING) process.off(signal, onSignal);
  };
  for (const signal of ENDING) process.on(signal, onSignal);
  return stop;
}

const ENDING = ['SIGINT', 'SIGTERM', 'SIGHUP'];
