import { describe, expect, it } from 'vitest';
import type { JobView } from '../../../model/query.ts';
import { rangeOf } from '../../../model/ranges.ts';
import { refusal } from '../../../model/refusal.ts';
import { aView, endedJob, type FakeYard, fakeYard, runDialect } from '../../fake-yard.ts';
import { arrayOf, held, IN_DELETION, inError, running, waiting } from '../fake-jobs.ts';
import { gridEngineProgram } from '../run.ts';
import { qdel } from './qdel.ts';

const program = gridEngineProgram(qdel);

function yardOf(...views: readonly (JobView | readonly JobView[])[]): FakeYard {
  return fakeYard({ views: views.flat() });
}

function ran(yard: FakeYard, ...words: readonly string[]) {
  return runDialect(program, yard, ['qdel', ...words]);
}

/** A yard in which nothing changes any more. */
function settled(...views: readonly JobView[]): FakeYard {
  return fakeYard({ views: [...views], answer: () => ({ ok: true, job: null, step: null, changed: false }) });
}

describe('qdel of a job', () => {
  it('takes one that waits out of the queue', () => {
    const yard = yardOf(waiting(6));
    expect(ran(yard, '6')).toEqual({ code: 0, stdout: 'ada has deleted job 6\n', stderr: '' });
    expect(yard.commands).toEqual([{ type: 'cancel', target: { job: 6, index: null }, by: 'ada' }]);
  });

  it('registers one that runs, and says so when it is registered already', () => {
    expect(ran(yardOf(running(2)), '2').stdout).toBe('ada has registered the job 2 for deletion\n');
    expect(ran(yardOf(running(2)), '2.1').stdout).toBe('ada has registered the job 2 for deletion\n');
    expect(ran(settled(running(2, {}, IN_DELETION)), '2')).toEqual({
      code: 0,
      stdout: 'job 2 is already in deletion\n',
      stderr: '',
    });
  });

  it('deletes what is held, by somebody or by an error', () => {
    expect(ran(yardOf(held(3), inError(4)), '3,4').stdout).toBe(
      'ada has deleted job 3\nada has deleted job 4\n',
    );
  });

  it('does not find what is not there or has ended', () => {
    expect(ran(yardOf(aView(endedJob(9))), '999999', '9')).toEqual({
      code: 1,
      stdout: 'denied: job "999999" does not exist\ndenied: job "9" does not exist\n',
      stderr: '',
    });
  });

  it('does not find one that ended between looking and deleting', () => {
    const yard = yardOf(running(5));
    yard.answer = () => {
      yard.views = [aView(endedJob(5))];
      return { ok: true, job: 5, step: null, changed: false };
    };
    expect(ran(yard, '5')).toEqual({ code: 1, stdout: 'denied: job "5" does not exist\n', stderr: '' });
    const forgotten = yardOf(running(5));
    forgotten.answer = () => ({ ok: false, refusal: refusal('noSuchJob', 'there is no job 5') });
    expect(ran(forgotten, '5').stdout).toBe('denied: job "5" does not exist\n');
  });

  it('needs to be its owner', () => {
    const yard = yardOf(running(10, { user: 'bob' }), arrayOf(11, rangeOf(1, 3), {}, { user: 'bob' }));
    yard.answer = () => ({ ok: false, refusal: refusal('notAllowed', 'job 10 belongs to bob') });
    expect(ran(yard, '10', '11.2')).toEqual({
      code: 1,
      stdout:
        'ada - you do not have the necessary privileges to delete the job "10"\n' +
        'ada - you do not have the necessary privileges to delete the job "11"\n',
      stderr: '',
    });
  });

  it('does all it can of a mixed list', () => {
    expect(ran(yardOf(waiting(3), running(4)), '3', '99', '4')).toEqual({
      code: 1,
      stdout:
        'ada has deleted job 3\ndenied: job "99" does not exist\nada has registered the job 4 for deletion\n',
      stderr: '',
    });
  });

  it('-f kills at once', () => {
    const yard = yardOf(running(21), waiting(22));
    expect(ran(yard, '-f', '21', '22').stdout).toBe(
      'ada forced the deletion of job 21\nada has deleted job 22\n',
    );
    expect(yard.commands).toEqual(
      [21, 22].map((job) => ({ type: 'cancel', target: { job, index: null }, by: 'ada', atOnce: true })),
    );
    expect(ran(settled(running(21, {}, IN_DELETION)), '-f', '21').stdout).toBe(
      'ada forced the deletion of job 21\n',
    );
  });
});

