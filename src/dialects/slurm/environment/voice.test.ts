import { expect, test } from 'vitest';
import { capturedVariables, sorted, withoutNames } from '../../../../test/golden/slurm/captured-variables.ts';
import type { Attempt, Job, NodeShare } from '../../../model/job.ts';
import type { JobSpec } from '../../../model/job-spec.ts';
import { PLAIN_RESOURCES } from '../../../model/plain.ts';
import { parseRanges } from '../../../model/ranges.ts';
import type { VoiceEnding, VoiceSurroundings } from '../../../model/voice.ts';
import { aJob, anAttempt, aSpec, NOW } from '../../fake-yard.ts';
import { slurmVoice } from './voice.ts';

const SURROUNDINGS: VoiceSurroundings = {
  yardName: 'lab',
  directory: '/yard',
  temporaryDir: '/tmp/yard',
  host: 'vm.example.org',
  uid: 0,
  gid: 0,
  defaultQos: 'normal',
  submitterHas: () => false,
  zone: 'UTC',
  now: NOW,
};

/** Told since 23.02; the captures are older. */
const NEWER = ['SLURM_JOB_START_TIME', 'SLURM_JOB_END_TIME'];

function aShare(changes: Partial<NodeShare> = {}): NodeShare {
  return { node: 'n1', ranks: 1, cpus: 1, cpuIds: [], memoryBytes: 0, devices: [], ...changes };
}

function batch(
  id: number,
  spec: Partial<JobSpec>,
  words: Readonly<Record<string, string>>,
  nodes: readonly NodeShare[] = [aShare()],
  changes: Partial<Job> = {},
): { job: Job; attempt: Attempt } {
  const attempt = anAttempt({ id: `${id}.1`, placement: { nodes } });
  const full: Partial<JobSpec> = {
    name: 'envjob',
    user: 'root',
    account: 'root',
    queue: 'cpu',
    origin: { dialect: 'slurm', words: { submitDir: '/home/user/work', ...words } },
    ...spec,
  };
  return { job: aJob({ id, phase: 'active', attempt, ...changes }, full), attempt };
}

function told({ job, attempt }: { job: Job; attempt: Attempt }, surroundings = SURROUNDINGS) {
  const node = attempt.placement.nodes[0] as NodeShare;
  const place = { rank: 0, localRank: 0, nodeNumber: 0, node };
  return slurmVoice.variables(job, attempt, place, surroundings);
}

const MEGABYTE = 1024 ** 2;

test('a batch script is told what Slurm tells it', () => {
  const variables = told(
    batch(
      28,
      {
        limitMs: 60_000,
        resources: { ...PLAIN_RESOURCES, ranks: 2, memory: { bytes: 100 * MEGABYTE, per: 'cpu' } },
      },
      { nodes: '1', ntasks: '2', cpusPerTask: '1', memPerCpu: '100' },
      [aShare({ ranks: 2, cpus: 2 })],
    ),
  );
  const [captured] = capturedVariables('slurm-env-batch.txt');
  expect(sorted(withoutNames(variables, NEWER))).toEqual(sorted(captured as never));
  expect(variables.get('SLURM_JOB_START_TIME')).toBe(`${(NOW - 300_000) / 1000}`);
  expect(variables.get('SLURM_JOB_END_TIME')).toBe(`${(NOW - 240_000) / 1000}`);
});

test('an element of an array is told which one it is', () => {
  const indices = parseRanges('3,5-7:2') ?? [];
  const variables = told(
    batch(39, { array: { indices, throttle: 1 } }, {}, [aShare()], { element: { array: 38, index: 3 } }),
  );
  const [captured] = capturedVariables('slurm-env-array.txt');
  // The first of the two runs in the capture had memory by default, and left that behind.
  expect(sorted(withoutNames(variables, NEWER))).toEqual(
    sorted(withoutNames(captured as never, ['SLURM_MEM_PER_CPU'])),
  );
  expect(variables.has('SLURM_JOB_END_TIME')).toBe(false);
});

test('GPUs are named to the script, with the variables that each maker reads', () => {
  const devices = [0, 1].map((index) => ({ index, millis: 1000 }));
  const variables = told(
    batch(
      95,
      { resources: { ...PLAIN_RESOURCES, ranks: 4, memory: { bytes: 100 * MEGABYTE, per: 'node' } } },
      { ntasksPerNode: '2', gpus: '4' },
      [
        aShare({ node: 'n2', ranks: 2, cpus: 2, devices }),
        aShare({ node: 'n3', ranks: 2, cpus: 2, devices }),
      ],
    ),
  );
  expect(Object.fromEntries(variables)).toMatchObject({
    CUDA_VISIBLE_DEVICES: '0,1',
    GPU_DEVICE_ORDINAL: '0,1',
    ROCR_VISIBLE_DEVICES: '0,1',
    SLURM_JOB_GPUS: '0,1',
    SLURM_GPUS: '4',
    SLURM_GPUS_ON_NODE: '2',
    SLURM_JOB_CPUS_PER_NODE: '2(x2)',
    SLURM_JOB_NODELIST: 'n[2-3]',
    SLURM_MEM_PER_NODE: '100',
    SLURM_NTASKS: '4',
    SLURM_NTASKS_PER_NODE: '2',
    SLURM_TASKS_PER_NODE: '2(x2)',
  });
});

