import { describe, expect, it } from 'vitest';
import { bytesFromText, textFromBytes } from '../../../model/bytes.ts';
import { aJob, aView } from '../../fake-yard.ts';
import { aYard, HERE, lenient, refused, rejection, run, specOf } from './fake-qsub.ts';

describe('output', () => {
  const streams = (argv: readonly string[], yard = aYard()) => specOf([...argv, 'sleep.sh'], yard).streams;

  it('pseudo variables become patterns, and the home is filled in', () => {
    expect(streams(['-o', '$HOME/$JOB_NAME-$TASK_ID-$USER-$HOSTNAME-$JOB_IDx%', '-e', '~/e'])).toMatchObject({
      stdout: '/home/ada/%x-0-%u-%N-%Ax%%',
      stderr: '/home/ada/e',
    });
    expect(streams(['-t', '1-2', '-o', 'o.$TASK_ID', '-j', 'y', '-i', ':in'])).toMatchObject({
      stdout: 'o.%a',
      stderr: null,
      stdin: 'in',
    });
  });

  it('a directory has the usual name in it', () => {
    const yard = aYard();
    yard.files.set(`${HERE}/logs`, 'directory');
    expect(streams(['-cwd', '-o', 'logs', '-e', 'other/'], yard)).toMatchObject({
      stdout: 'logs/%x.o%A',
      stderr: 'other//%x.e%A',
    });
    expect(streams(['-cwd', '-o', 'same', '-e', 'same'], yard).stderr).toBeNull();
  });

  it('a path may be for a host', () => {
    expect(streams(['-o', 'n1:/a,/b']).stdout).toBe('/a');
    expect(refused(['-o', 'far:/a', 'sleep.sh'])).toEqual(rejection(`can't resolve hostname "far"`));
    expect(refused(['-o', '/a,/b', 'sleep.sh'])).toEqual(
      rejection('ERROR! two files are specified for the same host'),
    );
    const ran = run(lenient(), ['-o', 'far:/a', 'sleep.sh']);
    expect(ran.stderr).toBe('qsub: warning: there is no host far here; -o means any\n');
  });

  it('the directory of the job is where -cwd or -wd says', () => {
    expect(specOf(['-cwd', 'sleep.sh']).workDir).toBe(HERE);
    expect(specOf(['-cwd', '-wd', '/x', 'sleep.sh']).workDir).toBe('/x');
    expect(specOf(['-wd', 'rel', 'sleep.sh']).workDir).toBe(`${HERE}/rel`);
  });
});

describe('variables', () => {
  const blobOf = (argv: readonly string[], environment: string) => {
    const yard = aYard();
    const spec = specOf([...argv, 'sleep.sh'], yard, { environment: bytesFromText(environment) });
    return { text: textFromBytes(yard.blobs[1]!), spec };
  };
  const ENVIRONMENT = 'HOME=/home/ada\0FOO=bar\0PATH=/opt/bin\0';

  it('-v sets, or takes from the submitter', () => {
    const { text, spec } = blobOf(['-v', 'A=1,FOO,NONE', '-v', 'A=2,B=x=y,C="p,q"'], ENVIRONMENT);
    expect(text).toBe('A=2\0FOO=bar\0NONE=\0B=x=y\0C="p,q"\0');
    expect(spec.origin.words.variables).toBe('A=2,FOO=bar,NONE,B=x=y,C="p,q"');
  });

  it('-V takes everything, and -v still counts', () => {
    expect(blobOf(['-V', '-v', 'FOO=mine'], ENVIRONMENT).text).toBe(
      'HOME=/home/ada\0PATH=/opt/bin\0FOO=mine\0',
    );
  });

  it('names in values that a shell passed on as they are', () => {
    const { text, spec } = blobOf(
      ['-v', 'OUTPUT_DIR=$HOME/experiments,LOG=$USER-$JOB_ID,X=$HOMER'],
      ENVIRONMENT,
    );
    expect(text).toBe('OUTPUT_DIR=/home/ada/experiments\0LOG=ada-$JOB_ID\0X=$HOMER\0');
    expect(JSON.parse(spec.origin.words.lateVariables ?? '')).toEqual({ LOG: 'ada-$JOB_ID' });
  });

  it('the submitter is kept for SGE_O_', () => {
    expect(JSON.parse(blobOf([], ENVIRONMENT).spec.origin.words.submitter ?? '')).toEqual({
      HOME: '/home/ada',
      PATH: '/opt/bin',
      WORKDIR: HERE,
      HOST: 'box.example.org',
    });
  });

  it('a wrapper that does not export is told so', () => {
    const yard = aYard({ 'w.sh': '#!/bin/sh\n\nMLP_DATA_DIR=/data\n/opt/bin/python $HOME/train.py\n' });
    expect(run(yard, ['-q', 'cpu', 'w.sh'])).toEqual({
      code: 0,
      stdout: 'Your job 17 ("w.sh") has been submitted\n',
      stderr:
        'qsub: warning: line 3 sets MLP_DATA_DIR without exporting it, so the program in line 4 will not see it\n',
    });
    expect(run(yard, ['-v', 'MLP_DATA_DIR', 'w.sh']).stderr).toBe('');
  });
});

