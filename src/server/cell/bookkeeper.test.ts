/** Which lines are written, told by a real loop with an engine that does as the test says. */

import { afterEach, expect, test } from 'vitest';
import { aJob, aPolicy, type JobBuilder, MINUTE, SECOND } from '../../../test/builders.ts';
import { notingEngine, SURROUNDINGS } from '../../../test/noting-engine.ts';
import { parseRecord } from '../../dialects/gridengine/accounting/record.ts';
import type { Observation } from '../../model/command.ts';
import { manualClock } from '../../platform/clock.ts';
import { createMemoryStore } from '../../store/memory.ts';
import { type OpenYard, openYard } from '../loop.ts';
import type { AccountingFile } from './accounting-file.ts';
import { type Bookkeeper, openBookkeeper } from './bookkeeper.ts';

let yard: OpenYard | null = null;
let bookkeeper: Bookkeeper | null = null;
afterEach(async () => {
  await bookkeeper?.close();
  await yard?.close();
  yard = null;
  bookkeeper = null;
});

/** A file in memory, which may refuse. */
function aFile(refuses: () => boolean = () => false) {
  const lines: string[] = [];
  let seq = 0;
  const file: AccountingFile = {
    seq: () => seq,
    async add(more, upTo) {
      if (refuses()) throw new Error('no room');
      lines.push(...more);
      seq = upTo;
    },
  };
  return { file, lines };
}

async function aYard() {
  const clock = manualClock(1_000_000);
  const noted = notingEngine(4);
  const opened = await openYard({
    store: createMemoryStore(),
    engine: noted.engine,
    policy: aPolicy(),
    clock,
    log: () => {},
    surroundings: { ...SURROUNDINGS, userNamed: (name) => ({ name, uid: 1, gid: 1, group: 'staff' }) },
    keepHistoryMs: MINUTE,
  });
  yard = opened;
  const log: string[] = [];
  const open = (file: AccountingFile) => {
    bookkeeper = openBookkeeper({
      yard: opened,
      file,
      log: (line) => log.push(line),
      times: { soonMs: 0, everyMs: 0 },
    });
  };
  const told = () =>
    new Promise<void>((resolve) => {
      const stop = opened.onCommit(() => {
        stop();
        resolve();
      });
    });
  const report = async (observation: Observation) => {
    const committed = told();
    noted.context().report(observation);
    await committed;
  };
  return {
    log,
    open,
    async submit(job: JobBuilder) {
      await opened.command({ type: 'submit', spec: job.spec });
    },
    async runs(attempt: string, code: number) {
      await report({ type: 'attemptRunning', attempt, forMs: 0 });
      clock.advance(3 * SECOND);
      const exit = { code, signal: null, outOfMemory: false };
      await report({ type: 'attemptEnded', attempt, exit, usage: null, fault: null });
    },
    loses: (attempt: string) => report({ type: 'attemptLost', attempt, reason: 'gone' }),
  };
}

const shown = (lines: readonly string[]) =>
  lines.map((line) => {
    const record = parseRecord(line);
    return record === null ? line : `${record.jobname} ${record.group} ${record.taskid} ${record.exitStatus}`;
  });

test('a line for each run that ended, in that order', async () => {
  const { open, submit, runs } = await aYard();
  const { file, lines } = aFile();
  open(file);
  await submit(aJob().named('a'));
  await submit(aJob().named('b'));
  await runs('2.1', 4);
  await runs('1.1', 0);
  await expect.poll(() => shown(lines)).toEqual(['b staff 0 4', 'a staff 0 0']);
});

test('what ended while nobody kept the book is told by the next, and nothing twice', async () => {
  const { open, submit, runs } = await aYard();
  const { file, lines } = aFile();
  await submit(aJob().named('before'));
  await runs('1.1', 0);
  open(file);
  await expect.poll(() => lines.length).toBe(1);
  await bookkeeper?.close();
  await submit(aJob().named('between'));
  await runs('2.1', 0);
  open(file);
  await submit(aJob().named('after'));
  await runs('3.1', 0);
  await expect.poll(() => shown(lines)).toEqual(['before staff 0 0', 'between staff 0 0', 'after staff 0 0']);
});

test('each run of a job that is started again has one', async () => {
  const { open, submit, runs, loses } = await aYard();
  const { file, lines } = aFile();
  open(file);
  await submit(aJob().named('x'));
  await loses('1.1');
  await runs('1.2', 0);
  await expect.poll(() => lines.length).toBe(2);
});

test('closing writes what is left', async () => {
  const { open, submit, runs } = await aYard();
  const { file, lines } = aFile();
  open(file);
  await submit(aJob().named('a'));
  await runs('1.1', 0);
  await bookkeeper?.close();
  expect(lines).toHaveLength(1);
});

test('a file that cannot be written is tried again, and complained about once', async () => {
  const { open, submit, runs, log } = await aYard();
  let refusals = 3;
  const { file, lines } = aFile(() => refusals-- > 0);
  open(file);
  await submit(aJob().named('a'));
  await runs('1.1', 0);
  await expect.poll(() => shown(lines)).toEqual(['a staff 0 0']);
  await expect
    .poll(() => log)
    .toEqual(['the accounting file cannot be written: no room', 'the accounting file can be written again']);
});

test('a file that knows more than the yard is of another one: it begins with what comes', async () => {
  const { open, submit, runs } = await aYard();
  const { file, lines } = aFile();
  await file.add([], 1_000_000);
  open(file);
  await submit(aJob().named('a'));
  await runs('1.1', 0);
  await expect.poll(() => shown(lines)).toEqual(['a staff 0 0']);
});
