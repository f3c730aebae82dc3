import { expect, it } from 'vitest';
import type { Job } from '../../model/job.ts';
import {
  aJob,
  anAttempt,
  aView,
  endedJob,
  type FakeYard,
  fakeYard,
  NOW,
  runDialect,
  runningJob,
} from '../fake-yard.ts';
import { slurmProgram } from './run.ts';
import { seff } from './seff.ts';

const MIB = 1024 ** 2;

function run(words: string, ...jobs: readonly Job[]) {
  const yard: FakeYard = fakeYard({ views: jobs.map((job) => aView(job)) });
  return runDialect(slurmProgram(seff), yard, ['seff', ...words.split(' ').filter((word) => word !== '')]);
}

/** Four minutes on two nodes with two CPUs each. */
function twoNodes(): Job {
  const share = { node: 'n1', ranks: 2, cpus: 2, cpuIds: [], memoryBytes: 200 * MIB, devices: [] };
  return endedJob(
    17,
    { outcome: 'failed', element: { array: 12, index: 3 } },
    {
      placement: { nodes: [share, { ...share, node: 'n2' }] },
      exit: { code: 3, signal: null, outOfMemory: false },
      usage: { cpuMs: 120_400, peakMemoryBytes: 100 * MIB },
    },
  );
}

it('says how well a job used what it had', () => {
  expect(run('12_3', twoNodes())).toEqual({
    code: 0,
    stderr: '',
    stdout: `Job ID: 17
Array Job ID: 12_3
Cluster: yard
User/Group: ada/ada
State: FAILED (exit code 3)
Nodes: 2
Cores per node: 2
CPU Utilized: 00:02:00
CPU Efficiency: 12.50% of 00:16:00 core-walltime
Job Wall-clock time: 00:04:00
Memory Utilized: 100.00 MB
Memory Efficiency: 25.00% of 400.00 MB (200.00 MB/node)
`,
  });
});

it('warns of a job that runs, and has nothing to say of one that waits', () => {
  expect(run('17', runningJob(17)).stdout).toMatch(/^Cores: 1\n[\s\S]*\nWARNING: Efficiency statistics/m);
  expect(run('17', aJob({ id: 17, eligibleAt: NOW })).stdout).toContain(
    'State: PENDING\nCores: 1\nEfficiency not available for jobs in the PENDING state.\n',
  );
});

it('shows the figures as they are kept with -d', () => {
  expect(run('-d 17', twoNodes()).stdout).toContain(
    'Slurm data: 17 12_3 ada ada FAILED yard 4 2 409600 1 120 240 102400 3\n\nJob ID: 17\n',
  );
});

it('takes the last run of a job that had several', () => {
  const first = anAttempt({ phase: 'ended', endedAt: NOW - 200_000 });
  const job = endedJob(
    17,
    { restarts: 1 },
    { id: '17.2', n: 2, startedAt: NOW - 90_000, clockFrom: NOW - 90_000 },
  );
  const yard = fakeYard({ views: [aView(job)], attempts: new Map([[17, [first, job.attempt ?? first]]]) });
  expect(runDialect(slurmProgram(seff), yard, ['seff', '17']).stdout).toContain(
    'Job Wall-clock time: 00:00:30\n',
  );
});

it('says when there is no such job, and how it is called', () => {
  expect(run('99')).toEqual({ code: 2, stdout: '', stderr: 'Job not found.\n' });
  expect(run('nonsense')).toMatchObject({ code: 2 });
  expect(run('').stdout).toMatch(/^Usage: seff/);
  expect(run('-v')).toMatchObject({ code: 1, stdout: 'seff Version 2.1\n' });
});
