import { describe, expect, it } from 'vitest';
import { rangeOf } from '../../../model/ranges.ts';
import { arrayOf, held, waiting } from '../fake-jobs.ts';
import { changesOf, ran, submitted, wordsOf, yardOf } from './fake-qalter.ts';

describe('qalter of holds', () => {
  it('sets them, takes them away, and all of them', () => {
    const set = yardOf(waiting(4));
    ran(set, '-h uo 4');
    expect(set.commands.map(({ type }) => type)).toEqual(['hold', 'update']);
    const cleared = yardOf(held(4));
    expect(ran(cleared, '-h U 4').stdout).toBe('modified hold of job 4\n');
    expect(cleared.commands).toEqual([{ type: 'release', target: { job: 4, index: null }, by: 'ada' }]);
    expect(ran(yardOf(held(4)), '-h n -p -1 4').stdout).toBe(
      'modified hold of job 4\nada@box sets scheduling priority of job 4 to -1\n',
    );
    expect(ran(yardOf(waiting(4)), '-h n 4').stdout).toBe('');
  });

  it('changes what is let go before it can start, and holds what is held first', () => {
    const released = yardOf(held(4));
    expect(ran(released, '-N x -h n 4').stdout).toBe('modified hold of job 4\nmodified job name of job 4\n');
    expect(released.commands.map(({ type }) => type)).toEqual(['update', 'release']);
    const set = yardOf(waiting(4));
    expect(ran(set, '-N x -h u 4').stdout).toBe('modified hold of job 4\nmodified job name of job 4\n');
    expect(set.commands.map(({ type }) => type)).toEqual(['hold', 'update']);
  });

  it('does not let go what could not be changed', () => {
    const yard = yardOf(held(4));
    expect(ran(yard, '-q nosuch -h n 4').code).toBe(1);
    expect(yard.commands).toEqual([]);
  });

  it('is all that is about tasks', () => {
    const array = arrayOf(46, rangeOf(1, 5));
    expect(ran(yardOf(array), '-h u 46.2-3').stdout).toBe(
      'modified hold of job-array task 46.2\nmodified hold of job-array task 46.3\n',
    );
    expect(ran(yardOf(array), '-p -5 46.2')).toEqual({
      code: 4,
      stdout: '',
      stderr: 'denied: the selected option works only on jobs and not on tasks\n',
    });
  });
});

describe('qalter of what a job waits for', () => {
  it('says who is still there and who is not', () => {
    const yard = yardOf(submitted(4), waiting(9, { name: 'first' }));
    expect(ran(yard, '-hold_jid 9,99999,nosuch,first 4').stdout).toBe(
      'modified job id hold list of job 4\n   blocking jobs: 9,9\n   exited jobs:   99999\n',
    );
    expect(changesOf(yard).dependencies).toEqual({
      need: 'all',
      terms: [{ kind: 'afterany', job: 9, index: null }],
    });
    expect(wordsOf(yard)).toMatchObject({ holdJobs: '9,99999,nosuch,first' });
  });

  it('pairs arrays', () => {
    const arrays = [arrayOf(18, rangeOf(1, 4)), arrayOf(19, rangeOf(1, 4))];
    const yard = yardOf(...arrays, waiting(5));
    expect(ran(yard, '-hold_jid_ad 19 18').stdout).toBe(
      'modified job id hold array list of job 18\n   blocking jobs: 19\n   exited jobs:   NONE\n',
    );
    expect(changesOf(yard).dependencies?.terms).toEqual([{ kind: 'aftercorrany', job: 19, index: null }]);
    expect(ran(yardOf(...arrays, waiting(5)), '-hold_jid_ad 19 5')).toMatchObject({
      code: 1,
      stdout: 'Can only specify "-hold_jid_ad" option with an array job (using "-t" option)\n',
    });
  });

  it('does not let a job wait for itself', () => {
    expect(ran(yardOf(submitted(4)), '-hold_jid 4 4')).toMatchObject({
      code: 1,
      stdout: 'denied: job "4" may not be its own jobnet predecessor\n',
    });
  });
});
