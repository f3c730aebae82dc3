/** Grid Engine's commands on a yard that nobody has set up: what is there, and how it goes with Slurm's and the yard's own. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type GridEngineYard, gridEngineYard } from './grid-engine-yard.ts';

const PATIENCE_MS = 120_000;

let yard: GridEngineYard;
beforeAll(async () => {
  yard = await gridEngineYard('');
}, PATIENCE_MS);
afterAll(() => yard.close(), PATIENCE_MS);

describe('a yard without a config', () => {
  test('has the queues that documents name', async () => {
    for (const queue of ['cpu', 'gpu']) {
      const said = await yard.bash(`qsub -terse -sync y -q ${queue} -j y -o /dev/null -b y true`);
      expect([said.code, said.stderr]).toEqual([0, '']);
      expect(await yard.accounts(said.stdout.trim(), 'qname')).toEqual([queue]);
    }
    expect(await yard.good('qconf -sql')).toBe('cpu\ngpu\nmain\n');
    expect(await yard.good('qconf -spl')).toBe('mpi\nsmp\n');
  });

  test.each([
    ['a queue', '-q teaching', 'there is no queue teaching here; using main'],
    ['a parallel environment', '-pe openmp 1', 'there is no parallel environment openmp here'],
    ['a resource', '-l fancy=3', 'there is no resource fancy here'],
  ])('says once that %s is not here, and runs the job', async (_what, flags, warning) => {
    const said = await yard.bash(`qsub -sync y ${flags} -j y -o /dev/null -b y true`);
    expect([said.code, said.stderr.split('\n').length]).toEqual([0, 2]);
    expect(said.stderr).toContain(`qsub: warning: ${warning}`);
  });

  test('refuses what makes no sense, and keeps nothing of it', async () => {
    const before = await yard.good('qstat -s z -u "*"');
    for (const [line, code, text] of [
      ['-nosuch', 2, 'invalid option argument "-nosuch"'],
      ['-l h_rt=soon -b y true', 1, 'attribute "h_rt" is not a time value'],
      ['-pe smp 100000 -w e -b y true', 1, 'Unable to run job: '],
      ['missing.sh', 14, 'error opening missing.sh: No such file or directory'],
    ] as const) {
      const said = await yard.bash(`qsub ${line}`);
      expect([line, said.code === 0, said.stdout]).toEqual([line, false, '']);
      expect([line, said.code], said.stderr).toEqual([line, code]);
      expect(said.stderr).toContain(text);
    }
    expect(await yard.good('qstat -s z -u "*"')).toBe(before);
  });

  test('has a cell where `trainyard env` says', async () => {
    const root = (await yard.good('echo "$SGE_ROOT $SGE_CELL"')).trim();
    expect(root).toBe(`${join(yard.directory, 'sge')} default`);
    const job = await yard.submit('-N accounted -j y -o /dev/null -b y "exit 5"');
    const file = join(yard.directory, 'sge', 'default', 'common', 'accounting');
    const lines = () => readFileSync(file, 'utf8').split('\n');
    await expect
      .poll(() => lines().filter((line) => line.split(':')[5] === job))
      .toEqual([
        expect.stringMatching(
          new RegExp(`^main:[^:]+:[^:]+:[^:]+:accounted:${job}:sge:0:\\d+:\\d+:\\d+:0:5:`),
        ),
      ]);
    expect(lines()[0]).toMatch(/^# Version: /);
    expect(
      await yard.good('env -u PATH /bin/sh -c ". $SGE_ROOT/default/common/settings.sh; qconf -sql"'),
    ).toBe('cpu\ngpu\nmain\n');
  });
});

describe('looking around', () => {
  test('every command answers, and says what version it is', async () => {
    for (const line of [
      'qstat',
      'qstat -f',
      'qstat -g c',
      'qhost',
      'qhost -q -j',
      'qselect',
      'qconf -sconf',
      'qacct',
    ])
      expect(await yard.bash(line), line).toMatchObject({ code: 0, stderr: '' });
    for (const name of 'qsub qstat qdel qhold qrls qalter qmod qacct qconf qhost qselect qresub'.split(' ')) {
      expect(await yard.good(`${name} -help`), name).toMatch(/^SGE 8\.1\.9\nusage: /);
    }
    expect((await yard.good('qselect')).match(/^(cpu|gpu|main)@\S+$/gm)).toHaveLength(3);
    expect(await yard.good('qhost')).toMatch(/^HOSTNAME .*\n-+\nglobal .*\n\S+ +lx-/);
  });

  test('jobs of all dialects are in each one’s listing', async () => {
    const ours = await yard.submit('-h -N from-qsub -t 1-3 -b y true');
    const slurms = (await yard.good('sbatch --parsable -H -J from-sbatch --wrap true')).trim();
    const own = (await yard.good('trainyard submit -q --hold --name from-yard -- true')).trim();
    const numbers = async (line: string) =>
      (await yard.good(line)).split('\n').flatMap((row) => /^ *(\d+)\S* .*\bfrom-/.exec(row)?.[1] ?? []);
    for (const line of ['qstat', 'squeue', 'trainyard queue']) {
      expect((await numbers(line)).sort(), line).toEqual([ours, slurms, own].sort());
    }
    expect(await yard.good('qstat')).toMatch(/ from-sbatc \S+ +hqw /);
    expect(await yard.good("squeue -h -o '%j %T'")).toContain('from-qsub PENDING\n');
    for (const job of [slurms, own])
      expect(await yard.good(`qstat -j ${job}`)).toContain(`job_number:                 ${job}\n`);
    expect(await yard.good(`scontrol show job ${ours}`)).toContain('JobName=from-qsub');
    expect(await yard.good(`trainyard show ${ours}`)).toContain('from-qsub');
    expect(await yard.good(`qrls ${slurms}`)).toMatch(new RegExp(`${slurms}`));
    expect(await yard.accounts(slurms, 'exit_status')).toEqual(['0']);
    await yard.good(`scancel ${ours}; qdel ${own}`);
    await yard.untilState(ours, 'gone');
    await yard.untilState(own, 'gone');
  });
});

test('twenty who submit at once get twenty numbers, and twenty runs', async () => {
  const line = `for i in $(seq 20); do qsub -terse -cwd -j y -o /dev/null -N crowd -b y "echo \\$JOB_ID >>crowd" & done; wait`;
  const numbers = (await yard.good(line)).trim().split('\n');
  expect(new Set(numbers).size).toBe(20);
  for (const job of numbers) await yard.untilState(job, 'gone');
  expect(yard.read('crowd').trim().split('\n').sort()).toEqual(numbers.sort());
  expect((await yard.good('qacct -j crowd')).match(/^exit_status +0 *$/gm)).toHaveLength(20);
});
