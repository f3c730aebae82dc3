import { describe, expect, it } from 'vitest';
import { bytesFromText } from '../../../model/bytes.ts';
import { refusal } from '../../../model/refusal.ts';
import { anAttempt, aView, endedJob, runDialect } from '../../fake-yard.ts';
import { held, running, waiting } from '../fake-jobs.ts';
import { gridEngineProgram } from '../run.ts';
import { ran, submitted, yardOf } from './fake-qalter.ts';
import { qalter } from './qalter.ts';

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
