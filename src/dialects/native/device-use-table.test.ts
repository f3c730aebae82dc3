import { describe, expect, it } from 'vitest';
import { bytesFromText } from '../../model/bytes.ts';
import type { DeviceUse } from '../../model/device-use.ts';
import { anAttempt, aView, fakeYard, runningJob } from '../fake-yard.ts';
import { run } from './fake-yard.ts';

const GIB = 2 ** 30;
const USE: DeviceUse = {
  node: 'node1',
  index: 0,
  kind: 'v100',
  memoryBytes: { peak: 3.1 * GIB, p95: 3 * GIB, mean: 2.5 * GIB },
  loadMillis: { peak: 950, p95: 800, mean: 452 },
  samples: 40,
  curve: { everyMs: 1000, memoryBytes: [0, GIB, 3 * GIB], loadMillis: [0, 500, 1000] },
};
const UTF8 = { environment: bytesFromText('HOME=/home/ada\0LANG=C.UTF-8\0') };

function yard() {
  const made = fakeYard({ views: [aView(runningJob(17, { kind: 'resnet', gpuLog: '/w/gpu.log' }))] });
  const usage = { peakMemoryBytes: null, cpuMs: null, devices: [{ ...USE, loadMillis: null }] };
  made.attempts.set(17, [anAttempt({ phase: 'ended', usage }), anAttempt({ id: '17.2', n: 2 })]);
  made.usage.set(17, { parts: [], peakMemoryBytes: null, devices: [USE] });
  return made;
}

describe('show', () => {
  it('tells what each attempt has used of its devices, with a curve where it can be read', () => {
    const lines = (changes = {}) => run(yard(), ['show', '17'], changes).stdout.split('\n').slice(-4, -1);
    expect(lines()).toEqual([
      '  ATTEMPT  GPU  MODEL  PEAK  P95  MEAN  LOAD PEAK   P95  MEAN',
      '  17.1     0    v100   3.1G   3G  2.5G          -     -     -',
      '  17.2     0    v100   3.1G   3G  2.5G       95 %  80 %  45 %',
    ]);
    expect(lines(UTF8)[0]).toContain('MEMORY OVER TIME  LOAD OVER TIME');
    expect(lines(UTF8)[2]).toContain('45 %  ▁▃█               ▁▅█');
  });

  it('tells of which kind it is, and where its log is', () => {
    const { stdout } = run(yard(), ['show', '17']);
    expect(stdout).toMatch(/kind +resnet\n +GPU log +\/w\/gpu\.log\n/);
    expect(JSON.parse(run(yard(), ['show', '17', '--json']).stdout)).toMatchObject({
      kind: 'resnet',
      gpuLog: '/w/gpu.log',
      devices: [{ samples: 40 }],
    });
  });

  it('says nothing of devices that nobody looked at', () => {
    expect(run(fakeYard({ views: [aView(runningJob(17))] }), ['show', '17']).stdout).not.toContain('P95');
  });
});
