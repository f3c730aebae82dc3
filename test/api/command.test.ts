/** The thin protocol over a real unix socket, with small programs in the place of dialects. */

import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  awaitChange,
  awaitChangeOrSignal,
  giveTicket,
  type Invocation,
  type Program,
  printErr,
  printOut,
  readFile,
  readStdin,
  runHere,
  stopYard,
  whenCallerGoes,
} from '../../src/dialects/program.ts';
import { encodeFrame, MAX_FRAME_BYTES, REQUEST } from '../../src/model/frames.ts';
import { RefusalError, refusal } from '../../src/model/refusal.ts';
import type { RunHere } from '../../src/model/run-here.ts';
import { type CommandClient, type Harness, openCommand, requestFrames, startServer } from './harness.ts';

let harness: Harness;
let seen: Invocation | null;
let cleanedUp: number;

const programs: Record<string, (invocation: Invocation) => Program> = {
  *hello(invocation) {
    seen = invocation;
    yield* printOut(`hello ${invocation.argv.slice(1).join(' ')}\n`);
    yield* printErr('quietly\n');
    return 3;
  },
  *cat() {
    const input = yield* readFile('/dev/stdin', 1000);
    yield* printOut(input.ok ? input.bytes : input.error);
    const again = yield* readStdin(1000);
    return again.ok && again.bytes.length === 0 ? 0 : 1;
  },
  *flood() {
    for (let i = 0; i < 200; i++) yield* printOut(Buffer.alloc(100_000, 46));
    return 0;
  },
  *wait() {
    try {
      yield* printOut('waiting');
      yield* awaitChange([1], null);
      return 0;
    } finally {
      cleanedUp += 1;
    }
  },
  *columns(invocation) {
    yield* printOut(`${invocation.terminal.columns};`);
    while (invocation.terminal.columns === 80) yield* awaitChange([1], 5);
    yield* printOut(`${invocation.terminal.columns};`);
    return 0;
  },
  *hold() {
    yield* whenCallerGoes(CANCEL);
    yield* giveTicket('job 9');
    yield* printOut('holding;');
    const signal = yield* awaitChangeOrSignal([1], null);
    yield* printOut(`got ${signal};`);
    if (signal === 10) yield* runHere(RUN);
    return 4;
  },
  *down() {
    yield* stopYard();
    yield* printOut('stopping\n');
    return 0;
  },
  broken: () => {
    throw new TypeError('not a generator');
  },
  *refused() {
    yield* printOut('');
    throw new RefusalError(
      refusal('noSuchQueue', 'there is no queue gold', 'look: trainyard queues', ['main']),
    );
  },
};

const CANCEL = { type: 'cancel', target: { job: 9, index: null }, by: 'alice' } as const;

const RUN: RunHere = {
  attempt: '9.1',
  step: null,
  holdsJob: true,
  ranks: [],
  input: { kind: 'all' },
  manner: {
    name: 'hold',
    stepName: '9',
    label: false,
    unbuffered: false,
    terminal: false,
    killOnBadExit: false,
    waitMs: null,
    limitMs: null,
    graceMs: 1000,
    quiet: false,
    quitOnInterrupt: false,
    pidVariable: null,
    farewell: null,
  },
};

beforeEach(async () => {
  seen = null;
  cleanedUp = 0;
  harness = await startServer({ dialects: (name) => programs[name] ?? null });
});
afterEach(() => harness.close());

function start(argv: readonly string[], facts: readonly string[] = [], environment = ''): CommandClient {
  return openCommand(harness.socketPath, requestFrames(argv, facts, environment));
}

test('a command is run and its output and exit code come back', async () => {
  const client = start(['/opt/bin/hello', 'a', 'b']);
  await client.over;
  expect(client.header()).toMatch(/^HTTP\/1\.1 101 Switching Protocols\r\n/);
  expect(client.header()).toContain('Trainyard-Version: 9.9.9\r\n');
  expect([client.stdout(), client.stderr(), client.exitCode()]).toEqual(['hello a b\n', 'quietly\n', 3]);
});

