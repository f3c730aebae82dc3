import { describe, expect, it } from 'vitest';
import { NOTHING_KEPT } from '../../model/keeping.ts';
import { refusal } from '../../model/refusal.ts';
import { aYard, refused, run, specOf } from './submit/fake-qsub.ts';

const yardWith = (...lines: readonly string[]) =>
  aYard({ 't.sh': `#!/bin/sh\n${lines.map((line) => `${line}\n`).join('')}python train.py\n` });
const spec = (lines: readonly string[], argv: readonly string[] = []) =>
  specOf([...argv, 't.sh'], yardWith(...lines));

describe('#YARD lines in a script for Grid Engine', () => {
  it('say how GPUs are shared', () => {
    const one = { count: 1, kind: null, shareMillis: 1000 };
    expect(spec(['#$ -l gpu=1']).resources.gpus).toEqual({ ...one, per: expect.any(String) });
    expect(spec(['#$ -l gpu=1', '#YARD share']).resources.gpus).toMatchObject({ ...one, sharing: 'auto' });
    expect(spec(['#YARD share=limited kind=x gpu-log=~/g.log'])).toMatchObject({
      kind: 'x',
      gpuLog: '/home/ada/g.log',
      resources: { gpus: { ...one, sharing: 'auto', isLimited: true } },
    });
    expect(refused(['t.sh'], yardWith('#YARD share=whole')).stderr).toContain('the job asks for no GPUs');
  });

  it('say what is kept of the job, from where it runs', () => {
    const lines = ['#YARD checkpoints=out persist=$HOME/results/%x keep-for=36h'];
    const kept = {
      ...NOTHING_KEPT,
      checkpoints: '/home/ada/out',
      persist: '/home/ada/results/%x',
      keepForMs: 36 * 3_600_000,
    };
    expect(spec(lines).keeping).toEqual(kept);
    expect(spec(lines, ['-cwd']).keeping).toEqual({ ...kept, checkpoints: '/home/ada/work/out' });
    expect(spec([])).not.toHaveProperty('keeping');
  });

  it('chain the job, as do checkpoints and -r y; then it may be started again', () => {
    expect(spec(['#YARD chain'])).toMatchObject({ chain: true, requeue: true });
    expect(spec(['#YARD checkpoints=out'])).toMatchObject({ requeue: false });
    expect(spec(['#YARD checkpoints=out']).chain).toBeUndefined();
    expect(spec(['#YARD checkpoints=out', '#$ -r y'])).toMatchObject({ chain: true, requeue: true });
    expect(spec(['#YARD checkpoints=out', '#$ -r y'], ['-r', 'n']).chain).toBeUndefined();
    expect(spec([], ['-r', 'y']).chain).toBeUndefined();
  });

  it('are refused as other mistakes in a script are', () => {
    expect(refused(['t.sh'], yardWith('#YARD checkpoints=$JOB_ID/out'))).toEqual({
      code: 7,
      stdout: '',
      stderr:
        'Unable to read script file because of error: checkpoints "$JOB_ID/out": no shell reads this, so $JOB_ID stays as it is\nwrite %j for it\n',
    });
    expect(refused(['-r', 'n', 't.sh'], yardWith('#YARD chain')).stderr).toContain(
      'chain starts the job again',
    );
  });

  it('warn of what has no effect', () => {
    const ran = run(yardWith('#YARD memory=4G checkpoints=out/%x'), ['-t', '1-4', 't.sh']);
    expect(ran.code).toBe(0);
    expect(ran.stderr).toBe(
      'qsub: warning: #YARD memory: only `trainyard submit` reads that, so it has no effect here\n' +
        'qsub: warning: all elements keep their checkpoints in "/home/ada/out/%x", so they run one at a time; with %a in it each has its own\n',
    );
  });

  it('are nothing to a command', () => {
    expect(specOf(['-b', 'y', 't.sh'], yardWith('#YARD chain')).chain).toBeUndefined();
  });
});

describe('the code of a job', () => {
  it('is kept from where the job runs', () => {
    const yard = yardWith('#YARD snapshot');
    expect(specOf(['-cwd', 't.sh'], yard).keeping?.snapshot).toEqual({
      tree: 'tree-0',
      root: '/home/ada/work',
      below: '',
    });
    expect(yard.snapshots).toEqual(['/home/ada/work']);
  });

  it('or the job is rejected, and told why', () => {
    const yard = yardWith('#YARD snapshot');
    yard.snapshot = { ok: false, refusal: refusal('tooLarge', 'the code has 9G', 'leave some out') };
    expect(refused(['t.sh'], yard).stderr).toBe(
      'Unable to run job: job rejected: the code has 9G\nleave some out\nExiting.\n',
    );
  });

  it('is left alone by a trial', () => {
    const yard = yardWith('#YARD snapshot');
    run(yard, ['-w', 'v', 't.sh']);
    run(yard, ['-verify', 't.sh']);
    expect(yard.snapshots).toEqual([]);
  });
});
