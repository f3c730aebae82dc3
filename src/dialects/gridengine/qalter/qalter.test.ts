import { describe, expect, it } from 'vitest';
import { bytesFromText, textFromBytes } from '../../../model/bytes.ts';
import type { JobChanges } from '../../../model/command.ts';
import type { Job } from '../../../model/job.ts';
import type { JobSpec } from '../../../model/job-spec.ts';
import type { JobView } from '../../../model/query.ts';
import { rangeOf } from '../../../model/ranges.ts';
import { refusal } from '../../../model/refusal.ts';
import { anAttempt, aView, endedJob, type FakeYard, fakeYard, runDialect } from '../../fake-yard.ts';
import { aNodeView, aQueueView } from '../fake-hosts.ts';
import { arrayOf, held, IN_DELETION, running, waiting } from '../fake-jobs.ts';
import { qsub } from '../qsub.ts';
import { gridEngineProgram } from '../run.ts';
import { qalter } from './qalter.ts';

/** A yard with queues of its own, so that nothing is put up with. */
function yardOf(...views: readonly (JobView | readonly JobView[])[]): FakeYard {
  const yard = fakeYard();
  const queues = ['main', 'cpu', 'gpu'].map((name) => aQueueView(name, { isDefault: name === 'main' }));
  return {
    ...yard,
    views: views.flat(),
    nodes: [aNodeView('vm')],
    queues,
    policy: { ...yard.policy, queues: queues.map(({ queue }) => queue), unknownQueue: 'refuse' },
  };
}

function split(line: string): readonly string[] {
  return line.split(' ').filter((word) => word !== '');
}

/** `ada` runs the yard of these tests; `eve` only uses it. */
function ran(yard: FakeYard, line: string, user = 'ada') {
  return runDialect(gridEngineProgram(qalter), yard, ['qalter', ...split(line)], { user });
}

/** What `qsub` makes of the same flags. */
function specOf(line: string): JobSpec {
  const yard = yardOf();
  yard.files.set('/home/ada/work/train.sh', bytesFromText('echo hello\n'));
  const { stderr, code } = runDialect(gridEngineProgram(qsub), yard, ['qsub', ...split(line), 'train.sh']);
  const [submit] = yard.commands;
  if (submit?.type !== 'submit') throw new Error(`${code}: ${stderr}`);
  return submit.spec;
}

function submitted(id: number, line = '', changes: Partial<Job> = {}): JobView {
  const spec = specOf(line);
  return aView({
    ...waiting(id).job,
    spec: { ...spec, queue: spec.queue === '' ? 'main' : spec.queue },
    ...changes,
  });
}

function changesOf(yard: FakeYard): JobChanges {
  const [update, ...others] = yard.commands;
  if (update?.type !== 'update' || others.length > 0) throw new Error(JSON.stringify(yard.commands));
  return update.changes;
}

const wordsOf = (yard: FakeYard) => changesOf(yard).origin?.words ?? {};

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