test('the invocation is what the caller sent', async () => {
  const facts = [
    'umask=0077',
    'tty=12',
    'columns=133',
    'zone=Asia/Tokyo',
    'ulimit-n=1024',
    'ulimit-c=unlimited',
    'ticket=job 9',
  ];
  await start(['hello'], facts, 'A=1\0B=x=y\0').over;
  expect(seen).toMatchObject({
    argv: ['hello'],
    workDir: '/tmp',
    umask: 0o077,
    ulimits: { n: '1024', c: 'unlimited' },
    user: 'alice',
    terminal: { stdin: false, stdout: true, stderr: true, columns: 133, colour: true },
    timeZone: 'Asia/Tokyo',
    ticket: 'job 9',
  });
  expect(Buffer.from(seen?.environment ?? []).toString()).toBe('A=1\0B=x=y\0');
});

test('stdin comes only when asked for, once, and is bounded', async () => {
  const client = start(['cat']);
  await client.inputWanted;
  client.send(REQUEST.input, 'some ');
  client.send(REQUEST.input, 'input');
  client.send(REQUEST.inputEnd);
  await client.over;
  expect([client.stdout(), client.exitCode()]).toEqual(['some input', 0]);

  const greedy = start(['cat']);
  await greedy.inputWanted;
  greedy.send(REQUEST.input, 'x'.repeat(1001));
  await greedy.over;
  expect(greedy.stdout()).toBe('tooLarge');
});

test('much output reaches a slow reader whole', async () => {
  const client = start(['flood']);
  client.socket.pause();
  await new Promise((resolve) => setTimeout(resolve, 30));
  client.socket.resume();
  await client.over;
  expect(client.stdout().length).toBe(20_000_000);
  expect(client.exitCode()).toBe(0);
});

