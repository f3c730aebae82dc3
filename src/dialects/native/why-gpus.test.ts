import { describe, expect, it } from 'vitest';
import type { Estimate } from '../../model/footprint.ts';
import type { DeviceHold, GpuExplanation, Reason, Shortage } from '../../model/reason.ts';
import { aFootprint, aJob, aView, fakeYard, MINUTE, NOW, runningJob } from '../fake-yard.ts';
import { run } from './fake-yard.ts';

const GIB = 2 ** 30;
const { key } = aFootprint();
const ESTIMATE: Estimate = {
  key,
  device: 'v100',
  runs: 3,
  seenBytes: 3.1 * GIB,
  memoryBytes: 3.5 * GIB,
  marginMillis: 144,
  loadMillis: 200,
  basis: 'seen',
};
const HOLD: DeviceHold = {
  node: 'node1',
  index: 0,
  device: 'v100',
  totalBytes: 16 * GIB,
  millis: 219,
  loadMillis: 200,
  isLearning: false,
  neighbours: [9, 11],
};
const NEIGHBOURS = [
  aView(runningJob(9)),
  aView({ ...runningJob(11), element: { array: 8, index: 3 } }),
  aView(runningJob(12, { limitMs: 17 * MINUTE })),
];

function running(gpus: Partial<GpuExplanation>): string {
  const whole = { manner: 'auto', estimates: [ESTIMATE], holds: [HOLD], ...gpus } as const;
  const explanation = { reason: null, expectedStartAt: null, priority: null, ahead: 0, gpus: whole };
  const yard = fakeYard({
    views: [aView(runningJob(17)), ...NEIGHBOURS],
    explanations: new Map([[17, explanation]]),
  });
  const { stdout } = run(yard, ['why', '17']);
  return stdout.replace('job 17 is running on node1, for 5m now; it has no time limit. ', '').trimEnd();
}

function waiting(reason: Reason, gpus: Partial<GpuExplanation> = {}): string {
  const whole = { manner: 'auto', estimates: [], holds: [], ...gpus } as const;
  const explanation = { reason, expectedStartAt: NOW + 12 * MINUTE, priority: null, ahead: 0, gpus: whole };
  const yard = fakeYard({
    views: [aView(aJob(), { reason }), ...NEIGHBOURS],
    explanations: new Map([[17, explanation]]),
  });
  return run(yard, ['why', '17']).stdout.trimEnd();
}

describe('why a job is on its GPUs', () => {
  it('beside others: what its kind was seen to use', () => {
    expect(running({})).toBe(
      'It shares GPU 0 (v100, 16G) with jobs 9 and 8_3. Jobs like `train.py` were seen 3 times to use 3.1G at most; ' +
        'with a margin of 14 % it is given 3.5G, and 20 % of the load.',
    );
  });

  it('for other reasons than having been seen', () => {
    const say = (estimate: Partial<Estimate>, hold: Partial<DeviceHold> = {}) =>
      running({ estimates: [{ ...ESTIMATE, ...estimate }], holds: [{ ...HOLD, neighbours: [], ...hold }] });
    expect(say({ basis: 'provisional', marginMillis: 500, runs: 0 })).toBe(
      'It has GPU 0 (v100, 16G) to itself. A job like `train.py` that still runs has used 3.1G so far; ' +
        'with a margin of 50 % it is given 3.5G, and 20 % of the load.',
    );
    expect(say({ basis: 'ranOut' })).toContain(
      'A job like `train.py` ran out of memory with less than 3.5G; it is given 3.5G',
    );
    expect(say({ basis: 'set' })).toContain(
      'Somebody has said that jobs like `train.py` use 3.5G; it is given 3.5G',
    );
    expect(say({ runs: 1 }, { millis: 1000 })).toContain(
      'were seen once to use 3.1G at most; with a margin of 14 % it is given all of the GPU.',
    );
    expect(say({}, { millis: 500, loadMillis: null })).toContain(
      '; by what was known when it started it is given 8G.',
    );
    expect(running({ estimates: [] })).toContain('What jobs like it use is not known.');
  });

  it('alone, being the first of its kind', () => {
    expect(
      running({ estimates: [], holds: [{ ...HOLD, isLearning: true, millis: 1000, neighbours: [] }] }),
    ).toBe(
      'It is the first of its kind on a GPU v100: it has GPU 0 (v100, 16G) alone until it is known what such jobs use.',
    );
  });

  it('as it asked for', () => {
    const alone = { ...HOLD, neighbours: [] };
    expect(running({ manner: 'whole', holds: [alone] })).toBe(
      'It has GPU 0 (v100, 16G) to itself. It asked for a whole GPU: --share would let it share.',
    );
    expect(running({ manner: 'whole', holds: [alone, { ...alone, index: 1 }] })).toBe(
      'It has GPUs 0 and 1 (v100, 16G) to itself. It asked for 2 whole GPUs: --share would let it share.',
    );
    expect(running({ manner: 'declared', holds: [{ ...HOLD, millis: 250, neighbours: [9] }] })).toBe(
      'It shares GPU 0 (v100, 16G) with job 9. It asked for 25 % of a GPU.',
    );
    expect(running({ manner: 'whole', holds: [alone, { ...alone, node: 'n2', device: 'k80' }] })).toContain(
      'It has GPU 0 of node1 (v100, 16G) and GPU 0 of n2 (k80, 16G) to itself.',
    );
  });
});

