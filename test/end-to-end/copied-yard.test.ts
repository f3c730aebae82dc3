/** A yard's directory that is copied, renamed or damaged while jobs of it run. */

import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { packageRoot } from '../../src/platform/install.ts';
import type { Said } from './yard-at-hand.ts';

let base: string;
const used = new Set<string>();

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'trainyard-copied-'));
  used.clear();
});
afterEach(async () => {
  for (const name of used) await yard(name, 'down', '--cancel');
  rmSync(base, { recursive: true, force: true });
}, 60_000);

/** A command for the yard in this directory of the test's own. */
function yard(name: string, ...words: string[]): Promise<Said> {
  used.add(name);
  const env = { ...process.env, TRAINYARD_DIR: join(base, name) };
  return new Promise((resolve) => {
    execFile(join(packageRoot(), 'bin', 'trainyard'), words, { env, cwd: base }, (error, stdout, stderr) =>
      resolve({ stdout, stderr, code: error === null ? 0 : Number(error.code ?? 1) }),
    );
  });
}

const outcomes = async (name: string) => {
  const { stdout } = await yard(name, 'history', '--json');
  return (JSON.parse(stdout) as { jobs: { outcome: string }[] }).jobs.map(({ outcome }) => outcome);
};
const pidOfDaemon = async (name: string) =>
  (JSON.parse((await yard(name, 'status', '--json')).stdout) as { pid: number }).pid;
const began = () => readFileSync(join(base, 'began'), 'utf8');

/** A yard of one CPU with a job that runs until `go` is there, and one that waits for it. */
async function busyYard(): Promise<void> {
  cpSync('/dev/null', join(base, 'began'));
  const config = join(base, 'one-cpu.toml');
  writeFileSync(config, '[node]\ncpus = 1\n');
  expect((await yard('yard', 'up', '-q', '--config', config)).stderr).toBe('');
  const script = 'echo $TRAINYARD_JOB_ID >>began; until [ -e go ]; do sleep 0.05; done';
  for (const _ of [1, 2]) expect((await yard('yard', 'submit', '--', 'sh', '-c', script)).code).toBe(0);
  await expect.poll(began, { interval: 20, timeout: 20_000 }).toBe('1\n');
}

/** Without the file that leads commands to the original's socket. */
function copy(to: string): void {
  cpSync(join(base, 'yard'), join(base, to), { recursive: true, verbatimSymlinks: true, filter: isNoSocket });
}
const isNoSocket = (path: string) => !path.endsWith('/yard.sock') && !path.endsWith('/socket');

const bothEnd = async () => {
  writeFileSync(join(base, 'go'), '');
  expect((await yard('yard', 'wait', '1', '2')).code).toBe(0);
  expect(began()).toBe('1\n2\n');
};

test('a copy does not start until somebody says what it is, and runs nothing that the original has', async () => {
  await busyYard();
  copy('copy');
  for (const words of [['queue'], ['up', '--moved']]) {
    const said = await yard('copy', ...words);
    expect(said.code).not.toBe(0);
    expect(said.stderr).toContain(`${base}/copy is a copy of the yard in ${base}/yard, which is still there`);
    expect(said.stderr).toContain('trainyard up --copied');
  }
  process.kill(await pidOfDaemon('yard'), 'SIGKILL');
  expect((await yard('copy', 'up', '--moved', '--copied')).stderr).toContain('exclude each other');
  expect((await yard('copy', 'queue')).stderr).toContain('is a copy of the yard');
  expect((await yard('copy', 'up', '--copied')).stderr).toBe('');
  expect(await outcomes('copy')).toEqual(['cancelled', 'cancelled']);
  expect(readFileSync(join(base, 'copy', 'id'))).not.toEqual(readFileSync(join(base, 'yard', 'id')));
  expect((await yard('copy', 'submit', '-q', '--', 'true')).stdout).toBe('3\n');
  expect((await yard('copy', 'wait', '3')).code).toBe(0);
  await bothEnd();
});

test('a yard that was restored goes on where the original was', async () => {
  await busyYard();
  process.kill(await pidOfDaemon('yard'), 'SIGKILL');
  copy('copy');
  rmSync(join(base, 'yard'), { recursive: true });
  renameSync(join(base, 'copy'), join(base, 'yard'));
  expect((await yard('yard', 'queue')).stderr).toContain('or has been moved or restored from there');
  expect((await yard('yard', 'up', '-q', '--moved')).stderr).toBe('');
  await bothEnd();
});

test('a renamed yard is used by its old name until its jobs have ended, and then by the new one', async () => {
  await busyYard();
  expect((await yard('yard', 'down')).code).toBe(0);
  renameSync(join(base, 'yard'), join(base, 'renamed'));
  const said = await yard('renamed', 'queue');
  expect(said.code).not.toBe(0);
  expect(said.stderr).toContain(`use it as ${base}/yard until they have ended`);
  renameSync(join(base, 'renamed'), join(base, 'yard'));
  await bothEnd();
  expect((await yard('yard', 'down')).code).toBe(0);
  renameSync(join(base, 'yard'), join(base, 'renamed'));
  expect(await outcomes('renamed')).toEqual(['completed', 'completed']);
  expect((await yard('renamed', 'up', '--copied')).code).not.toBe(0);
  expect(existsSync(join(base, 'yard'))).toBe(false);
});

test('damaged start options are told in a sentence, and written anew by the next up', async () => {
  expect((await yard('yard', 'up', '-q', '--simulate-gpus', '2')).stderr).toBe('');
  expect((await yard('yard', 'down')).code).toBe(0);
  writeFileSync(join(base, 'yard', 'start-options.json'), Buffer.from([0, 255, 123, 7]));
  const said = await yard('yard', 'queue');
  expect(said.code).not.toBe(0);
  expect(said.stderr).toContain(`${base}/yard/start-options.json: it is not JSON`);
  expect(said.stderr).toContain('trainyard up');
  expect(said.stderr).not.toMatch(/^\s+at /m);
  expect((await yard('yard', 'up', '-q')).stderr).toBe('');
  expect((await yard('yard', 'queue')).code).toBe(0);
});
