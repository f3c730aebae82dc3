/** Jobs that end while the yard is down for longer than a week: their ends are read, and none runs again. */

import { readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type YardAtHand, yardAtHand } from './yard-at-hand.ts';

const EIGHT_DAYS_S = 8 * 86_400;

let yard: YardAtHand;
beforeEach(() => {
  yard = yardAtHand('[node]\ncpus = 8\n');
});
afterEach(() => yard.close());

const rankFiles = () =>
  readdirSync(yard.directory)
    .filter((name) => name.startsWith('ranks'))
    .flatMap((name) =>
      readdirSync(join(yard.directory, name)).map((file) => join(yard.directory, name, file)),
    );

const isOver = (path: string) => readFileSync(path, 'latin1').endsWith('end\n');

function setBackEightDays(): void {
  const then = Date.now() / 1000 - EIGHT_DAYS_S;
  for (const path of rankFiles()) utimesSync(path, then, then);
}

/** Writes a line when it begins, and ends with status 7 when somebody lets it go. */
function program(name: string): string[] {
  const script = `echo run >>${name}.runs; while [ ! -e go ]; do sleep 0.02; done; exit 7`;
  return ['-o', '/dev/null', '--', 'sh', '-c', script];
}

const runsOf = (name: string) => readFileSync(join(yard.workDir, `${name}.runs`), 'utf8');

interface Shown {
  readonly phase: string;
  readonly outcome: string;
  readonly restarts: number;
}

test('ends of a week ago are read before anything is removed', async () => {
  await yard.run('submit', ...program('plain'));
  await yard.run('submit', '--no-requeue', ...program('once'));
  await yard.run('submit', '--array', '0-2', ...program('array'));
  await yard.shell('while [ "$(cat *.runs | wc -l)" != 5 ]; do sleep 0.02; done');
  process.kill(await yard.daemonPid(), 'SIGKILL');
  writeFileSync(join(yard.workDir, 'go'), '');
  await expect.poll(() => rankFiles().length === 5 && rankFiles().every(isOver)).toBe(true);
  setBackEightDays();

  for (const job of ['1', '2', '3']) expect((await yard.run('wait', job)).code).toBe(7);
  expect([runsOf('plain'), runsOf('once'), runsOf('array')]).toEqual(['run\n', 'run\n', 'run\n'.repeat(3)]);
  for (const job of ['1', '2']) {
    const { phase, outcome, restarts } = await yard.json<Shown>('show', job);
    expect({ phase, outcome, restarts }).toEqual({ phase: 'ended', outcome: 'failed', restarts: 0 });
  }
});
