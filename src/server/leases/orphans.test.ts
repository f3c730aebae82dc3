import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Attempt, newAttempt, newJob } from '../../model/job.ts';
import type { JobView } from '../../model/query.ts';
import type { Yard } from '../yard.ts';
import { type LeaseClient, type LeaseWish, specOfLease } from './lease.ts';
import { keptFromBefore } from './orphans.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const WISH: LeaseWish = {
  kind: 'train.py::job',
  gpus: 1,
  name: 'job',
  queue: null,
  memoryLimited: false,
  devices: null,
};
const client = (pid: number): LeaseClient => ({
  user: 'ada',
  uid: 1000,
  process: { pid, startTicks: 7, bootId: 'b' },
});
const ADA = client(17);

const waiting = (id: number, wish: Partial<LeaseWish> = {}, who = ADA) =>
  newJob(id, specOfLease({ ...WISH, ...wish }, who, ''), 'pending', 0);
const held = (id: number) => {
  const attempt: Attempt = { ...newAttempt(`${id}.1`, 1, { nodes: [] }, 0), startedAt: 1, phase: 'running' };
  return { ...waiting(id), phase: 'active' as const, attempt };
};

function keptWith(...jobs: readonly ReturnType<typeof waiting>[]) {
  const givenUp: number[] = [];
  const views = jobs.map((job) => ({ job }) as JobView);
  const yard = { query: () => views } as unknown as Yard;
  return { givenUp, kept: keptFromBefore(yard, (job) => givenUp.push(job)) };
}

test('who waited gets the first that it waited for, and each only once', () => {
  const { kept } = keptWith(waiting(3), waiting(5));
  expect([1, 2, 3].map(() => kept.taken(WISH, ADA))).toEqual([3, 5, null]);
});

test.each([
  ['another process', WISH, client(18)],
  ['another user', WISH, { ...ADA, user: 'bob' }],
  ['nobody in particular', WISH, { ...ADA, process: null }],
  ['another kind', { ...WISH, kind: 'other.py::job' }, ADA],
  ['more GPUs', { ...WISH, gpus: 2 }, ADA],
  ['a limit on memory', { ...WISH, memoryLimited: true }, ADA],
])('%s is not it', (_, wish, who) => {
  expect(keptWith(waiting(3)).kept.taken(wish, who)).toBeNull();
});

test('one that is held is known by its name alone', () => {
  expect(keptWith(held(3)).kept.taken(WISH, ADA)).toBeNull();
});

test('what nobody comes back for is given up: who waited sooner than who holds', () => {
  const { kept, givenUp } = keptWith(waiting(3), held(4), waiting(5));
  kept.forget(5);
  vi.advanceTimersByTime(30_000);
  expect(givenUp).toEqual([3]);
  vi.advanceTimersByTime(270_000);
  expect(givenUp).toEqual([3, 4]);
  expect(kept.size()).toBe(0);
});

test('jobs that are no leases are left alone, and so are all by a yard that closes', () => {
  const job = waiting(3);
  const plain = { ...job, spec: { ...job.spec, origin: { dialect: 'slurm', words: {} } } };
  const { kept, givenUp } = keptWith(plain, held(4));
  expect(kept.size()).toBe(1);
  kept.close();
  vi.advanceTimersByTime(1_000_000);
  expect(givenUp).toEqual([]);
});
