/** A yard that may have only a few files open: a crowd of idle connections, a burst of commands, and jobs that want more. */

import { readdirSync, readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from './shell-yard.ts';
import { yardAtHand } from './yard-at-hand.ts';

const OPEN_FILES = 64;
const TIMEOUT_MS = 120_000;

const yard = yardAtHand('[node]\ncpus = 4\nmemory = "1G"\n');
let pid = 0;
beforeAll(async () => {
  await good(`ulimit -n ${OPEN_FILES}; trainyard up`);
  pid = await yard.daemonPid();
}, TIMEOUT_MS);
afterAll(() => yard.close());

const openFiles = () => readdirSync(`/proc/${pid}/fd`).length;

async function good(line: string): Promise<string> {
  const said = await yard.shell(line);
  expect(said.code, `${line}\n${said.stdout}${said.stderr}`).toBe(0);
  return said.stdout;
}

test('a hundred idle connections keep nobody out, and are closed', { timeout: TIMEOUT_MS }, async () => {
  const socketPath = readFileSync(join(yard.directory, 'socket'), 'utf8').split('\n')[0] as string;
  const before = openFiles();
  const idle = new Set<Socket>();
  for (let i = 0; i < 100; i++) {
    const socket = connect(socketPath);
    idle.add(socket.resume());
    socket.on('close', () => idle.delete(socket));
  }
  expect(await good('trainyard submit --wait -- echo here')).toContain('completed');
  await good('trainyard queue');
  await until(
    () => idle.size < OPEN_FILES,
    () => `some of them to be closed; ${idle.size} are open`,
  );
  expect(await yard.daemonPid()).toBe(pid);
  for (const socket of idle) socket.destroy();
  await until(
    () => openFiles() <= before + 2,
    () => `the connections to be gone: ${openFiles()} files are open, and ${before} were before`,
  );
});

test('of a burst of two hundred commands every one is served', { timeout: TIMEOUT_MS }, async () => {
  const burst = `for n in $(seq 200); do
    { trainyard submit --quiet -- true >>burst.jobs 2>>burst.errors || echo $n >>burst.failed; } & done; wait`;
  await good(burst);
  const [jobs, errors] = ['burst.jobs', 'burst.errors'].map((name) =>
    readFileSync(join(yard.workDir, name), 'utf8'),
  );
  expect(errors).toBe('');
  expect(new Set(jobs?.trim().split('\n')).size).toBe(200);
  await good('xargs trainyard wait <burst.jobs');
  expect(await yard.daemonPid()).toBe(pid);
});

test('a job from a shell with higher limits runs with what can be had, and that is said', async () => {
  const wanted = Number((await good('ulimit -S -n')).trim());
  expect(wanted).toBeGreaterThan(OPEN_FILES);
  const job = (await good('trainyard submit --quiet -o limits.out -- sh -c "ulimit -S -n"')).trim();
  await good(`trainyard wait ${job}`);
  expect(readFileSync(join(yard.workDir, 'limits.out'), 'utf8')).toBe(`${OPEN_FILES}\n`);
  const said = `ulimit -n ${OPEN_FILES} instead of ${wanted}: the yard itself may not have more`;
  expect(await good(`trainyard show ${job}`)).toContain(said);
  expect(await good(`trainyard events --job ${job}`)).toContain(`attempt ${job}.1 started with ${said}`);
});

test('a job has the soft limit of its submitter, though the yard has raised its own', async () => {
  const job = (
    await good('ulimit -S -n 48; trainyard submit --quiet -o soft.out -- sh -c "ulimit -S -n"')
  ).trim();
  await good(`trainyard wait ${job}`);
  expect(readFileSync(join(yard.workDir, 'soft.out'), 'utf8')).toBe('48\n');
  expect(await good(`trainyard show ${job}`)).not.toContain('instead of');
});

test('while no more files can be opened jobs wait, and then they start', {
  timeout: TIMEOUT_MS,
}, async () => {
  // One for the command's connection, and not enough for the pipe to a new job.
  const used = new Set(readdirSync(`/proc/${pid}/fd`).map(Number));
  const lowestFree = [...Array(OPEN_FILES).keys()].find((fd) => !used.has(fd)) as number;
  await good(`prlimit --pid ${pid} --nofile=${lowestFree + 2}:${OPEN_FILES}`);
  const job = (await good('trainyard submit --quiet --cpus 1 -o later.out -- echo here')).trim();
  await until(
    () => readFileSync(join(yard.directory, 'yard.log'), 'utf8').includes('cannot be started yet'),
    () => 'its start to be put off',
  );
  await good(`prlimit --pid ${pid} --nofile=${OPEN_FILES}:${OPEN_FILES}`);
  await good(`trainyard wait ${job}`);
  expect(readFileSync(join(yard.workDir, 'later.out'), 'utf8')).toBe('here\n');
  expect(await yard.daemonPid()).toBe(pid);
});
