/** A small real workflow by snakemake's executor for Slurm. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type SlurmYard, slurmYard } from '../end-to-end/slurm-yard.ts';
import { digits, program, pythonTools, whyMissing } from './tools.ts';

const missing = whyMissing('tools');

describe.skipIf(missing !== null)(`snakemake${missing === null ? '' : `: ${missing}`}`, () => {
  let yard: SlurmYard;
  beforeAll(async () => {
    yard = await slurmYard('[node]\ncpus = 4\nmemory = "4G"\n');
  });
  afterAll(() => yard.close());

  const snakemake = (...words: string[]) =>
    yard.bash(
      `${pythonTools()}snakemake --snakefile ${program('workflow', 'Snakefile')} --executor slurm --jobs 4 \
        --config digits=${digits} --slurm-init-seconds-before-status-checks 1 --seconds-between-status-checks 1 --latency-wait 1 ${words.join(' ')} 2>&1`,
    );

  test('three trainings and what is made of them, each a job', async () => {
    const said = await snakemake('best');
    expect(said.code, said.stdout).toBe(0);
    expect(said.stdout).toContain('4 of 4 steps (100%) done');
    expect(readFileSync(join(yard.workDir, 'best.txt'), 'utf8')).toMatch(/^\d+ units\n$/);
    expect(await yard.good('sacct -X -n -P -o State')).toBe('COMPLETED\n'.repeat(4));
  });

  test('elements of an array', async () => {
    const said = await snakemake('--forceall --slurm-array-jobs=train best');
    expect(said.code, said.stdout).toBe(0);
    expect(await yard.good('sacct -X -n -P -o JobID | grep -c _')).toBe('3\n');
  });

  test('a rule that fails is seen to fail', async () => {
    const said = await snakemake('broken');
    expect(said.code, said.stdout).toBe(1);
    expect(said.stdout).toContain("failed, SLURM status is: 'FAILED'");
  });
});
