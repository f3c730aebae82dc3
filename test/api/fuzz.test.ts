/**
 * Noise at the socket: random bytes, damaged frames, random JSON. The server answers or closes, stays up, and
 * never shows its insides. A failure names its seed; FUZZ_SEED runs one again, FUZZ_ROUNDS more of them.
 */

import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Invocation, type Program, printOut, readStdin } from '../../src/dialects/program.ts';
import { failure } from '../../src/server/http/shapes/answer.ts';
import { type Harness, randomFrom, requestFrames, startServer, UPGRADE_HEAD } from './harness.ts';

const FIRST_SEED = Number(process.env.FUZZ_SEED ?? 1);
const ROUNDS = Number(process.env.FUZZ_ROUNDS ?? (process.env.FUZZ_SEED === undefined ? 150 : 1));

let harness: Harness;
const unhandled: unknown[] = [];
const note = (error: unknown) => unhandled.push(error);

beforeAll(async () => {
  process.on('unhandledRejection', note);
  harness = await startServer({ dialects: () => echo });
});
afterAll(async () => {
  process.off('unhandledRejection', note);
  await harness.close();
});

function* echo({ argv }: Invocation): Program {
  if (argv.length % 2 === 0) yield* readStdin(100);
  yield* printOut(argv.join(' '));
  return 0;
}

type Random = () => number;
const below = (random: Random, bound: number) => Math.floor(random() * bound);
const pick = <T>(random: Random, from: readonly T[]): T => from[below(random, from.length)] as T;
const noise = (random: Random, most: number) =>
  Buffer.from(Array.from({ length: below(random, most) }, () => below(random, 256)));

/** Sends, says that it is done, and waits for the end; gives what came back. */
async function exchange(bytes: Uint8Array): Promise<string> {
  const socket = connect(harness.socketPath);
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
  });
  socket.on('error', () => {});
  const closed = once(socket, 'close');
  socket.end(bytes);
  await closed;
  return text;
}

async function expectUnharmed(seed: number): Promise<void> {
  expect(unhandled, `seed ${seed}`).toEqual([]);
  expect(harness.logged, `seed ${seed}`).toEqual([]);
  expect((await harness.call('GET', '/v1/yard')).status, `seed ${seed}`).toBe(200);
  expect(harness.yard.listenerCount(), `seed ${seed}`).toBe(0);
}

/** One of the usual accidents: a byte changed, a piece lost, repeated or put elsewhere, the end cut off. */
function damaged(random: Random, bytes: Buffer): Buffer {
  const out = Buffer.from(bytes);
  const at = below(random, out.length);
  const to = Math.min(out.length, at + 1 + below(random, 12));
  switch (below(random, 5)) {
    case 0:
      out[at] = below(random, 256);
      return out;
    case 1:
      return Buffer.concat([out.subarray(0, at), out.subarray(to)]);
    case 2:
      return Buffer.concat([out.subarray(0, to), out.subarray(at)]);
    case 3:
      return Buffer.concat([out.subarray(0, at), noise(random, 20), out.subarray(at)]);
    default:
      return out.subarray(0, at);
  }
}

test('random bytes in the place of HTTP', async () => {
  for (let seed = FIRST_SEED; seed < FIRST_SEED + ROUNDS; seed++) {
    const answer = await exchange(noise(randomFrom(seed), 300));
    expect(answer === '' || answer.startsWith('HTTP/1.1 400 '), `seed ${seed}: ${answer}`).toBe(true);
  }
  await expectUnharmed(FIRST_SEED);
});

test('random bytes and damaged frames in the place of a command', async () => {
  const facts = ['umask=0022', 'tty=012', 'columns=80', 'zone=UTC', 'ulimit-n=1024'];
  for (let seed = FIRST_SEED; seed < FIRST_SEED + ROUNDS; seed++) {
    const random = randomFrom(seed);
    let frames =
      random() < 0.2
        ? noise(random, 300)
        : requestFrames(['sbatch', 'a'.repeat(below(random, 50))], facts, 'A=1\0');
    for (let times = below(random, 4); times >= 0; times--) frames = damaged(random, frames);
    const answer = await exchange(Buffer.concat([Buffer.from(UPGRADE_HEAD), frames]));
    expect(answer === '' || answer.startsWith('HTTP/1.1 101 '), `seed ${seed}: ${answer}`).toBe(true);
    expect(answer, `seed ${seed}`).not.toMatch(/\n {4}at /);
    await expectUnharmed(seed);
  }
});

