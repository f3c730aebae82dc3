/** `trainyard lint` on a real yard, and that what it warns of is what jobs really do. */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packageRoot } from '../../src/platform/install.ts';
import { type SlurmYard, slurmYard } from './slurm-yard.ts';

let yard: SlurmYard;
beforeAll(async () => {
  yard = await slurmYard('');
});
afterAll(() => yard.close());

const inWorkDir = (name: string) => join(yard.workDir, name);

/** The rules that have something to say about a script of these lines. */
async function rules(name: string, lines: readonly string[]): Promise<readonly string[]> {
  writeFileSync(inWorkDir(name), lines.map((line) => `${line}\n`).join(''));
  const { scripts } = await yard.json<{ scripts: { findings: { rule: string }[] }[] }>(
    'lint',
    inWorkDir(name),
  );
  return scripts.flatMap(({ findings }) => findings.map(({ rule }) => rule));
}

describe('what it warns of is so', () => {
  test('a variable that is not exported does not reach the program', async () => {
    writeFileSync(inWorkDir('show.pl'), 'print $ENV{LINT_DATA_DIR} // "nothing";');
    const head = ['#!/bin/sh', '#SBATCH -o seen'];
    expect(await rules('a.sh', [...head, "LINT_DATA_DIR='/data'", 'perl show.pl'])).toEqual(['not-exported']);
    await yard.good('sbatch --wait a.sh');
    expect(readFileSync(inWorkDir('seen'), 'utf8')).toBe('nothing');
    expect(await rules('a.sh', [...head, "export LINT_DATA_DIR='/data'", 'perl show.pl'])).toEqual([]);
    await yard.good('sbatch --wait a.sh');
    expect(readFileSync(inWorkDir('seen'), 'utf8')).toBe('/data');
  });

  test('a program that nothing waits for ends with the job', async () => {
    const body = ['#!/bin/bash', '#SBATCH -o /dev/null', `perl -e 'sleep 3; open F, ">finished"' &`];
    expect(await rules('b.sh', body)).toEqual(['background']);
    await yard.good('sbatch --wait b.sh');
    expect(existsSync(inWorkDir('finished'))).toBe(false);
    expect(await rules('b.sh', [...body, 'wait'])).toEqual([]);
    await yard.good('sbatch --wait b.sh');
    expect(existsSync(inWorkDir('finished'))).toBe(true);
  });

  test('a failure before a pipe is lost', async () => {
    const head = ['#!/bin/bash', '#SBATCH -o /dev/null'];
    const pipe = `perl -e 'exit 4' | tee log`;
    expect(await rules('c.sh', [...head, pipe])).toEqual(['lost-status']);
    expect((await yard.bash('sbatch --wait --quiet c.sh')).code).toBe(0);
    expect(await rules('c.sh', [...head, 'set -o pipefail', pipe])).toEqual([]);
    expect((await yard.bash('sbatch --wait --quiet c.sh')).code).toBe(4);
  });

  test('a directory for output is not made', async () => {
    const lines = ['#!/bin/sh', '#SBATCH -o lint-logs/%j.out', 'mkdir -p lint-logs', 'perl -v'];
    // Relative paths begin where lint is called.
    writeFileSync(inWorkDir('d.sh'), `${lines.join('\n')}\n`);
    const warned = await yard.bash('trainyard lint d.sh');
    expect(warned).toMatchObject({ code: 1 });
    expect(warned.stdout).toMatch(/^d\.sh:2: warning: -o: there is no directory .*\/lint-logs/);
    expect((await yard.bash('sbatch --wait d.sh')).code).not.toBe(0);
    mkdirSync(inWorkDir('lint-logs'));
    expect((await yard.bash('trainyard lint -q d.sh')).code).toBe(0);
    await yard.good('sbatch --wait d.sh');
  });

  test('what it calls an error is refused by sbatch', async () => {
    for (const line of [
      '--tme=5',
      '--time=24h',
      '--mem=4.5G',
      '--ntasks',
      'job-name=a',
      '--array=1..5',
      '--job-name="a',
    ]) {
      writeFileSync(inWorkDir('e.sh'), `#!/bin/sh\n#SBATCH ${line}\ntrue\n`);
      const lint = await yard.bash('trainyard lint e.sh');
      expect(lint, line).toMatchObject({ code: 1 });
      expect(lint.stdout, line).toMatch(/^e\.sh:2: error:/);
      expect((await yard.bash('sbatch e.sh')).code, line).not.toBe(0);
    }
    writeFileSync(inWorkDir('e.sh'), '#!/bin/sh\r\ntrue\r\n');
    expect((await yard.bash('trainyard lint e.sh')).stdout).toMatch(/^e\.sh:1: error:/);
    expect((await yard.bash('sbatch e.sh')).code).not.toBe(0);
  });
});

test('the scripts of the examples have nothing to answer for but the one that is meant to', async () => {
  const scripts = [
    'digits/train.sh',
    'grid-engine/mlp-job.sh',
    'grid-engine/mlp-job-unexported.sh',
    'checkpoint-sync/bin/horovod-single-node-job.sh',
    'checkpoint-sync/bin/horovod-single-node-yard.sh',
    'requeue/chained.bash',
    'requeue/mnist.bash',
  ];
  const paths = scripts.map((name) => join(packageRoot(), 'examples', name)).join(' ');
  const { stdout, code } = await yard.bash(`trainyard lint -q ${paths}`);
  expect(code).toBe(1);
  expect(stdout.split('\n')).toEqual([
    expect.stringMatching(/mlp-job-unexported\.sh:3: +warning: MLP_DATA_DIR is set but not exported/),
    '',
  ]);
});

test('stdin, several at once, and what cannot be read', async () => {
  expect(await yard.good(`printf '#!/bin/sh\\ntrue\\n' | trainyard lint -`)).toBe(
    '1 script: nothing found\n',
  );
  expect((await yard.bash('trainyard lint no-such-script')).code).toBe(2);
  expect((await yard.bash('trainyard lint')).code).toBe(2);
});
