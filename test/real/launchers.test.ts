/** Programs inside a job that start ranks of their own, or ask Slurm to. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type SlurmYard, slurmYard } from '../end-to-end/slurm-yard.ts';
import { debianTools, program, whyMissing } from './tools.ts';

const missing = whyMissing('debian');

describe.skipIf(missing !== null)(`mpirun and torchrun${missing === null ? '' : `: ${missing}`}`, () => {
  let yard: SlurmYard;
  beforeAll(async () => {
    yard = await slurmYard('[node]\nnodes = 2\nname = "n%n"\ncpus = 2\nmemory = "2G"\n');
  });
  afterAll(() => yard.close());

  const linesOf = async (directives: string, line: string) => {
    writeFileSync(
      join(yard.workDir, 'job.sh'),
      `#!/bin/bash\n#SBATCH -o job.out ${directives}\n${debianTools()}${line}\n`,
    );
    const id = await yard.submit('job.sh');
    const state = await yard.ended(id);
    const text = await yard.untilFile('job.out', '');
    expect(state, text).toBe('COMPLETED');
    return text
      .split('\n')
      .filter((each) => each.startsWith('rank '))
      .sort();
  };

  test('mpirun takes its ranks from the job', async () => {
    expect(await linesOf('-N1 -n2', `mpirun.openmpi /usr/bin/python3 ${program('mpi_sum.py')}`)).toEqual([
      'rank 0 of 2 sum 3 on n1',
      'rank 1 of 2 sum 3 on n1',
    ]);
  });

  test('mpirun reaches another node by srun', async () => {
    // Both nodes are one machine: memory shared by its name would be taken for another rank's.
    const network = 'export OMPI_MCA_btl=self,tcp OMPI_MCA_btl_tcp_if_include=lo\n';
    const lines = await linesOf(
      '-N2 -n4',
      `${network}mpirun.openmpi /usr/bin/python3 ${program('mpi_sum.py')}`,
    );
    expect(lines.map((line) => line.split(' on ')[0])).toEqual(
      [0, 1, 2, 3].map((rank) => `rank ${rank} of 4 sum 10`),
    );
  });

  test('torchrun', async () => {
    const torchrun =
      '/usr/bin/python3 -m torch.distributed.run --standalone --nproc_per_node=$SLURM_CPUS_PER_TASK';
    expect(await linesOf('-c2', `${torchrun} ${program('all_reduce.py')}`)).toEqual([
      'rank 0 of 2 sum 3',
      'rank 1 of 2 sum 3',
    ]);
  });

  test('torchrun on two nodes, one by each task of srun', async () => {
    const torchrun =
      'srun --ntasks-per-node=1 /usr/bin/python3 -m torch.distributed.run --nnodes=$SLURM_NNODES --nproc_per_node=1 ' +
      '--rdzv_backend=c10d --rdzv_endpoint=127.0.0.1:29517 --rdzv_id=$SLURM_JOB_ID';
    expect(await linesOf('-N2 --ntasks-per-node=1', `${torchrun} ${program('all_reduce.py')}`)).toEqual([
      'rank 0 of 2 sum 3',
      'rank 1 of 2 sum 3',
    ]);
  });
});
