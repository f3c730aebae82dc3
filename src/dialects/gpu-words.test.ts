import { describe, expect, it } from 'vitest';
import { bytesFromText } from '../model/bytes.ts';
import type { JobSpec } from '../model/job-spec.ts';
import { PLAIN_SPEC } from '../model/plain.ts';
import { foreignYardLines } from './foreign-yard-lines.ts';
import { gpuWarnings, gpuWordsFrom, withGpuWords } from './gpu-words.ts';
import { KeepingMistake } from './kept-directories.ts';

const AROUND = { workDir: '/home/ada/100%', home: '/home/ada' };
const TWO = { count: 2, per: 'node', kind: 'a100', shareMillis: 1000 } as const;

function wanting(gpus: JobSpec['resources']['gpus']): JobSpec {
  return { ...PLAIN_SPEC, resources: { ...PLAIN_SPEC.resources, gpus } };
}

function read(line: string, spec: JobSpec = wanting(null), wantsNone = false): JobSpec {
  const { given } = foreignYardLines(bytesFromText(`#YARD ${line}\n`));
  return withGpuWords(spec, gpuWordsFrom(given, AROUND), wantsNone);
}

function mistake(line: string, spec?: JobSpec): string {
  try {
    read(line, spec);
  } catch (error) {
    if (error instanceof KeepingMistake) return `${error.message} (${error.hint ?? ''})`;
    throw error;
  }
  throw new Error('nothing is wrong with it');
}

describe('share', () => {
  it('means one GPU where none is asked for', () => {
    const one = { count: 1, per: 'job', kind: null, shareMillis: 1000 };
    expect(read('share').resources.gpus).toEqual({ ...one, sharing: 'auto' });
    expect(read('share=auto').resources.gpus).toEqual({ ...one, sharing: 'auto' });
    expect(read('share=limited').resources.gpus).toEqual({ ...one, sharing: 'auto', isLimited: true });
  });

  it('says how the GPUs that are asked for may be had', () => {
    expect(read('share', wanting(TWO)).resources.gpus).toEqual({ ...TWO, sharing: 'auto' });
    expect(read('share=whole', wanting({ ...TWO, sharing: 'auto', isLimited: true })).resources.gpus).toEqual(
      { ...TWO, sharing: 'whole' },
    );
  });

  it('changes nothing for a job that wants no GPU in so many words, or says nothing', () => {
    expect(read('share', wanting(null), true).resources.gpus).toBeNull();
    expect(read('kind=x', wanting(TWO)).resources.gpus).toEqual(TWO);
  });

  it.each([
    ['share=some', undefined, 'share "some": auto, limited or whole is wanted'],
    ['share=whole', undefined, 'share "whole": the job asks for no GPUs'],
    [
      'share',
      wanting({ ...TWO, shareMillis: 500 }),
      'share: the job says already that it wants 0.5 of a GPU',
    ],
  ])('%s is refused', (line, spec, sentence) => {
    expect(mistake(line, spec)).toContain(sentence);
  });
});

describe('kind', () => {
  it('is a name', () => {
    expect(read('kind="my resnet"').kind).toBe('my resnet');
    expect(read('share')).not.toHaveProperty('kind');
    expect(mistake('kind=')).toContain('kind needs a name');
    expect(mistake(`kind=${'x'.repeat(201)}`)).toContain('at most 200 characters');
  });
});

describe('gpu-log', () => {
  it('is a pattern of a file, from where the job runs', () => {
    expect(read('gpu-log=gpu-%j.log').gpuLog).toBe('/home/ada/100%%/gpu-%j.log');
    expect(read('gpu-log=~/logs/%x-%N.log').gpuLog).toBe('/home/ada/logs/%x-%N.log');
    expect(read('share')).not.toHaveProperty('gpuLog');
  });

  it.each([
    ['gpu-log=', 'gpu-log needs a file'],
    ['gpu-log=$SCRATCH/gpu.log', 'that is removed when a run ends'],
    ["gpu-log='$RUN/gpu.log'", 'so $RUN stays as it is'],
    ['gpu-log=%q.log', '%q stands for nothing'],
  ])('%s is refused', (line, sentence) => {
    expect(mistake(line)).toContain(sentence);
  });

  it('is said to be empty without a GPU', () => {
    expect(gpuWarnings(read('gpu-log=x'))).toEqual([
      'gpu-log: the job asks for no GPUs, so nothing is written there',
    ]);
    expect(gpuWarnings(read('gpu-log=x share'))).toEqual([]);
  });
});
