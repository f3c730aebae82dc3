import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type FakeYard, fakeYard } from '../../test/api/fake-yard.ts';
import {
  awaitChange,
  awaitEvent,
  clock,
  command,
  keepBlob,
  type Program,
  printErr,
  printOut,
  query,
  readFile,
  readFrom,
  stopYard,
} from '../dialects/program.ts';
import { Fault, RefusalError, refusal } from '../model/refusal.ts';
import { type ConductServices, conduct } from './conduct.ts';

let yard: FakeYard;
let output: { stdout: string; stderr: string };
let logged: string[];
let stops: number;
let directory: string;
let interrupted: AbortController;

beforeEach(() => {
  yard = fakeYard();
  output = { stdout: '', stderr: '' };
  logged = [];
  stops = 0;
  directory = mkdtempSync(join(tmpdir(), 'yard-conduct-'));
  interrupted = new AbortController();
});
afterEach(() => {
  if (yard.listenerCount() > 0) throw new Error('a listener was left behind');
  rmSync(directory, { recursive: true });
});

function run(program: Program, changes: Partial<ConductServices> = {}): Promise<number> {
  return conduct(program, {
    yard,
    name: 'yard',
    workDir: directory,
    signal: interrupted.signal,
    write: async (stream, bytes) => {
      output[stream] += Buffer.from(bytes).toString('latin1');
    },
    readStdin: async () => ({ ok: true, bytes: Buffer.from('typed') }),
    stop: () => {
      stops += 1;
    },
    log: (line) => logged.push(line),
    ...changes,
  });
}

describe('answers', () => {
  test('every question', async () => {
    writeFileSync(join(directory, 'script'), '#!/bin/sh\n');
    function* program(): Program {
      const script = yield* readFile('script', 100);
      const typed = yield* readFile('/dev/stdin', 100);
      const hash = yield* keepBlob(Buffer.from('kept'));
      const refused = yield* command({ type: 'hold', target: { job: 5, index: null }, by: 'alice' });
      const queues = yield* query('queues', {});
      const part = yield* readFrom('script', 2, 4, 0);
      const missing = yield* readFrom('nothing', 0, 4, 0);
      yield* stopYard();
      yield* printErr('done\n');
      yield* printOut(
        JSON.stringify([
          script.ok && Buffer.from(script.bytes).toString(),
          typed.ok && Buffer.from(typed.bytes).toString(),
          yard.blobs.has(hash),
          refused.ok,
          queues[0]?.queue.name,
          Buffer.from(part ?? []).toString(),
          missing,
          (yield* clock()) === yard.now(),
        ]),
      );
      return 4;
    }
    expect(await run(program())).toBe(4);
    expect(JSON.parse(output.stdout)).toEqual([
      '#!/bin/sh\n',
      'typed',
      true,
      false,
      'main',
      '/bin',
      null,
      true,
    ]);
    expect(output.stderr).toBe('done\n');
    expect(stops).toBe(1);
  });

  test('bytes that are not UTF-8 are printed as they were', async () => {
    await run(
      (function* () {
        yield* printOut('a\udcffb');
        return 0;
      })(),
    );
    expect(output.stdout).toBe('a\xffb');
  });

  test('a print is not over before there is room', async () => {
    let room: () => void = () => {};
    const written: string[] = [];
    const write: ConductServices['write'] = (_, bytes) => {
      written.push(Buffer.from(bytes).toString());
      return new Promise((resolve) => {
        room = resolve;
      });
    };
    function* program(): Program {
      yield* printOut('one');
      yield* printOut('two');
      return 0;
    }
    const over = run(program(), { write });
    await new Promise(setImmediate);
    expect(written).toEqual(['one']);
    room();
    await new Promise(setImmediate);
    expect(written).toEqual(['one', 'two']);
    room();
    expect(await over).toBe(0);
  });

  test('a change that happened while the program was busy ends its wait at once', async () => {
    function* program(): Program {
      yield* query('queues', {});
      yield* printOut('looked');
      yield* awaitChange([1], null);
      yield* awaitEvent(0);
      return 0;
    }
    const write = async () => yard.record({ type: 'jobPending', job: 1 });
    expect(await run(program(), { write })).toBe(0);
  });

  test('a program may handle a fault itself', async () => {
    yard.failNext(new Fault('the disk is full', true));
    function* program(): Program {
      try {
        yield* query('queues', {});
      } catch (error) {
        yield* printOut(`caught: ${(error as Error).message}`);
      }
      return 0;
    }
    expect(await run(program())).toBe(0);
    expect(output.stdout).toBe('caught: the disk is full');
  });
});

describe('ends', () => {
  function* waiting(seen: string[]): Program {
    try {
      yield* awaitChange([1], null);
      return 0;
    } finally {
      seen.push('cleaned');
      yield* printOut('too late');
      seen.push('not reached');
    }
  }

  test('when interrupted: the program is cleaned up, and asks nothing more', async () => {
    const seen: string[] = [];
    const over = run(waiting(seen));
    await new Promise(setImmediate);
    interrupted.abort({ exitCode: 130, message: null });
    expect(await over).toBe(130);
    expect(seen).toEqual(['cleaned']);
    expect(output).toEqual({ stdout: '', stderr: '' });
  });

  test('with a sentence where there is one', async () => {
    interrupted.abort({ exitCode: 1, message: 'the yard is stopping' });
    expect(await run(waiting([]))).toBe(1);
    expect(output.stderr).toBe('yard: the yard is stopping\n');
  });

  test('a command under way does not hold it up, and its late failure is nobody’s', async () => {
    let fail: (error: Error) => void = () => {};
    const slow = { ...yard, command: () => new Promise<never>((_, reject) => (fail = reject)) };
    function* program(): Program {
      yield* command({ type: 'hold', target: { job: 1, index: null }, by: 'alice' });
      return 0;
    }
    const over = run(program(), { yard: slow });
    await new Promise(setImmediate);
    interrupted.abort({ exitCode: 143, message: null });
    expect(await over).toBe(143);
    fail(new Fault('the disk is full', true));
  });
});

describe('what goes wrong', () => {
  function* throwing(error: unknown): Program {
    yield* printOut('');
    throw error;
  }

  test('a fault is a sentence and exit 1', async () => {
    expect(await run(throwing(new Fault('the disk is full', false)))).toBe(1);
    expect(output.stderr).toBe('yard: the disk is full\n');
    expect(logged).toEqual([]);
  });

  test('a refusal too, with what helps, and safe to print', async () => {
    const reason = refusal('noSuchQueue', 'there is no queue \x1b[31m', 'look', ['main', 'gold']);
    expect(await run(throwing(new RefusalError(reason)))).toBe(1);
    expect(output.stderr).toBe('yard: there is no queue \\x1b[31m\n  hint: look\n  choices: main, gold\n');
  });

  test.each([[new TypeError('x is undefined\nsecond line')], ['x is undefined']])(
    'anything else is a defect with a reference: %s',
    async (error) => {
      expect(await run(throwing(error))).toBe(70);
      const match = /^yard: this is a defect in Trainyard: x is undefined \(.* ([0-9a-f]{8})\)\n$/.exec(
        output.stderr,
      );
      expect(match).not.toBeNull();
      expect(logged[0]).toContain(`defect ${match?.[1]}: `);
    },
  );
});
