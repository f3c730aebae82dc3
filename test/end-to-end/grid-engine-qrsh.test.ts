/** `qrsh` and `qlogin` on a real yard of two virtual nodes: what only a running command can show. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type GridEngineYard, gridEngineYard } from './grid-engine-yard.ts';

let yard: GridEngineYard;
beforeAll(async () => {
  yard = await gridEngineYard('[node]\nname = "n%n"\nnodes = 2\ncpus = 2\n[stop]\ngrace = "2s"\n');
});
afterAll(() => yard.close());

const written = (name: string) => readFileSync(join(yard.workDir, name), 'utf8');

describe('qrsh', () => {
  test('runs a command at home, with the variables of a job and none of the caller', async () => {
    const out = await yard.good(
      `FOO=bar qrsh -pe smp 2 'pwd; echo $JOB_NAME $NSLOTS $QUEUE $JOB_SCRIPT $ENVIRONMENT "[$FOO]"; test -d $TMPDIR && test -r $PE_HOSTFILE && echo there'`,
    );
    expect(out).toBe(`${yard.home}\npwd 2 main QRSH BATCH []\nthere\n`);
    expect(await yard.good(`FOO=bar qrsh -cwd -V 'pwd; echo $FOO'`)).toBe(`${yard.workDir}\nbar\n`);
  });

  test('its exit code is that of the command, and accounting has it', async () => {
    expect(await yard.bash(`qrsh -N five 'exit 5'`)).toEqual({ code: 5, stdout: '', stderr: '' });
    expect(await yard.bash(`qrsh -N nine 'kill -9 $$'`)).toEqual({ code: 137, stdout: '', stderr: '' });
    const [failed, status] = await yard.accounts('nine', 'failed', 'exit_status');
    expect([failed, status]).toEqual(['100 : assumedly after job', '137                  (Killed)']);
  });

  test('input reaches it, or does not; errors are apart from output', async () => {
    expect(await yard.good('echo hello | qrsh cat')).toBe('hello\n');
    expect(await yard.good('echo hello | qrsh -nostdin cat')).toBe('');
    expect(await yard.bash('qrsh "echo out; echo err >&2"')).toEqual({
      code: 0,
      stdout: 'out\n',
      stderr: 'err\n',
    });
  });

  test('has its place at once, or is told that there is none, or waits', async () => {
    const holder = await yard.submit('-pe mpi 4 -b y sleep 60');
    await yard.untilState(holder, 'r');
    expect(await yard.bash('qrsh true')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'Your "qrsh" request could not be scheduled, try again later.\n',
    });
    const waited = yard.good('qrsh -now n -N patient echo there');
    await yard.good(`until qstat | grep -q patient; do sleep 0.05; done; qdel ${holder}`);
    expect(await waited).toBe('there\n');
  });

  test('deleted, it is over', async () => {
    const running = yard.bash('qrsh -N doomed "touch up; sleep 60"');
    await yard.good(`until [ -e ${yard.home}/up ]; do sleep 0.05; done; qdel doomed`);
    expect(await running).toMatchObject({ code: 137, stderr: '' });
  });

  test('a time limit ends it', async () => {
    expect(await yard.bash('qrsh -l h_rt=1 sleep 60')).toMatchObject({ code: 137, stderr: '' });
  });
});

describe('qrsh -inherit', () => {
  test('runs on each host of the job, with its environment or that of the caller', async () => {
    const script = [
      'cut -d" " -f1,2 $PE_HOSTFILE',
      "for host in n1 n2; do qrsh -inherit $host 'echo $HOSTNAME $NSLOTS $FOO'; done",
      'FOO=own; export FOO',
      "qrsh -inherit -nostdin -V n2 'echo $HOSTNAME $FOO; exit 5' </dev/null; echo $?",
      "qrsh -inherit n2 'kill -9 $$'; echo $?",
      'qrsh -inherit nohost true; echo $?',
      'echo hello | qrsh -inherit n2 cat',
    ];
    // Programs find it there; a real one may be ahead of it on the PATH.
    writeFileSync(
      join(yard.workDir, 'inherit.sh'),
      ['PATH=$SGE_BINARY_PATH:$PATH', ...script, ''].join('\n'),
    );
    await yard.good('qsub -sync y -cwd -j y -o inherit.out -pe mpi 4 -v FOO=job inherit.sh');
    expect(written('inherit.out').split('\n')).toEqual([
      'n1 2',
      'n2 2',
      'n1 4 job',
      'n2 4 job',
      'n2 own',
      '5',
      '137',
      expect.stringMatching(/^error: executing task of job \d+ failed: .*nohost: can't resolve host name$/),
      '1',
      'hello',
      '',
    ]);
  });
});

test('qlogin gives a shell', async () => {
  const { stdout, stderr, code } = await yard.bash(`echo 'echo $JOB_NAME; exit 7' | qlogin`);
  expect(code).toBe(7);
  expect(stdout).toMatch(/^Your job \d+ \("QLOGIN"\) has been submitted\nQLOGIN\n$/);
  expect(stderr).toContain('Establishing builtin session to host n1 ...\n');
});
