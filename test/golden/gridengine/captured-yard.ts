/**
 * For tests: a yard in the situation in which the captures of `qstat` and `qhost` were made. One node of four slots, two
 * queues, and jobs 2 to 10 a moment after they were submitted.
 */

import { aJob, anAttempt, aView, type FakeYard, fakeYard } from '../../../src/dialects/fake-yard.ts';
import { A_MACHINE, aNodeView, aQueueView } from '../../../src/dialects/gridengine/fake-hosts.ts';
import { GRID_ENGINE, type GridEngineWords } from '../../../src/dialects/gridengine/words.ts';
import type { Job } from '../../../src/model/job.ts';
import type { JobSpec } from '../../../src/model/job-spec.ts';
import { PLAIN_RESOURCES } from '../../../src/model/plain.ts';
import type { JobView } from '../../../src/model/query.ts';
import { EMPTY, rangeOf } from '../../../src/model/ranges.ts';

/** 2026-11-15T20:28:00Z. */
export const SUBMITTED = 1_794_774_480_000;
const LATER = SUBMITTED + 1000;
/** Long after anybody looks. */
const BEGIN = SUBMITTED + 3_600_000;

const SUBMITTER = {
  HOME: '/home/user',
  PATH: '/usr/lib/gridengine:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  SHELL: '/bin/bash',
  WORKDIR: '/home/user/work',
  HOST: 'localhost',
};

function spec(name: string, changes: Partial<JobSpec> = {}, words: GridEngineWords = {}): Partial<JobSpec> {
  return {
    name,
    user: 'root',
    queue: 'cpu',
    workDir: '/home/user/work',
    ...changes,
    origin: {
      dialect: GRID_ENGINE,
      words: {
        by: 'qsub',
        script: 'sleep.sh',
        queues: 'cpu',
        ownDirectory: 'y',
        submitter: JSON.stringify(SUBMITTER),
        ...words,
      },
    },
  };
}

function running(id: number, of: Partial<JobSpec>, job: Partial<Job> = {}): JobView {
  const { startedAt = SUBMITTED } = { startedAt: job.submittedAt };
  const nodes = [{ node: 'vm', ranks: 1, cpus: 1, cpuIds: [], memoryBytes: 0, devices: [] }];
  const attempt = anAttempt({ id: `${id}.1`, startedAt, clockFrom: startedAt, placement: { nodes } });
  return aView(aJob({ id, phase: 'active', submittedAt: SUBMITTED, attempt, ...job }, of));
}

function waiting(
  id: number,
  of: Partial<JobSpec>,
  job: Partial<Job> = {},
  view: Partial<JobView> = {},
): JobView {
  return aView(aJob({ id, submittedAt: SUBMITTED, ...job }, of), view);
}

const held = { phase: 'held', hold: { by: 'user', reason: null } } as const;
const full = {
  kind: 'resources',
  short: [{ resource: 'cpus', wanted: 2, free: 0, total: 4 }],
  waitsFor: [],
} as const;

const arrayOf = (first: number, last: number, step: number, throttle: number | null) => ({
  array: { indices: rangeOf(first, last, step), throttle },
});
const unstarted = (first: number, last: number, step = 1) => ({
  array: { unstarted: rangeOf(first, last, step), dropped: EMPTY, live: 0, ended: {} },
});
const after = (job: number) =>
  ({ need: 'all', terms: [{ kind: 'afterany', job, index: null }] }) as JobSpec['dependencies'];

export function capturedJobs(): JobView[] {
  return [
    running(2, spec('sleep.sh')),
    running(3, spec('terse')),
    waiting(4, spec('arr', arrayOf(1, 4, 1, 1)), unstarted(2, 4), {
      reason: { kind: 'throttle', allowed: 1 },
    }),
    running(11, spec('arr'), { element: { array: 4, index: 1 } }),
    waiting(5, spec('arr2', arrayOf(2, 8, 2, null)), { ...held, ...unstarted(2, 8, 2) }),
    waiting(6, spec('held'), held),
    waiting(7, spec('dep', { dependencies: after(3) }, { holdJobs: 'terse' }), {
      phase: 'waiting',
      submittedAt: LATER,
    }),
    waiting(
      8,
      spec(
        'pejob',
        { resources: { ...PLAIN_RESOURCES, ranks: 2 } },
        { pe: 'smp', slotRange: '2', resources: 'h_rt=0:10:0' },
      ),
      { submittedAt: LATER },
      { reason: full },
    ),
    waiting(9, spec('later', { beginAt: BEGIN }), { phase: 'waiting', submittedAt: LATER }),
    running(10, spec('bin'), { submittedAt: LATER }),
  ];
}

export function capturedYard(changes: Partial<FakeYard> = {}): FakeYard {
  const machine = { ...A_MACHINE, loadOver5Minutes: 0.885_25 };
  return fakeYard({
    now: SUBMITTED + 2000,
    views: capturedJobs(),
    nodes: [aNodeView('vm', {}, { machine, cpusUsed: 4 })],
    queues: [aQueueView('cpu'), aQueueView('gpu')],
    users: [{ name: 'root', uid: 0, gid: 0, group: 'root' }],
    ...changes,
  });
}
