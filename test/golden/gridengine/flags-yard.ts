/**
 * For tests: the situation in which `qstat` was called with one flag after the other (qstat-flags.txt). Two parallel jobs
 * run; an array waits, another one for a job, a third one is held and has a time to begin.
 */

import { aJob, anAttempt, aView, type FakeYard, fakeYard } from '../../../src/dialects/fake-yard.ts';
import { A_MACHINE, aNodeView, aQueueView } from '../../../src/dialects/gridengine/fake-hosts.ts';
import { GRID_ENGINE, type GridEngineWords } from '../../../src/dialects/gridengine/words.ts';
import type { Job } from '../../../src/model/job.ts';
import type { JobSpec } from '../../../src/model/job-spec.ts';
import { PLAIN_RESOURCES } from '../../../src/model/plain.ts';
import type { JobView } from '../../../src/model/query.ts';
import { EMPTY, rangeOf } from '../../../src/model/ranges.ts';

/** 2026-11-16T18:58:17Z. */
const SUBMITTED = 1_794_855_497_000;
/** 2026-12-31T23:59:00Z. */
const NEW_YEAR = 1_798_761_540_000;

const SUBMITTER = {
  HOME: '/home/user',
  PATH: '/usr/bin:/bin',
  SHELL: '/bin/bash',
  WORKDIR: '/home/user/work',
  HOST: 'localhost',
};

function view(
  id: number,
  spec: Partial<JobSpec>,
  words: GridEngineWords,
  job: Partial<Job> = {},
  more: Partial<JobView> = {},
): JobView {
  const all = { by: 'qsub', script: 's.sh', queues: 'gpu', submitter: JSON.stringify(SUBMITTER), ...words };
  const origin = { dialect: GRID_ENGINE, words: all };
  const of = { user: 'root', queue: 'gpu', ...spec, origin };
  return aView(aJob({ id, submittedAt: SUBMITTED, ...job }, of), more);
}

function running(ranks: number): Partial<Job> {
  const nodes = [{ node: 'vm', ranks, cpus: ranks, cpuIds: [], memoryBytes: 0, devices: [] }];
  return { phase: 'active', attempt: anAttempt({ startedAt: SUBMITTED, placement: { nodes } }) };
}

const array = (last: number, step: number, throttle: number | null) => ({
  array: { indices: rangeOf(1, last, step), throttle },
});
const unstarted = (last: number, step: number) => ({
  array: { unstarted: rangeOf(1, last, step), dropped: EMPTY, live: 0, ended: {} },
});

function jobs(): JobView[] {
  const program = { ...aJob().spec.program, argv: ['x', 'y', 'z w'] };
  const afterFirst = { need: 'all', terms: [{ kind: 'afterany', job: 238, index: null }] } as const;
  return [
    view(
      238,
      { name: 'q1', resources: { ...PLAIN_RESOURCES, ranks: 2 } },
      { pe: 'smp', slotRange: '2', resources: 'h_rt=0:1:40,mf=1M', softResources: 'num_proc=1' },
      running(2),
    ),
    view(
      240,
      { name: 'q2long_name_here', program, resources: { ...PLAIN_RESOURCES, ranks: 1, ranksMax: 2 } },
      {
        pe: 'smp',
        slotRange: '1-2',
        queues: 'gpu,cpu@vm',
        account: 'acc',
        context: 'a=b,c',
        priority: '-5',
        mailOptions: 'be',
        mailList: 'a@b,c',
        variables: 'A=1,B',
        outputPath: '/home/user/work/o',
        errorPath: '/home/user/work/e',
        shell: '/bin/sh',
        rerun: 'y',
        notify: 'y',
        reserve: 'y',
      },
      running(2),
    ),
    view(
      241,
      { name: 'q3', ...array(10, 3, 2), dependencies: afterFirst },
      { holdJobs: 'q1' },
      {
        phase: 'waiting',
        ...unstarted(10, 3),
      },
    ),
    view(
      242,
      { name: 'q4', ...array(5, 1, null), beginAt: NEW_YEAR },
      {},
      {
        phase: 'held',
        hold: { by: 'user', reason: null },
        ...unstarted(5, 1),
      },
    ),
    view(243, { name: 'q5', ...array(3, 1, null) }, {}, unstarted(3, 1)),
  ];
}

export function flagsYard(): FakeYard {
  const machine = { ...A_MACHINE, loadOver5Minutes: 0.21 };
  return fakeYard({
    now: SUBMITTED + 30_000,
    views: jobs(),
    nodes: [aNodeView('vm', {}, { machine, cpusUsed: 4 })],
    queues: [aQueueView('cpu', {}, { disabled: true }), aQueueView('gpu')],
    users: [{ name: 'root', uid: 0, gid: 0, group: 'root' }],
  });
}
