import { describe, expect, it } from 'vitest';
import { EMPTY, fromIndices, rangeOf } from '../../model/ranges.ts';
import { aJob, anAttempt, aView, endedJob, MINUTE, NOW, undisturbed } from '../fake-yard.ts';
import { eachTask, jobFacts, taskText } from './job-facts.ts';

const waitingArray = (indices: ReturnType<typeof rangeOf>) =>
  aJob(
    { id: 4, array: { unstarted: indices, dropped: EMPTY, live: 1, ended: {} } },
    { array: { indices: rangeOf(1, 8), throttle: null } },
  );

const error = { by: 'yard', reason: 'it would not start', isError: true } as const;

const task = (id: number, index: number, changes = {}) =>
  aJob({ id, element: { array: 4, index }, ...changes });

describe('jobs as listings see them', () => {
  it('shows running tasks one by one, and those that wait alike together', () => {
    const views = [
      waitingArray(rangeOf(3, 6)),
      task(5, 1, { phase: 'active', attempt: anAttempt() }),
      task(6, 2, { phase: 'active', attempt: anAttempt() }),
      task(9, 8, { phase: 'held', hold: error }),
      task(10, 7, { phase: 'held', hold: error }),
    ].map((job) => aView(job));
    const seen = undisturbed(jobFacts(views)).map(({ number, tasks, state }) => [
      number,
      taskText(tasks ?? []),
      state,
    ]);
    expect(seen).toEqual([
      [4, '3-6:1', 'qw'],
      [4, '1', 'r'],
      [4, '2', 'r'],
      [4, '7,8', 'Eqw'],
    ]);
  });

  it('shows nothing for an array whose tasks have all begun', () => {
    expect(undisturbed(jobFacts([aView(waitingArray(EMPTY))]))).toEqual([]);
  });

  it('takes a group apart into tasks', () => {
    const [facts] = undisturbed(jobFacts([aView(waitingArray(rangeOf(2, 8, 2)))]));
    expect([...eachTask(facts as never)].map(({ tasks }) => taskText(tasks ?? []))).toEqual([
      '2',
      '4',
      '6',
      '8',
    ]);
  });

  it('counts the ranks of its own jobs and the CPUs of others as slots', () => {
    const share = { node: 'node1', ranks: 2, cpus: 8, cpuIds: [], memoryBytes: 0, devices: [] };
    const attempt = anAttempt({ placement: { nodes: [share, { ...share, node: 'node2' }] } });
    const slots = (dialect: string) =>
      undisturbed(
        jobFacts([aView(aJob({ phase: 'active', attempt }, { origin: { dialect, words: {} } }))]),
      )[0]?.slots;
    expect([slots('gridengine'), slots('slurm')]).toEqual([4, 16]);
  });

  it('dates a job by its start, its submission, or when it was put back', () => {
    const ended = endedJob(1).attempt;
    const views = [
      aJob({ phase: 'active', attempt: anAttempt({ startedAt: NOW - 2 * MINUTE }) }),
      aJob({ submittedAt: NOW - 10 * MINUTE }),
      aJob({ restarts: 1, attempt: ended }),
    ].map((job) => aView(job));
    expect(undisturbed(jobFacts(views)).map(({ since }) => NOW - since)).toEqual([
      2 * MINUTE,
      10 * MINUTE,
      MINUTE,
    ]);
  });
});

describe('task numbers', () => {
  it.each([
    [rangeOf(1, 1), '1'],
    [rangeOf(2, 4), '2-4:1'],
    [rangeOf(1, 2), '1,2'],
    [rangeOf(7, 10, 3), '7,10'],
    [rangeOf(2, 8, 2), '2-8:2'],
    [fromIndices([1, 3, 4, 5, 9]), '1,3-5:1,9'],
  ])('%j is %s', (tasks, text) => {
    expect(taskText(tasks)).toBe(text);
  });
});
