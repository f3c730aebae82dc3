/** Two systems that take turns at the same deeds: what both sides of such a comparison need. */

import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { areThere, ensurePrograms } from './debian.mjs';
import { median, ratio } from './figures.mjs';
import { command } from './yard.mjs';

const run = promisify(execFile);

/** Whether the other system can be measured; installs it when it was asked for by name. */
export function isAtHand(system, { say, named }) {
  if (!named && !areThere(system.programs)) {
    say(`no ${system.name} is installed: left out (npm run bench -- ${system.measure} installs it)`);
    return false;
  }
  const refusal = ensurePrograms(system, say);
  if (refusal === null) return true;
  if (named) throw new Error(refusal);
  say(`${refusal}: left out`);
  return false;
}

/** Other systems' names on the PATH, as `eval "$(trainyard env --first)"` puts them there. */
export async function withCommands({ workDir, env }) {
  const { stdout } = await run(command, ['env', '--first', '--json'], { env });
  return { workDir, env: { ...env, PATH: JSON.parse(stdout).path } };
}

/** `times`: the names of what is measured. */
export function side({ workDir, env }, scripts, times) {
  for (const [name, text] of Object.entries(scripts)) writeFileSync(join(workDir, name), text);
  // It would slow down a Node that a command starts, and is nothing of either's.
  const { NODE_EXTRA_CA_CERTS: _, ...rest } = env;
  return { workDir, env: rest, times: Object.fromEntries(times.map((name) => [name, []])), files: 0 };
}

export async function sh(side, line) {
  const { stdout } = await run('/bin/sh', ['-c', line], {
    env: side.env,
    cwd: side.workDir,
    maxBuffer: 1 << 26,
  });
  return stdout;
}

export async function timed(work) {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

/** Resolves once the line prints nothing. */
export async function untilSilent(side, line) {
  while ((await sh(side, line)).trim() !== '') await sleep(50);
}

export function newFile(side) {
  side.files += 1;
  return join(side.workDir, `clock-${side.files}`);
}

/** What `date +%s%N` has written, one a line. */
export function readTimesMs(path) {
  const lines = readFileSync(path, 'utf8').trim().split('\n');
  return lines.map((line) => Number(BigInt(line) / 1000n) / 1000);
}

export function compared(what, key, render, { ours, theirs, version }) {
  const [our, their] = [median(ours.times[key]), median(theirs.times[key])];
  return {
    what,
    figure: render(our),
    against: `${version}: ${render(their)}`,
    ratio: `${ratio(their / our)} × as fast`,
  };
}