test('what was not asked for is not said', () => {
  const variables = told(batch(17, { account: null }, {}));
  const unsaid = ['SLURM_NTASKS', 'SLURM_NPROCS', 'SLURM_CPUS_PER_TASK', 'SLURM_MEM_PER_NODE', 'SLURM_GPUS'];
  for (const name of [...unsaid, 'SLURM_RESTART_COUNT', 'CUDA_VISIBLE_DEVICES'])
    expect(variables.has(name), name).toBe(false);
});

test('a job that was started again knows how often', () => {
  expect(told(batch(17, {}, {}, [aShare()], { restarts: 2 })).get('SLURM_RESTART_COUNT')).toBe('2');
});

test("a TMPDIR of the submitter's own stays", () => {
  const surroundings = { ...SURROUNDINGS, submitterHas: (name: string) => name === 'TMPDIR' };
  expect(told(batch(17, {}, {}), surroundings).has('TMPDIR')).toBe(false);
});

test('requests are said back in the form in which srun reads them', () => {
  const words = {
    ntasks: '2',
    overcommit: '',
    distribution: 'plane=2',
    openMode: 'append',
    memBind: 'local',
    memPerGpu: '1G',
    profile: 'task',
    threadsPerCore: '1',
    dependency: 'singleton',
  };
  const resources = { ...PLAIN_RESOURCES, memory: { bytes: 1024 * MEGABYTE, per: 'node' as const } };
  const variables = told(batch(17, { resources }, words));
  expect(Object.fromEntries(variables)).toMatchObject({
    SLURM_NTASKS: '2',
    SLURM_OVERCOMMIT: '1',
    SLURM_DISTRIBUTION: 'plane',
    SLURM_DIST_PLANESIZE: '2',
    SLURM_OPEN_MODE: 'a',
    SLURM_MEM_BIND: 'local',
    SLURM_MEM_BIND_VERBOSE: 'quiet',
    SLURM_MEM_PER_GPU: '1024',
    SLURM_PROFILE: 'Task',
    SLURM_THREADS_PER_CORE: '1',
    SLURM_JOB_DEPENDENCY: 'singleton',
  });
  expect(variables.has('SLURM_MEM_PER_NODE')).toBe(false);
});

const ENDED: VoiceEnding = { step: null, outOfMemory: false, usedBytes: null };

function lastWords(stop: Partial<NonNullable<Attempt['stop']>> | null, ending: VoiceEnding = ENDED) {
  const at = Date.UTC(2026, 10, 15, 20, 29, 13);
  const full = { cause: 'cancelled', by: 'root', requestedAt: at, killAt: at, step: 'term' } as const;
  const attempt = anAttempt({
    placement: { nodes: [aShare({ memoryBytes: 100 * MEGABYTE })] },
    stop: stop === null ? null : { ...full, ...stop },
  });
  return slurmVoice.lastWords(aJob(), attempt, ending, SURROUNDINGS);
}

test('a job that was stopped ends with the line that tools look for', () => {
  expect(lastWords({})).toBe('slurmstepd-n1: error: *** JOB 17 ON n1 CANCELLED AT 2026-11-15T20:29:13 ***\n');
  expect(lastWords({ cause: 'timeLimit' })).toContain('20:29:13 DUE TO TIME LIMIT ***\n');
  expect(lastWords({ cause: 'preempted' })).toContain('20:29:13 DUE TO PREEMPTION ***\n');
  expect(lastWords({ cause: 'requeued' })).toContain('20:29:13 DUE TO JOB REQUEUE ***\n');
  expect(lastWords(null)).toBeNull();
});

test('so does a step, whoever stopped it; and whoever only holds the place is told that it is gone', () => {
  const step = { ...ENDED, step: 3 };
  expect(lastWords({ cause: 'timeLimit' }, step)).toBe(
    'slurmstepd-n1: error: *** STEP 17.3 ON n1 CANCELLED AT 2026-11-15T20:29:13 DUE TO TIME LIMIT ***\n',
  );
  expect(lastWords(null, step)).toMatch(/STEP 17\.3 ON n1 CANCELLED AT \S+ \*\*\*\n$/);
  const held = aJob({}, { program: { ...aSpec().program, spread: 'caller' } });
  const words = (cause: 'cancelled' | 'timeLimit') => {
    const stop = { cause, by: 'root', requestedAt: 0, killAt: 0, step: 'term' } as const;
    return slurmVoice.lastWords(held, anAttempt({ stop }), ENDED, SURROUNDINGS);
  };
  expect(words('cancelled')).toBe('salloc: Job allocation 17 has been revoked.\n');
  expect(words('timeLimit')).toBe(
    'salloc: Job 17 has exceeded its time limit and its allocation has been revoked.\n',
  );
});

test('a job that ran out of memory is told so, by whoever noticed', () => {
  expect(lastWords(null, { step: null, outOfMemory: true, usedBytes: null })).toBe(
    'slurmstepd-n1: error: Detected 1 oom-kill event(s) in StepId=17.batch. Some of your processes may have been killed by the cgroup out-of-memory handler.\n',
  );
  expect(lastWords({ cause: 'memory' }, { step: null, outOfMemory: true, usedBytes: 434561024 })).toBe(
    'slurmstepd-n1: error: StepId=17.batch exceeded memory limit (434561024 > 104857600), being killed\n' +
      'slurmstepd-n1: error: Exceeded job memory limit\n',
  );
});
