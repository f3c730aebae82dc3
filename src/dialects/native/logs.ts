/** `trainyard logs`: what a job has written, and what it writes until it ends. */

import { textFromBytes } from '../../model/bytes.ts';
import { type Attempt, displayId } from '../../model/job.ts';
import { fillPattern } from '../../model/pattern.ts';
import type { JobDetail, JobView } from '../../model/query.ts';
import { isGiven } from '../options.ts';
import { type Asking, type Program, readFrom } from '../program.ts';
import type { Call, NativeCommand } from './call.ts';
import { printNote, refusalError, usageError } from './failure.ts';
import { sayItWaits } from './follow-job.ts';
import { printJson } from './json.ts';
import { type FoundJob, findJob, oneJobRef, refText } from './look-up.ts';
import { copyFile, followOutput, type Source, startOf } from './output.ts';
import { countFrom } from './resource-words.ts';
import { sizeOfFile } from './tail.ts';

/** What --json holds at most: the end of the output. */
const MOST_JSON_BYTES = 8 * 1024 * 1024;
const MOST_CHOICES = 10;

export const logs: NativeCommand = {
  name: 'logs',
  aliases: ['log', 'output'],
  group: 'jobs',
  summary: 'what a job has written',
  usage: ['[options] JOB'],
  about: ['With -f it goes on until the job has ended, through restarts as well.'],
  examples: [
    { line: 'trainyard logs -f 17', says: 'watch it' },
    { line: 'trainyard logs -n 20 --stderr 17', says: 'the last lines of its stderr' },
    { line: 'trainyard logs 20_3', says: 'one element of an array' },
  ],
  options: [
    { name: 'follow', short: 'f', value: 'none', help: 'show what comes until the job ends' },
    { name: 'stderr', short: 'e', value: 'none', help: 'its stderr, where that is a file of its own' },
    { name: 'attempt', value: 'required', argument: 'N', help: 'an earlier attempt; default: the last one' },
    {
      name: 'lines',
      short: 'n',
      value: 'required',
      argument: 'N',
      help: 'only the last N lines; default: all',
    },
  ],
  positionals: 'anywhere',
  arguments: 'some',
  run: runLogs,
};

function* runLogs(call: Call): Program {
  const ref = oneJobRef(call.positionals, 'logs');
  const follows = isGiven(call.options, 'follow');
  const lines = countFrom(call.options, 'lines', 0);
  if (follows && call.json) throw usageError('--follow has no JSON form', 'leave out one of them');
  const found = yield* findJob(ref);
  refuseArray(found);
  const attempt = attemptFrom(call, found);
  if (follows && attempt === null) {
    yield* noteSharedFile(call, found.detail.view);
    yield* followOutput({
      ref,
      sourcesOf: (view) => [{ path: pathOf(call, view), to: 'stdout' }],
      lines,
      onWaiting: (view) => sayItWaits(call, ref, view),
    });
    return 0;
  }
  if (found.unstartedIndex !== null || found.detail.view.job.attempt === null) throw notStarted(found);
  const path =
    attempt === null ? pathOf(call, found.detail.view) : earlierPath(call, found.detail.view, attempt);
  yield* noteSharedFile(call, found.detail.view);
  if (call.json) yield* printLogsJson(found.detail, path, lines);
  else if (!(yield* copyFile({ path, to: 'stdout' } satisfies Source, yield* startOf(path, lines)))) {
    throw noOutput(found, path);
  }
  return 0;
}

function* printLogsJson(detail: JobDetail, path: string, lines: number | null): Asking<void> {
  const sizeBytes = yield* sizeOfFile(path);
  if (sizeBytes === null) throw refusalError('noSuchFile', `there is no output file ${path}`);
  const wanted = yield* startOf(path, lines);
  const start = Math.max(wanted, sizeBytes - MOST_JSON_BYTES);
  const bytes = (yield* readFrom(path, start, sizeBytes - start, 0)) ?? new Uint8Array(0);
  const { job } = detail.view;
  const text = textFromBytes(bytes);
  yield* printJson({ id: job.id, ref: displayId(job), path, sizeBytes, fromByte: start, text });
}

function refuseArray({ ref, detail, unstartedIndex }: FoundJob): void {
  const { job } = detail.view;
  if (job.array === null || unstartedIndex !== null) return;
  const started = detail.elements.slice(0, MOST_CHOICES).map((element) => displayId(element.job));
  throw refusalError(
    'badRequest',
    `job ${refText(ref)} is an array: say which element`,
    started.length === 0
      ? 'none of its elements has started yet'
      : `for example: trainyard logs ${started[0]}`,
    started,
  );
}

function attemptFrom(call: Call, { detail }: FoundJob): Attempt | null {
  const n = countFrom(call.options, 'attempt', 1);
  if (n === null) return null;
  const attempt = detail.attempts.find((each) => each.n === n);
  if (attempt !== undefined) return n === detail.view.job.attempt?.n ? null : attempt;
  const choices = detail.attempts.map((each) => `${each.n}`);
  throw refusalError('noSuchJob', `job ${displayId(detail.view.job)} has no attempt ${n}`, null, choices);
}

function pathOf(call: Call, view: JobView): string {
  return isGiven(call.options, 'stderr') ? (view.stderrPath ?? view.stdoutPath) : view.stdoutPath;
}

function earlierPath(call: Call, { job }: JobView, attempt: Attempt): string {
  const { stdout, stderr } = job.spec.streams;
  const first = attempt.placement.nodes[0];
  const node = first === undefined ? null : { name: first.node, number: 0 };
  const pattern = isGiven(call.options, 'stderr') ? (stderr ?? stdout) : stdout;
  return fillPattern(pattern, job, attempt, node, 0);
}

function* noteSharedFile(call: Call, view: JobView): Asking<void> {
  if (call.quiet || call.json) return;
  if (isGiven(call.options, 'stderr') && view.job.spec.streams.stderr === null) {
    yield* printNote('this job writes stdout and stderr to one file', call.paint);
  }
}

function notStarted({ ref }: FoundJob) {
  const job = refText(ref);
  return refusalError(
    'wrongState',
    `job ${job} has not started, so there is no output`,
    `see what it waits for: trainyard why ${job}\nor wait for its output: trainyard logs -f ${job}`,
  );
}

function noOutput({ ref, detail }: FoundJob, path: string) {
  const job = refText(ref);
  const hasRun = detail.attempts.some(({ startedAt }) => startedAt !== null);
  return refusalError(
    'noSuchFile',
    `job ${job} has no output file ${path}`,
    hasRun ? 'it may have been removed' : `its program has not run; to see why: trainyard why ${job}`,
  );
}
