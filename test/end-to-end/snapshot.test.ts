/** A job with `#YARD snapshot` runs the code as it was when it was submitted, however long it waits. */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ShellYard, shellYard } from './shell-yard.ts';

let yard: ShellYard;
beforeAll(async () => {
  yard = await shellYard('', (workDir) => `cd ${workDir}/project; `);
  mkdirSync(join(yard.workDir, 'project'));
  await yard.good('git init -q');
  write('.gitignore', 'results/\n');
  write('train.sh', '#!/bin/sh\n#YARD snapshot\n#SBATCH -o out-%j\nsh program.sh\n');
  write('program.sh', 'echo as it was; echo made >made-here; echo kept >results/loss; pwd\n');
  mkdirSync(join(yard.workDir, 'project', 'results'));
});
afterAll(() => yard.close());

function write(name: string, text: string): void {
  writeFileSync(join(yard.workDir, 'project', name), text);
}

const read = (name: string) => readFileSync(join(yard.workDir, 'project', name), 'utf8');

test('sbatch, an edit while it waits, and what the job makes is where it would be anyway', async () => {
  await yard.good('sbatch --hold train.sh');
  write('program.sh', 'echo edited since\n');
  await yard.good('scontrol release 1');
  await yard.good('trainyard wait 1');
  expect(read('out-1')).toMatch(/^as it was\n/);
  expect(read('out-1')).toContain('/code/jobs/1\n');
  expect(read('results/loss')).toBe('kept\n');
  await yard.untilFile('project/made-here', 'made');
  expect(read('program.sh')).toBe('echo edited since\n');
});

test('qsub and trainyard submit read the same line', async () => {
  write('program.sh', 'echo second version\n');
  await yard.good('qsub -h -cwd -o out-2 -j y train.sh; trainyard submit --hold -o out-3 train.sh');
  write('program.sh', 'echo edited again\n');
  await yard.good('qrls 2; trainyard release 3; trainyard wait 2 3');
  expect(read('out-2')).toBe('second version\n');
  expect(read('out-3')).toBe('second version\n');
});

test('outside of a work tree it is refused, with what to do', async () => {
  mkdirSync(join(yard.workDir, 'elsewhere'));
  writeFileSync(join(yard.workDir, 'elsewhere', 'train.sh'), read('train.sh'));
  const said = await yard.bash('cd ../elsewhere && sbatch train.sh');
  expect(said.code).not.toBe(0);
  expect(said.stderr).toContain('is in no git work tree');
});
