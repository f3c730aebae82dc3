import { describe, expect, it } from 'vitest';
import { complaint, submitted, yardWith } from './fake-submit.ts';
import { run } from './fake-yard.ts';

const scriptWith = (line: string) => `#!/bin/sh\n#YARD ${line}\npython train.py\n`;
const ONE = { count: 1, per: 'job', kind: null, shareMillis: 1000 };
const gpusOf = (argv: readonly string[], line = '') =>
  submitted(argv, line === '' ? undefined : scriptWith(line)).resources.gpus;

describe('how a job wants its GPUs', () => {
  it('is said on the command line and in the script alike, and the command line wins', () => {
    const words = {
      kind: 'resnet',
      gpuLog: '/home/ada/work/gpu.log',
      resources: { gpus: { ...ONE, sharing: 'auto' } },
    };
    expect(submitted(['--share', '--kind', 'resnet', '--gpu-log', 'gpu.log', '--', 'x'])).toMatchObject(
      words,
    );
    expect(submitted(['train.sh'], scriptWith('share kind=resnet gpu-log=gpu.log'))).toMatchObject(words);
    expect(gpusOf(['--share=whole', '-g', '2', 'train.sh'], 'share')).toEqual({
      ...ONE,
      count: 2,
      sharing: 'whole',
    });
    expect(gpusOf(['--share=limited', 'train.sh'], 'share')).toEqual({
      ...ONE,
      sharing: 'auto',
      isLimited: true,
    });
  });

  it('is left to the queue when nobody says so', () => {
    expect(gpusOf(['-g', '1', 'train.sh'])).toEqual(ONE);
    expect(gpusOf(['train.sh'])).toBeNull();
  });

  it('does not matter to a job that is told to take no GPU', () => {
    expect(gpusOf(['--gpus', '0', 'train.sh'], 'share')).toBeNull();
  });

  it('is refused with a hint, as any wrong option', () => {
    expect(complaint(['--share=half', '--', 'x'])).toContain(
      'trainyard: --share "half": auto, limited or whole is wanted\n  hint: auto: as much as its kind was seen to use;',
    );
    expect(complaint(['--share', '-g', '0.5', '--', 'x'])).toBe(
      'trainyard: --share: the job says already that it wants 0.5 of a GPU\n  hint: leave out one of the two\n',
    );
    expect(run(yardWith(), ['submit', '--kind', '', 'train.sh']).code).toBe(2);
  });

  it('is noted where it says nothing', () => {
    const ran = run(yardWith(), ['submit', '--gpu-log', 'x', 'train.sh']);
    expect(ran).toMatchObject({ code: 0 });
    expect(ran.stderr).toContain('note: gpu-log: the job asks for no GPUs');
  });
});
