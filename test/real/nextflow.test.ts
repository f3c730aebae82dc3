/** A small real workflow by Nextflow's executor for Grid Engine. */

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type GridEngineYard, gridEngineYard } from '../end-to-end/grid-engine-yard.ts';
import { digits, nextflow, program, whyMissing } from './tools.ts';

const missing = whyMissing('nextflow');

describe.skipIf(missing !== null)(`Nextflow${missing === null ? '' : `: ${missing}`}`, () => {
  let yard: GridEngineYard;
  beforeAll(async () => {
    yard = await gridEngineYard('[node]\ncpus = 4\nmemory = "4G"\n');
  });
  afterAll(() => yard.close());

  const run = (name: string, ...words: string[]) => {
    mkdirSync(join(yard.workDir, name));
    return yard.bash(
      `${nextflow()}cd ${name} && nextflow run ${program('nextflow', 'main.nf')} -ansi-log false \
        -process.executor sge -process.queue cpu -process.penv smp -executor.pollInterval 1sec \
        --digits ${digits} ${words.join(' ')} 2>&1`,
    );
  };

  test('three trainings and what is made of them, each a job', async () => {
    const said = await run('jobs');
    expect(said.code, said.stdout).toBe(0);
    expect(said.stdout).toMatch(/^0\.\d+ (4|8|16)$/m);
    expect(said.stdout.match(/Submitted process > train/g)).toHaveLength(3);
    const accounts = await yard.good("qacct -j 'nf-*'");
    expect(accounts.match(/^jobname +nf-train_/gm)).toHaveLength(3);
    expect(accounts.match(/^exit_status +0 *$/gm)).toHaveLength(4);
    expect(accounts).toMatch(/^granted_pe +smp/m);
  });

  test('tasks of an array', async () => {
    const said = await run('array', '-process.array 3');
    expect(said.code, said.stdout).toBe(0);
    const tasks = [...(await yard.good('qacct -j')).matchAll(/^taskid +(\d+) *$/gm)].map(([, task]) => task);
    expect(tasks.sort()).toEqual(['1', '2', '3']);
  });

  test('a process that fails is seen to fail, and tried again', async () => {
    const said = await run('broken', '--broken true');
    expect(said.code, said.stdout).toBe(1);
    expect(said.stdout).toContain('Re-submitted process > broken');
    expect(said.stdout).toContain('terminated with an error exit status (7)');
    const accounts = await yard.good('qacct -j nf-broken');
    expect(accounts.match(/^exit_status +7 *$/gm)).toHaveLength(2);
  });
});
