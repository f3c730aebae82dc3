import { expect, test } from 'vitest';
import { aJob, aNode, aPolicy, aQueue, aYard, HOUR, type JobBuilder } from '../../../test/builders.ts';
import { trial } from './trial.ts';

const policy = aPolicy({ queues: [aQueue('main', { isDefault: true, maxLimitMs: 4 * HOUR })] });

function yardOf(cpus: number) {
  return aYard(policy).withNodes(aNode('n1').withCpus(cpus));
}

function tried(yard: ReturnType<typeof yardOf>, { spec }: JobBuilder) {
  return trial({ state: yard.state, policy, now: yard.now }, spec);
}

test('a job that fits would start at once, and nothing is changed by asking', () => {
  const yard = yardOf(4);
  const answer = tried(yard, aJob().wanting({ cpus: 2 }));
  expect(answer).toMatchObject({
    ok: true,
    job: 1,
    queue: 'main',
    startAt: yard.now,
    placement: { nodes: [{ node: 'n1', cpus: 2 }] },
  });
  expect(yard.state.jobs.size).toBe(0);
});

test('one that does not would start when what runs must have ended', () => {
  const yard = yardOf(4);
  yard.run(aJob().wanting({ cpus: 3 }).limitedTo(HOUR));
  expect(tried(yard, aJob().wanting({ cpus: 2 }))).toMatchObject({ ok: true, startAt: yard.now + HOUR });
});

test('those that wait go first', () => {
  const yard = yardOf(4);
  yard.submit(aJob().wanting({ cpus: 4 }).limitedTo(HOUR).held());
  yard.submit(aJob().wanting({ cpus: 4 }).limitedTo(HOUR));
  expect(tried(yard, aJob().wanting({ cpus: 1 }))).toMatchObject({ ok: true, startAt: yard.now + HOUR });
});

test('what would be refused is refused', () => {
  const about = (job: JobBuilder) => {
    const answer = tried(yardOf(4), job);
    return answer.ok ? null : answer.refusal.about;
  };
  expect(about(aJob().wanting({ cpus: 64 }))).toBe('cpus');
  expect(about(aJob().limitedTo(5 * HOUR))).toBe('timeLimit');
});
