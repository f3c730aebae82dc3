/** PyTorch Lightning under Slurm: which ranks there are, and its requeue by itself. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type SlurmYard, slurmYard } from '../end-to-end/slurm-yard.ts';
import { debianTools, digits, program, whyMissing } from './tools.ts';

const missing = whyMissing('tools', 'debian', 'lightning');

describe.skipIf(missing !== null)(`Lightning${missing === null ? '' : `: ${missing}`}`, () => {
  let yard: SlurmYard;
  beforeAll(async () => {
    yard = await slurmYard('[node]\ncpus = 4\nmemory = "6G"\n');
  });
  afterAll(() => yard.close());

  const job = (name: string, epochs: number, ranks: number) => {
    // It leaves checkpoints in its directory, and looks for them there.
    mkdirSync(join(yard.workDir, name));
    writeFileSync(
      join(yard.workDir, `${name}.sh`),
      `#!/bin/bash
#SBATCH --job-name=${name} --nodes=1 --ntasks-per-node=${ranks} --time=10
#SBATCH --open-mode=append --output=${name}.out
#SBATCH --signal=SIGUSR1@90
${debianTools()}
srun /usr/bin/python3 ${program('lightning_digits.py')} ${digits}/digits.csv.gz ${epochs} ${ranks}
`,
    );
    return yard.submit(`--chdir=${name} ${name}.sh`);
  };
  const epochsIn = (text: string) => [...text.matchAll(/^epoch (\d+) /gm)].map((match) => Number(match[1]));

  test('told that its time is nearly over, it saves, asks for a requeue and goes on from there', async () => {
    const id = await job('lit', 12, 1);
    await yard.untilFile('lit/lit.out', 'epoch 3 ');
    await yard.good(`scancel --signal=USR1 ${id}`);
    const text = await yard.untilFile('lit/lit.out', 'done after epoch');
    expect(text).toContain('detected True');
    expect(text).toContain('SLURM auto-requeueing enabled');
    expect(text).toContain(`Requeued SLURM job: ${id}`);
    expect(text).toMatch(/rank 0 of 1 in lit restart 1 begins after epoch \d+/);
    expect(epochsIn(text)).toEqual(Array.from({ length: 12 }, (_, i) => i + 1));
    expect(await yard.ended(id)).toBe('COMPLETED');
  });

  test('two ranks of one node find each other', async () => {
    const id = await job('pair', 2, 2);
    expect(await yard.ended(id)).toBe('COMPLETED');
    const text = await yard.untilFile('pair/pair.out', 'done');
    expect(text).toContain('rank 0 of 2 in pair restart 0');
    expect(text).toContain('rank 1 of 2 in pair restart 0');
    expect(epochsIn(text)).toEqual([1, 2]);
  });
});
