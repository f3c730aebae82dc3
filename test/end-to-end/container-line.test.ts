/** The first line of an introduction to Slurm: a program in a container, on one GPU. */

import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type SlurmYard, slurmYard } from './slurm-yard.ts';

let yard: SlurmYard;
beforeAll(async () => {
  yard = await slurmYard('[node]\ngpus = "2x16G"\n\n[queues.main]\n\n[queues.gpu-2080ti-interactive]\n');
});
afterAll(() => yard.close());

describe('singularity', () => {
  const line =
    'srun --gres=gpu:1 --partition=gpu-2080ti-interactive singularity exec --nv -B /scratch_local docker://ubuntu echo "Hello world!"';

  test('the line runs where singularity is', async () => {
    const bin = join(yard.workDir, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'singularity'), '#!/bin/sh\necho "$# $CUDA_VISIBLE_DEVICES $*"\n');
    chmodSync(join(bin, 'singularity'), 0o755);
    expect(await yard.good(`export PATH=${bin}:"$PATH"; ${line}`)).toBe(
      '7 0 exec --nv -B /scratch_local docker://ubuntu echo Hello world!\n',
    );
  });

  test.skipIf(existsSync('/usr/bin/singularity'))('where it is not, that is what is said', async () => {
    const said = await yard.bash(line);
    expect(said.stdout).toBe('');
    expect(said.stderr).toContain('singularity: No such file or directory');
    expect(said.stderr).toContain('Exited with exit code 2');
    expect(said.code).toBe(2);
  });
});