describe('ends from outside', () => {
  test.each([2, 15])('signal %i ends the program with 128 and its number', async (signal) => {
    const client = start(['wait']);
    await client.saw('waiting');
    client.send(REQUEST.signal, '18');
    client.send(REQUEST.signal, `${signal}`);
    await client.over;
    expect(client.exitCode()).toBe(128 + signal);
    expect(cleanedUp).toBe(1);
    expect(harness.yard.listenerCount()).toBe(0);
  });

  test('a client that goes away ends its program', async () => {
    const client = start(['wait']);
    await client.saw('waiting');
    client.socket.destroy();
    while (cleanedUp === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(harness.yard.listenerCount()).toBe(0);
  });

  test('a server that closes says so', async () => {
    const client = start(['wait']);
    await client.saw('waiting');
    await harness.close();
    await client.over;
    expect(client.stderr()).toBe('wait: the yard is stopping\n');
    expect(client.exitCode()).toBe(1);
    harness = await startServer();
  });

  test('a request that is not whole when the server closes is left without an answer', async () => {
    const client = openCommand(harness.socketPath, encodeFrame(REQUEST.argument, Buffer.from('hello')));
    await once(client.socket, 'connect');
    await harness.call('GET', '/v1/yard');
    await harness.close();
    await client.over;
    expect(client.header()).toBe('');
    harness = await startServer();
  });
});

describe('a program that holds something for its caller', () => {
  const holding = async () => {
    const client = start(['hold']);
    await client.saw('holding;');
    expect(client.tickets).toEqual(['job 9']);
    return client;
  };

  test('takes signals, those too that end others', async () => {
    const client = await holding();
    client.send(REQUEST.signal, '2');
    await client.over;
    expect([client.stdout(), client.exitCode()]).toEqual(['holding;got 2;', 4]);
    expect(harness.yard.commands).toEqual([]);
  });

  test('may hand over: a plan is the last frame', async () => {
    const client = await holding();
    client.send(REQUEST.signal, '10');
    await client.over;
    expect(client.plan()).toMatch(/^attempt\x009\.1\0/);
    expect(client.exitCode()).toBeNull();
    expect(harness.yard.commands).toEqual([]);
  });

  test('lets go of it when the caller goes', async () => {
    const client = await holding();
    client.socket.destroy();
    while (harness.yard.commands.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(harness.yard.commands).toEqual([CANCEL]);
  });

  test('keeps it when the yard goes, and leaves its caller without an end', async () => {
    const client = await holding();
    const { yard } = harness;
    await harness.close();
    await client.over;
    expect([client.stderr(), client.exitCode()]).toEqual(['', null]);
    expect(yard.commands).toEqual([]);
    harness = await startServer();
  });
});

test('the window may change its size', async () => {
  const client = start(['columns'], ['columns=80']);
  await client.saw('80;');
  client.send(REQUEST.windowSize, '120 40');
  await client.over;
  expect(client.stdout()).toBe('80;120;');
});

test('whoever stops the yard hears of it first', async () => {
  const client = start(['down']);
  await client.over;
  expect([client.stdout(), client.exitCode()]).toEqual(['stopping\n', 0]);
  expect(harness.stopped()).toBe(1);
});

describe('what goes wrong', () => {
  test('a refusal is a sentence, a hint and the choices', async () => {
    const client = start(['refused']);
    await client.over;
    expect(client.stderr()).toBe(
      'refused: there is no queue gold\n  hint: look: trainyard queues\n  choices: main\n',
    );
    expect(client.exitCode()).toBe(1);
  });

  test('a defect is exit 70, with a reference and no stack', async () => {
    const client = start(['broken']);
    await client.over;
    expect(client.exitCode()).toBe(70);
    expect(client.stderr()).toMatch(/^broken: this is a defect in Trainyard: not a generator \(.*\)\n$/);
    expect(harness.logged.join()).toContain('TypeError: not a generator');
  });

  test('an unknown command', async () => {
    const client = start(['nonsense']);
    await client.over;
    expect([client.stderr(), client.exitCode()]).toEqual([
      'trainyard: nonsense is not a command of Trainyard\n',
      127,
    ]);
  });

  test('a stranger', async () => {
    const reason = refusal('notAllowed', 'this yard belongs to alice and you are mallory');
    const guarded = await startServer({
      dialects: (name) => programs[name] ?? null,
      identity: () => ({ ok: false, refusal: reason }),
    });
    const client = openCommand(guarded.socketPath, requestFrames(['hello']));
    await client.over;
    expect([client.stderr(), client.exitCode()]).toEqual([`trainyard: ${reason.message}\n`, 1]);
    expect(seen).toBeNull();
    await guarded.close();
  });

  const frame = (type: string, text = '') => encodeFrame(type, Buffer.from(text));
  const tooLong = Buffer.alloc(5);
  tooLong.write('a');
  tooLong.writeUInt32BE(MAX_FRAME_BYTES + 1, 1);
  test.each([
    ['no command', Buffer.concat([frame('d', '/tmp'), frame('g')])],
    ['no directory', Buffer.concat([frame('a', 'hello'), frame('g')])],
    ['a relative directory', frame('d', 'tmp')],
    ['an unknown frame', frame('Q')],
    ['an unknown fact', frame('k', 'shoe-size=43')],
    ['a fact said twice', Buffer.concat([frame('k', 'umask=022'), frame('k', 'umask=022')])],
    ['a bad umask', Buffer.concat([frame('a', 'hello'), frame('d', '/'), frame('k', 'umask=9'), frame('g')])],
    ['input nobody asked for', Buffer.concat([requestFrames(['wait']), frame('i', 'x')])],
    ['a signal that is none', Buffer.concat([requestFrames(['wait']), frame('s', '99')])],
    ['go said twice', Buffer.concat([requestFrames(['wait']), frame('g')])],
    ['a NUL in an argument', frame('a', 'a\0b')],
    ['a frame that is too long', tooLong],
  ])('%s is a sentence and exit 2', async (_, bytes) => {
    const client = openCommand(harness.socketPath, bytes);
    await client.over;
    expect(client.exitCode()).toBe(2);
    expect(client.stderr()).toMatch(/^trainyard: the command spoke nonsense to the yard: [^\n]+\n$/);
    expect(seen).toBeNull();
    expect(harness.yard.listenerCount()).toBe(0);
    expect((await harness.call('GET', '/v1/yard')).status).toBe(200);
  });
});
