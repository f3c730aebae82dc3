import { describe, expect, it } from 'vitest';
import { bytesFromText } from '../../model/bytes.ts';
import type { JobSpec } from '../../model/job-spec.ts';
import { NOTHING_KEPT } from '../../model/keeping.ts';
import { refusal } from '../../model/refusal.ts';
import { type FakeYard, fakeYard, type Ran, runDialect } from '../fake-yard.ts';
import { slurmProgram } from './run.ts';
import { sbatch } from './sbatch.ts';

const HOME = 'HOME=/home/ada\0';

function yardWith(...directives: readonly string[]): FakeYard {
  const script = `#!/bin/bash\n${directives.map((line) => `${line}\n`).join('')}srun python train.py\n`;
  return fakeYard({ files: new Map([['/home/ada/work/t.sh', bytesFromText(script)]]) });
}

function run(yard: FakeYard, argv: readonly string[] = [], variables = HOME): Ran {
  const environment = bytesFromText(variables);
  return runDialect(slurmProgram(sbatch), yard, ['sbatch', ...argv, 't.sh'], { environment });
}

function submitted(yard: FakeYard, argv: readonly string[] = [], variables = HOME): JobSpec {
  const ran = run(yard, argv, variables);
  const [command] = yard.commands;
  if (command?.type !== 'submit' || ran.stderr !== '') throw new Error(ran.stderr);
  return command.spec;
}

/** What was said, once it is sure that nothing was left behind. */
function refused(yard: FakeYard, argv: readonly string[] = []): string {
  const ran = run(yard, argv);
  expect(ran).toMatchObject({ code: 1, stdout: '' });
  expect([yard.commands, yard.blobs]).toEqual([[], []]);
  return ran.stderr;
}

describe('#YARD lines in a batch script', () => {
  it('say how GPUs are shared', () => {
    const spec = submitted(yardWith('#SBATCH --gres=gpu:v100:2', '#YARD share kind=resnet gpu-log=g.log'));
    expect(spec).toMatchObject({ kind: 'resnet', gpuLog: '/home/ada/work/g.log' });
    expect(spec.resources.gpus).toEqual({
      count: 2,
      per: 'node',
      kind: 'v100',
      shareMillis: 1000,
      sharing: 'auto',
    });
    expect(submitted(yardWith('#YARD share=limited')).resources.gpus).toMatchObject({
      count: 1,
      isLimited: true,
    });
    expect(submitted(yardWith('#YARD share'), ['--gres=none']).resources.gpus).toBeNull();
    expect(refused(yardWith('#YARD share=half'))).toContain(
      'sbatch: error: share "half": auto, limited or whole is wanted\n',
    );
  });

  it('say what is kept of the job', () => {
    const yard = yardWith(
      '#SBATCH --chdir=/data/run',
      '#YARD checkpoints=$SCRATCH/out persist=~/results/%x',
      '#YARD keep=3 logs=tb:/data/tb',
    );
    const spec = submitted(yard);
    expect(spec.keeping).toEqual({
      ...NOTHING_KEPT,
      checkpoints: '$SCRATCH/out',
      persist: '/home/ada/results/%x',
      keepCount: 3,
      logs: [{ from: '/data/run/tb', to: '/data/tb' }],
      scratch: { maxBytes: null },
    });
    expect(spec.chain).toBeUndefined();
  });

  it('leave a job without them as it was', () => {
    expect(submitted(yardWith())).not.toHaveProperty('keeping');
    expect(submitted(yardWith(), ['--requeue'])).not.toHaveProperty('chain');
  });

  it('chain the job, as do checkpoints and --requeue from anywhere', () => {
    expect(submitted(yardWith('#YARD chain')).chain).toBe(true);
    const checkpoints = '#YARD checkpoints=out';
    expect(submitted(yardWith(checkpoints)).chain).toBeUndefined();
    expect(submitted(yardWith(checkpoints), ['--requeue']).chain).toBe(true);
    expect(submitted(yardWith(checkpoints, '#SBATCH --requeue')).chain).toBe(true);
    expect(submitted(yardWith(checkpoints), [], `${HOME}SBATCH_REQUEUE=1\0`).chain).toBe(true);
    expect(submitted(yardWith(checkpoints, '#SBATCH --requeue'), ['--no-requeue']).chain).toBeUndefined();
  });

  it('are refused in a sentence', () => {
    expect(refused(yardWith('#YARD chain'), ['--no-requeue'])).toBe(
      'sbatch: error: chain starts the job again, and elsewhere it says that it may not be\n' +
        'sbatch: error: leave out one of the two\n',
    );
    expect(refused(yardWith('#YARD persist=/p'))).toContain('sbatch: error: persist says what becomes of');
    expect(refused(yardWith('#SBATCH -n 1', '#YARD chekpoints=x'))).toContain(
      '#YARD in line 3: there is no word "chekpoints"',
    );
  });

  it('warn of what has no effect, unless told to be quiet', () => {
    const lines = ['#YARD cpus=4 checkpoints=out', '#SBATCH --array=0-3'];
    expect(run(yardWith(...lines))).toEqual({
      code: 0,
      stdout: 'Submitted batch job 17\n',
      stderr:
        'sbatch: warning: #YARD cpus: only `trainyard submit` reads that, so it has no effect here\n' +
        'sbatch: warning: all elements keep their checkpoints in "/home/ada/work/out", so they run one at a time; with %a in it each has its own\n',
    });
    expect(run(yardWith(...lines), ['-Q']).stderr).toBe('');
  });
});

describe('the code of a batch job', () => {
  it('is kept from where the job runs', () => {
    const yard = yardWith('#YARD snapshot');
    const spec = submitted(yard, ['--chdir=sub']);
    expect(yard.snapshots).toEqual(['/home/ada/work/sub']);
    expect(spec.keeping?.snapshot).toEqual({ tree: 'tree-0', root: '/home/ada/work', below: '' });
  });

  it('or the job is refused, and told why', () => {
    const yard = yardWith('#YARD snapshot');
    yard.snapshot = { ok: false, refusal: refusal('tooLarge', 'the code has 9G', 'leave some out') };
    expect(refused(yard)).toBe(
      'sbatch: error: Batch job submission failed: the code has 9G\nsbatch: error: leave some out\n',
    );
  });

  it('is left alone by a trial', () => {
    const yard = yardWith('#YARD snapshot');
    run(yard, ['--test-only']);
    expect(yard.snapshots).toEqual([]);
  });
});
