import { expect, it } from 'vitest';
import type { Attempt, Job } from '../../../model/job.ts';
import type { VoiceSurroundings } from '../../../model/voice.ts';
import { aJob, anAttempt, NOW } from '../../fake-yard.ts';
import { specOf } from '../submit/fake-qsub.ts';
import { gridEngineVoice } from './voice.ts';

const AROUND: VoiceSurroundings = {
  yardName: 'lab',
  directory: '/yard',
  temporaryDir: '/tmp/yard',
  host: 'n1',
  machine: 'x86_64',
  uid: 1000,
  gid: 1000,
  defaultQos: null,
  submitterHas: () => false,
  zone: 'UTC',
  now: NOW,
};

function jobFrom(argv: readonly string[], changes: Partial<Job> = {}): Job {
  const spec = specOf([...argv, 'sleep.sh']);
  return aJob({ id: 25, ...changes }, { ...spec, queue: spec.queue || 'cpu' });
}

function attemptOn(...ranks: readonly number[]): Attempt {
  const nodes = ranks.map((count, at) => ({
    node: `n${at + 1}`,
    ranks: count,
    cpus: count,
    cpuIds: [],
    memoryBytes: 0,
    devices: [],
  }));
  return anAttempt({ id: '25.1', n: 1, placement: { nodes } });
}

function variablesOf(job: Job, attempt = attemptOn(1), around: Partial<VoiceSurroundings> = {}) {
  const place = { rank: 0, localRank: 0, nodeNumber: 0, node: attempt.placement.nodes[0]! };
  return Object.fromEntries(gridEngineVoice.variables(job, attempt, place, { ...AROUND, ...around }));
}

it('a job is told what the original tells it', () => {
  expect(variablesOf(jobFrom(['-q', 'cpu', '-cwd', '-N', 'envjob']))).toEqual({
    ARC: 'lx-amd64',
    HOME: '/home/ada',
    HOSTNAME: 'n1',
    JOB_ID: '25',
    JOB_NAME: 'envjob',
    JOB_SCRIPT: '/yard/scripts/blob-0',
    LOGNAME: 'ada',
    NHOSTS: '1',
    NQUEUES: '1',
    NSLOTS: '1',
    PATH: '/tmp/yard/25.1.cpu:/yard/sge/bin/lx-amd64:/usr/local/bin:/bin:/usr/bin',
    PWD: '/home/ada/work',
    QUEUE: 'cpu',
    REQNAME: 'envjob',
    REQUEST: 'envjob',
    RESTARTED: '0',
    SGE_ACCOUNT: 'sge',
    SGE_ARCH: 'lx-amd64',
    SGE_BINARY_PATH: '/yard/sge/bin/lx-amd64',
    SGE_CELL: 'default',
    SGE_CLUSTER_NAME: 'lab',
    SGE_CWD_PATH: '/home/ada/work',
    SGE_EXECD_PORT: '6445',
    SGE_JOB_SPOOL_DIR: '/tmp/yard/25.1.cpu',
    SGE_O_HOME: '/home/ada',
    SGE_O_HOST: 'box.example.org',
    SGE_O_PATH: '/usr/bin',
    SGE_O_WORKDIR: '/home/ada/work',
    SGE_QMASTER_PORT: '6444',
    SGE_ROOT: '/yard/sge',
    SGE_STDERR_PATH: '/home/ada/work/envjob.e25',
    SGE_STDIN_PATH: '/dev/null',
    SGE_STDOUT_PATH: '/home/ada/work/envjob.o25',
    SGE_TASK_FIRST: 'undefined',
    SGE_TASK_ID: 'undefined',
    SGE_TASK_LAST: 'undefined',
    SGE_TASK_STEPSIZE: 'undefined',
    SHELL: '/bin/sh',
    TERM: '',
    TMP: '/tmp/yard/25.1.cpu',
    TMPDIR: '/tmp/yard/25.1.cpu',
    USER: 'ada',
  });
});

it('a task has the number of its array, and the range as it was written', () => {
  const job = jobFrom(['-t', '3-8:2', '-j', 'y'], { id: 99, element: { array: 26, index: 5 } });
  expect(variablesOf(job)).toMatchObject({
    JOB_ID: '26',
    SGE_TASK_ID: '5',
    SGE_TASK_FIRST: '3',
    SGE_TASK_LAST: '8',
    SGE_TASK_STEPSIZE: '2',
    TMPDIR: '/tmp/yard/26.5.cpu',
    SGE_STDOUT_PATH: '/home/ada/sleep.sh.o26.5',
    SGE_STDERR_PATH: '/home/ada/sleep.sh.o26.5',
  });
});

it('a parallel job is told of its hosts', () => {
  const job = jobFrom(['-pe', 'mpi', '6', '-N', 'envpe']);
  const attempt = attemptOn(4, 2);
  expect(variablesOf(job, attempt)).toMatchObject({
    NHOSTS: '2',
    NSLOTS: '6',
    PE: 'mpi',
    PE_HOSTFILE: '/tmp/yard/active_jobs/25.1/pe_hostfile',
  });
  expect(gridEngineVoice.furnish?.(job, attempt, AROUND)).toEqual({
    directories: ['/tmp/yard/25.1.cpu', '/tmp/yard/25.1.cpu.1', '/tmp/yard/active_jobs/25.1'],
    files: [
      {
        path: '/tmp/yard/active_jobs/25.1/pe_hostfile',
        text: 'n1 4 cpu@n1 UNDEFINED\nn2 2 cpu@n2 UNDEFINED\n',
      },
    ],
    keptFiles: ['/home/ada/envpe.po25', '/home/ada/envpe.pe25'],
  });
});

it('output of the parallel environment goes where that of the job goes', () => {
  const kept = (...argv: string[]) =>
    gridEngineVoice.furnish?.(jobFrom(['-pe', 'smp', '1', ...argv]), attemptOn(1), AROUND).keptFiles;
  expect(kept('-o', '/x/file', '-e', '/x/')).toEqual(['/x/sleep.sh.pe25']);
  expect(kept('-j', 'y')).toEqual(['/home/ada/sleep.sh.po25']);
  expect(gridEngineVoice.furnish?.(jobFrom([]), attemptOn(1), AROUND)).toMatchObject({
    files: [],
    keptFiles: [],
  });
});

it('names of what is known only now are filled in', () => {
  const job = jobFrom(['-v', 'A=$JOB_ID-$TASK_ID/$JOB_NAME@$HOSTNAME,PATH=/mine,B=$JOB_IDS']);
  expect(variablesOf(job)).toMatchObject({
    A: '25-undefined/sleep.sh@n1',
    PATH: '/tmp/yard/25.1.cpu:/yard/sge/bin/lx-amd64:/mine',
  });
  expect(variablesOf(job)).not.toHaveProperty('B');
});

it('what the submitter brought stays, but for what the job is told', () => {
  const job = jobFrom(['-V', '-A', 'acct', '-S', '/bin/bash'], { restarts: 1 });
  const variables = variablesOf(job, attemptOn(1), { submitterHas: () => true });
  expect(variables).toMatchObject({
    PATH: '/tmp/yard/25.1.cpu:/yard/sge/bin/lx-amd64:/usr/bin',
    SGE_ACCOUNT: 'acct',
    RESTARTED: '1',
    SHELL: '/bin/bash',
  });
  expect(variables).not.toHaveProperty('TERM');
});

it('nothing is written into its output', () => {
  const ending = { step: null, outOfMemory: true, usedBytes: 1 };
  expect(gridEngineVoice.lastWords(jobFrom([]), attemptOn(1), ending, AROUND)).toBeNull();
});
