/** Which yards the clients trust, with files that this user can make; what other users can do is in test/attack. */

import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { findYard } from '../../src/client/connect.ts';
import { yardPlaces } from '../../src/client/places.ts';
import { formatPointer } from '../../src/model/socket-pointer.ts';
import { type FakeYard, fakeYardIn, removeTemporaryDirectories, temporaryDirectory } from './fake-yard.ts';
import { closePlanYards, runPlan } from './plan-runner.ts';
import { ALL_CLIENTS, type Client, linkFor, runClient } from './run-client.ts';

const UID = process.geteuid?.() ?? 0;
const SOMEBODY = 12_345;
/** A quick client that finds no yard becomes Node, which these calls do not let it find. */
const NO_YARD = 127;
const ANSWERED = 9;

let yard: FakeYard | null = null;
afterAll(removeTemporaryDirectories);
afterEach(async () => {
  await yard?.close();
  yard = null;
  await closePlanYards();
});

async function answering(directory: string): Promise<string> {
  yard = await fakeYardIn(
    directory,
    join(directory, 'yard.sock'),
    (call) => void call.send('x', `${ANSWERED}`),
  );
  return directory;
}

const QUICK = ALL_CLIENTS.filter((client) => client !== 'full');
const WITHOUT_NODE =
  'PATH=/usr/bin:/bin; mkdir -p "$BIN"; ln -sf "$(command -v perl)" "$BIN/perl"; PATH=$BIN exec "$0" queue';

/** The exit code of a quick client, and whether the full one finds a yard. */
async function ask(client: Client, environment: Record<string, string>) {
  const bin = join(temporaryDirectory(), 'bin');
  const run = { client, directory: null, script: WITHOUT_NODE, environment: { ...environment, BIN: bin } };
  const { code } = await runClient(run);
  const places = yardPlaces({ environment, workDir: '/', uid: UID });
  return { quick: code, full: (await findYard(places)) !== null };
}

const FOUND = { quick: ANSWERED, full: true };
const NOT_FOUND = { quick: NO_YARD, full: false };