describe('qalter that is refused', () => {
  it.each([
    ['-l nosuch=1', 'unknown resource "nosuch"'],
    ['-l h_rt=x', 'attribute "h_rt" is not a time value'],
    ['-q nosuch', 'Job was rejected because job requests unknown queue "nosuch"'],
    ['-pe nosuch 2', 'denied: parallel environment "nosuch" does not exist'],
    ['-ckpt nosuch', 'denied: checkpointing environment "nosuch" does not exist'],
    ['-pe smp 0', '"job" rejected: pe range must be greater than zero'],
    ['-N 1a', 'denied: "1a" is not a valid object name (cannot start with a digit)'],
    ['-A a:b', `Colon (':') not allowed in objectname`],
  ])('%s', (flags, line) => {
    const yard = yardOf(submitted(4));
    expect(ran(yard, `${flags} 4`)).toEqual({ code: 1, stdout: `${line}\n`, stderr: '' });
    expect(yard.commands).toEqual([]);
  });

  it('says what would have been right, and does nothing of it', () => {
    const yard = yardOf(submitted(4));
    expect(ran(yard, '-p -5 -q nosuch 4').stdout).toBe(
      'ada@box sets scheduling priority of job 4 to -5\n' +
        'Job was rejected because job requests unknown queue "nosuch"\n',
    );
    expect(yard.commands).toEqual([]);
  });

  it('finds jobs as others do', () => {
    const yard = yardOf(submitted(4), submitted(5), aView(endedJob(9)));
    expect(ran(yard, '-p -5 4,5 9 nosuch')).toEqual({
      code: 1,
      stdout:
        'ada@box sets scheduling priority of job 4 to -5\n' +
        'ada@box sets scheduling priority of job 5 to -5\n' +
        'denied: job "9" does not exist\ndenied: job "nosuch" does not exist\n',
      stderr: '',
    });
    expect(ran(yardOf(), '-p -5 -u nobody')).toMatchObject({
      code: 1,
      stdout: 'The job * of user(s) nobody does not exist\n',
    });
  });

  it('is not for the jobs of others, nor for more than one may', () => {
    expect(ran(yardOf(submitted(4)), '-p -5 4', 'eve')).toMatchObject({
      code: 1,
      stdout: 'denied: "eve" must be at least owner of job 4 to change job attributes\n',
    });
    const own = () => yardOf(waiting(5, { user: 'eve' }));
    expect(ran(own(), '-p 5 5', 'eve')).toMatchObject({
      code: 1,
      stdout: 'denied: "eve" must be operator to increase job priority\n',
    });
    expect(ran(own(), '-p -5 5', 'eve').stdout).toBe('eve@box sets scheduling priority of job 5 to -5\n');
    expect(ran(own(), '-ot 5 5', 'eve').stdout).toBe(
      'denied: "eve" must be operator to change amount of override tickets\n',
    );
  });
});

describe('qalter that only looks', () => {
  it('-w v says whether a queue would do', () => {
    const yard = yardOf(submitted(4));
    expect(ran(yard, '-w p -N x 4')).toEqual({
      code: 1,
      stdout: 'Job 4 cannot run: what it asks for is in use at present\nverification: no suitable queues\n',
      stderr: '',
    });
    const { placement } = anAttempt();
    yard.trial = { ok: true, job: 5, queue: 'main', startAt: null, placement };
    for (const mode of ['v', 'p'])
      expect(ran(yard, `-w ${mode} -N x 4`)).toEqual({
        code: 0,
        stdout: 'verification: found suitable queue(s)\n',
        stderr: '',
      });
    expect(yard.commands).toEqual([]);
    yard.trial = { ok: false, refusal: refusal('neverPossible', 'no node has 100 CPUs') };
    expect(ran(yard, '-w v -pe smp 100 4')).toMatchObject({ code: 1 });
    expect(ran(yard, '-w v -pe smp 100 4').stdout).toMatch(/\nverification: no suitable queues\n$/);
    expect(yard.commands).toEqual([]);
  });

  it('-w v has nothing to say of what is held or runs', () => {
    for (const view of [held(4), running(4)])
      for (const mode of ['v', 'p', 'e', 'w'])
        expect(ran(yardOf(view), `-w ${mode} 4`)).toEqual({
          code: 0,
          stdout: 'verification: job is already running or is held\n',
          stderr: '',
        });
  });

  it('-w e refuses and -w w warns', () => {
    const yard = yardOf(submitted(4));
    expect(ran(yard, '-w e -q gpu 4').stdout).toBe('modified hard queue list of job 4\n');
    const never = yardOf(submitted(4));
    never.trial = { ok: false, refusal: refusal('neverPossible', 'no node has 100 CPUs') };
    expect(ran(never, '-w e -N x 4')).toMatchObject({ code: 1, stdout: 'error: no suitable queues\n' });
    expect(never.commands).toEqual([]);
    expect(ran(never, '-w w -N x 4')).toMatchObject({
      code: 1,
      stdout: 'modified job name of job 4\nwarning: no suitable queues\n',
    });
  });

  it('-verify changes nothing', () => {
    const yard = yardOf(submitted(4));
    expect(ran(yard, '-verify -N x 4').code).toBe(0);
    expect(yard.commands).toEqual([]);
  });
});

