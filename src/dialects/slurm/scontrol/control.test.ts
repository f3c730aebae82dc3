/** What `scontrol` does to jobs, and why not. The real one was asked the same, and said the same. */

import { describe, expect, it } from 'vitest';
import type { UserCommand } from '../../../model/command.ts';
import type { JobSpec } from '../../../model/job-spec.ts';
import { type RefusalCode, refusal } from '../../../model/refusal.ts';
import { aJob, aView, runningJob } from '../../fake-yard.ts';
import { array, DONE, ended, refusing, run, running, said, waiting, withJobs } from './fake-scontrol.ts';

describe('what is done to jobs', () => {
  it.each<[string, UserCommand['type']]>([
    ['hold 57', 'hold'],
    ['uhold 57', 'hold'],
    ['holdu 57', 'hold'],
    ['release 57', 'release'],
    ['rel 57', 'release'],
    ['requeue 58', 'requeue'],
    ['req 58', 'requeue'],
    ['requeuehold 58', 'requeue'],
    ['suspend 58', 'suspend'],
    ['resume 58', 'resume'],
  ])('%s', (line, type) => {
    const yard = withJobs(waiting, running);
    expect(run(yard, line)).toEqual(DONE);
    expect(yard.commands).toMatchObject([{ type, by: 'ada' }]);
  });

  it('is done to each of several, and to elements of arrays', () => {
    const yard = withJobs(waiting, running, array);
    expect(run(yard, 'hold 57,4_[1-2] 4_5')).toEqual(DONE);
    const targets = yard.commands.map((command) => 'target' in command && command.target);
    expect(targets).toEqual([
      { job: 57, index: null },
      { job: 4, index: 1 },
      { job: 4, index: 2 },
      { job: 4, index: 5 },
    ]);
  });

  it('is done by name', () => {
    const yard = withJobs(aJob({ id: 1 }, { name: 'a' }), aJob({ id: 2 }, { name: 'b' }));
    expect(run(yard, 'hold jobname=b')).toEqual(DONE);
    expect(yard.commands).toMatchObject([{ target: { job: 2 } }]);
    expect(run(yard, 'hold jobname=nope')).toEqual(DONE);
  });

  it('keeps requeued jobs back where that is asked for', () => {
    const yard = withJobs(running);
    run(yard, 'requeue 58');
    run(yard, 'requeuehold 58');
    expect(yard.commands).toMatchObject([{ hold: false }, { hold: true }]);
  });

  it('passes over jobs that have ended when only others are meant', () => {
    const yard = withJobs(running, ended);
    expect(run(yard, 'requeue incomplete 58,73')).toEqual(DONE);
    expect(yard.commands).toMatchObject([{ target: { job: 58 } }]);
  });

  it('says that a running job is not held', () => {
    const { code, stderr } = run(refusing(withJobs(running), 'wrongState'), 'hold 58');
    expect(code).toBe(0);
    expect(stderr).toBe('scontrol: warning: job 58 runs, and is not held; requeuehold would stop it\n');
  });
});