describe('names', () => {
  it.each([
    ['1abc', 'denied: "1abc" is not a valid object name (cannot start with a digit)'],
    ['a:b', `Colon (':') not allowed in objectname`],
    ['a@b', `At ('@') not allowed in objectname`],
    ['a*b', `Asterisk ('*') not allowed in objectname`],
    ['a\\b', `Backslash ('\\') not allowed in objectname`],
    ['a?b', `Questionmark ('?') not allowed in objectname`],
    ['none', 'Keyword ("NONE") not allowed as objectname'],
    ['a\tb', 'Tab not allowed in objectname'],
    ['', 'job rejected cause there is no job_name in the request'],
  ])('%j is none', (name, text) => {
    expect(refused(['-N', name, 'sleep.sh'])).toEqual(rejection(text));
  });

  it('a slash is noticed at once', () => {
    expect(refused(['-N', 'a/b', 'sleep.sh'])).toMatchObject({
      code: 2,
      stderr: 'qsub: argument to -N option must not contain / \n',
    });
  });
});

describe('when and after what', () => {
  const waiting = aView(aJob({ id: 5 }, { name: 'train', user: 'ada' }));
  const others = aView(aJob({ id: 6 }, { name: 'train', user: 'bob' }));

  it('after jobs by number, by name and by pattern', () => {
    const yard = aYard({}, { views: [waiting, others] });
    const terms = (list: string) => specOf(['-hold_jid', list, 'sleep.sh'], yard).dependencies?.terms;
    const ended = (job: number) => ({ kind: 'afterany', job, index: null });
    expect(terms('5,6')).toEqual([ended(5), ended(6)]);
    expect(terms('train')).toEqual([ended(5)]);
    expect(terms('tr*')).toEqual([ended(5)]);
    expect(specOf(['-hold_jid', '999999,nosuch', '-h', 'sleep.sh'], yard)).toMatchObject({
      dependencies: null,
      held: true,
      origin: { words: { holdJobs: '999999,nosuch' } },
    });
    expect(refused(['-hold_jid_ad', '5', 'sleep.sh'], aYard({}, { views: [waiting] }))).toEqual(
      rejection('Can only specify "-hold_jid_ad" option with an array job (using "-t" option)'),
    );
  });

  it('tasks after the same tasks of another array', () => {
    const array = aView(
      aJob({ id: 8 }, { name: 'arr', user: 'ada', array: { indices: [[1, 4, 1]], throttle: null } }),
    );
    const yard = aYard({}, { views: [array] });
    expect(specOf(['-t', '1-4', '-hold_jid_ad', 'arr', 'sleep.sh'], yard).dependencies?.terms).toEqual([
      { kind: 'aftercorrany', job: 8, index: null },
    ]);
    expect(run(yard, ['-t', '1-3', '-hold_jid_ad', 'arr', 'sleep.sh']).stderr).toContain(
      'This array job must have the same range of sub-tasks as the dependent array job',
    );
  });

  it('from a moment on', () => {
    expect(specOf(['-a', '203001010000', 'sleep.sh']).beginAt).toBe(Date.UTC(2030, 0, 1));
    expect(specOf(['-a', '202001010000', 'sleep.sh']).beginAt).toBeNull();
    expect(refused(['-a', 'banana', 'sleep.sh'])).toMatchObject({
      code: 7,
      stderr:
        '\nInvalid format of date/hour-minute field.\nqsub: Wrong date/time format "banana" specified to -a option\n',
    });
  });

  it('with mail', () => {
    expect(specOf(['-m', 'be', '-M', 'a@b,c', 'sleep.sh']).mail).toEqual({
      to: 'a@b,c',
      on: ['begin', 'end'],
    });
    expect(specOf(['-m', 'be', '-m', 'n', 'sleep.sh']).mail).toBeNull();
    expect(run(aYard({}, { mail: null }), ['-m', 'a', 'sleep.sh']).stderr).toBe(
      'qsub: warning: there is no mail program here, so no mail is sent\n',
    );
  });
});