describe('qalter that was called wrongly', () => {
  it.each([
    ['-p', 2, 'qalter: -p option must have argument\n'],
    ['-h', 2, 'qalter: -h option must have argument\n'],
    ['-p x 4', 7, 'qalter: invalid priority "x".  Must be an integer from -1023 to 1024\n'],
    ['-h nu 4', 7, 'qalter: Unknown hold list "nu" specified to -h option\n'],
    ['-h o,u 4', 7, 'qalter: Unknown hold list "o,u" specified to -h option\n'],
    ['-r x 4', 7, 'qalter: invalid option argument "-r x"\n'],
    ['-w x 4', 7, 'qalter: invalid option argument "-w x"\n'],
    ['-now x 4', 7, 'qalter: invalid option argument "-now x"\n'],
    ['-m x 4', 7, 'qalter: Wrong mail options list format "x" specified to -m option\n'],
    ['-js -1 4', 2, 'qalter: invalid jobshare, must be an unsigned integer\n'],
    [
      '-tc -1 4',
      7,
      'qalter: invalid task concurrency number "-1". Must be an integer greater or equal to 0.\n',
    ],
    [
      '-a x 4',
      7,
      '\nInvalid format of date/hour-minute field.\nqalter: Wrong date/time format "x" specified to -a option\n',
    ],
    ['-N a/b 4', 2, 'qalter: argument to -N option must not contain / \n'],
    ['-nosuch 4', 2, 'qalter: invalid option argument "-nosuch"\n'],
    ['-b y 4', 2, 'qalter: invalid option argument "-b"\n'],
    ['-shell y 4', 2, 'qalter: invalid option argument "-shell"\n'],
    ['-now y 4', 5, 'Unknown option -now y\n\n'],
    ['-terse 4', 5, 'Unknown option -terse\n\n'],
    ['-clear 4', 5, 'Unknown option -clear\n\n'],
    ['-t 1-3 4', 2, `found lonely '-t 1-3' option (The -t option needs a leading job name).\n`],
    ['1x2', 2, 'ERROR! "1x2" is an invalid job-task identifier\n'],
  ])('%s', (line, code, stderr) => {
    const yard = yardOf(submitted(4));
    expect(ran(yard, line)).toEqual({ code, stdout: '', stderr });
    expect(yard.commands).toEqual([]);
  });

  it('does nothing when one word says nothing', () => {
    const yard = yardOf(submitted(4));
    expect(runDialect(gridEngineProgram(qalter), yard, ['qalter', '-p', '-5', '4', ''])).toEqual({
      code: 7,
      stdout: '',
      stderr: 'qalter: Wrong job id list format "" specified\n',
    });
    expect(yard.commands).toEqual([]);
  });

  it('tells how to call it', () => {
    expect(ran(yardOf(), '')).toMatchObject({ code: 1, stdout: '' });
    expect(ran(yardOf(), '').stderr).toMatch(
      /^SGE 8.1.9\nusage: qalter [\s\S]*\nERROR! no option argument\n$/,
    );
    expect(ran(yardOf(), '-help 5').stdout).toMatch(/^SGE 8.1.9\nusage: qalter \[options\] job_task_list\n/);
  });

  it('reads flags from a file', () => {
    const yard = yardOf(submitted(4));
    yard.files.set('/home/ada/work/opts', bytesFromText('# comment\n-p -9\n'));
    expect(ran(yard, '-@ opts 4').stdout).toBe('ada@box sets scheduling priority of job 4 to -9\n');
    expect(ran(yard, '-@ nosuch 4').code).toBe(1);
    yard.files.set('/home/ada/work/loop', bytesFromText('-@ loop\n'));
    expect(ran(yard, '-@ loop 4').code).toBe(1);
  });
});
