/**
 * The yard's own words in the output of a job: before its program begins, and when it is being stopped. Only in plain
 * files, which cannot make us wait; what cannot be said is not worth a complaint.
 */

import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  openSync,
  readSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { resolve } from 'node:path';
import { bytesFromText } from '../model/bytes.ts';
import { truncatesOutput } from './launch.ts';
import { isForCaller, type LiveAttempt } from './live.ts';

const { O_RDWR, O_APPEND, O_NONBLOCK, O_NOCTTY, O_CREAT, O_EXCL } = constants;
const FLAGS = O_RDWR | O_APPEND | O_NONBLOCK | O_NOCTTY;
/** Among so many bytes at the end of a file an earlier agent's words are looked for. */
const TAIL_BYTES = 8192;

/** After what is in the output already. */
export function sayInOutput(path: string, words: string): void {
  try {
    say(openSync(path, FLAGS), words);
  } catch {
    return;
  }
}

/**
 * Says what there is to say before any program of the attempt does. The output is emptied here where it has to be, since
 * whoever did that later would take the words away; true when it needs no more of that.
 */
export function sayForeword(live: LiveAttempt): boolean {
  const { job, attempt, ranks, foreword } = live;
  const [first] = ranks;
  if (foreword.length === 0 || first === undefined || isForCaller(live)) return false;
  const [stdout, stderr] = [first.place.streams.stdout, first.place.streams.stderr].map((path) =>
    resolve(job.spec.workDir, path),
  ) as [string, string];
  const words = foreword.map((sentence) => `trainyard: ${sentence}\n`).join('');
  try {
    // What several ranks share was emptied already.
    if (ranks.length === 1 && truncatesOutput(job, attempt))
      for (const path of new Set([stdout, stderr])) empty(path);
    say(openOrMake(stderr, 0o666 & ~job.spec.program.umask), words);
    return true;
  } catch {
    return false;
  }
}

function empty(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === true) truncateSync(path);
}

/** With the permissions that its program would have given it. */
function openOrMake(path: string, mode: number): number {
  try {
    const fd = openSync(path, FLAGS | O_CREAT | O_EXCL, mode);
    fchmodSync(fd, mode);
    return fd;
  } catch {
    return openSync(path, FLAGS);
  }
}

function say(fd: number, words: string): void {
  const line = bytesFromText(words);
  try {
    if (fstatSync(fd).isFile() && !isSaid(fd, line)) writeSync(fd, line);
  } finally {
    closeSync(fd);
  }
}

/** An earlier agent may have said it. */
function isSaid(fd: number, line: Uint8Array): boolean {
  const { size } = fstatSync(fd);
  const tail = Buffer.alloc(Math.min(size, TAIL_BYTES));
  readSync(fd, tail, 0, tail.length, size - tail.length);
  return tail.includes(Buffer.from(line));
}