describe('why a job waits for a GPU', () => {
  const lacking = (short: Shortage): Reason => ({ kind: 'resources', short: [short], waitsFor: [12] });

  it('with room for what its kind uses', () => {
    const short = { resource: 'gpuMemory', wanted: 3.5 * GIB, free: 2 * GIB, total: 16 * GIB } as const;
    expect(waiting(lacking(short), { estimates: [ESTIMATE] })).toBe(
      'job 17 waits for free GPU memory: it wants 3.5G on one GPU, 2G of 16G is free. ' +
        'Job 12 holds the rest; it should end by 14:32. ' +
        'Jobs like `train.py` were seen 3 times to use 3.1G at most; with a margin of 14 % it is to get 3.5G of a GPU v100, ' +
        'and 20 % of the load. Expected start: about 14:32 (in 12m).',
    );
  });

  it('that is less busy', () => {
    expect(waiting(lacking({ resource: 'gpuLoad', wanted: 300, free: 150, total: 1000 }))).toContain(
      'waits for a GPU that is less busy: it wants 30 % of one GPU, 15 % of 100 % is free.',
    );
  });

  it('that strangers use', () => {
    const short = { resource: 'gpuMemory', wanted: 8 * GIB, free: 4 * GIB, total: 16 * GIB } as const;
    const foreign = [{ node: 'node1', index: 0, bytes: 12 * GIB }];
    expect(waiting({ kind: 'resources', short: [short], waitsFor: [], foreign })).toContain(
      '4G of 16G is free. GPU 0 has 12G in use by processes that this yard did not start.',
    );
    const both = [...foreign, { node: 'n2', index: 1, bytes: GIB }];
    expect(waiting({ kind: 'resources', short: [short], waitsFor: [], foreign: both })).toContain(
      'GPU 0 of node1 has 12G in use and GPU 1 of n2 has 1G in use by processes that this yard did not start.',
    );
  });

  it('that it would have to share', () => {
    const short = { resource: 'gpus', wanted: 1, free: 0, total: 2 } as const;
    expect(waiting(lacking(short), { manner: 'whole' })).toContain(
      'Job 12 holds the others; it should end by 14:32. It asked for a whole GPU: --share would let it share.',
    );
    expect(waiting({ kind: 'priority', behind: null, ahead: 1 }, { manner: 'whole' })).not.toContain(
      '--share',
    );
  });

  it('until another of its kind has shown what it uses', () => {
    const reason: Reason = { kind: 'learning', job: 11, label: 'train.py --lr 0.1', device: 'v100' };
    expect(waiting(reason)).toContain(
      'job 17 waits for job 8_3, the first like `train.py --lr 0.1` on a GPU v100: ' +
        'once that one has shown what such jobs use, they can share.',
    );
    const yard = fakeYard({ views: [aView(aJob(), { reason })] });
    expect(run(yard, ['queue']).stdout).toContain('job 11 shows what its kind uses');
  });
});
