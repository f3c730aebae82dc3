/** Both clients look for yards in the same places, and trust the same ones. */

import { execFileSync } from 'node:child_process';
import { chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { findYard } from '../../src/client/connect.ts';
import { yardPlaces } from '../../src/client/places.ts';
import { packageRoot } from '../../src/platform/install.ts';
import { type FakeYard, fakeYardIn, removeTemporaryDirectories, temporaryDirectory } from './fake-yard.ts';
import { ALL_CLIENTS, runClient } from './run-client.ts';

const UID = process.geteuid?.() ?? 0;
const QUICK_CLIENT = readFileSync(join(packageRoot(), 'libexec', 'command.pl'), 'utf8');

let yard: FakeYard | null = null;
afterAll(removeTemporaryDirectories);
afterEach(async () => {
  await yard?.close();
  yard = null;
});

describe('the rule', () => {
  const places = /^sub places \{.*?^\}/ms.exec(QUICK_CLIENT)?.[0] as string;

  test.each([
    {},
    { HOME: '/home/ada' },
    { HOME: 'ada' },
    { HOME: '/home/ada', XDG_STATE_HOME: '/state' },
    { HOME: '/home/ada', XDG_STATE_HOME: 'state' },
    { HOME: '/home/ada', XDG_STATE_HOME: '' },
    { XDG_STATE_HOME: '/state' },
    { HOME: '/home/ada', TRAINYARD_DIR: '/data/yard' },
    { HOME: '/home/ada', TRAINYARD_DIR: '' },
  ])('%j', (environment) => {
    const quick = execFileSync('/usr/bin/perl', ['-e', `${places} print join "\\n", places()`], {
      env: environment,
      encoding: 'utf8',
    });
    const full = yardPlaces({ environment, workDir: '/', uid: UID });
    expect(quick.split('\n')).toEqual(full.directories.map(({ path }) => path));
  });
});

describe.each(ALL_CLIENTS.filter((client) => client !== 'full'))('whom to trust (%s)', (client) => {
  const answering = (directory: string) =>
    fakeYardIn(directory, join(directory, 'yard.sock'), (call) => void call.send('x', '9'));
  const ask = async (environment: Record<string, string>) => {
    // Without Node in PATH no yard can be started, and the client says that it found none.
    const path = join(temporaryDirectory(), 'bin');
    mkdirSync(path);
    const shell =
      'PATH=/usr/bin:/bin; mkdir -p "$BIN"; ln -sf "$(command -v perl)" "$BIN/perl"; PATH=$BIN exec "$0" queue';
    const { code } = await runClient({
      client,
      directory: null,
      script: shell,
      environment: { ...environment, BIN: path },
    });
    const places = yardPlaces({ environment, workDir: '/', uid: UID });
    return { quick: code, full: (await findYard(places)) !== null };
  };

  test('a yard of our own', async () => {
    const state = temporaryDirectory();
    yard = await answering(join(state, 'trainyard'));
    expect(await ask({ XDG_STATE_HOME: state })).toEqual({ quick: 9, full: true });
  });

  test.runIf(UID === 0)(
    'not one that somebody else has put there, unless it was named (only root can give files away)',
    async () => {
      const state = temporaryDirectory();
      yard = await answering(join(state, 'trainyard'));
      chownSync(yard.socketPath, 12_345, 12_345);
      expect(await ask({ XDG_STATE_HOME: state })).toEqual({ quick: 127, full: false });
      expect(await ask({ TRAINYARD_DIR: yard.directory })).toEqual({ quick: 9, full: true });
      chownSync(yard.socketPath, 0, 0);
      chownSync(join(yard.directory, 'socket'), 12_345, 12_345);
      expect(await ask({ XDG_STATE_HOME: state })).toEqual({ quick: 127, full: false });
    },
  );

  test('nor a socket that nobody listens on', async () => {
    const state = temporaryDirectory();
    yard = await answering(join(state, 'trainyard'));
    writeFileSync(join(yard.directory, 'socket'), `${yard.directory}/old.sock\n`);
    expect(await ask({ XDG_STATE_HOME: state })).toEqual({ quick: 127, full: false });
    writeFileSync(join(yard.directory, 'socket'), '');
    expect(await ask({ XDG_STATE_HOME: state })).toEqual({ quick: 127, full: false });
  });
});