test('damaged HTTP requests', async () => {
  const body = JSON.stringify({ command: ['true'], workDir: '/tmp' });
  const whole = Buffer.from(
    `POST /v1/jobs?x=1 HTTP/1.1\r\nHost: y\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  for (let seed = FIRST_SEED; seed < FIRST_SEED + ROUNDS; seed++) {
    const answer = await exchange(damaged(randomFrom(seed), whole));
    expect(answer, `seed ${seed}`).not.toMatch(/^HTTP\/1\.1 5/);
  }
  await expectUnharmed(FIRST_SEED);
});

const WORDS = [
  'name',
  'command',
  'script',
  'arguments',
  'workDir',
  'environment',
  'umask',
  'streams',
  'resources',
  'limitMs',
  'warning',
  'array',
  'dependencies',
  'queue',
  'priority',
  'hold',
  'signal',
  'scope',
  'reason',
  'count',
  'gpus',
  'nodes',
  'min',
  'max',
  'terms',
  'kind',
  'job',
  '__proto__',
  'constructor',
];

const LEAVES: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  2 ** 53,
  '',
  '0-9%2',
  '1-999999999',
  '/tmp',
  '\u0000',
  '\ud800',
  'x'.repeat(5000),
  'afterok',
  'USR1',
];

function value(random: Random, depth: number): unknown {
  const kind = random();
  if (depth === 0 || kind < 0.4) return pick(random, LEAVES);
  const size = below(random, 5);
  if (kind < 0.6) return Array.from({ length: size }, () => value(random, depth - 1));
  return Object.fromEntries(
    Array.from({ length: size }, () => [pick(random, WORDS), value(random, depth - 1)]),
  );
}

test('random JSON to every route that takes a body', async () => {
  const targets = [
    ['POST', '/v1/jobs'],
    ['PATCH', '/v1/jobs/1'],
    ['POST', '/v1/jobs/1/signal'],
    ['POST', '/v1/jobs/1/requeue'],
    ['POST', '/v1/jobs/1/cancel'],
    ['POST', '/v1/nodes/here/drain'],
    ['POST', '/v1/queues/main/disable'],
  ] as const;
  for (let seed = FIRST_SEED; seed < FIRST_SEED + 2 * ROUNDS; seed++) {
    const random = randomFrom(seed);
    const [method, path] = pick(random, targets);
    const basis = random() < 0.5 ? { command: ['true'], workDir: '/tmp' } : {};
    const body = { ...basis, ...(value(random, 4) as object) };
    const { status, json, text } = await harness.call(method, path, { body });
    expect(status, `seed ${seed}: ${text}`).toBeLessThan(500);
    expect(status < 400 || failure.safeParse(json).success, `seed ${seed}: ${text}`).toBe(true);
  }
  await expectUnharmed(FIRST_SEED);
});

test('random paths and queries', async () => {
  const pieces = [
    'v1',
    'jobs',
    '17',
    '17_3',
    'log',
    'why',
    'events',
    '%00',
    '%ff',
    '..',
    '',
    'nodes',
    'cancel',
    '?',
    '&',
    '=',
    'limit=9',
    'offset=-1',
    '{ref}',
  ];
  for (let seed = FIRST_SEED; seed < FIRST_SEED + ROUNDS; seed++) {
    const random = randomFrom(seed);
    const path = `/${Array.from({ length: below(random, 7) }, () => pick(random, pieces)).join('/')}`;
    const { status, text } = await harness.call(pick(random, ['GET', 'POST', 'DELETE']), path);
    expect(status >= 200 && status < 500, `seed ${seed} ${path}: ${text}`).toBe(true);
  }
  await expectUnharmed(FIRST_SEED);
});
