import { describe, expect, it } from 'vitest';
import type { GpusView, GpuTenant, GpuView } from '../../model/query.ts';
import { aJob, aSpec, aView, type FakeYard, fakeYard, MINUTE, NOW } from '../fake-yard.ts';
import { run } from './fake-yard.ts';

const GIB = 2 ** 30;

function aTenant(changes: Partial<GpuTenant> = {}): GpuTenant {
  return {
    job: 12,
    displayId: '12',
    name: 'tf_mnist',
    user: 'ada',
    manner: 'auto',
    isLease: false,
    reservedBytes: 4 * GIB,
    now: { memoryBytes: 3.2 * GIB, loadMillis: 200, idleSince: null },
    ...changes,
  };
}

function aGpu(index: number, changes: Partial<GpuView> = {}): GpuView {
  const reading = {
    node: 'vm',
    index,
    usedBytes: 4.1 * GIB,
    totalBytes: 16 * GIB,
    loadMillis: 451,
    temperatureC: 48,
    powerW: 71.4,
    processes: null,
  };
  return {
    node: 'vm',
    device: { index, kind: 'simulated', memoryBytes: 16 * GIB, simulated: true },
    isUp: true,
    now: { reading, at: NOW, foreign: [] },
    reservedBytes: 6 * GIB,
    freeBytes: 10 * GIB,
    reservedLoadMillis: 300,
    tenants: [aTenant()],
    waiting: [],
    ...changes,
  };
}

function yardWith(view: Partial<GpusView>): FakeYard {
  return fakeYard({ gpus: { source: 'simulated', gpus: [], waiting: [], ...view } });
}

describe('gpus', () => {
  it('shows each device, who is on it and who waits', () => {
    const { resources } = aSpec();
    const gpus = { count: 1, per: 'job', kind: null, shareMillis: 1000, sharing: 'auto' } as const;
    const job = aJob({ id: 14 }, { name: 'resnet', user: 'bob', resources: { ...resources, gpus } });
    const short = [{ resource: 'gpuMemory', wanted: 12 * GIB, free: 10 * GIB, total: 16 * GIB }] as const;
    const view = aView(job, { reason: { kind: 'resources', short, waitsFor: [12] } });
    const wants = { manner: 'auto', estimates: [], holds: [] } as const;
    const idle = { memoryBytes: 0, loadMillis: 0, idleSince: NOW - 12 * MINUTE };
    const lease = aTenant({ job: 9, displayId: '9', name: 'lease', user: 'bob', isLease: true, now: idle });
    const foreign = [{ pid: 4711, memoryBytes: 2 * GIB, command: 'python3', user: 'eve' }];
    const first = aGpu(0);
    const yard = yardWith({
      gpus: [
        { ...first, now: first.now && { ...first.now, foreign }, tenants: [aTenant(), lease], waiting: [14] },
        aGpu(1, { now: null, tenants: [], reservedBytes: 0, freeBytes: 16 * GIB, waiting: [14] }),
      ],
      waiting: [{ view, wants }],
    });
    expect(run(yard, ['gpus']).stdout).toBe(
      [
        'GPU  MODEL      MEMORY  USED  RESERVED  FREE  LOAD   TEMP  POWER  WAITING',
        '0    simulated     16G  4.1G        6G   10G  45 %  48 °C   71 W        1',
        '1    simulated     16G     -        0B   16G     -      -      -        1',
        '',
        'GPU  JOB       NAME      USER  HOW               RESERVED  USED  LOAD  STATE',
        '0    12        tf_mnist  ada   shared                  4G  3.2G  20 %  working',
        '0    9         lease     bob   shared (lease)          4G    0B   0 %  idle 12m',
        '0    pid 4711  python3   eve   not of this yard         -    2G     -',
        '',
        'WAITS  NAME    USER  WANTS                       WHY',
        '14     resnet  bob   1 gpu shared, not seen yet  needs 12G GPU memory, 10G free',
        '',
        '2 GPUs, 1 waiting, seen through simulated',
        '',
      ].join('\n'),
    );
  });

  it('names nodes where there are several, and says of one that it is not up', () => {
    const elsewhere = aGpu(0, {
      node: 'n2',
      isUp: false,
      tenants: [aTenant({ manner: 'learning', now: null })],
    });
    const { stdout } = run(yardWith({ source: null, gpus: [aGpu(0), elsewhere] }), ['gpus']);
    expect(stdout).toContain('vm:0  simulated                        ');
    expect(stdout).toContain('n2:0  simulated (its node is not up)');
    expect(stdout).toMatch(/n2:0 {2}12 .* learning .* - +- +-\n/);
    expect(stdout).toContain('2 GPUs, nobody looks at what is really used\n');
  });

  it('tells what strangers use of a device that does not name them', () => {
    const device = { ...aGpu(0).device, foreignBytes: 3 * GIB };
    const { stdout } = run(yardWith({ gpus: [aGpu(0, { device, tenants: [] })] }), ['gpus']);
    expect(stdout).toMatch(/0 +- +- +- +not of this yard +- +3G +-\n/);
  });

  it('says that there are none, and how to rehearse', () => {
    expect(run(fakeYard(), ['gpus']).stdout).toBe(
      'this yard has no GPUs\n  to rehearse with simulated ones: trainyard down; trainyard up --simulate-gpus 4x16G\n',
    );
  });

  it('refuses a node that is not there, and options that it has not', () => {
    expect(run(yardWith({}), ['gpus', 'nope'])).toMatchObject({
      code: 1,
      stderr: 'trainyard: there is no node nope\n',
    });
    expect(run(yardWith({}), ['gpus', '--free']).code).toBe(2);
  });

  it('answers in JSON and with names alone', () => {
    const yard = yardWith({ gpus: [aGpu(0), aGpu(1)] });
    expect(run(yard, ['gpus', '-q']).stdout).toBe('vm:0\nvm:1\n');
    const answer = JSON.parse(run(yard, ['gpus', '--json']).stdout);
    expect(answer.gpus[0]).toMatchObject({ freeBytes: 10 * GIB, now: { at: '2026-03-10T14:20:00.000Z' } });
  });
});
