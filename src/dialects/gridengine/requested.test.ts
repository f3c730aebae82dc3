import { describe, expect, it } from 'vitest';
import { inWords, waiting } from './fake-jobs.ts';
import {
  askedEnvironment,
  askedQueues,
  bindingText,
  deadlineOf,
  hardResources,
  predecessorsOf,
  slotRangeText,
} from './requested.ts';
import type { GridEngineWords } from './words.ts';

const said = (words: GridEngineWords) => waiting(1, inWords(words)).job;

describe('what a job asked for', () => {
  it('has its attributes in full and its times in seconds', () => {
    expect(hardResources(said({ resources: 'h_rt=0:10:0,mf=1G,h=vm|n2,rerun' }))).toEqual([
      { name: 'h_rt', value: '600' },
      { name: 'mem_free', value: '1G' },
      { name: 'hostname', value: 'vm|n2' },
      { name: 'rerun', value: 'TRUE' },
    ]);
  });

  it('has a deadline, which is not when it is ended', () => {
    expect(deadlineOf(said({}))).toBeNull();
    expect(deadlineOf(said({ deadlineAt: '1797000000000' }))).toBe(1_797_000_000_000);
    expect(deadlineOf(waiting(1, { deadlineAt: 5 }).job)).toBe(5);
  });

  it('is put into words for other dialects', () => {
    const memory = { bytes: 2 ** 30, per: 'node' } as const;
    const gpus = { count: 2, per: 'job', kind: null, shareMillis: 1000 } as const;
    const plain = waiting(1).job.spec.resources;
    const { job } = waiting(1, {
      origin: { dialect: 'slurm', words: {} },
      limitMs: 90_000,
      resources: { ...plain, memory, gpus },
    });
    expect(hardResources(job).map(({ name, value }) => `${name}=${value}`)).toEqual([
      'h_rt=90',
      'h_vmem=1024M',
      'gpu=2',
    ]);
    expect(askedQueues(job, 'queues')).toEqual(['main']);
    expect(askedQueues(said({}), 'queues')).toEqual([]);
  });

  it.each([
    ['2', '2'],
    ['1-2', '1,2'],
    ['2-4,7', '2-4,7'],
    ['4-', '4-9999999'],
    ['-3', '1-3'],
  ])('slots %s: %s', (slotRange, text) => {
    const environment = askedEnvironment(said({ pe: 'smp', slotRange }));
    expect(environment === null ? null : slotRangeText(environment)).toBe(text);
  });

  it('tells jobs that it waits for from tasks that it waits for', () => {
    const terms = [
      { kind: 'afterany', job: 2, index: null },
      { kind: 'afterany', job: 3, index: null },
      { kind: 'aftercorrany', job: 4, index: null },
    ] as const;
    const { job } = waiting(1, { ...inWords({ holdJobs: 'two,3' }), dependencies: { need: 'all', terms } });
    const isLive = (id: number) => id !== 2;
    expect(predecessorsOf(job, 'whole', isLive)).toEqual({ asked: ['two', '3'], left: [3] });
    expect(predecessorsOf(job, 'taskByTask', isLive)).toEqual({ asked: ['4'], left: [4] });
  });

  it('says to which cores it is bound', () => {
    expect(
      [said({}), said({ binding: 'linear:1' }), said({ binding: 'env linear:1' })].map(bindingText),
    ).toEqual(['NONE', 'set linear:1', 'env linear:1']);
  });
});
