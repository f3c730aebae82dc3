/** Python libraries that hand functions to Grid Engine, dask-jobqueue and pysge, and one that reads what was saved. */

import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packageRoot } from '../../src/platform/install.ts';
import { type GridEngineYard, gridEngineYard } from '../end-to-end/grid-engine-yard.ts';
import { digits, program, pythonTools, whyMissing } from './tools.ts';

const missing = whyMissing('tools');

describe.skipIf(missing !== null)(`dask-jobqueue and pysge${missing === null ? '' : `: ${missing}`}`, () => {
  let yard: GridEngineYard;
  beforeAll(async () => {
    yard = await gridEngineYard('[node]\ncpus = 4\nmemory = "4G"\n');
  });
  afterAll(() => yard.close());

  const lastLine = async (file: string) => {
    const printed = await yard.good(`${pythonTools()}timeout 180 python ${program(file)} </dev/null`);
    return JSON.parse(printed.trim().split('\n').at(-1) ?? '');
  };

  test('workers of dask are jobs, and are gone when it closes', async () => {
    const said = await lastLine('dask_squares.py');
    expect(said).toMatchObject({ squares: 2470, running: 2 });
    expect(said.script).toContain('#$ -l h_rt=00:10:00\n');
    await yard.good('until [ -z "$(qstat)" ]; do sleep 0.1; done');
    expect(
      (await yard.good('ls logs')).split('\n').filter((name) => /^dask-worker\.o\d+$/.test(name)),
    ).toHaveLength(2);
  });

  test('what the example saves, NumPy reads', async () => {
    const example = join(packageRoot(), 'examples', 'grid-engine', 'example-tf-mnist-train-job.py');
    await yard.good(
      `qsub -sync y -q cpu -v MLP_DATA_DIR=${digits},OUTPUT_DIR=$PWD/saved,NUM_EPOCHS=2 ${example}`,
    );
    const shapes = `import json, numpy, sys; print(json.dumps({n: list(a.shape) for f in sys.argv[1:] for n, a in numpy.load(f).items()}))`;
    const read = await yard.good(
      `${pythonTools()}python -c '${shapes}' saved/*/run.npz saved/*/checkpoints/model.ckpt-180`,
    );
    expect(JSON.parse(read)).toEqual({
      train_error: [2],
      train_accuracy: [2],
      valid_error: [2],
      valid_accuracy: [2],
      hidden: [24, 65],
      output: [10, 25],
      global_step: [1],
    });
  });

  test('functions as tasks of an array, by pysge', async () => {
    expect(await lastLine('pysge_powers.py')).toEqual([1, 8, 27, 64, 125]);
  });
});
