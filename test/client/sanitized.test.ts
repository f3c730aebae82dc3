/** The compiled client with the compiler's checks built in: they end it at the first thing that C does not define. */

import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { packageRoot } from '../../src/platform/install.ts';
import {
  type FakeYard,
  fakeYard,
  removeTemporaryDirectories,
  type Serve,
  temporaryDirectory,
} from './fake-yard.ts';
import { runClient } from './run-client.ts';

const program = compiledWithChecks();

let yard: FakeYard | null = null;
afterAll(removeTemporaryDirectories);
afterEach(async () => {
  await yard?.close();
  yard = null;
});

const answer =
  (output: string, code: string): Serve =>
  (call) => {
    call.send('o', output);
    call.send('x', code);
  };

const askForInput: Serve = async (call) => {
  call.send('n');
  for (let frame = await call.next(); frame?.type === 'i'; frame = await call.next());
  call.send('x', '3');
};

function ticketOnce(): Serve {
  return (call) => {
    if (call.facts.has('ticket')) return void call.send('x', '4');
    call.send('t', 'ticket');
    call.socket.end();
  };
}

describe.runIf(program !== null)('with the checks of the compiler', () => {
  const cases: readonly (readonly [string, Serve, object])[] = [
    ['output and an exit code', answer('out', '7'), { code: 7, stderr: '' }],
    ['input that is wanted', askForInput, { code: 3, stderr: '' }],
    ['an empty frame', answer('', '0'), { code: 0, stderr: '' }],
    ['a ticket, and a second yard', ticketOnce(), { code: 4, stderr: '' }],
    ['an end without an answer', ({ socket }) => void socket.end(), { code: 1 }],
  ];
  test.each(cases)('%s', async (_, serve, expected) => {
    yard = await fakeYard(serve);
    const run = { client: 'compiled', directory: yard.directory, args: ['queue'], stdin: 'in' } as const;
    const answered = await runClient({ ...run, program: program as string });
    expect(answered).toMatchObject(expected);
    expect(answered.stderr).not.toMatch(/runtime error|Sanitizer/);
  });
});

/** Null where there is no compiler that can. It finds its installation from its own place: three levels up. */
function compiledWithChecks(): string | null {
  const directory = join(temporaryDirectory(), 'dist', 'bin');
  mkdirSync(directory, { recursive: true });
  const target = join(directory, 'trainyard');
  const checks = ['-fsanitize=undefined,address', '-fno-sanitize-recover=all'];
  const source = join(packageRoot(), 'libexec', 'command.c');
  return spawnSync('cc', ['-std=c11', '-O1', ...checks, '-o', target, source]).status === 0 ? target : null;
}
