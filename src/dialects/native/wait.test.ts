import { describe, expect, it } from 'vitest';
import type { Job, Outcome } from '../../model/job.ts';
import { rangeOf } from '../../model/ranges.ts';
import { aJob, aView, endedJob, fakeYard, runningJob } from '../fake-yard.ts';
import { run } from './fake-yard.ts';

function ended(id: number, outcome: Outcome, code: number | null, signal: number | null = null): Job {
  return endedJob(id, { outcome }, { exit: { code, signal, outOfMemory: false } });
}

function waited(...jobs: Job[]) {
  return run(fakeYard({ views: jobs.map((job) => aView(job)) }), ['wait', ...jobs.map(({ id }) => `${id}`)]);
}

describe('wait', () => {
  it('returns the exit code of the job', () => {
    expect(waited(ended(17, 'completed', 0))).toEqual({ code: 0, stdout: 'job 17 completed\n', stderr: '' });
    expect(waited(ended(17, 'failed', 3)).code).toBe(3);
    expect(waited(ended(17, 'failed', null, 11))).toMatchObject({
      code: 139,
      stdout: 'job 17 was ended by SIGSEGV\n',
    });
  });

  it('is never 0 for a job that did not complete', () => {
    expect(waited(ended(17, 'timeout', 0))).toMatchObject({
      code: 1,
      stdout: 'job 17 ran out of its time limit\n',
    });
    expect(waited(ended(17, 'failed', 256)).code).toBe(1);
    expect(waited(endedJob(17, { outcome: 'dependencyFailed', attempt: null })).code).toBe(1);
    expect(waited(endedJob(17, { outcome: 'cancelled', endedBy: 'bob' }))).toMatchObject({
      code: 1,
      stdout: 'job 17 was cancelled by bob\n',
    });
  });

  it('takes the highest of several, and tells them in the order they end', () => {
    const yard = fakeYard({
      views: [aView(runningJob(17)), aView(runningJob(18)), aView(ended(19, 'failed', 2))],
    });
    const change = (job: Job) => () => {
      yard.views = yard.views.map((view) => (view.job.id === job.id ? aView(job) : view));
    };
    yard.meanwhile = [change(ended(18, 'failed', 7)), change(ended(17, 'completed', 0))];
    expect(run(yard, ['wait', '17', '18', '19'])).toEqual({
      code: 7,
      stdout: 'job 19 failed with exit code 2\njob 18 failed with exit code 7\njob 17 completed\n',
      stderr: '',
    });
  });

  it('says nothing when quiet, and one value in JSON', () => {
    const yard = fakeYard({ views: [aView(ended(17, 'failed', 3))] });
    expect(run(yard, ['wait', '-q', '17'])).toEqual({ code: 3, stdout: '', stderr: '' });
    const ran = run(yard, ['wait', '--json', '17', '17']);
    expect(ran.code).toBe(3);
    expect(JSON.parse(ran.stdout)).toMatchObject({
      exitCode: 3,
      jobs: [{ id: 17, exitCode: 3 }, { id: 17 }],
    });
  });

  it('waits for an array as a whole, and for an element that has not started', () => {
    const array = (live: number, phase: Job['phase']): Job =>
      aJob(
        {
          id: 20,
          phase,
          outcome: phase === 'ended' ? 'failed' : null,
          array: {
            unstarted: phase === 'ended' ? [] : rangeOf(1, 1),
            dropped: [],
            live,
            ended: { completed: 1, failed: 1 },
          },
        },
        { array: { indices: rangeOf(0, 1), throttle: null } },
      );
    const elements = [
      aView({ ...ended(21, 'completed', 0), element: { array: 20, index: 0 } }),
      aView({ ...ended(22, 'failed', 9), element: { array: 20, index: 1 } }),
    ];
    const yard = fakeYard({ views: [aView(array(1, 'pending'))] });
    yard.meanwhile = [() => (yard.views = [aView(array(0, 'ended')), ...elements])];
    expect(run(yard, ['wait', '20'])).toMatchObject({
      code: 9,
      stdout: 'array 20 ended: of 2 elements 1 completed and 1 failed\n',
    });
    yard.views = [aView(array(1, 'pending'))];
    yard.meanwhile = [() => (yard.views = [aView(array(0, 'ended')), ...elements])];
    expect(run(yard, ['wait', '20_1'])).toMatchObject({
      code: 9,
      stdout: 'job 20_1 failed with exit code 9\n',
    });
  });

  it('counts elements that never ran as failed', () => {
    const job = aJob(
      {
        id: 20,
        phase: 'ended',
        outcome: 'cancelled',
        array: { unstarted: [], dropped: rangeOf(0, 4), live: 0, ended: { cancelled: 5 } },
      },
      { array: { indices: rangeOf(0, 4), throttle: null } },
    );
    expect(waited(job)).toMatchObject({ code: 1, stdout: 'array 20 ended: of 5 elements 5 cancelled\n' });
  });

  it('refuses what does not exist before it waits', () => {
    const yard = fakeYard({ views: [aView(runningJob(17))] });
    expect(run(yard, ['wait', '17', '99'])).toMatchObject({ code: 1, stdout: '' });
    expect(run(yard, ['wait']).code).toBe(2);
    expect(run(yard, ['wait', 'x']).stderr).toContain('"x" is not a job');
  });
});
