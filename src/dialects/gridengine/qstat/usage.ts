/** What running jobs use, as `qstat -ext` and `qstat -j` tell it. */

import type { PartUsage } from '../../../model/query.ts';
import { type Asking, query } from '../../program.ts';
import type { JobFacts } from '../job-facts.ts';

export interface MeasuredUse {
  readonly cpuMs: number;
  /** Gigabytes times seconds: what it has in memory now, as if it always had. */
  readonly memoryGbSeconds: number;
  readonly memoryBytes: number;
  readonly peakMemoryBytes: number;
}

export type Measured = ReadonlyMap<JobFacts, MeasuredUse>;

/** Measuring reads about every process of a job; of more than this nobody waits for it. */
const MOST_MEASURED = 64;

export function* measure(facts: readonly JobFacts[], now: number): Asking<Measured> {
  const measured = new Map<JobFacts, MeasuredUse>();
  const running = facts.filter(({ section }) => section === 'running').slice(0, MOST_MEASURED);
  for (const each of running) {
    const use = yield* useOf(each, now);
    if (use !== null) measured.set(each, use);
  }
  return measured;
}

function* useOf({ job, since }: JobFacts, now: number): Asking<MeasuredUse | null> {
  const { id, element } = job;
  const ref = element === null ? { job: id, index: null } : { job: element.array, index: element.index };
  const usage = yield* query('usage', { ref });
  if (usage === null) return null;
  const { parts } = usage;
  const sum = (value: (part: PartUsage) => number) => parts.reduce((total, part) => total + value(part), 0);
  const memoryBytes = sum((part) => part.memoryBytes);
  return {
    cpuMs: sum((part) => part.userCpuMs + part.systemCpuMs),
    memoryGbSeconds: (memoryBytes / 2 ** 30) * (Math.max(0, now - since) / 1000),
    memoryBytes,
    peakMemoryBytes: Math.max(memoryBytes, usage.peakMemoryBytes ?? 0),
  };
}

/** `0:00:01:07`. */
export function cpuText(cpuMs: number): string {
  const seconds = Math.floor(cpuMs / 1000);
  const two = (value: number) => `${value}`.padStart(2, '0');
  const [days, hours] = [Math.floor(seconds / 86_400), Math.floor(seconds / 3600) % 24];
  return `${days}:${two(hours)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
}
