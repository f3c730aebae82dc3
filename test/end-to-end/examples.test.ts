/** The examples, run as their READMEs say, each on a yard and from a copy of its own. */

import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packageRoot } from '../../src/platform/install.ts';
import { type SlurmYard, slurmYard } from './slurm-yard.ts';

const examples = join(packageRoot(), 'examples');

let yard: SlurmYard;
beforeAll(async () => {
  const config = readFileSync(join(examples, 'horovod', 'trainyard.toml'), 'utf8');
  yard = await slurmYard(`${config}\n[queues.gpu-2080ti-interactive]\n`);
  for (const name of ['digits', 'requeue', 'horovod']) {
    cpSync(join(examples, name), join(yard.workDir, name), { recursive: true });
  }
});
afterAll(() => yard.close());

describe('requeue', () => {
  test('several requeues to the end, no epoch lost or repeated, and what one run would have learnt', async () => {
    await yard.good('cd requeue && sbatch --wait mnist.bash --epochs 4 --seconds 0.1');
    const inParts = readFileSync(join(yard.workDir, 'requeue', 'mnist-1.out'), 'utf8');
    expect(epochsIn(inParts)).toEqual([1, 2, 3, 4]);
    expect(inParts.match(/^run \d on .* ended with \d$/gm)).toHaveLength(4);
    expect(inParts).toMatch(/^run 3 on .* ended with 0$/m);
    expect(await yard.good('sacct -n -X -P --duplicates -o JobID,State')).toBe(
      `${'1|REQUEUED\n'.repeat(3)}1|COMPLETED\n`,
    );

    await yard.good('cd requeue && sbatch --wait mnist.bash --epochs 4');
    const inOne = readFileSync(join(yard.workDir, 'requeue', 'mnist-2.out'), 'utf8');
    const last = (text: string) => /^epoch 4\/4 loss \S+ accuracy \S+/m.exec(text)?.[0];
    expect(last(inParts)).toBe(last(inOne));
  });
});

describe('horovod', () => {
  /** Its own, because the script writes under /tmp by this name. */
  const name = `horovod-keras-single-node-benchmark-${process.pid}`;
  afterAll(() => rmSync(join('/tmp', name), { recursive: true, force: true }));

  test('the script as it is: local checkpoints, copies in the background, and a log of the GPUs', async () => {
    const home = join(yard.workDir, 'home');
    mkdirSync(home);
    writeFileSync(
      join(home, '.bash_profile'),
      `. ${join(yard.workDir, 'horovod', 'stand-ins', 'profile')}\n`,
    );
    const said = await yard.good(`cd horovod/bin && export HOME=${home}
JOB_NAME=${name}
mkdir ../results/$JOB_NAME
TRAINING_SCRIPT=../src/horovod-keras-example/train.py
DATA_DIR=/local/reference/CV/ILSVR/classification-localization/data/jpeg
sbatch --job-name $JOB_NAME --mail-user USER_EMAIL --mail-type=ALL --export SRC_DIR=$SRC_DIR,DATA_DIR=$DATA_DIR horovod-single-node-job.sh`);
    const job = /^Submitted batch job (\d+)\n$/.exec(said)?.[1] ?? '';
    expect(await yard.ended(job)).toBe('COMPLETED');

    const results = join(yard.workDir, 'horovod', 'results', name);
    const output = readFileSync(join(results, `slurm-${job}.out`), 'utf8');
    expect(epochsIn(output)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(output.match(/^rank \d of 8$/gm)?.toSorted()).toEqual(
      Array.from({ length: 8 }, (_, rank) => `rank ${rank} of 8`),
    );
    expect(readFileSync(join(results, `slurm-${job}.err`), 'utf8')).toBe(
      'stand-in: module load cuda/10.0.130\nstand-in: conda activate ../env\n',
    );
    expect(readdirSync(join(results, 'logs', 'checkpoints'))).toHaveLength(10);
    expect(readdirSync(join('/tmp', name, job, 'logs', 'checkpoints'))).toHaveLength(10);
    const gpus = [...readFileSync(join(results, 'logs', 'nvidia-smi.log'), 'utf8').matchAll(/:\d\d +(\d) /g)];
    expect(new Set(gpus.map((match) => match[1])).size).toBe(8);
  });
});

function epochsIn(text: string): number[] {
  return [...text.matchAll(/^epoch (\d+)\//gm)].map((match) => Number(match[1]));
}
