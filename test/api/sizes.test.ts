/** Requests as large as may be, and larger: refused with a sentence, or taken, and others are served meanwhile. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { encodeFrame, REQUEST } from '../../src/model/frames.ts';
import { type Harness, openCommand, requestFrames, startServer } from './harness.ts';

let harness: Harness;
beforeAll(async () => {
  harness = await startServer();
});
afterAll(() => harness.close());

const MIB = 1024 * 1024;
const JOB = '"workDir":"/tmp"';
const repeated = (piece: string, bytes: number) => piece.repeat(Math.floor(bytes / piece.length));
const numbered = (count: number, make: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => make(at)).join(',');

/** How long the server's loop stood still at most, in time of the processor, while something was done. */
async function longestStandstillMs(act: () => Promise<void>): Promise<number> {
  let longest = 0;
  let last = process.cpuUsage();
  const probe = setInterval(() => {
    const { user, system } = process.cpuUsage(last);
    longest = Math.max(longest, (user + system) / 1000);
    last = process.cpuUsage();
  }, 1);
  await act();
  clearInterval(probe);
  return longest;
}

/** What is read at once takes a quarter of a second at most; what is quadratic would take minutes. */
const LONGEST_MS = 1500;

describe('a body of 2 MB', () => {
  const LARGE = 2 * MIB;
  test.each([
    ['a list of words', `{${JOB},"command":[${repeated('"a",', LARGE)}"a"]}`],
    ['a list of nodes', `{${JOB},"command":["a"],"resources":{"onlyNodes":[${repeated('"a",', LARGE)}"a"]}}`],
    ['variables', `{${JOB},"command":["a"],"environment":{${numbered(100_000, (at) => `"A${at}":"1"`)}}}`],
    [
      'dependencies',
      `{${JOB},"command":["a"],"dependencies":{"terms":[${numbered(40_000, (at) => `{"kind":"afterok","job":${at + 1}}`)}]}}`,
    ],
    ['unknown words', `{${JOB},"command":["a"],${numbered(100_000, (at) => `"x${at}":1`)}}`],
    ['a nesting', `{${JOB},"command":${repeated('[', LARGE / 2)}${repeated(']', LARGE / 2)}}`],
    ['a nesting that is not closed', repeated('[', LARGE)],
    ['a long name', `{${JOB},"command":["a"],"name":"${repeated('a', LARGE)}"}`],
    ['indices', `{${JOB},"command":["a"],"array":"${repeated('1,', LARGE)}1"}`],
    ['a constraint', `{${JOB},"command":["a"],"resources":{"constraint":"${repeated('(', LARGE)}"}}`],
    ['spaces', repeated(' ', LARGE)],
    ['commas', repeated(',', LARGE)],
  ])('of %s is answered in words, soon', async (_name, raw) => {
    let answer: Awaited<ReturnType<Harness['call']>> | null = null;
    const standstillMs = await longestStandstillMs(async () => {
      answer = await harness.call('POST', '/v1/jobs', { raw: Buffer.from(raw) });
    });
    const { status, text } = answer as unknown as Awaited<ReturnType<Harness['call']>>;
    expect([201, 400, 413, 422]).toContain(status);
    if (status !== 201) expect(text).toMatch(/"message":"\w/);
    expect(text.length).toBeLessThan(20_000);
    expect(standstillMs).toBeLessThan(LONGEST_MS);
  });
});

test('a body that is too large is refused, whatever is in it', async () => {
  const { status, json } = await harness.call('POST', '/v1/jobs', { raw: Buffer.alloc(9 * MIB, 0x5b) });
  expect(status).toBe(413);
  expect(json.error?.message).toBe('the body is larger than 8388608 bytes');
});

describe('a call', () => {
  test.each([
    [
      'an argument',
      requestFrames(['sbatch', 'a'.repeat(128 * 1024 + 1)]),
      'an argument has more than 131072 bytes',
    ],
    [
      'an environment',
      requestFrames(['sbatch'], [], 'A=1\0'.repeat(2 * MIB)),
      'arguments and environment have more than 6291456 bytes together',
    ],
    [
      'arguments',
      Buffer.concat(Array.from({ length: 100_001 }, () => encodeFrame(REQUEST.argument, Buffer.from('a')))),
      'a command has 100000 arguments at most',
    ],
  ])('with %s as Linux would not give it to a program is refused', async (_name, frames, sentence) => {
    const client = openCommand(harness.socketPath, frames);
    await client.over;
    expect(client.exitCode()).toBe(2);
    expect(client.stderr()).toContain(sentence);
  });
});