describe('qdel of an array', () => {
  const four = arrayOf(18, rangeOf(1, 4), { 1: running(19), 2: running(20) });

  it('is asked for at once, and told task by task', () => {
    const yard = yardOf(four);
    expect(ran(yard, '18').stdout).toBe(
      'ada has registered the job-array task 18.1 for deletion\n' +
        'ada has registered the job-array task 18.2 for deletion\n' +
        'ada has deleted job 18\n',
    );
    expect(yard.commands).toHaveLength(1);
    const first = running(19, {}, IN_DELETION);
    expect(ran(yardOf(arrayOf(18, rangeOf(1, 2), { 1: first, 2: running(20) })), '18').stdout).toBe(
      'job 18 is already in deletion\nada has registered the job-array task 18.2 for deletion\n',
    );
  });

  it('may be about some tasks, those that run first', () => {
    const yard = yardOf(four);
    expect(ran(yard, '18.2-4').stdout).toBe(
      'ada has registered the job-array task 18.2 for deletion\n' +
        'ada has deleted job-array tasks 3,4 of job 18\n',
    );
    expect(yard.commands.map((each) => 'target' in each && each.target)).toEqual([
      { job: 18, index: 3 },
      { job: 18, index: 4 },
      { job: 18, index: 2 },
    ]);
    expect(ran(yardOf(four), '18', '-t', '3').stdout).toBe('ada has deleted job-array task 18.3\n');
    expect(ran(yardOf(four), '18.1').stdout).toBe(
      'ada has registered the job-array task 18.1 for deletion\n',
    );
  });

  it('says which tasks are gone as ranges', () => {
    const nine = arrayOf(17, rangeOf(1, 9), { 3: aView(endedJob(99)) });
    expect(ran(yardOf(nine), '17.1-4').stdout).toBe('ada has deleted job-array tasks 1,2,4 of job 17\n');
    expect(ran(yardOf(arrayOf(17, rangeOf(1, 9, 2))), '17.1-9').stdout).toBe(
      'ada has deleted job-array tasks 1-9:2 of job 17\n',
    );
    expect(ran(yardOf(arrayOf(17, rangeOf(1, 4))), '17.2', '-t', '3').stdout).toBe(
      'ada has deleted job-array tasks 2,3 of job 17\n',
    );
    expect(ran(yardOf(waiting(15)), '15.1').stdout).toBe('ada has deleted job-array task 15.1\n');
  });

  it('says which tasks are not there', () => {
    expect(ran(yardOf(four), '18.20')).toEqual({
      code: 1,
      stdout: 'job "18" task "20" does not exist\n',
      stderr: '',
    });
    expect(ran(yardOf(four), '18.20-22').stdout).toBe(
      'job "18" task id range "20-22:1" comprises no tasks\n',
    );
    expect(ran(yardOf(four), '18.0').stdout).toBe('job "18" task "0" does not exist\n');
  });

  it('forces tasks one by one', () => {
    expect(ran(yardOf(four), '-f', '18.1-2').stdout).toBe(
      'ada forced the deletion of job-array task 18.1\nada forced the deletion of job-array task 18.2\n',
    );
  });

  it('leaves out tasks that came to their end meanwhile', () => {
    const yard = yardOf(four);
    yard.answer = () => ({ ok: false, refusal: refusal('noSuchJob', 'there is no job 18_1') });
    expect(ran(yard, '18.1-2')).toMatchObject({
      code: 1,
      stdout: 'job "18" task id range "1-2:1" comprises no tasks\n',
    });
  });
});

