/** `sbatch` on a real yard: what only a running job can show. */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type SlurmYard, slurmYard } from './slurm-yard.ts';

let yard: SlurmYard;
beforeAll(async () => {
  yard = await slurmYard('');
});
afterAll(() => yard.close());

const written = (name: string) => readFileSync(join(yard.workDir, name), 'utf8');

test('a script from a file, from stdin and from the command line', async () => {
  writeFileSync(join(yard.workDir, 'job.sh'), '#!/bin/sh\n#SBATCH -o %x-%4j.out\necho "$0 $1"; pwd\n');
  await yard.good('sbatch --wait job.sh argument');
  expect(written('job.sh-0001.out')).toMatch(/ argument\n.*\n$/);
  await yard.good('sbatch --wait -J piped < job.sh');
  await yard.good('cat job.sh | sbatch --wait -J named /dev/stdin');
  expect([
    existsSync(join(yard.workDir, 'piped-0002.out')),
    existsSync(join(yard.workDir, 'named-0003.out')),
  ]).toEqual([true, true]);
  await yard.good(`sbatch --wait -o wrapped --wrap 'echo "a  b"; echo c >&2'`);
  expect(written('wrapped')).toBe('a  b\nc\n');
});

test('a script for another interpreter, and one that is deleted at once', async () => {
  writeFileSync(join(yard.workDir, 'job.pl'), '#!/usr/bin/perl\n#SBATCH -o perl.out\nprint "$]\\n";\n');
  await yard.good('id=$(sbatch --parsable job.pl) && rm job.pl && sbatch --wait -d afterany:$id --wrap true');
  expect(written('perl.out')).toMatch(/^5\./);
});

test('the exit code is that of the job, of an array the highest', async () => {
  await expect(yard.bash('sbatch --wait --quiet --wrap "exit 4"')).resolves.toMatchObject({ code: 4 });
  await expect(
    yard.bash(`sbatch --wait --quiet -a 4-6 --wrap 'exit $SLURM_ARRAY_TASK_ID'`),
  ).resolves.toMatchObject({ code: 6 });
});

test('directories are not made, and the job says that it could not start', async () => {
  const { stdout, code } = await yard.bash('sbatch --wait --parsable -o no/such/dir --wrap true');
  expect(code).toBe(1);
  expect(await yard.good(`sacct -n -X -P -o State,ExitCode -j ${stdout.trim()}`)).toBe('FAILED|0:53\n');
  mkdirSync(join(yard.workDir, 'logs'));
  await yard.good('sbatch --wait -o logs/%j --wrap true');
});

test('a warning ahead of the limit reaches the script, which may go on from there', async () => {
  const script = `trap 'echo warned; exit 7' USR1; sleep 60 & wait`;
  await expect(
    yard.bash(`sbatch --wait -t 1 --signal=B:USR1@59 -o warned --wrap "${script}"`),
  ).resolves.toMatchObject({ code: 7 });
  expect(written('warned')).toBe('warned\n');
});
