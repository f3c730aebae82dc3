import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { anAttempt, endedJob, MINUTE, NOW, runningJob } from '../../dialects/fake-yard.ts';
import type { Attempt, Job } from '../../model/job.ts';
import { type LimitWatch, watchLimits } from './limit-watch.ts';

let current: Job;
let told: string[];
let watch: LimitWatch;

beforeEach(() => {
  vi.useFakeTimers({ now: NOW });
  told = [];
  current = running();
  watch = watchLimits({
    now: () => Date.now(),
    jobNow: () => current,
    reached: (_, occasion) => told.push(`${occasion} after ${Math.round((Date.now() - NOW) / MINUTE)}`),
  });
});
afterEach(() => {
  watch.close();
  if (vi.getTimerCount() > 0) throw new Error('a timer was left behind');
  vi.useRealTimers();
});

function running(limitMs: number | null = 100 * MINUTE, attempt: Partial<Attempt> = {}): Job {
  const job = runningJob(17, { limitMs });
  return { ...job, attempt: anAttempt({ startedAt: NOW, clockFrom: NOW, ...attempt }) };
}

test('tells of half the time and of most of it, once each', () => {
  watch.look(current);
  watch.look(current);
  vi.advanceTimersByTime(200 * MINUTE);
  expect(told).toEqual(['timeLimit50 after 50', 'timeLimit80 after 80', 'timeLimit90 after 90']);
});

test('follows a limit that changes', () => {
  watch.look(current);
  vi.advanceTimersByTime(60 * MINUTE);
  current = running(200 * MINUTE);
  watch.look(current);
  vi.advanceTimersByTime(120 * MINUTE);
  expect(told).toEqual(['timeLimit50 after 50', 'timeLimit80 after 160', 'timeLimit90 after 180']);
  current = running(null);
  watch.look(current);
});

test('stands still with the job', () => {
  watch.look(current);
  vi.advanceTimersByTime(40 * MINUTE);
  current = running(100 * MINUTE, { suspendedAt: NOW + 40 * MINUTE });
  watch.look(current);
  vi.advanceTimersByTime(1000 * MINUTE);
  expect(told).toEqual([]);
  current = running(100 * MINUTE, { clockFrom: NOW + 1000 * MINUTE });
  watch.look(current);
  vi.advanceTimersByTime(10 * MINUTE);
  expect(told).toEqual(['timeLimit50 after 1050']);
});

test('does not tell again what passed before it looked', () => {
  current = running(100 * MINUTE, { clockFrom: NOW - 85 * MINUTE });
  watch.look(current);
  vi.advanceTimersByTime(100 * MINUTE);
  expect(told).toEqual(['timeLimit90 after 5']);
});

test('begins anew with another attempt', () => {
  watch.look(current);
  vi.advanceTimersByTime(60 * MINUTE);
  current = running(100 * MINUTE, { id: '17.2', clockFrom: NOW + 60 * MINUTE });
  watch.look(current);
  vi.advanceTimersByTime(50 * MINUTE);
  expect(told).toEqual(['timeLimit50 after 50', 'timeLimit50 after 110']);
});

test('forgets what has ended', () => {
  watch.look(current);
  watch.look(endedJob(17));
  watch.look(current);
  watch.forget(17);
  vi.advanceTimersByTime(200 * MINUTE);
  expect(told).toEqual([]);
});
