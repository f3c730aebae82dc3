/** A place that somebody held from outside, given back: its claim and its end, written at once in the form that callers use. */

import { appendFileSync } from 'node:fs';
import { bootId } from '../platform/processes.ts';
import { claimWords } from './claim.ts';
import type { ExitRecord } from './exit-record.ts';
import type { LiveAttempt } from './live.ts';
import { readRank } from './recover.ts';
import { rankPath, type YardFiles } from './yard-files.ts';

/** Null when the disk does not take it. */
export function writeReturn(
  files: YardFiles,
  { attempt, job, sinceTicks }: LiveAttempt,
  rank: number,
  status: number,
): ExitRecord | null {
  const caller = job.spec.program.caller ?? { pid: process.pid, startTicks: 0, bootId: bootId() };
  const claim = claimWords({ startTicks: caller.startTicks, atTicks: sinceTicks, cpuMs: 0, userCpuMs: 0 });
  // What its holder used is nobody's business: it was not started by the yard.
  const nothingUsed = '0m0.000s 0m0.000s';
  const lines = [`${caller.pid} ${claim}`, nothingUsed, nothingUsed, `status ${status}`, 'end', ''];
  try {
    appendFileSync(rankPath(files, attempt.id, rank), lines.join('\n'), { mode: 0o600 });
  } catch {
    return null;
  }
  return readRank(files, attempt.id, rank).record;
}
