import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type FakeYard, fakeYard } from '../../test/api/fake-yard.ts';
import {
  appendToFile,
  askCheckpoints,
  awaitChange,
  awaitChangeOrSignal,
  awaitEvent,
  clock,
  command,
  findProgram,
  giveTicket,
  keepBlob,
  type Program,
  pause,
  printErr,
  printOut,
  query,
  readFile,
  readFrom,
  readLine,
  runHere,
  stopYard,
  whenCallerGoes,
  writeFile,
} from '../dialects/program.ts';
import { Fault, RefusalError, refusal } from '../model/refusal.ts';
import type { RunHere } from '../model/run-here.ts';
import type { RunPlan } from '../model/run-plan.ts';
import { type Conducted, type ConductServices, conduct } from './conduct.ts';
import { callerSignals } from './http/caller-signals.ts';

let yard: FakeYard;
let output: { stdout: string; stderr: string };
let logged: string[];
let stops: number;
let directory: string;
let interrupted: AbortController;
let tickets: string[];
let plans: RunPlan[];
let signals: ReturnType<typeof callerSignals>;

beforeEach(() => {
  yard = fakeYard();
  output = { stdout: '', stderr: '' };
  logged = [];
  stops = 0;
  directory = mkdtempSync(join(tmpdir(), 'yard-conduct-'));
  interrupted = new AbortController();
  tickets = [];
  plans = [];
  signals = callerSignals();
});
afterEach(() => {
  if (yard.listenerCount() > 0) throw new Error('a listener was left behind');
  rmSync(directory, { recursive: true });
});

