/** What is kept of a job, on a real yard: said in scripts of three systems, and shown by its commands. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ShellYard, shellYard } from './shell-yard.ts';

let yard: ShellYard;
beforeAll(async () => {
  yard = await shellYard('');
});
afterAll(() => yard.close());

interface Shown {
  readonly chain: boolean;
  readonly keeping: { readonly checkpoints: string; readonly persist: string; readonly keepCount: number };
}

const LINE = '#YARD checkpoints=$SCRATCH/out persist=kept/%x-%j keep=2 chain';
const WRITES = 'for i in 1 2 3; do echo $i > "$TRAINYARD_CHECKPOINTS/step-$i.pt"; done';

async function shown(job: string): Promise<Shown> {
  return JSON.parse(await yard.good(`trainyard show --json ${job}`)) as Shown;
}

test('the same line means the same to submit, sbatch and qsub', async () => {
  const script = (more: string) => `#!/bin/sh\n${more}\n${LINE}\n${WRITES}\n`;
  writeFileSync(join(yard.workDir, 'native.sh'), script('#'));
  writeFileSync(join(yard.workDir, 'slurm.sh'), script('#SBATCH --time=10'));
  writeFileSync(join(yard.workDir, 'grid.sh'), script('#$ -cwd -l h_rt=600'));
  const jobs = [
    await yard.good('trainyard submit -q --hold native.sh'),
    await yard.good('sbatch --parsable --hold slurm.sh'),
    await yard.good('qsub -terse -h grid.sh'),
  ];
  for (const job of jobs) {
    await expect(shown(job.trim())).resolves.toMatchObject({
      chain: true,
      keeping: {
        checkpoints: '$SCRATCH/out',
        persist: join(yard.workDir, 'kept/%x-%j'),
        keepCount: 2,
      },
    });
  }
});

test('a mistake is told by each in its own way, and nothing is submitted', async () => {
  writeFileSync(join(yard.workDir, 'wrong.sh'), '#!/bin/sh\n#YARD persist=/data\ntrue\n');
  for (const command of ['trainyard submit', 'sbatch', 'qsub']) {
    const said = await yard.bash(`${command} wrong.sh`);
    expect(said.code).not.toBe(0);
    expect(said.stderr).toContain('nothing says where they are written');
  }
});

test('a job without checkpoints has none to list', async () => {
  const job = (await yard.good('trainyard submit -q --hold -- true')).trim();
  const said = await yard.bash(`trainyard checkpoints ${job}`);
  expect(said).toMatchObject({ code: 1, stdout: '' });
  expect(said.stderr).toContain('names no directory of checkpoints');
});
