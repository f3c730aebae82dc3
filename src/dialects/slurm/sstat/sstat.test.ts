import { describe, expect, it } from 'vitest';
import type { PartUsage } from '../../../model/query.ts';
import {
  anAttempt,
  aStep,
  aView,
  endedJob,
  type FakeYard,
  fakeYard,
  runDialect,
  runningJob,
} from '../../fake-yard.ts';
import { slurmProgram } from '../run.ts';
import { sstat } from './sstat.ts';

const KIB = 1024;

function run(yard: FakeYard, words: string, user = 'ada') {
  const argv = ['sstat', ...words.split(' ').filter((word) => word !== '')];
  return runDialect(slurmProgram(sstat), yard, argv, { user });
}

function part(step: number | null, rank: number, changes: Partial<PartUsage> = {}): PartUsage {
  return {
    step,
    rank,
    pids: [100 + rank],
    memoryBytes: 2000 * KIB,
    virtualBytes: 5000 * KIB,
    userCpuMs: 1500,
    systemCpuMs: 500,
    ...changes,
  };
}

/** A batch script with a step of two tasks, after one that has ended. */
function aYard(): FakeYard {
  const share = { node: 'n1', ranks: 2, cpus: 2, cpuIds: [], memoryBytes: 0, devices: [] };
  const ended = { endedAt: 1, exit: { code: 0, signal: null, outOfMemory: false } };
  const usage = { userCpuMs: 700, systemCpuMs: 300, peakMemoryBytes: null, rankStatuses: [] };
  return fakeYard({
    views: [aView(runningJob(17)), aView(endedJob(18)), aView(runningJob(19))],
    steps: new Map([[17, [aStep({ ...ended, usage }), aStep({ n: 1, placement: { nodes: [share] } })]]]),
    usage: new Map([
      [
        17,
        {
          parts: [
            part(null, 0, { pids: [20_729, 20_728] }),
            part(1, 0),
            part(1, 1, { memoryBytes: 3000 * KIB, userCpuMs: 500 }),
          ],
          peakMemoryBytes: 9000 * KIB,
        },
      ],
      [19, { parts: [part(null, 0)], peakMemoryBytes: 3120 * KIB }],
    ]),
  });
}

describe('sstat', () => {
  it('shows what a batch script uses, less what its steps used', () => {
    expect(run(aYard(), '-j 17.batch -P -o JobID,MaxRSS,AveCPU,NTasks,Pids').stdout).toBe(
      'JobID|MaxRSS|AveCPU|NTasks|Pids\n17.batch|2000K|00:00:01|1|20729,20728\n',
    );
  });

  it('shows the most that was seen where there are no steps', () => {
    expect(run(aYard(), '-n -j 19.batch -P -o maxrss,averss').stdout).toBe('3120K|3120K\n');
  });

  it('tells the tasks of a step apart', () => {
    const format = 'jobid,ntasks,maxrss,maxrssnode,maxrsstask,averss,mincpu,mincputask,avecpu,maxvmsize';
    expect(run(aYard(), `-n -P -j 17.1 -o ${format}`).stdout).toBe(
      '17.1|2|3000K|n1|1|2500K|00:00:01|1|00:00:01|5000K\n',
    );
    expect(run(aYard(), '-n -P -j 17.1 -o tresusageintot,tresusageinmaxtask').stdout).toBe(
      'cpu=00:00:03,mem=5000K,vmem=10000K|cpu=0,mem=1,vmem=0\n',
    );
    expect(run(aYard(), '-n -P --noconvert -j 17.1 -o maxrss').stdout).toBe('3072000\n');
  });

  it('takes the first step of a job, or all of them with -a', () => {
    expect(run(aYard(), '-n -P -o jobid -j 17').stdout).toBe('17.1\n');
    expect(run(aYard(), '-n -P -o jobid -a -j 17').stdout).toBe('17.batch\n17.1\n');
    expect(run(aYard(), '-n -P -o jobid -j 19').stdout).toBe('');
    expect(run(aYard(), '-n -P -o jobid -j 17.1,19.batch -j 17.1').stdout).toBe('17.1\n19.batch\n');
  });

  it('finds the elements of an array', () => {
    const element = { ...runningJob(31), element: { array: 30, index: 2 } };
    const yard = fakeYard({ views: [aView(element)] });
    expect(run(yard, '-n -P -o jobid -a -j 30_2').stdout).toBe('31.batch\n');
    expect(run(yard, '-n -P -o jobid -a -j 30').stdout).toBe('31.batch\n');
  });

  it('prints the process numbers with -i', () => {
    expect(run(aYard(), '-i -j 19.batch').stdout).toBe(
      [
        'JobID                    Nodelist                 Pids ',
        '------------ -------------------- -------------------- ',
        '19.batch                    node1                  100 ',
        '',
      ].join('\n'),
    );
  });

  it('has every field, and leaves none undefined', () => {
    const [heading = '', line = ''] = run(aYard(), '-P -j 17.1').stdout.split('\n');
    expect(heading.split('|')).toHaveLength(47);
    expect(line.split('|')).toHaveLength(47);
    expect(line).not.toMatch(/undefined|NaN|null/);
    expect(run(aYard(), '-e').stdout.split(/\s+/).filter(Boolean)).toHaveLength(51);
  });

  it('leaves figures out that nobody could take', () => {
    const yard = fakeYard({ views: [aView(runningJob(17))] });
    expect(run(yard, '-n -P -j 17.batch -o jobid,maxrss,avecpu,pids').stdout).toBe('17.batch|||\n');
  });

  it.each([
    ['-j 99', "sstat: error: couldn't get steps for job 99\n"],
    ['-j 18', "sstat: error: couldn't get steps for job 18\n"],
    ['-j 17.7', 'sstat: error: StepId=17.7 not found running.\n'],
  ])('says when nothing of it runs: %s', (words, stderr) => {
    expect(run(aYard(), `-n ${words}`)).toEqual({ code: 0, stdout: '', stderr });
  });

  it("shows nobody another's jobs", () => {
    expect(run(aYard(), '-n -a -j 17', 'bob')).toMatchObject({ stdout: '', code: 0 });
  });

  it('does not show what was assigned but has not begun', () => {
    const attempt = anAttempt({ phase: 'assigned', startedAt: null });
    const yard = fakeYard({ views: [aView({ ...runningJob(17), attempt })] });
    expect(run(yard, '-n -a -j 17').stdout).toBe('');
  });

  it.each([
    ['', "sstat: error: You didn't give me any jobs to stat.\n"],
    ['-j abc', 'sstat: fatal: Bad job/step specified: abc\n'],
    ['-j 17.foo', 'sstat: fatal: Bad step specified: 17\n'],
    ['-o bogus -j 17', 'sstat: error: Invalid field requested: "bogus"\n'],
    ['-Z', "sstat: invalid option -- 'Z'\n"],
  ])('refuses: %s', (words, stderr) => {
    expect(run(aYard(), words)).toEqual({ code: 1, stdout: '', stderr });
  });
});
