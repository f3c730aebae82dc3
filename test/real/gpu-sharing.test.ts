/** The nine jobs of examples/gpu-sharing with doit, by both ways of its README: TensorFlow, PyTorch and JAX for real, on CPUs. */

import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packageRoot } from '../../src/platform/install.ts';
import { type ShellYard, shellYard } from '../end-to-end/shell-yard.ts';
import { frameworkTools, whyMissing } from './tools.ts';

const missing = whyMissing('tools', 'debian', 'lightning', 'frameworks');
const TASKS = Array.from({ length: 9 }, (_, n) => `.  ${n}`);
const KINDS = ['jax', 'tf', 'torch'].map((name) => `${name}_mnist_train.py::train_job`);

describe.skipIf(missing !== null)(`doit${missing === null ? '' : `: ${missing}`}`, () => {
  let yard: ShellYard;
  beforeAll(async () => {
    yard = await shellYard(
      '[node]\ncpus = 8\ngpus = "4x16G"\n',
      (workDir) => `${frameworkTools()}export PATH="${workDir}/bin:$PATH" TF_CPP_MIN_LOG_LEVEL=2
export PYTHONPATH="$PYTHONPATH:${packageRoot()}/python"\n`,
    );
    for (const name of ['digits', 'gpu-sharing'])
      cpSync(join(packageRoot(), 'examples', name), join(yard.workDir, name), { recursive: true });
    mkdirSync(join(yard.workDir, 'bin'));
    symlinkSync('/usr/bin/python3', join(yard.workDir, 'bin', 'python'));
    const doit = '#!/bin/sh\nexec python -m doit "$@"\n';
    writeFileSync(join(yard.workDir, 'bin', 'doit'), doit, { mode: 0o755 });
  });
  afterAll(() => yard.close());

  const tasksIn = (text: string) =>
    text
      .split('\n')
      .filter((line) => /^\. {2}\d$/.test(line))
      .toSorted();
  const runsByKind = async () => {
    const { footprints } = JSON.parse(await yard.good('trainyard footprints --json')) as {
      footprints: { footprint: { key: { label: string }; memory: { count: number } } }[];
    };
    return footprints.map(({ footprint }) => [footprint.key.label, footprint.memory.count]).toSorted();
  };

  test('in one go, each framework for real', async () => {
    const text = await yard.good('cd gpu-sharing && glb-run "doit -v 2 -d . -f example_doit.py -n 9"');
    expect(tasksIn(text)).toEqual(TASKS);
    expect(text).not.toContain('is not installed');
    expect(text.match(/^epoch 4\/4 loss \S+ accuracy 0\.[789]\d*$/gm)).toHaveLength(9);
    expect(await runsByKind()).toEqual(KINDS.map((kind) => [kind, 3]));
  });

  test('in two terminals, under the other name', async () => {
    const text = await yard.good(
      `(cd gpu-sharing && exec glb-start) >glb.log & glb=$!
until grep -qs Managing glb.log; do sleep 0.1; done
cd gpu-sharing && doit -d . -f mnist_doit.py -n 9; code=$?
kill -TERM $glb; wait $glb || code=$?; exit $code`,
    );
    expect(tasksIn(text)).toEqual(TASKS);
    const log = readFileSync(join(yard.workDir, 'glb.log'), 'utf8');
    expect(log).toContain('INFO     Managing GPUs {0, 1, 2, 3}');
    expect(log).toContain('INFO     [GPUMaster] Cleaning up...');
    expect(await runsByKind()).toEqual(KINDS.map((kind) => [kind, 6]));
  });
});