describe.each(QUICK)('the %s client', (client) => {
  test('takes a yard of our own, also through a link that we named', async () => {
    const state = temporaryDirectory();
    const directory = await answering(join(state, 'trainyard'));
    expect(await ask(client, { XDG_STATE_HOME: state })).toEqual(FOUND);
    expect(await ask(client, { TRAINYARD_DIR: directory })).toEqual(FOUND);
    const link = join(temporaryDirectory(), 'link');
    symlinkSync(directory, link);
    expect(await ask(client, { TRAINYARD_DIR: link })).toEqual(FOUND);
  });

  test('takes none from a directory that others can write to', async () => {
    const state = temporaryDirectory();
    const directory = await answering(join(state, 'trainyard'));
    for (const mode of [0o720, 0o702]) {
      chmodSync(directory, mode);
      expect(await ask(client, { XDG_STATE_HOME: state })).toEqual(NOT_FOUND);
      expect(await ask(client, { TRAINYARD_DIR: directory })).toEqual(NOT_FOUND);
    }
  });

  test.runIf(UID === 0)("root takes somebody's yard only where it was named", async () => {
    const state = temporaryDirectory();
    const directory = await answering(join(state, 'trainyard'));
    chownSync(directory, SOMEBODY, SOMEBODY);
    expect(await ask(client, { XDG_STATE_HOME: state })).toEqual(NOT_FOUND);
    expect(await ask(client, { TRAINYARD_DIR: directory })).toEqual(FOUND);
    chownSync(join(directory, 'socket'), SOMEBODY, SOMEBODY);
    expect(await ask(client, { TRAINYARD_DIR: directory })).toEqual(FOUND);
    chownSync(join(directory, 'socket'), SOMEBODY + 1, SOMEBODY);
    expect(await ask(client, { TRAINYARD_DIR: directory })).toEqual(NOT_FOUND);
  });

  test.runIf(UID === 0)('takes no pointer that somebody else has written or can write', async () => {
    const state = temporaryDirectory();
    const directory = await answering(join(state, 'trainyard'));
    const pointer = join(directory, 'socket');
    chmodSync(pointer, 0o622);
    expect(await ask(client, { XDG_STATE_HOME: state })).toEqual(NOT_FOUND);
    chmodSync(pointer, 0o600);
    chownSync(pointer, SOMEBODY, SOMEBODY);
    expect(await ask(client, { XDG_STATE_HOME: state })).toEqual(NOT_FOUND);
  });

  test('takes no socket that nobody listens on, and no nonsense', async () => {
    const state = temporaryDirectory();
    const directory = await answering(join(state, 'trainyard'));
    const relative = `yard.sock\n`;
    const tooLong = `/${'x'.repeat(107)}\n`;
    for (const text of [`${directory}/old.sock\n`, '', '\n', '\0\n', relative, tooLong]) {
      writeFileSync(join(directory, 'socket'), text);
      expect(await ask(client, { XDG_STATE_HOME: state })).toEqual(NOT_FOUND);
    }
  });

  test.each([
    ['a fifo', (path: string) => void execFileSync('mkfifo', [path])],
    ['a directory', (path: string) => void mkdirSync(path)],
    ['a link to the pointer', (path: string) => symlinkSync('real', path)],
    ['a link to an endless file', (path: string) => symlinkSync('/dev/zero', path)],
    ['a huge file', (path: string) => void execFileSync('truncate', ['-s', '1T', path])],
  ])('is not held up by %s in the place of the pointer', async (_, put) => {
    const state = temporaryDirectory();
    const directory = await answering(join(state, 'trainyard'));
    renameSync(join(directory, 'socket'), join(directory, 'real'));
    put(join(directory, 'socket'));
    expect(await ask(client, { XDG_STATE_HOME: state })).toEqual(NOT_FOUND);
    rmSync(join(directory, 'socket'), { recursive: true });
  });

  test('a copy of the directory does not lead to the original', async () => {
    const directory = await answering(join(temporaryDirectory(), 'original'));
    const identity = statSync(directory, { bigint: true });
    writeFileSync(join(directory, 'socket'), formatPointer(join(directory, 'yard.sock'), identity));
    expect(await ask(client, { TRAINYARD_DIR: directory })).toEqual(FOUND);
    const copy = join(temporaryDirectory(), 'copy');
    mkdirSync(copy, { mode: 0o700 });
    cpSync(join(directory, 'socket'), join(copy, 'socket'));
    expect(await ask(client, { TRAINYARD_DIR: copy })).toEqual(NOT_FOUND);
    writeFileSync(join(copy, 'socket'), `${join(directory, 'yard.sock')}\n`);
    expect(await ask(client, { TRAINYARD_DIR: copy })).toEqual(FOUND);
  });
});

describe.each(ALL_CLIENTS)('the %s client', (client) => {
  test('runs nothing that the command did not ask for', async () => {
    const marker = join(temporaryDirectory(), 'ran');
    const answered = await runPlan({ client, program: linkFor(client, 'sbatch'), each: `touch ${marker}` });
    expect(answered).toMatchObject({ code: 1, signal: null });
    expect(answered.stderr).toMatch(/a program to run, which this command did not ask for: nothing was run/);
    expect(existsSync(marker)).toBe(false);
    expect(answered.stepRecord()).toBe('');
  });

  test('refuses a frame that is longer than any yard sends', async () => {
    const directory = join(temporaryDirectory(), 'yard');
    yard = await fakeYardIn(directory, join(directory, 'yard.sock'), ({ socket }) => {
      socket.write(Buffer.from('o\xff\xff\xff\xf0x', 'latin1'));
    });
    const answered = await runClient({ client, directory, args: ['queue'] });
    expect(answered).toMatchObject({ code: 1, stderr: expect.stringMatching(/too long/) });
  });
});

test('the full client cannot run what srun is given, and says what is missing', async () => {
  const answered = await runPlan({ client: 'full', program: linkFor('full', 'srun') });
  expect(answered).toMatchObject({ code: 1, stderr: expect.stringMatching(/^srun: error: .* needs perl/) });
});
