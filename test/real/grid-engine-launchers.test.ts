/** mpirun in a parallel environment: its ranks come from the job's host file, and other nodes are reached by qrsh. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type GridEngineYard, gridEngineYard } from '../end-to-end/grid-engine-yard.ts';
import { debianTools, program, whyMissing } from './tools.ts';

const missing = whyMissing('debian');

describe.skipIf(missing !== null)(
  `mpirun in a parallel environment${missing === null ? '' : `: ${missing}`}`,
  () => {
    let yard: GridEngineYard;
    beforeAll(async () => {
      yard = await gridEngineYard('[node]\nnodes = 2\nname = "n%n"\ncpus = 2\nmemory = "2G"\n');
    });
    afterAll(() => yard.close());

    // A real Grid Engine may be installed, and this is not about that one's qrsh.
    const ours = 'export PATH="$SGE_ROOT/bin/$ARC:$PATH"\n';

    const ranksOf = async (name: string, environment: string, setting: string) => {
      writeFileSync(
        join(yard.workDir, `${name}.sh`),
        `#!/bin/bash\n#$ -cwd -j y -o ${name}.out\n#$ -pe ${environment}\n${debianTools()}${ours}${setting}mpirun.openmpi /usr/bin/python3 ${program('mpi_sum.py')}\n`,
      );
      const said = await yard.bash(`qsub -sync y ${name}.sh`);
      const text = await yard.untilFile(`${name}.out`, '');
      expect(said.code, `${said.stdout}${said.stderr}${text}`).toBe(0);
      return text
        .split('\n')
        .filter((line) => line.startsWith('rank '))
        .sort();
    };

    test('the slots of one node', async () => {
      const ranks = await ranksOf('one', 'smp 2', '');
      expect(ranks).toEqual([0, 1].map((rank) => `rank ${rank} of 2 sum 3 on n1`));
    });

    test('slots of two nodes, by qrsh -inherit', async () => {
      // Both nodes are one machine: memory shared by its name would be taken for another rank's.
      const network = 'export OMPI_MCA_btl=self,tcp OMPI_MCA_btl_tcp_if_include=lo\n';
      expect(await ranksOf('two', 'mpi 4', network)).toEqual([
        'rank 0 of 4 sum 10 on n1',
        'rank 1 of 4 sum 10 on n1',
        'rank 2 of 4 sum 10 on n2',
        'rank 3 of 4 sum 10 on n2',
      ]);
    });
  },
);
