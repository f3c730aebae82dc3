import { describe, expect, it } from 'vitest';
import { findingsOf, said } from '../fake-world.ts';

const slurm = (...lines: readonly string[]) =>
  `#!/bin/bash\n#SBATCH --time=1:00:00\n${lines.map((line) => `${line}\n`).join('')}srun python train.py\n`;
const grid = (...lines: readonly string[]) =>
  `#!/bin/bash\n#$ -l h_rt=1:0:0\n${lines.map((line) => `${line}\n`).join('')}python train.py\n`;

describe('#YARD lines in a script for another system', () => {
  it.each([
    [slurm('#YARD checkpoints=$SCRATCH/out persist=~/results/%x keep=3 chain', '#YARD logs=tb:~/tb')],
    [slurm('#SBATCH --requeue', '#YARD checkpoints=out')],
    [grid('#$ -r y', '#YARD checkpoints=out snapshot scratch=5G')],
    [slurm('#YARD snapshot')],
    [slurm('python $TRAINYARD_RESUME_FROM')],
    ['#!/bin/sh\n#YARD cpus=4 chain\npython train.py\n'],
  ])('are no mistakes: %j', (script) => expect(said(script)).toEqual([]));

  it.each([
    [slurm('#YARD chekpoints=out'), '3 error yard'],
    [slurm('#YARD checkpoints=$SLURM_JOB_ID'), '3 error yard'],
    [slurm('#YARD chain', '#YARD persist=/p'), '3 error yard'],
    [slurm('#YARD share=half'), '3 error yard'],
    [grid('#YARD gpu-log=$TMPDIR/g.log'), '3 error yard'],
    [slurm('#SBATCH --no-requeue', '#YARD chain'), '4 error yard'],
    [grid('#$ -r n', '#YARD chain'), '4 error yard'],
    [slurm('#SBATCH --array=0-3', '#YARD checkpoints=out chain'), '4 warning yard'],
    [slurm('#YARD cpus=4 chain'), '3 hint yard'],
    [slurm('#YARD checkpoints=out'), '3 hint yard'],
    ['#!/bin/bash\n#SBATCH -n 1\n#YARD chain\nsrun a\n', '3 hint yard'],
    ['#!/bin/bash\n#$ -cwd\n#YARD chain\npython a.py\n', '3 hint yard'],
    [`${slurm()}#YARD chain\n`, '4 warning yard'],
    ['#!/bin/sh\n#YARD checkpoints=$RUN\npython train.py\n', '2 error yard'],
  ])('%j', (script, expected) => expect(said(script)).toEqual([expected]));

  it('are explained', () => {
    const [mistake] = findingsOf(slurm('#YARD chekpoints=out'));
    expect(mistake).toMatchObject({
      sentence: 'there is no word "chekpoints"',
      advice: 'did you mean checkpoints?',
    });
    const [late] = findingsOf(`${slurm()}#YARD chain\n`);
    expect(late?.sentence).toBe('a #YARD line after the first command has no effect');
  });
});