describe('qdel by name and by user', () => {
  const views = [waiting(23, { name: 'held' }), waiting(24, { name: 'held' }), running(25, { user: 'bob' })];

  it('means the own jobs of that name', () => {
    expect(ran(yardOf(views), 'held').stdout).toBe('ada has deleted job 23\nada has deleted job 24\n');
    expect(ran(yardOf(views), 'he[k-m]?').stdout).toBe('ada has deleted job 23\nada has deleted job 24\n');
    expect(ran(yardOf(views), 'train.sh')).toEqual({
      code: 1,
      stdout: 'The job train.sh of user(s) ada does not exist\n',
      stderr: '',
    });
  });

  it('-t after a name is about its tasks', () => {
    const array = arrayOf(17, rangeOf(1, 9), {}, { name: 'sweep' });
    expect(ran(yardOf(array), 'sweep', '-t', '9').stdout).toBe('ada has deleted job-array task 17.9\n');
  });

  it('-u says whose', () => {
    const root = (yard: FakeYard, ...words: string[]) =>
      runDialect(program, yard, ['qdel', ...words], { user: 'root', uid: 0 });
    expect(root(yardOf(views), '-u', 'bob').stdout).toBe('root has registered the job 25 for deletion\n');
    expect(root(yardOf(views), '-u', '*', 'held').stdout).toBe(
      'root has deleted job 23\nroot has deleted job 24\n',
    );
    expect(root(yardOf(views), '-u', 'ada', '25').stdout).toBe('The job 25 of user(s) ada does not exist\n');
    expect(root(yardOf(views), '-u', 'eve,mallory')).toMatchObject({
      code: 1,
      stdout: 'There is no job registered for the following users: eve,mallory\n',
    });
    expect(root(yardOf(), '-u', '*').stdout).toBe('There are no jobs registered\n');
    expect(root(yardOf(), '-u', 'ada', '-u', 'eve').stdout).toBe(
      'There is no job registered for the following users: eve\n',
    );
  });

  it('takes what begins with a dash for a name', () => {
    expect(ran(yardOf(), '-s', 'r')).toMatchObject({
      code: 1,
      stdout: 'The job -s of user(s) ada does not exist\nThe job r of user(s) ada does not exist\n',
    });
  });
});

describe('qdel that was called wrongly', () => {
  it('wants to know what to delete', () => {
    for (const words of [[], [''], ['-f'], ['-u'], ['-u', '']]) {
      const { code, stdout, stderr } = ran(yardOf(waiting(3)), ...words);
      expect({ code, stdout }).toEqual({ code: 1, stdout: 'ERROR! no option argument\n' });
      expect(stderr).toMatch(/^SGE 8.1.9\nusage: qdel \[options\] job_task_list\n/);
    }
  });

  it.each(['1x2', '12.x', '12.', '0'])('does not delete anything for %s', (word) => {
    const yard = yardOf(waiting(3));
    expect(ran(yard, '3', word)).toEqual({
      code: 1,
      stdout: '',
      stderr: `error: ERROR! "${word}" is an invalid job-task identifier\n`,
    });
    expect(yard.commands).toEqual([]);
  });

  it('wants a job ahead of -t, and a range after it', () => {
    expect(ran(yardOf(), '-t', '3').stderr).toBe(
      "error: found lonely '-t 3' option (The -t option needs a leading job name).\n",
    );
    expect(ran(yardOf(), '3', '-t', '2', '-t', '3').stderr).toContain("error: found lonely '-t 3' option");
    expect(ran(yardOf(), '3', '-t').stderr).toMatch(
      /^SGE 8.1.9\n[\s\S]*\nerror: -t option must have a list of task id ranges\n$/,
    );
    expect(ran(yardOf(), '3', '-t', 'x').stderr).toMatch(
      /\nerror: Numerical value invalid!\nThe initial portion of string "x" contains no decimal number\n$/,
    );
  });

  it('-help says how', () => {
    const { code, stdout, stderr } = ran(yardOf(), '99', '-help');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^SGE 8.1.9\nusage: qdel /);
  });
});
