import { describe, expect, it } from 'vitest';
import { textFromBytes } from '../../../model/bytes.ts';
import type { JobSpec } from '../../../model/job-spec.ts';
import { rangeOf } from '../../../model/ranges.ts';
import { refusal } from '../../../model/refusal.ts';
import { aView, endedJob } from '../../fake-yard.ts';
import { arrayOf, held, IN_DELETION, running, waiting } from '../fake-jobs.ts';
import { changesOf, ran, specOf, submitted, wordsOf, yardOf } from './fake-qalter.ts';

describe('qalter says what it changed', () => {
  it.each([
    ['-a 12312359', 'modified start time of job 4'],
    ['-A acct', 'modified account of job 4'],
    ['-ac a=1,b=2', 'modified context of job 4'],
    ['-dc a', 'modified context of job 4'],
    ['-sc c=3', 'modified context of job 4'],
    ['-cwd', 'modified working directory of job 4'],
    ['-wd /tmp', 'modified working directory of job 4'],
    ['-e /tmp/x', 'modified stderr path list of job 4'],
    ['-o /tmp/x', 'modified stdout path list of job 4'],
    ['-i /tmp/x', 'modified stdin path list of job 4'],
    ['-j y', 'modified output merge behaviour of job 4'],
    ['-l h_rt=100', 'modified hard resource list of job 4'],
    ['-m be', 'modified mail options of job 4'],
    ['-M a@b', 'modified mail list of job 4'],
    ['-masterq cpu', 'modified master hard queue list of job 4'],
    ['-N newname', 'modified job name of job 4'],
    ['-notify', 'modified notify behaviour of job 4'],
    ['-p -5', 'ada@box sets scheduling priority of job 4 to -5'],
    ['-P proj', 'modified project of job 4'],
    ['-pe smp 2-4', 'modified parallel environment of job 4\nmodified slot range of job 4'],
    ['-q gpu', 'modified hard queue list of job 4'],
    ['-soft -q gpu', 'modified soft queue list of job 4'],
    ['-R y', 'modified reservation behaviour of job 4'],
    ['-r y', 'modified restart behaviour of job 4'],
    ['-S /bin/bash', 'modified shell list of job 4'],
    ['-v A=1', 'modified environment of job 4'],
    ['-V', 'modified environment of job 4'],
    ['-h u', 'modified hold of job 4'],
  ])('%s', (flags, line) => {
    expect(ran(yardOf(submitted(4)), `${flags} 4`)).toEqual({ code: 0, stdout: `${line}\n`, stderr: '' });
  });

  it.each([
    ['-js 5', 'ada@box sets job share of job 4 to 5', '-js has no effect here: shares are by user here'],
    ['-ot 5', 'ada@box sets override tickets of job 4 to 5', '-ot has no effect here: there are no tickets'],
    [
      '-binding linear:1',
      'modified binding of job 4',
      '-binding has no effect here: the yard chooses the CPUs of a job',
    ],
    [
      '-soft -l h_rt=5',
      'modified soft resource list of job 4',
      '-soft -l has no effect here: a job gets what it asks for, or waits',
    ],
  ])('%s, and that it has no effect', (flags, line, warning) => {
    expect(ran(yardOf(submitted(4)), `${flags} 4`)).toEqual({
      code: 0,
      stdout: `${line}\n`,
      stderr: `qalter: warning: ${warning}\n`,
    });
  });

  it('in the order of the original, whatever the order of the flags', () => {
    const yard = yardOf(submitted(4), waiting(9));
    const flags =
      '-V -v A=1 -S /bin/sh -r y -q gpu -soft -q cpu -hard -pe smp 2 -o /tmp/o -notify -N new -masterq gpu -hold_jid 9 ' +
      '-ac x=1 -M a@b -m be -l h_rt=10 -j y -i /tmp/i -e /tmp/e -R y -cwd -A acct -a 12312359 -p -3';
    const { code, stdout } = ran(yard, `${flags} 4`);
    expect(code).toBe(0);
    expect(
      stdout.split('\n').map((line) => line.replace(/^(?:modified )?(.*?)(?: of job 4.*)?$/, '$1')),
    ).toEqual([
      'ada@box sets scheduling priority',
      'start time',
      'account',
      'working directory',
      'stderr path list',
      'stdin path list',
      'reservation behaviour',
      'output merge behaviour',
      'hard resource list',
      'mail options',
      'mail list',
      'job name',
      'job id hold list',
      '   blocking jobs: 9',
      '   exited jobs:   NONE',
      'notify behaviour',
      'stdout path list',
      'parallel environment',
      'slot range',
      'hard queue list',
      'soft queue list',
      'master hard queue list',
      'restart behaviour',
      'shell list',
      'environment',
      'context',
      '',
    ]);
    expect(yard.commands).toHaveLength(1);
  });

  it('says nothing where nothing was asked', () => {
    const yard = yardOf(submitted(4));
    expect(ran(yard, '4')).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(ran(yard, '-w n 4')).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(ran(yard, '-p -5')).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(yard.commands).toEqual([]);
  });

  it('says when a flag stands there twice', () => {
    const yard = yardOf(submitted(4));
    expect(ran(yard, '-N one -N two 4').stdout).toBe(
      'qalter: warning: "-N" option has already been set, overriding previous setting\n' +
        'modified job name of job 4\n',
    );
    expect(changesOf(yard).name).toBe('two');
  });
});

