/** A process from elsewhere that only holds a device has no CPUs of the yard: every listing must bear that. */

import { describe, expect, it } from 'vitest';
import type { Job } from '../model/job.ts';
import {
  anAttempt,
  aSpec,
  aView,
  type FakeYard,
  fakeYard,
  NOW,
  runDialect,
  runningJob,
} from './fake-yard.ts';
import { GRID_ENGINE_COMMANDS } from './gridengine/commands.ts';
import { gridEngineProgram } from './gridengine/run.ts';
import { run as runNative } from './native/fake-yard.ts';
import { SLURM_COMMANDS } from './slurm/commands.ts';
import { slurmProgram } from './slurm/run.ts';

const spec = aSpec({
  name: 'lease',
  program: { ...aSpec().program, script: null, argv: ['python3'], spread: 'caller' },
  resources: {
    ...aSpec().resources,
    cpusPerRank: 0,
    memory: { bytes: 2 ** 30, per: 'rank' },
    gpus: { count: 1, per: 'job', kind: null, shareMillis: 1000, sharing: 'auto' },
  },
});
const attempt = anAttempt({
  id: '9.1',
  placement: {
    nodes: [
      {
        node: 'node1',
        ranks: 1,
        cpus: 0,
        cpuIds: [],
        memoryBytes: 0,
        devices: [{ index: 0, millis: 250, loadMillis: 200 }],
      },
    ],
  },
});
const holding: Job = { ...runningJob(9, spec), attempt };
const ended: Job = {
  ...holding,
  id: 8,
  phase: 'ended',
  outcome: 'completed',
  endedAt: NOW,
  attempt: {
    ...attempt,
    id: '8.1',
    phase: 'ended',
    endedAt: NOW,
    exit: { code: 0, signal: null, outOfMemory: false },
  },
};
const waiting: Job = { ...holding, id: 10, phase: 'pending', attempt: null };

function yard(): FakeYard {
  return fakeYard({ views: [holding, ended, waiting].map((job) => aView(job)) });
}

function called(name: string, ...argv: readonly string[]): string {
  const slurm = SLURM_COMMANDS.find((command) => command.name === name);
  const gridEngine = GRID_ENGINE_COMMANDS.find((command) => command.name === name);
  const program =
    slurm !== undefined
      ? slurmProgram(slurm)
      : gridEngineProgram(gridEngine as (typeof GRID_ENGINE_COMMANDS)[number]);
  const { stdout, stderr, code } = runDialect(program, yard(), [name, ...argv]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

describe('a job without CPUs', () => {
  it('is said to have none by being silent about them', () => {
    const { stdout } = runNative(yard(), ['queue']);
    expect(stdout).toContain('1G/rank, 1 gpu shared');
    expect(stdout).not.toContain('0 cpu');
    expect(runNative(yard(), ['show', '9']).stdout).toContain('node1: gpu 0 (25%)');
  });

  it.each([
    ['squeue', '-o', '%all'],
    ['squeue', '--json'],
    ['scontrol', 'show', 'job', '9'],
    ['scontrol', 'show', 'job', '10'],
    ['sacct', '-a', '-S', 'now-1hour', '--format=ALL'],
    ['sacct', '-a', '-S', 'now-1hour', '--json'],
    ['seff', '8'],
    ['seff', '9'],
    ['qstat', '-u', '*'],
    ['qstat', '-j', '9'],
    ['qstat', '-xml', '-u', '*'],
  ])('is told by %s %s %s', (...words) => {
    const [name = '', ...argv] = words;
    const text = called(name, ...argv);
    expect(text).not.toBe('');
    expect(text).not.toMatch(/NaN|Infinity|undefined/);
  });

  it('has one slot', () => {
    expect(called('qstat', '-u', '*')).toMatch(/lease .* 1 *\n/);
  });
});
