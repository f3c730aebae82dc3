/** Which lines are written, told by a real loop with an engine that does as the test says. */

import { afterEach, expect, test } from 'vitest';
import { aJob, type JobBuilder } from '../../../test/builders.ts';
import { type NotingYard, openNotingYard } from '../../../test/noting-yard.ts';
import { parseRecord } from '../../dialects/gridengine/accounting/record.ts';
import type { AccountingFile } from './accounting-file.ts';
import { type Bookkeeper, openBookkeeper } from './bookkeeper.ts';

let yard: NotingYard | null = null;
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
  const userNamed = (name: string) => ({ name, uid: 1, gid: 1, group: 'staff' });
  const opened = await openNotingYard(4, { userNamed });
  yard = opened;
  const log: string[] = [];
  return {
    log,
    open(file: AccountingFile) {
      const times = { soonMs: 0, everyMs: 0 };
      bookkeeper = openBookkeeper({ yard: opened.yard, file, log: (line) => log.push(line), times });
    },
    submit: (job: JobBuilder) => opened.submit(job.spec),
    async runs(attempt: string, code: number) {
      await opened.starts(attempt);
      await opened.ends(attempt, code);
    },
    loses: (attempt: string) => opened.report({ type: 'attemptLost', attempt, reason: 'gone' }),
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
