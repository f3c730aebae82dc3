/** A real daemon, started by the commands that need it. */

import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import type { YardView } from '../../src/model/query.ts';
import { packageRoot } from '../../src/platform/install.ts';
import { identityOf, isAlive } from '../../src/platform/processes.ts';
import { removeTemporaryDirectories, temporaryDirectory } from './fake-yard.ts';
import { ALL_CLIENTS, CLIENTS, type Client, LAUNCHER, linkFor, runClient } from './run-client.ts';

const directories: string[] = [];
afterAll(removeTemporaryDirectories);
afterEach(async () => {
  for (const directory of directories.splice(0)) {
    await command(directory, ['down', '--quiet']);
    rmSync(directory, { recursive: true, force: true });
  }
});

function newDirectory(): string {
  const directory = temporaryDirectory();
  directories.push(directory);
  return directory;
}

function command(directory: string, args: readonly string[], client: Client = 'quick') {
  return runClient({ client, directory, program: LAUNCHER, args });
}

async function status(directory: string, client: Client = 'quick'): Promise<YardView> {
  const { code, stdout, stderr } = await command(directory, ['status', '--json'], client);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout.toString()) as YardView;
}

describe.each(ALL_CLIENTS)('through the %s client', (client) => {
  test.each(['sbatch', 'srun'])('a command by another name starts a yard: %s', async (name) => {
    const directory = newDirectory();
    const program = linkFor(client, name);
    const { code, stdout } = await runClient({ client, directory, program, args: ['--version'] });
    expect({ code, said: stdout.toString() }).toEqual({ code: 0, said: expect.stringMatching(/^slurm /) });
    expect((await status(directory)).directory).toBe(directory);
  });
});

describe.each(CLIENTS)('through the %s client', (client) => {
  test('the first command starts a yard and the next one uses it', async () => {
    const directory = newDirectory();
    const first = await status(directory, client);
    expect(first.directory).toBe(directory);
    expect((await status(directory, client)).pid).toBe(first.pid);
  });

  test('a yard that was killed is started again', async () => {
    const directory = newDirectory();
    const { pid } = await status(directory, client);
    process.kill(pid, 'SIGKILL');
    const again = await status(directory, client);
    expect(again.pid).not.toBe(pid);
    expect(existsSync(join(directory, 'yard.sock'))).toBe(true);
  });
});

test('commands that start at once end up with one yard', async () => {
  const directory = newDirectory();
  const clients: readonly Client[] = ['quick', 'full', 'quick', 'full'];
  const views = await Promise.all(clients.map((client) => status(directory, client)));
  expect(new Set(views.map(({ pid }) => pid)).size).toBe(1);
  const log = readFileSync(join(directory, 'yard.log'), 'utf8');
  expect(log.match(/listens on/g)).toHaveLength(1);
});

test('down returns when the yard is gone, and leaves nothing to connect to', async () => {
  const directory = newDirectory();
  const { pid } = await status(directory);
  const daemon = identityOf(pid);
  expect(await command(directory, ['down'])).toMatchObject({ code: 0 });
  expect(daemon !== null && isAlive(daemon)).toBe(false);
  expect(existsSync(join(directory, 'socket'))).toBe(false);
  expect(existsSync(join(directory, 'yard.sock'))).toBe(false);
  const again = await command(directory, ['down']);
  expect(again.stdout.toString()).toBe('no yard is running\n');
});

test('SIGTERM stops it cleanly, and a command that comes meanwhile gets a new one', async () => {
  const directory = newDirectory();
  const { pid } = await status(directory);
  process.kill(pid, 'SIGTERM');
  // On a busy machine it may answer before it has heard the signal.
  await expect.poll(async () => (await status(directory)).pid, { timeout: 10_000 }).not.toBe(pid);
  expect(readFileSync(join(directory, 'yard.log'), 'utf8')).toMatch(/stops: SIGTERM/);
});

test('a reader that has gone ends a command quietly, and the yard is there', async () => {
  const directory = newDirectory();
  const script = '{ "$0" up; echo "ended with $?" >&2; } | true';
  const { stderr } = await runClient({ client: 'quick', directory, program: LAUNCHER, script });
  expect(stderr).toBe('ended with 141\n');
  expect((await status(directory)).directory).toBe(directory);
});

test('a path too long for a socket is no obstacle', async () => {
  const directory = join(newDirectory(), 'd'.repeat(100), 'yard');
  mkdirSync(directory, { recursive: true });
  const environment = { XDG_RUNTIME_DIR: temporaryDirectory() };
  const args = ['status', '--json'];
  const { stdout } = await runClient({ client: 'quick', directory, program: LAUNCHER, args, environment });
  const { socket } = JSON.parse(stdout.toString()) as YardView;
  expect(socket.startsWith(environment.XDG_RUNTIME_DIR)).toBe(true);
  expect(Buffer.byteLength(socket)).toBeLessThanOrEqual(107);
  const { dev, ino } = statSync(directory, { bigint: true });
  expect(readFileSync(join(directory, 'socket'), 'utf8')).toBe(`${socket}\n${dev} ${ino}\n`);
  await command(directory, ['down', '--quiet']);
});

test('a yard that cannot start says why, and the exit code says that it failed', async () => {
  const directory = newDirectory();
  writeFileSync(join(directory, 'trainyard.toml'), '[node]\ncpuz = 4\n');
  for (const client of CLIENTS) {
    const { code, stderr, stdout } = await command(directory, ['queue'], client);
    expect({ code, stdout: stdout.toString() }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^trainyard: .*trainyard\.toml.*cpuz/s);
  }
});

test('the options of up hold until the next up, also for a yard started again on demand', async () => {
  const directory = newDirectory();
  const gpus = async () => {
    const { stdout } = await command(directory, ['up', '--json']);
    const { nodes } = JSON.parse(stdout.toString()) as { nodes: { node: { devices: unknown[] } }[] };
    return nodes.map(({ node }) => node.devices.length);
  };
  expect(await command(directory, ['up', '--simulate-gpus', '4x16G'])).toMatchObject({ code: 0 });
  const { pid } = await status(directory);
  process.kill(pid, 'SIGKILL');
  await status(directory);
  expect(await gpus()).toEqual([4]);
  const { code, stderr } = await command(directory, ['up', '--simulate-gpus', '2x16G']);
  expect(code).toBe(1);
  expect(stderr).toMatch(/already runs.*\n.*trainyard down/);
});

test('help, the version and mistakes need no yard', async () => {
  const directory = newDirectory();
  for (const args of [['--help'], ['--version'], ['help', 'submit'], ['up', '--help'], ['top', '--help']]) {
    expect(await command(directory, args)).toMatchObject({ code: 0, stderr: '' });
  }
  expect(await command(directory, ['queue', '--colour'])).toMatchObject({ code: 2 });
  expect(await command(directory, ['up', '--colour'])).toMatchObject({ code: 2 });
  const top = await command(directory, ['top']);
  expect(top.code).toBe(2);
  expect(top.stderr).toMatch(/needs a terminal/);
  expect(existsSync(join(directory, 'lock'))).toBe(false);
});

test.each(CLIENTS)('a checkout that is not built says what to run (%s)', async (client) => {
  const copy = temporaryDirectory();
  for (const part of ['bin', 'libexec'])
    cpSync(join(packageRoot(), part), join(copy, part), { recursive: true });
  const program = join(copy, 'bin', 'trainyard');
  const { code, stderr } = await runClient({ client, directory: copy, program, args: ['queue'] });
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: `trainyard: this copy is not built yet: run \`npm start\` in ${copy}\n`,
  });
});
