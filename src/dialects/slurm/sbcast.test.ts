import { expect, it } from 'vitest';
import { placingYard, shares, withRunningJob } from '../../../test/placing-yard.ts';
import { bytesFromText, textFromBytes } from '../../model/bytes.ts';
import { aView, endedJob, type FakeYard, type Ran, runDialect } from '../fake-yard.ts';
import type { Invocation } from '../program.ts';
import { slurmProgram } from './run.ts';
import { sbcast } from './sbcast.ts';

function run(yard: FakeYard, argv: readonly string[], changes: Partial<Invocation> = {}): Ran {
  return runDialect(slurmProgram(sbcast), yard, ['sbcast', ...argv], changes);
}

const IN_JOB = { environment: bytesFromText('SLURM_JOB_ID=5\0') };

function jobYard(): FakeYard {
  const yard = placingYard();
  withRunningJob(yard, 5, shares(2));
  yard.files.set('/home/ada/work/my.prog', bytesFromText('program'));
  return yard;
}

const fails = (stderr: string, code: number): Ran => ({ code, stdout: '', stderr });
const contentOf = (yard: FakeYard, path: string) => textFromBytes(yard.files.get(path) as Uint8Array);

it('copies the file of a job', () => {
  const yard = jobYard();
  expect(run(yard, ['my.prog', '/tmp/my.prog'], IN_JOB)).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(contentOf(yard, '/tmp/my.prog')).toBe('program');
  expect(run(yard, ['-j', '5.0', 'my.prog', 'rel']).code).toBe(0);
  expect(yard.files.has('/home/ada/work/rel')).toBe(true);
  const native = { environment: bytesFromText('TRAINYARD_JOB_ID=5\0') };
  expect(run(yard, ['my.prog', '/tmp/other'], native).code).toBe(0);
});

it('replaces what is there only when told to', () => {
  const yard = jobYard();
  yard.files.set('/tmp/x', bytesFromText('before'));
  expect(run(yard, ['my.prog', '/tmp/x'], IN_JOB)).toEqual(
    fails('sbcast: error: REQUEST_FILE_BCAST(n1): File exists\n', 17),
  );
  expect(run(yard, ['-f', 'my.prog', '/tmp/x'], IN_JOB).code).toBe(0);
  expect(contentOf(yard, '/tmp/x')).toBe('program');
  const forced = { environment: bytesFromText('SLURM_JOB_ID=5\0SBCAST_FORCE=1\0') };
  expect(run(yard, ['my.prog', '/tmp/x'], forced).code).toBe(0);
});

it.each([
  [[], 'Need two file names, have 0 names\nTry "sbcast --help" for more information\n', 1],
  [['a'], 'Need two file names, have 1 names\nTry "sbcast --help" for more information\n', 1],
  [['--foo'], 'sbcast: unrecognized option \'--foo\'\nTry "sbcast --help" for more information\n', 1],
  [['nofile', '/tmp/x'], "sbcast: error: Can't open `nofile`: No such file or directory\n", 255],
  [['my.prog', '/tmp'], 'sbcast: error: Target filename cannot be a directory.\n', 1],
  [
    ['-j', '99', 'my.prog', '/x'],
    'sbcast: error: Slurm job 99 lookup error: Invalid job id specified\n',
    255,
  ],
  [['-j', 'x', 'my.prog', '/x'], 'sbcast: error: Slurm job x lookup error: Invalid job id specified\n', 255],
  [
    ['-j', '6', 'my.prog', '/x'],
    'sbcast: error: Slurm job 6 lookup error: Job/step already completing or completed\n',
    255,
  ],
])('sbcast %j is refused', (argv, stderr, code) => {
  const yard = jobYard();
  yard.views.push(aView(endedJob(6)));
  yard.files.set('/tmp', 'directory');
  expect(run(yard, argv, IN_JOB)).toEqual(fails(stderr, code));
});

it('needs a job', () => {
  expect(run(jobYard(), ['my.prog', '/x'])).toEqual(
    fails(
      'sbcast: error: Need a job id to run this command.  Run from within a Slurm job or use the --jobid option.\n',
      1,
    ),
  );
});

it('says once that nothing travels, and says nothing about what the environment says', () => {
  const ran = run(jobYard(), ['-C', '-t5', '-s', '10', 'my.prog', '/x'], IN_JOB);
  expect(ran.code).toBe(0);
  expect(ran.stderr).toMatch(/^sbcast: warning: --size has no effect here: [^\n]*\n$/);
  const compressed = { environment: bytesFromText('SLURM_JOB_ID=5\0SBCAST_COMPRESS=lz4\0') };
  expect(run(jobYard(), ['my.prog', '/x'], compressed).stderr).toBe('');
});

it('answers about itself', () => {
  expect(run(jobYard(), ['-V']).stdout).toBe('slurm 22.05.8\n');
  expect(run(jobYard(), ['--help']).stdout).toMatch(/^Usage: sbcast /);
  expect(run(jobYard(), ['-v', 'my.prog', '/x'], IN_JOB).stderr).toContain('sbcast: node_list  = n[1-2]\n');
});
