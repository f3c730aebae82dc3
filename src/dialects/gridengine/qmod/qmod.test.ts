import { describe, expect, it } from 'vitest';
import { rangeOf } from '../../../model/ranges.ts';
import { refusal } from '../../../model/refusal.ts';
import { aView, endedJob, NOW, runDialect } from '../../fake-yard.ts';
import { arrayOf, held, IN_DELETION, inError, inWords, running, waiting } from '../fake-jobs.ts';
import { gridEngineProgram } from '../run.ts';
import { ran, yardOf } from './fake-qmod.ts';
import { qmod } from './qmod.ts';

const SUSPENDED = { suspendedAt: NOW, suspendedFor: ['job'] } as const;

describe('qmod with jobs', () => {
  it('-sj suspends what runs, and says when it is suspended already', () => {
    const yard = yardOf(running(7));
    expect(ran(yard, '-sj 7')).toEqual({ code: 0, stdout: 'ada - suspended job 7\n', stderr: '' });
    expect(yard.commands).toEqual([{ type: 'suspend', target: { job: 7, index: null }, by: 'ada' }]);
    const again = yardOf(running(7, {}, SUSPENDED));
    expect(ran(again, '-sj 7').stdout).toBe('ada - job 7 is already suspended\n');
    expect(ran(again, '-f -sj 7').stdout).toBe('ada - forced suspension of job 7\n');
    expect(again.commands).toEqual([]);
  });

  it('-sj knows that a job has been told that it will be suspended', () => {
    const told = running(7, {}, { suspendAt: NOW + 60_000, suspendedFor: ['job'] });
    expect(ran(yardOf(told), '-sj 7').stdout).toBe('ada - job 7 is already suspended\n');
  });

  it('-usj lets it go on, unless it is its queue that is suspended', () => {
    expect(ran(yardOf(running(7, {}, SUSPENDED)), '-usj 7').stdout).toBe('ada - unsuspended job 7\n');
    expect(ran(yardOf(running(7)), '-usj 7').stdout).toBe('ada - job 7 is already unsuspended\n');
    const byQueue = { suspendedAt: NOW, suspendedFor: ['queue'] } as const;
    expect(ran(yardOf(running(7, {}, byQueue)), '-usj 7').stdout).toBe(
      'ada - job 7 is already unsuspended\n',
    );
    expect(ran(yardOf(running(7, {}, SUSPENDED)), '-f -usj 7').stdout).toBe(
      'ada@box forced unsuspension of job 7\n',
    );
    expect(ran(yardOf(running(7)), '-f -usj 7').stdout).toBe('ada - forced enabling of job 7\n');
  });

  it('-rj starts it again', () => {
    const yard = yardOf(running(8, { name: 'rr' }));
    expect(ran(yard, '-rj rr').stdout).toBe('Pushed rescheduling of job 8 on host node1\n');
    expect(yard.commands).toEqual([
      { type: 'requeue', target: { job: 8, index: null }, by: 'ada', hold: false },
    ]);
  });

  it('-rj does not where it was said that it may not, unless it is forced', () => {
    const views = [running(36, inWords({ rerun: 'n' })), running(37, { requeue: false })];
    expect(ran(yardOf(views), '-rj 36 37')).toEqual({
      code: 0,
      stdout: 'The job 36 is not restartable\nPushed rescheduling of job 37 on host node1\n',
      stderr: '',
    });
    expect(ran(yardOf(views), '-f -rj 36').stdout).toBe('Forced rescheduling of job 36 on host node1\n');
    const elsewhere = running(38, { requeue: false, origin: { dialect: 'slurm', words: {} } });
    expect(ran(yardOf(elsewhere), '-rj 38').stdout).toBe('The job 38 is not restartable\n');
  });

  it('-rj does not where it is deleted, or started again already', () => {
    expect(ran(yardOf(running(9, {}, IN_DELETION)), '-rj 9').stdout).toBe(
      'The job 9 is already in deleted state. No rescheduling!\n',
    );
    const pushed = running(9, {}, { stop: { ...IN_DELETION.stop!, cause: 'requeued' } });
    expect(ran(yardOf(pushed), '-rj 9')).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it('-cj clears errors, and nothing else', () => {
    const yard = yardOf(inError(12), running(13), held(14));
    expect(ran(yard, '-cj 12 13 14')).toEqual({
      code: 1,
      stdout:
        'ada@box cleared error state of job 12\n' +
        'Job 13 is not in error state\n' +
        'Modify operation can not be applied on job-array task 14.1 in pending/hold state\n',
      stderr: '',
    });
    expect(yard.commands).toEqual([{ type: 'release', target: { job: 12, index: null }, by: 'ada' }]);
  });

  it('has nothing to do with what waits', () => {
    for (const flag of ['-sj', '-usj', '-rj']) {
      expect(ran(yardOf(waiting(35)), `${flag} 35`)).toEqual({
        code: 0,
        stdout: 'Modify operation can not be applied on job-array task 35.1 in pending/hold state\n',
        stderr: '',
      });
      expect(ran(yardOf(inError(36)), `${flag} 36`)).toEqual({ code: 0, stdout: '', stderr: '' });
    }
    expect(ran(yardOf(arrayOf(33, rangeOf(1, 5))), '-sj 33').stdout).toBe(
      'Modify operation can not be applied on job 33 in pending/hold state\n',
    );
  });

  it('names the tasks of an array', () => {
    const some = () => yardOf(arrayOf(91, rangeOf(1, 6), { 1: running(92), 2: running(93, {}, SUSPENDED) }));
    expect(ran(some(), '-sj 91').stdout).toBe(
      'ada - suspended job-array task 91.1\nada - job-array task 91.2 is already suspended\n',
    );
    expect(ran(some(), '-sj 91.1-3').stdout).toBe(
      'ada - suspended job-array task 91.1\n' +
        'ada - job-array task 91.2 is already suspended\n' +
        'Modify operation can not be applied on job-array task 91.3 in pending/hold state\n',
    );
    expect(ran(some(), '-usj train.sh -t 2').stdout).toBe('ada - unsuspended job-array task 91.2\n');
    expect(ran(some(), '-rj 91.1').stdout).toBe('Pushed rescheduling of job-array task 91.1 on host node1\n');
    expect(ran(some(), '-cj 91.1')).toMatchObject({
      code: 1,
      stdout: 'Job-array task 91.1 is not in error state\n',
    });
    expect(ran(yardOf(arrayOf(91, rangeOf(1, 3), { 1: inError(92) })), '-cj 91').stdout).toBe(
      'ada@box cleared error state of job-array task 91.1\n',
    );
  });

  it('does not find what is not there', () => {
    const yard = () => yardOf(waiting(33), aView(endedJob(9)));
    for (const flag of ['-sj', '-usj', '-rj', '-cj']) {
      expect(ran(yard(), `${flag} 9 nosuch 33.9`)).toEqual({
        code: 1,
        stdout: 'invalid queue or job "9"\ninvalid queue or job "nosuch"\ninvalid queue or job "33"\n',
        stderr: '',
      });
    }
  });

  it('is not for the jobs of others', () => {
    expect(ran(yardOf(running(37)), '-sj 37', 'eve')).toEqual({
      code: 1,
      stdout: 'eve - you have no permission to modify job "37"\n',
      stderr: '',
    });
  });

  it('has a sentence for a job that ends, or has yet to begin, when it comes to it', () => {
    const refused = { ok: false, refusal: refusal('wrongState', 'job 5 is not running') } as const;
    const ending = yardOf(running(5));
    ending.answer = () => refused;
    expect(ran(ending, '-sj 5')).toMatchObject({ code: 1, stdout: 'ada - job 5 is coming to its end\n' });
    const early = yardOf(running(5, {}, { startedAt: null, phase: 'staging' }));
    early.answer = () => refused;
    expect(ran(early, '-sj 5').stdout).toBe(
      'Modify operation can not be applied on job 5 in pending/hold state\n',
    );
    expect(ran(ending, '-rj 5').stdout).toBe('The job 5 is not restartable\n');
  });
});

describe('qmod with jobs and queues', () => {
  it('takes numbers for jobs and names for queues', () => {
    expect(ran(yardOf(running(4, {}, SUSPENDED)), '-us cpu@vm 4').stdout).toBe(
      'Queue instance "cpu@vm" is already in the specified state: unsuspended\nada - unsuspended job 4\n',
    );
    expect(ran(yardOf(running(4, { name: 'train' })), '-s train')).toMatchObject({
      code: 1,
      stdout: 'invalid queue or job "train"\n',
    });
    expect(ran(yardOf(), '-r 99').stdout).toBe('invalid queue "99"\n');
    expect(ran(yardOf(inError(4)), '-c 4').stdout).toBe('ada@box cleared error state of job 4\n');
  });

  it('does one thing after the other', () => {
    expect(ran(yardOf(running(4)), '-sj 4 -d cpu').stdout).toBe(
      'ada - suspended job 4\nada@box changed state of "cpu@vm" (disabled)\n',
    );
  });
});

describe('qmod that was called wrongly', () => {
  it.each([
    ['-d', '-d option must have argument\n'],
    ['-d -f', '-d option must have argument\n'],
    ['-sj -t 2', '-sj option must have argument\n'],
    ['-sj 1x2', 'ERROR! "1x2" is an invalid job-task identifier\n'],
    ['-s 37,36', 'ERROR! "37,36" is an invalid job-task identifier\n'],
  ])('%s', (line, stderr) => {
    expect(ran(yardOf(), line)).toEqual({ code: 1, stdout: '', stderr });
  });

  it.each([
    ['', 'ERROR! no option argument'],
    ['-x', 'invalid option argument "-x"'],
    ['cpu', 'invalid option argument "cpu"'],
    ['-sj 4 -t', '-t option must have a list of task id ranges'],
  ])('tells how to call it: %s', (line, last) => {
    const { code, stdout, stderr } = ran(yardOf(), line);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^SGE 8.1.9\nusage: qmod \[options\]\n/);
    expect(stderr.endsWith(`\n${last}\n`)).toBe(true);
  });

  it('tells how to call it when a word says nothing', () => {
    const { code, stderr } = runDialect(gridEngineProgram(qmod), yardOf(), ['qmod', '-d', '']);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^SGE 8.1.9\nusage: qmod [\s\S]*\n-d option must have argument\ninvalid option argument ""\n$/,
    );
  });

  it('-help says how, and -f alone does nothing', () => {
    expect(ran(yardOf(), '-f -help').stdout).toMatch(/^SGE 8.1.9\nusage: qmod /);
    expect(ran(yardOf(), '-f')).toEqual({ code: 0, stdout: '', stderr: '' });
  });
});