describe('qalter makes of a job what qsub would have made of it', () => {
  const FLAGS = [
    '-cwd',
    '-wd /data',
    '-o /tmp/x -e /tmp/y',
    '-j y',
    '-o logs/ -j y',
    '-i in.txt',
    '-l h_rt=1:0:0,h_vmem=2G,gpu=1',
    '-l s_rt=60 -l mem_free=1G',
    '-l h_stack=8M',
    '-m bea -M a@b,c@d',
    '-N other',
    '-notify',
    '-p -7',
    '-P proj',
    '-pe smp 2-4',
    '-pe mpi 8',
    '-q gpu',
    '-q gpu,cpu -soft -q cpu',
    '-q gpu@vm',
    '-r y',
    '-r n',
    '-R y',
    '-S /bin/bash',
    '-v A=1,B=2',
    '-V',
    '-ac a=1,b=2',
    '-A acct',
  ];

  it.each(FLAGS)('%s', (flags) => {
    const yard = yardOf(submitted(4));
    expect(ran(yard, `${flags} 4`).code).toBe(0);
    const { throttle: _throttle, ...changes } = changesOf(yard);
    const after = { ...submitted(4).job.spec, ...changes };
    const wanted = specOf(flags);
    const environment = textFromBytes(yard.blobs.at(-1) ?? new Uint8Array());
    if (flags.startsWith('-v')) expect(environment).toBe('A=1\0B=2\0');
    const comparable = (spec: JobSpec) => ({
      ...spec,
      queue: spec.queue === '' ? 'main' : spec.queue,
      queueChoices: spec.queueChoices ?? [spec.queue === '' ? 'main' : spec.queue],
      program: { ...spec.program, environment: '' },
    });
    expect(comparable(after)).toEqual(comparable(wanted));
  });

  it('keeps what it does not speak of', () => {
    const yard = yardOf(submitted(4, '-l h_vmem=2G -pe smp 4 -q cpu -o /tmp/x -m e'));
    ran(yard, '-q gpu 4');
    const { resources } = changesOf(yard);
    expect(resources ?? submitted(4, '-l h_vmem=2G -pe smp 4').job.spec.resources).toMatchObject({
      ranks: 4,
      memory: { bytes: 2 * 2 ** 30 },
    });
    expect(wordsOf(yard)).toMatchObject({ queues: 'gpu', resources: 'h_vmem=2G', outputPath: '/tmp/x' });
  });

  it('replaces whole lists', () => {
    const yard = yardOf(submitted(4, '-l h_rt=600,h_vmem=2G -v A=1'));
    ran(yard, '-l h_rt=60 -v B=2 4');
    expect(changesOf(yard)).toMatchObject({ limitMs: 60_000, resources: { memory: null } });
    expect(wordsOf(yard)).toMatchObject({ resources: 'h_rt=60', variables: 'B=2' });
    expect(textFromBytes(yard.blobs.at(-1)!)).toBe('B=2\0');
  });

  it('adds to the context and takes away from it', () => {
    const yard = yardOf(submitted(4, '-ac a=1,b=2'));
    ran(yard, '-ac c=3 -dc a 4');
    expect(wordsOf(yard)).toMatchObject({ context: 'b=2,c=3' });
  });

  it('separates what was merged', () => {
    const yard = yardOf(submitted(4, '-j y -e /tmp/err'));
    ran(yard, '-j n 4');
    expect(changesOf(yard).streams).toMatchObject({ stderr: '/tmp/err' });
    expect(wordsOf(yard)).not.toHaveProperty('isMerged');
  });
});

describe('qalter of arrays', () => {
  it('says how many tasks may run at once', () => {
    const yard = yardOf(arrayOf(46, rangeOf(1, 5), { 1: running(47) }));
    expect(ran(yard, '-tc 2 46').stdout).toBe('modified task concurrency of job 46\n');
    expect(yard.commands).toEqual([
      { type: 'update', target: { job: 46, index: null }, by: 'ada', changes: { throttle: 2 } },
    ]);
    expect(ran(yardOf(waiting(4)), '-tc 2 4')).toMatchObject({
      code: 1,
      stdout: 'invalid option argument "task concurrency"\n',
    });
  });

  it('changes the tasks that have records as well', () => {
    const yard = yardOf(arrayOf(46, rangeOf(1, 5), { 2: held(48) }));
    expect(ran(yard, '-N other 46').stdout).toBe('modified job name of job 46\n');
    expect(yard.commands.map((each) => 'target' in each && each.target)).toEqual([
      { job: 46, index: null },
      { job: 46, index: 2 },
    ]);
  });
});

describe('qalter of a job that runs', () => {
  it('leaves out what stays as it is, since not all of it can be changed', () => {
    const yard = yardOf(
      aView({ ...submitted(4, '-l h_rt=600').job, phase: 'active', attempt: running(4).job.attempt }),
    );
    expect(ran(yard, '-l h_rt=1200 4').stdout).toBe('modified hard resource list of job 4\n');
    expect(Object.keys(changesOf(yard)).sort()).toEqual(['limitMs', 'origin']);
  });

  it('says why not', () => {
    const yard = yardOf(running(4));
    yard.answer = () => ({
      ok: false,
      refusal: refusal('wrongState', 'job 4 is running and cannot change its queue'),
    });
    expect(ran(yard, '-q gpu 4')).toEqual({
      code: 1,
      stdout: 'denied: job 4 is running and cannot change its queue\n',
      stderr: '',
    });
    expect(ran(yardOf(running(4)), '-binding linear:1 4')).toMatchObject({
      code: 1,
      stdout: "job 4 can't modify running jobs\n",
    });
  });

  it('does not find one that ended meanwhile', () => {
    const yard = yardOf(running(4, {}, IN_DELETION));
    yard.answer = () => {
      yard.views = [aView(endedJob(4))];
      return { ok: false, refusal: refusal('wrongState', 'job 4 has ended and cannot be changed') };
    };
    expect(ran(yard, '-N x 4')).toMatchObject({ code: 1, stdout: 'denied: job "4" does not exist\n' });
  });
});