function run(program: Program, changes: Partial<ConductServices> = {}): Promise<Conducted> {
  return conduct(program, {
    yard,
    takeSnapshot: async (from) => ({ ok: true, snapshot: { tree: 't', root: from, below: '' } }),
    name: 'yard',
    user: 'alice',
    workDir: directory,
    signal: interrupted.signal,
    write: async (stream, bytes) => {
      output[stream] += Buffer.from(bytes).toString('latin1');
    },
    umask: 0o027,
    readStdin: async () => ({ ok: true, bytes: Buffer.from('typed') }),
    readLine: async () => 'a line',
    nextSignal: signals.next,
    giveTicket: (ticket) => tickets.push(ticket),
    handOver: (plan) => plans.push(plan),
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
      const found = yield* findProgram('sh', '/nowhere:/usr/bin:/bin');
      const line = yield* readLine();
      yield* writeFile('written', Buffer.from('one '));
      yield* appendToFile('written', Buffer.from('two'));
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
          found?.path,
          line,
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
      '/usr/bin/sh',
      'a line',
      true,
    ]);
    expect(output.stderr).toBe('done\n');
    expect(readFileSync(join(directory, 'written'), 'utf8')).toBe('one two');
    expect(statSync(join(directory, 'written')).mode & 0o777).toBe(0o640);
    expect(stops).toBe(1);
  });

  test('about checkpoints, in the name of the caller', async () => {
    await run(
      (function* () {
        const answer = yield* askCheckpoints(17, { what: 'verify' });
        yield* printOut(JSON.stringify(answer.ok && answer.done));
        return 0;
      })(),
    );
    expect(JSON.parse(output.stdout)).toEqual(['verify', 'alice']);
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

describe('a signal that its caller got', () => {
  const BY_TERM = { exitCode: 143, message: null, bySignal: true } as const;
  const requeue = { type: 'requeue', target: { job: 1, index: null }, by: 'alice', hold: false } as const;

  /** A command that is under way until the test lets it be done. */
  function slowYard() {
    let done: () => void = () => {};
    const result = { ok: true, job: 1, step: null, changed: true } as const;
    const slow = {
      ...yard,
      command: () => new Promise<typeof result>((give) => (done = () => give(result))),
    };
    return { slow, done: () => done() };
  }

  test('does not end it in the middle of a deed: that is done, said, and it ends by itself', async () => {
    function* program(): Program {
      const result = yield* command(requeue);
      yield* printOut(`requeued: ${result.ok}`);
      return 0;
    }
    const { slow, done } = slowYard();
    const over = run(program(), { yard: slow });
    await new Promise(setImmediate);
    interrupted.abort(BY_TERM);
    done();
    expect(await over).toBe(0);
    expect(output.stdout).toBe('requeued: true');
  });

  test('ends it where it would wait next', async () => {
    function* program(): Program {
      yield* command(requeue);
      yield* printOut('done, and now ');
      yield* awaitChange([1], null);
      yield* printOut('not this');
      return 0;
    }
    const { slow, done } = slowYard();
    const over = run(program(), { yard: slow });
    await new Promise(setImmediate);
    interrupted.abort(BY_TERM);
    done();
    expect(await over).toBe(143);
    expect(output.stdout).toBe('done, and now ');
  });

  test('ends it at once while it waits, or for a reader who takes nothing', async () => {
    function* forever(): Program {
      yield* awaitChange([1], null);
      return 0;
    }
    function* printing(): Program {
      yield* printOut('to nobody');
      return 0;
    }
    for (const program of [forever(), printing()]) {
      interrupted = new AbortController();
      const over = run(program, { write: () => new Promise<void>(() => {}) });
      await new Promise(setImmediate);
      interrupted.abort(BY_TERM);
      expect(await over).toBe(143);
    }
  });
});

describe('signals', () => {
  function* taking(): Program {
    for (;;) {
      const signal = yield* awaitChangeOrSignal([1], null);
      yield* printOut(`${signal} `);
      if (signal === 15) return 0;
    }
  }

  test('go to a program that takes them, and do not end it', async () => {
    expect(signals.add(2)).toBe(false);
    const over = run(taking());
    await new Promise(setImmediate);
    expect(signals.add(2)).toBe(true);
    // Busy printing: this one waits.
    expect(signals.add(10)).toBe(true);
    await new Promise(setImmediate);
    yard.record({ type: 'jobPending', job: 1 });
    await new Promise(setImmediate);
    signals.add(15);
    expect(await over).toBe(0);
    expect(output.stdout).toBe('2 10 null 15 ');
  });

  test('a program that takes them is interrupted like any other', async () => {
    const over = run(taking());
    await new Promise(setImmediate);
    interrupted.abort({ exitCode: 1, message: null });
    expect(await over).toBe(1);
  });
});

describe('when the caller goes', () => {
  const CANCEL = { type: 'cancel', target: { job: 9, index: null }, by: 'alice' } as const;

  function* holding(ticket: string | null, change: 'wait' | 'fail' | 'end' | 'takeBack'): Program {
    yield* whenCallerGoes(CANCEL);
    if (ticket !== null) yield* giveTicket(ticket);
    if (change === 'takeBack') yield* whenCallerGoes(null);
    if (change === 'fail') throw new Fault('the disk is full', true);
    if (change !== 'end') yield* awaitChange([1], null);
    return 0;
  }

  test.each([
    ['it is interrupted', null, 'wait', true],
    ['it has a ticket, and is interrupted all the same', 't1', 'wait', true],
    ['the program fails', null, 'fail', true],
    ['the program ends', null, 'end', false],
    ['the program has taken it back', null, 'takeBack', false],
  ] as const)('what it said is done: %s', async (_, ticket, change, done) => {
    const over = run(holding(ticket, change));
    await new Promise(setImmediate);
    interrupted.abort({ exitCode: 130, message: null });
    await over;
    expect(yard.commands).toEqual(done ? [CANCEL] : []);
    expect(tickets).toEqual(ticket === null ? [] : [ticket]);
  });

  test.each([
    ['t1', false],
    [null, true],
  ])('not when the yard goes and the caller comes back with a ticket: %s', async (ticket, done) => {
    const over = run(holding(ticket, 'wait'));
    await new Promise(setImmediate);
    interrupted.abort({ exitCode: 1, message: null, callerStays: true });
    await over;
    expect(yard.commands).toEqual(done ? [CANCEL] : []);
  });
});

describe('handing over', () => {
  const RUN = { attempt: '1.1' } as RunHere;

  function* handing(): Program {
    yield* whenCallerGoes({ type: 'cancel', target: { job: 9, index: null }, by: 'alice' });
    try {
      yield* runHere(RUN);
    } catch (error) {
      yield* printErr(`${(error as Error).message}\n`);
      return 1;
    }
    yield* printOut('never');
    return 0;
  }

  test('the caller gets the plan, and the program is over', async () => {
    expect(await run(handing())).toBe('handedOver');
    expect(plans).toMatchObject([{ run: RUN, jobRecord: null }]);
    expect(output.stdout).toBe('');
    interrupted.abort({ exitCode: 1, message: null });
    expect(yard.commands).toEqual([]);
  });

  test('a program is told when it cannot be', async () => {
    yard.failNext(new Fault('the job has ended', false));
    expect(await run(handing())).toBe(1);
    expect(output.stderr).toBe('the job has ended\n');
    expect(plans).toEqual([]);
  });

  test('nothing is handed to a caller that has gone', async () => {
    interrupted.abort({ exitCode: 130, message: null });
    expect(await run(handing())).toBe(130);
    expect(plans).toEqual([]);
    expect(yard.commands).toHaveLength(1);
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

describe('a program that has much to do', () => {
  test('lets others go on meanwhile', async () => {
    let turnsOfLoop = 0;
    let isOver = false;
    const turn = () => {
      turnsOfLoop += 1;
      if (!isOver) setImmediate(turn);
    };
    setImmediate(turn);
    function* busy(): Program {
      for (let part = 0; part < 30; part++) {
        const until = performance.now() + 6;
        while (performance.now() < until);
        yield* clock();
      }
      return 0;
    }
    expect(await run(busy())).toBe(0);
    isOver = true;
    expect(turnsOfLoop).toBeGreaterThan(10);
  });

  test('ends where it pauses, when its caller interrupts it', async () => {
    let parts = 0;
    function* busy(): Program {
      for (;;) {
        parts += 1;
        const until = performance.now() + 6;
        while (performance.now() < until);
        yield* pause();
      }
    }
    const ended = run(busy());
    setImmediate(() => interrupted.abort({ exitCode: 130, message: null, bySignal: true }));
    expect(await ended).toBe(130);
    expect(parts).toBeLessThan(10);
  });
});