describe('what is not done, and why', () => {
  const SUSPEND_ERROR = '\nslurm_suspend error:';
  it.each<[string, RefusalCode, string]>([
    [
      'hold 999999',
      'noSuchJob',
      `Invalid job id specified for job 999999${SUSPEND_ERROR} Invalid job id specified`,
    ],
    [
      'hold abc',
      'noSuchJob',
      `Invalid job id specified for job abc${SUSPEND_ERROR} Invalid job id specified`,
    ],
    [
      'hold 999999,999998',
      'noSuchJob',
      `Invalid job id specified for job 999999\nInvalid job id specified for job 999998${SUSPEND_ERROR} Invalid job id specified`,
    ],
    ['hold 73', 'wrongState', `Job has already finished for job 73${SUSPEND_ERROR} Job has already finished`],
    [
      'release 73',
      'wrongState',
      `Job has already finished for job 73${SUSPEND_ERROR} Job has already finished`,
    ],
    ['hold 57', 'notAllowed', `Invalid user id for job 57${SUSPEND_ERROR} Invalid user id`],
    ['hold 4_9', 'noSuchJob', '4_9: Invalid job id specified'],
    ['requeue 57', 'wrongState', 'Job is pending execution for job 57'],
    ['requeue 4_2', 'wrongState', '4_2: Job is pending execution'],
    ['requeue 4', 'wrongState', '4_1-6: Job is pending execution'],
    ['requeue 999999', 'noSuchJob', 'Invalid job id specified for job 999999'],
    ['requeue abc', 'noSuchJob', 'Invalid job id specified for job abc'],
    ['requeue 58', 'notAllowed', 'Access/permission denied for job 58'],
    ['suspend 57', 'wrongState', 'Job is pending execution for job 57'],
    ['suspend 73', 'wrongState', 'Job/step already completing or completed for job 73'],
    ['suspend 58', 'notAllowed', 'Access/permission denied for job 58'],
    ['resume 57', 'wrongState', 'Job is pending execution for job 57'],
    ['resume 58', 'wrongState', 'Job is not suspended for job 58'],
    ['resume 73', 'wrongState', 'Job/step already completing or completed for job 73'],
    ['update JobId=73 TimeLimit=5', 'wrongState', 'Job has already finished for job 73'],
    ['update JobId=999999 TimeLimit=5', 'noSuchJob', 'Invalid job id specified for job 999999'],
    ['update JobId=abc TimeLimit=5', 'noSuchJob', 'Invalid job id specified for job abc'],
    ['update JobId=4_9 TimeLimit=5', 'noSuchJob', '4_9: Invalid job id specified'],
    ['update JobId=57 TimeLimit=5', 'notAllowed', 'Invalid user id for job 57'],
    ['update JobId=57 Partition=nope', 'noSuchQueue', 'Invalid partition name specified for job 57'],
    ['update JobId=57 QOS=nope', 'noSuchQos', 'Invalid qos specification for job 57'],
    ['update JobId=58 Partition=gpu', 'wrongState', 'Job is no longer pending execution for job 58'],
  ])('%s', (line, code, stderr) => {
    expect(run(refusing(withJobs(waiting, running, ended, array), code), line)).toEqual(said(stderr));
  });

  it.each<[string, Partial<JobSpec>, string]>([
    ['a job that may not be', { requeue: false }, 'Requested operation is presently disabled for job 58'],
    [
      'a place that somebody asked for',
      { program: { ...running.spec.program, spread: 'caller' } },
      'Only batch jobs are accepted or processed for job 58',
    ],
  ])('requeue %s', (_, spec, stderr) => {
    const yard = withJobs(runningJob(58, spec));
    expect(run(yard, 'requeue 58')).toEqual(said(stderr));
    expect(yard.commands).toEqual([]);
  });

  it('a job that goes on already cannot be resumed, but be suspended twice', () => {
    const yard = withJobs(running);
    yard.answer = () => ({ ok: true, job: 58, step: null, changed: false });
    expect(run(yard, 'resume 58')).toEqual(said('Job is not suspended for job 58'));
    expect(run(yard, 'suspend 58')).toEqual(DONE);
  });

  it('the others are done all the same', () => {
    const yard = withJobs(waiting, running);
    yard.answer = (command) =>
      'target' in command && command.target.job === 57
        ? { ok: false, refusal: refusal('wrongState', 'no') }
        : { ok: true, job: 58, step: null, changed: true };
    expect(run(yard, 'requeue 57 58')).toEqual(said('Job is pending execution for job 57'));
    expect(yard.commands).toHaveLength(2);
  });

  it('nothing is said when nobody wants to know', () => {
    const yard = refusing(withJobs(waiting), 'noSuchJob');
    for (const line of ['-Q hold 9', '-Q requeue 9', '-Q update JobId=9 TimeLimit=1', '-Q show job 9'])
      expect(run(yard, line)).toEqual({ code: 1, stdout: '', stderr: '' });
  });
});

describe('top', () => {
  it('deals the priorities of the same user and partition out anew', () => {
    const yard = withJobs();
    const pending = (id: number, priority: number, spec: Partial<JobSpec> = {}) =>
      aView(aJob({ id }, spec), { priority });
    yard.views = [pending(1, 300), pending(2, 200), pending(3, 100), pending(4, 900, { user: 'bob' })];
    expect(run(yard, 'top 3')).toEqual(DONE);
    expect(yard.commands).toMatchObject([
      { target: { job: 3 }, changes: { priority: 200 } },
      { target: { job: 1 }, changes: { priority: -100 } },
      { target: { job: 2 }, changes: { priority: -100 } },
    ]);
  });

  it('puts a job before its equals', () => {
    const yard = withJobs();
    yard.views = [aView(aJob({ id: 1 }), { priority: 5 }), aView(aJob({ id: 2 }), { priority: 5 })];
    run(yard, 'top 2');
    expect(yard.commands).toMatchObject([{ target: { job: 2 }, changes: { priority: 1 } }]);
  });

  it.each([
    ['top 999999', 'Invalid job id specified for job 999999'],
    ['top 8', 'Job is in held state, pending scheduler release for job 8'],
    ['top 73', 'Job is no longer pending execution for job 73'],
    ['top 60', 'Access/permission denied for job 60'],
  ])('%s', (line, stderr) => {
    const held = aJob({ id: 8, phase: 'held', hold: { by: 'user', reason: null } });
    expect(run(withJobs(held, ended, aJob({ id: 60 }, { user: 'bob' })), line)).toEqual(said(stderr));
  });
});
