/**
 * What Nextflow and Kaldi call, word for word, and how they read the answers. The files that they write are made
 * here; their own programs are not needed for that.
 */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type SlurmYard, slurmYard } from './slurm-yard.ts';

let yard: SlurmYard;
beforeAll(async () => {
  yard = await slurmYard('[node]\ncpus = 4\nmemory = "4G"\n');
});
afterAll(() => yard.close());

/** Nextflow reads exactly two columns: the job, or the element of an array, and its state in short. */
const nextflowStates = async () => {
  const printed = await yard.good(`squeue --noheader -o '%i %t' -t all -u "$(id -un)"`);
  const lines = printed.trimEnd().split('\n');
  return new Map(lines.map((line) => line.trim().split(/\s+/) as [string, string]));
};

const nextflowScript = (workDir: string, directives: string, body: string) => `#!/bin/bash
#SBATCH -J nf-train_(1)
#SBATCH -o ${workDir}/.command.log
#SBATCH --no-requeue
#SBATCH --signal B:USR2@30
#SBATCH -c 2
#SBATCH -t 00:05:00
#SBATCH --mem 256M
#SBATCH -p main
${directives}
# NEXTFLOW TASK: train (1)
set -e
set -u
${body}
`;

describe('Nextflow', () => {
  const task = (name: string, directives: string, body: string) => {
    const workDir = join(yard.workDir, name);
    mkdirSync(workDir);
    writeFileSync(join(workDir, '.command.run'), nextflowScript(workDir, directives, body));
    return workDir;
  };

  test('a task from its file, and one from stdin', async () => {
    const byFile = task('file', '', 'echo by file > .exitcode');
    expect(await yard.good(`cd ${byFile} && sbatch .command.run`)).toMatch(/^Submitted batch job \d+\n$/);
    const byInput = task('input', '', 'echo by input > .exitcode');
    expect(await yard.good(`cd ${byInput} && sbatch < .command.run`)).toMatch(/^Submitted batch job \d+\n$/);
    await yard.untilFile('file/.exitcode', 'by file');
    await yard.untilFile('input/.exitcode', 'by input');
  });

  test('the states of all jobs, ended ones too', async () => {
    const workDir = task('states', '', 'while [ ! -e go ]; do sleep 0.05; done');
    const id = await yard.submit(`-D ${workDir} ${workDir}/.command.run`);
    await yard.good(`until squeue -h -j ${id} -o %t | grep -qvE 'PD|CF'; do sleep 0.05; done`);
    expect((await nextflowStates()).get(id)).toBe('R');
    writeFileSync(join(workDir, 'go'), '');
    expect(await yard.ended(id)).toBe('COMPLETED');
    expect((await nextflowStates()).get(id)).toBe('CD');
  });

  test('an array, whose children are told apart', async () => {
    const workDir = task(
      'array',
      '#SBATCH --array 0-2',
      'echo "$SLURM_ARRAY_TASK_ID" > child-$SLURM_ARRAY_TASK_ID',
    );
    const id = await yard.submit(`-D ${workDir} ${workDir}/.command.run`);
    for (const child of [0, 1, 2]) await yard.untilFile(`array/child-${child}`, `${child}\n`);
    for (const child of [0, 1, 2]) expect(await yard.ended(`${id}_${child}`)).toBe('COMPLETED');
    const states = await nextflowStates();
    expect([0, 1, 2].map((child) => states.get(`${id}_${child}`))).toEqual(['CD', 'CD', 'CD']);
  });

  test('a task is killed', async () => {
    const workDir = task('killed', '', 'touch running; sleep 600');
    const id = await yard.submit(`-D ${workDir} ${workDir}/.command.run`);
    await yard.good(`until [ -e ${workDir}/running ]; do sleep 0.05; done`);
    await yard.good(`scancel ${id}`);
    expect(await yard.ended(id)).toMatch(/^CANCELLED/);
    expect((await nextflowStates()).get(id)).toBe('CA');
  });
});

describe("Kaldi's slurm.pl", () => {
  test('an array with its log files, then squeue until it is over', async () => {
    mkdirSync(join(yard.workDir, 'q'));
    writeFileSync(
      join(yard.workDir, 'q', 'train.sh'),
      `#!/bin/bash
cd ${yard.workDir}
( echo "# Running on $(hostname)" ) > train.$SLURM_ARRAY_TASK_ID.log
while [ ! -e kaldi-go ]; do sleep 0.05; done
touch q/done.train.$SLURM_ARRAY_TASK_ID
exit 0
## submitted with:
`,
    );
    const said = await yard.good(
      'sbatch --export=PATH --ntasks-per-node=1 -p main --time 0:10:00 --mem-per-cpu 100M --open-mode=append -e q/train.log -o q/train.log --array 1-4%2 q/train.sh >>q/train.log 2>&1; cat q/train.log',
    );
    const id = /Submitted batch job (\d+)/.exec(said)?.[1];
    await yard.untilFile('train.1.log', '# Running on');
    await yard.good(`squeue -j ${id}`);
    writeFileSync(join(yard.workDir, 'kaldi-go'), '');
    for (const element of [1, 2, 3, 4]) expect(await yard.ended(`${id}_${element}`)).toBe('COMPLETED');
    expect(readFileSync(join(yard.workDir, 'q', 'train.log'), 'utf8')).toBe(`Submitted batch job ${id}\n`);
  });

  test('a job that nobody knows any more', async () => {
    const said = await yard.bash('squeue -j 999999');
    expect(said.code).toBe(1);
    expect(said.stderr).toBe('slurm_load_jobs error: Invalid job id specified\n');
  });
});
