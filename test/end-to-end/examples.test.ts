/** The examples, run as their READMEs say, each on a yard and from a copy of its own. */

import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packageRoot } from '../../src/platform/install.ts';
import { type SlurmYard, slurmYard } from './slurm-yard.ts';

const examples = join(packageRoot(), 'examples');

let yard: SlurmYard;
beforeAll(async () => {
  const config = readFileSync(join(examples, 'checkpoint-sync', 'trainyard.toml'), 'utf8');
  yard = await slurmYard(`${config}\n[queues.gpu-2080ti-interactive]\n`);
  for (const name of ['digits', 'requeue', 'checkpoint-sync']) {
    cpSync(join(examples, name), join(yard.workDir, name), { recursive: true });
  }
});
afterAll(() => yard.close());

describe('requeue', () => {
  test('several requeues to the end, no epoch lost or repeated, and what one run would have learnt', async () => {
    // Runs this short are taken for failures, unless the script says that they are not.
    await yard.good(
      "cd requeue && sed '2i #YARD requeue-on=3' mnist.bash >short.bash && sbatch --wait -J mnist short.bash --epochs 4 --seconds 0.1",
    );
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

  test('with a line instead: carried on through its time limits, to what one run would have learnt', async () => {
    // Slurm's limits are whole minutes.
    const [job] = numbersIn(
      await yard.good(
        'cd requeue && trainyard submit --wait -t 3s -o chained-%j.out --append -J chained chained.bash --epochs 18',
      ),
    );
    const [other] = numbersIn(
      await yard.good('cd requeue && sbatch --wait -t 1:00:00 chained.bash --epochs 18'),
    );
    const output = readFileSync(join(yard.workDir, 'requeue', `chained-${job}.out`), 'utf8');
    const beginnings = [...output.matchAll(/^beginning after epoch (\d+)$/gm)].map((match) =>
      Number(match[1]),
    );
    expect(beginnings.length).toBeGreaterThan(1);
    expect(beginnings).toEqual([...new Set(beginnings)].sort((a, b) => a - b));
    // To the last bit. What was printed is no measure: a limit may come between saving an epoch and telling of it.
    const load = (id = '') => `pickle.load(open("checkpoints/chained-${id}/epoch-18.ckpt", "rb"))`;
    expect(
      await yard.good(`cd requeue && python3 -c 'import pickle; print(${load(job)} == ${load(other)})'`),
    ).toBe('True\n');
    const kept = readdirSync(join(yard.workDir, 'requeue', 'checkpoints', `chained-${job}`));
    expect(kept.filter((each) => !each.startsWith('.')).toSorted()).toEqual([
      'epoch-16.ckpt',
      'epoch-17.ckpt',
      'epoch-18.ckpt',
    ]);
    expect(await yard.good(`sacct -n -X -P -j ${job} -o State`)).toBe('COMPLETED\n');
  }, 180_000);
});

describe('checkpoint-sync', () => {
  /** Its own, because the script writes under /tmp by this name. */
  const name = `horovod-keras-single-node-benchmark-${process.pid}`;
  afterAll(() => rmSync(join('/tmp', name), { recursive: true, force: true }));

  const home = () => join(yard.workDir, 'home');
  beforeAll(() => {
    mkdirSync(home());
    const profile = join(yard.workDir, 'checkpoint-sync', 'stand-ins', 'profile');
    writeFileSync(join(home(), '.bash_profile'), `. ${profile}\n`);
  });

  /** As the README says, with another name or script where one is given. */
  async function submit(jobName: string, script: string, options = ''): Promise<string> {
    const said = await yard.good(`cd checkpoint-sync/bin && export HOME=${home()}
JOB_NAME=${jobName}
mkdir -p ../results/$JOB_NAME
TRAINING_SCRIPT=../src/horovod-keras-example/train.py
DATA_DIR=/local/reference/CV/ILSVR/classification-localization/data/jpeg
sbatch --job-name $JOB_NAME --mail-user USER_EMAIL --mail-type=ALL --export SRC_DIR=$SRC_DIR,DATA_DIR=$DATA_DIR ${options} ${script}`);
    return /^Submitted batch job (\d+)\n$/.exec(said)?.[1] ?? '';
  }

  const resultsOf = (jobName: string) => join(yard.workDir, 'checkpoint-sync', 'results', jobName);

  test('the script as it is: local checkpoints, copies in the background, and a log of the GPUs', async () => {
    const job = await submit(name, 'horovod-single-node-job.sh');
    expect(await yard.ended(job)).toBe('COMPLETED');

    const results = resultsOf(name);
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
    expect(gpusIn(join(results, 'logs', 'nvidia-smi.log'))).toBe(8);
  });

  test('with two lines instead: whole copies on every way out, and nothing left on the node', async () => {
    const jobName = `${name}-yard`;
    const results = resultsOf(jobName);
    const kept = () =>
      readdirSync(join(results, 'logs', 'checkpoints')).filter((each) => each !== '.trainyard');
    const job = await submit(jobName, 'horovod-single-node-yard.sh');
    await yard.untilFile(`checkpoint-sync/results/${jobName}/slurm-${job}.out`, 'epoch 2/');
    await yard.good(`scancel ${job}`);
    expect(await yard.ended(job)).toMatch(/^CANCELLED/);
    const told = readFileSync(join(results, `slurm-${job}.out`), 'utf8');
    expect(kept()).toContain(`checkpoint-${Math.max(...epochsIn(told))}.json`);

    // Submitted again under the same name, it goes on.
    const again = await submit(jobName, 'horovod-single-node-yard.sh', '-t 0:20');
    expect(await yard.ended(again)).toBe('COMPLETED');
    const output = readFileSync(join(results, `slurm-${again}.out`), 'utf8');
    expect(output).toMatch(/^resumed after epoch [1-9]/m);
    expect(output).toMatch(/^epoch 10\/10 /m);
    expect(kept().toSorted()).toEqual(['checkpoint-10.json', 'checkpoint-8.json', 'checkpoint-9.json']);
    expect(gpusIn(join(results, 'logs', 'nvidia-smi.log'))).toBe(8);
    // What the first job left under the same name is put beside it.
    const logs = join(results, 'logs', 'tensorboard');
    const metrics = readdirSync(logs).map((each) => readFileSync(join(logs, each), 'utf8'));
    expect(metrics.join('')).toContain('"epoch": 1,');
    expect(metrics.join('')).toContain('"epoch": 10,');
  }, 120_000);
});

/** How many GPUs a log in the form of `nvidia-smi dmon` tells of. */
function gpusIn(path: string): number {
  const lines = [...readFileSync(path, 'utf8').matchAll(/:\d\d +(\d) /g)];
  return new Set(lines.map((match) => match[1])).size;
}

function numbersIn(text: string): string[] {
  return text.match(/\d+/g) ?? [];
}

function epochsIn(text: string): number[] {
  return [...text.matchAll(/^epoch (\d+)\//gm)].map((match) => Number(match[1]));
}
