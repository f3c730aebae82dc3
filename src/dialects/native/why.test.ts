import { describe, expect, it } from 'vitest';
import type { Job } from '../../model/job.ts';
import { rangeOf } from '../../model/ranges.ts';
import type { LimitOf, Reason } from '../../model/reason.ts';
import { aJob, anAttempt, aView, endedJob, fakeYard, HOUR, MINUTE, NOW, runningJob } from '../fake-yard.ts';
import { run } from './fake-yard.ts';

const HOLDERS = [
  aView(runningJob(12, { limitMs: 17 * MINUTE })),
  aView({ ...runningJob(14, { limitMs: 2 * HOUR }), element: { array: 8, index: 3 } }),
  aView(runningJob(15)),
];

function why(
  reason: Reason | null,
  changes: Partial<Job> = {},
  expectedStartAt: number | null = null,
): string {
  const job = aJob(changes);
  const yard = fakeYard({
    views: [aView(job, { reason }), ...HOLDERS],
    explanations: new Map([[17, { reason, expectedStartAt, priority: null, ahead: 0 }]]),
  });
  const ran = run(yard, ['why', '17']);
  expect([ran.code, ran.stderr]).toEqual([0, '']);
  return ran.stdout.trimEnd();
}

describe('why a job waits', () => {
  it('for a GPU', () => {
    const reason: Reason = {
      kind: 'resources',
      short: [{ resource: 'gpus', wanted: 2, free: 1, total: 4 }],
      waitsFor: [12, 14],
    };
    expect(why(reason, {}, NOW + 12 * MINUTE)).toBe(
      'job 17 waits for a free GPU: it wants 2 on one node, 1 of 4 is free. ' +
        'Jobs 12 and 8_3 hold the others; the first should end by 14:32. Expected start: about 14:32 (in 12m).',
    );
  });

  it('for several things at once, with no end in sight', () => {
    const reason: Reason = {
      kind: 'resources',
      short: [
        { resource: 'cpus', wanted: 8, free: 2, total: 16 },
        { resource: 'memory', wanted: 32 * 2 ** 30, free: 2 ** 30, total: 64 * 2 ** 30 },
      ],
      waitsFor: [15],
    };
    expect(why(reason)).toBe(
      'job 17 waits for free CPUs and free memory: it wants 8 CPUs on one node, 2 of 16 are free; ' +
        'it wants 32G memory on one node, 1G of 64G is free. Job 15 holds the rest. ' +
        'When it starts cannot be foretold: something ahead of it has no time limit.',
    );
  });

  it('for nodes', () => {
    expect(
      why(
        { kind: 'resources', short: [{ resource: 'nodes', wanted: 4, free: 3, total: 4 }], waitsFor: [] },
        {},
        NOW,
      ),
    ).toBe('job 17 waits for a free node: it wants 4, 3 of 4 are free. Expected start: about 14:20 (now).');
  });

  it('for other jobs', () => {
    const reason: Reason = {
      kind: 'dependency',
      need: 'all',
      unmet: [
        { term: { kind: 'afterok', job: 12, index: null }, other: { phase: 'active', outcome: null } },
        { term: { kind: 'afterany', job: 9, index: 2 }, other: { phase: 'ended', outcome: 'failed' } },
        { term: { kind: 'singleton' }, other: null },
      ],
    };
    expect(why(reason, { phase: 'waiting' })).toBe(
      'job 17 waits for job 12 to end successfully (afterok), job 9_2 to end (afterany) and every earlier job ' +
        'of the same name and user to end (singleton); job 12 is running and job 9_2 has ended (failed).',
    );
    const unknown: Reason = {
      kind: 'dependency',
      need: 'any',
      unmet: [
        { term: { kind: 'after', job: 3, index: null }, other: null },
        { term: { kind: 'afternotok', job: 14, index: null }, other: { phase: 'pending', outcome: null } },
      ],
    };
    expect(why(unknown, { phase: 'waiting' })).toBe(
      'job 17 waits for job 3 to start (after) or job 8_3 to fail (afternotok); job 3 is not known here and job 8_3 is queued.',
    );
  });

  it('for a while after another has begun', () => {
    const term = { kind: 'after', job: 12, index: null, delayMs: 10 * MINUTE } as const;
    const other = { phase: 'active', outcome: null } as const;
    expect(why({ kind: 'dependency', need: 'all', unmet: [{ term, other }] }, { phase: 'waiting' })).toBe(
      'job 17 waits for job 12 to start and 10m to pass from then on (after); job 12 is running.',
    );
  });

  it('when it is held', () => {
    const hold = { by: 'user', reason: null } as const;
    expect(why({ kind: 'held', by: 'user', note: null }, { phase: 'held', hold })).toBe(
      'job 17 is held. To let it start: trainyard release 17',
    );
    expect(why({ kind: 'held', by: 'yard', note: 'started again 5 times' }, { phase: 'held' })).toBe(
      'job 17 is held by the yard: started again 5 times. To let it start: trainyard release 17',
    );
  });

  it('for its time to come', () => {
    expect(why({ kind: 'begin', at: NOW + 18 * HOUR }, { phase: 'waiting' }, NOW + 18 * HOUR)).toBe(
      'job 17 is not to begin before tomorrow 08:20 (in 18h).',
    );
  });

  it('for limits, in the second person when they are your own', () => {
    const limit = (of: LimitOf, name: 'running' | 'cpus' | 'gpus', used: number, allowed: number) =>
      why({ kind: 'limit', limit: name, of, allowed, used });
    expect(limit({ kind: 'userInQueue', user: 'ada', queue: 'gpu' }, 'running', 4, 4)).toBe(
      'job 17 waits, since you already run 4 jobs in queue gpu, which allows 4 per user.',
    );
    expect(limit({ kind: 'userInQueue', user: 'bob', queue: 'gpu' }, 'cpus', 1, 2)).toBe(
      'job 17 waits, since bob already uses 1 CPU in queue gpu, which allows 2 per user.',
    );
    expect(limit({ kind: 'queue', queue: 'gpu' }, 'gpus', 7.5, 8)).toBe(
      'job 17 waits, since queue gpu already uses 7.5 GPUs and allows 8.',
    );
    expect(limit({ kind: 'user', user: 'ada' }, 'running', 1, 1)).toBe(
      'job 17 waits, since you already run 1 job, and the yard allows 1 per user.',
    );
    expect(limit({ kind: 'userInQos', user: 'ada', qos: 'long' }, 'gpus', 2, 2)).toBe(
      'job 17 waits, since you already use 2 GPUs with QOS long, which allows 2 per user.',
    );
  });

  it('for its turn, its array, its queue or its nodes', () => {
    expect(why({ kind: 'priority', behind: 14, ahead: 3 }, {}, NOW + MINUTE)).toBe(
      'job 17 waits for its turn: job 8_3 has a higher priority and goes first (3 jobs of higher priority in all), ' +
        'and starting this one now would delay it. Expected start: about 14:21 (in 1m).',
    );
    expect(why({ kind: 'priority', behind: null, ahead: 1 }, {}, NOW + MINUTE)).toContain(
      '1 job of higher priority goes first',
    );
    expect(why({ kind: 'throttle', allowed: 8 })).toContain('at most 8 may run at once');
    expect(why({ kind: 'queueClosed', queue: 'gpu' })).toContain('waits for queue gpu to open');
    expect(why({ kind: 'queueClosed', queue: 'gpu', because: 'suspended' })).toContain(
      'waits for queue gpu, which is suspended: it starts no jobs now',
    );
    const of: LimitOf = { kind: 'layout', layout: 'smp' };
    expect(why({ kind: 'limit', limit: 'ranks', of, allowed: 8, used: 7 })).toContain(
      'waits, since jobs with layout smp already use 7 ranks and 8 are allowed',
    );
    expect(why({ kind: 'nodesUnavailable', nodes: ['a', 'b'] })).toContain(
      'waits for a and b: they are not up',
    );
    expect(why({ kind: 'notLookedAt' })).toContain('has not been looked at yet');
    expect(why(null)).toBe('job 17 is about to start.');
  });

  it('for ever', () => {
    expect(why({ kind: 'neverPossible', why: 'no node has 9 GPUs' })).toBe(
      'job 17 can never start here: no node has 9 GPUs. To take it out of the queue: trainyard cancel 17',
    );
  });

  it('with its priority, part by part', () => {
    const reason: Reason = { kind: 'priority', behind: null, ahead: 2 };
    const priority = { total: 1234, age: 1000, fairShare: 200.5, queue: 0, qos: 0, size: 33.5, asked: 0 };
    const yard = fakeYard({
      views: [aView(aJob(), { reason })],
      explanations: new Map([[17, { reason, expectedStartAt: NOW, priority, ahead: 2 }]]),
    });
    expect(run(yard, ['why', '17']).stdout).toContain(
      [
        'priority 1234, 2 jobs ahead',
        '  waiting time   1000',
        '  fair share    200.5',
        '  queue             0',
        '  QOS               0',
        '  size           33.5',
        '  asked for         0',
        '',
      ].join('\n'),
    );
    expect(run(yard, ['why', '-q', '17']).stdout.split('\n')).toHaveLength(2);
    expect(JSON.parse(run(yard, ['why', '--json', '17']).stdout)).toMatchObject({
      id: 17,
      reason: { kind: 'priority', ahead: 2 },
      expectedStartAt: '2026-03-10T14:20:00.000Z',
      ahead: 2,
      priority: { total: 1234 },
    });
  });
});

describe('why, for jobs that do not wait', () => {
  it('says how a running one is doing', () => {
    const say = (job: Job) => run(fakeYard({ views: [aView(job)] }), ['why', '17']).stdout;
    expect(say(runningJob(17, { limitMs: HOUR }))).toBe(
      'job 17 is running on node1, for 5m now; its time limit is reached in 55m.\n',
    );
    expect(say(runningJob(17))).toBe('job 17 is running on node1, for 5m now; it has no time limit.\n');
    const assigned = anAttempt({ phase: 'assigned', startedAt: null, clockFrom: null });
    expect(say(aJob({ phase: 'active', attempt: assigned }))).toBe('job 17 is starting on node1.\n');
    const stop = {
      cause: 'timeLimit',
      by: null,
      requestedAt: NOW,
      killAt: NOW + MINUTE,
      step: 'term',
    } as const;
    expect(say(aJob({ phase: 'active', attempt: anAttempt({ phase: 'stopping', stop }) }))).toBe(
      'job 17 is being stopped on node1 (its time is up).\n',
    );
  });

  it('says what a running one has kept, and what keeps it from that', () => {
    const checkpoint = { name: 's-300.pt', step: 300, bytes: 2 ** 30, writtenAt: NOW - MINUTE, keptAt: NOW };
    const attempt = anAttempt({ trouble: 'no space left on /data' });
    expect(why(null, { phase: 'active', attempt, checkpoint })).toBe(
      'job 17 is running on node1, for 5m now; it has no time limit. Its newest safe checkpoint is s-300.pt ' +
        '(step 300, 1G), written 1m ago. Its checkpoints cannot be made safe now: no space left on /data.',
    );
  });

  it('says that one has only its checkpoints to save', () => {
    const exit = { code: 3, signal: null, outOfMemory: false };
    const attempt = anAttempt({ phase: 'syncing', exit });
    expect(why(null, { phase: 'active', attempt })).toBe(
      'job 17 has ended its run (exit code 3) and left node1 to others; what it wrote is being made safe.',
    );
    const stuck = { ...attempt, trouble: 'no space left on /data' };
    expect(why(null, { phase: 'active', attempt: stuck })).toContain(
      'made safe. For now it cannot be: no space left on /data.',
    );
  });

  it('says that another job has the place of its checkpoints', () => {
    const reason: Reason = { kind: 'place', directory: '/data/runs/a', job: 12 };
    expect(why(reason)).toContain(
      'job 17 waits for job 12 to end: both keep their checkpoints in /data/runs/a, and only one job at a time may.',
    );
  });

  it('says how one ended, and where its output is', () => {
    const say = (job: Job) => run(fakeYard({ views: [aView(job)] }), ['why', '17']).stdout;
    const exit = (code: number | null, signal: number | null) => ({
      exit: { code, signal, outOfMemory: false },
    });
    expect(say(endedJob(17))).toBe('job 17 completed.\n  its output: trainyard logs 17\n');
    expect(say(endedJob(17, { outcome: 'failed' }, exit(3, null)))).toContain(
      'job 17 failed with exit code 3.',
    );
    expect(say(endedJob(17, { outcome: 'failed' }, exit(null, 11)))).toContain(
      'job 17 was ended by SIGSEGV.',
    );
    expect(say(endedJob(17, { outcome: 'failed' }, { exit: null, fault: 'cannot open out.txt' }))).toContain(
      'job 17 could not run: cannot open out.txt.',
    );
    expect(say(endedJob(17, { outcome: 'cancelled', endedBy: 'bob', attempt: null }))).toBe(
      'job 17 was cancelled by bob before it started.\n',
    );
    const limited = endedJob(17, { outcome: 'timeout' });
    expect(say({ ...limited, spec: { ...limited.spec, limitMs: 2 * HOUR } })).toContain(
      'job 17 ran out of its time limit of 2h.',
    );
    const usage = { usage: { peakMemoryBytes: 3 * 2 ** 30, cpuMs: null } };
    expect(say(endedJob(17, { outcome: 'outOfMemory' }, usage))).toContain('ran out of memory: it used 3G');
    expect(say(endedJob(17, { outcome: 'nodeLost', note: 'node1 restarted' }))).toContain(
      'job 17 was lost with its node. Node1 restarted.',
    );
  });

  it('speaks of a job that is suspended', () => {
    const attempt = anAttempt({ suspendedAt: NOW - 2 * MINUTE });
    expect(why(null, { phase: 'active', attempt })).toBe(
      'job 17 was suspended on node1 2m ago; it had run for 3m. To let it go on: trainyard resume 17',
    );
  });

  it('speaks of one that makes room for another', () => {
    const attempt = anAttempt({ suspendedAt: NOW - 2 * MINUTE, suspendedFor: ['preemption'] });
    expect(why(null, { phase: 'active', attempt })).toBe(
      'job 17 was suspended to make room for a job that goes first, on node1 2m ago; it had run for 3m. ' +
        'It goes on when there is room again.',
    );
    expect(why(null, { phase: 'active', attempt: { ...attempt, makesRoomFor: 30 } })).toContain(
      'was suspended to make room for job 30, on node1',
    );
  });

  it('speaks of one that left something unsafe', () => {
    const job = endedJob(17, {}, { trouble: 'no space left on /data' });
    expect(run(fakeYard({ views: [aView(job)] }), ['why', '17']).stdout).toContain(
      'job 17 completed. Not all that it wrote could be made safe: no space left on /data. ' +
        'To try again: trainyard checkpoints flush 17',
    );
    const note = 'its last checkpoints could not be made safe: no space left on /data';
    const said = run(fakeYard({ views: [aView({ ...job, note })] }), ['why', '17']).stdout;
    expect(said.match(/no space left/g)).toHaveLength(1);
  });

  it('speaks of arrays and their elements', () => {
    const array = aJob(
      { id: 20, array: { unstarted: rangeOf(5, 9), dropped: [], live: 2, ended: { completed: 3 } } },
      { array: { indices: rangeOf(0, 9), throttle: 2 } },
    );
    const yard = fakeYard({ views: [aView(array, { reason: { kind: 'throttle', allowed: 2 } })] });
    expect(run(yard, ['why', '20']).stdout).toBe(
      'array 20 has 5 elements left to start and 2 under way; the next one waits for another element of its ' +
        'array to end: at most 2 may run at once.\n',
    );
    expect(run(yard, ['why', '20_7']).stdout).toContain('job 20_7 waits for another element');
    expect(run(yard, ['why', '20_99']).stderr).toBe(
      'trainyard: array 20 has no element 99\n  hint: its elements are 0-9\n',
    );
    expect(run(yard, ['why', '20_2']).stderr).toContain('element 2 of array 20 ended before it started');
    expect(run(yard, ['why', '21']).stderr).toContain('there is no job 21');
    expect(run(yard, ['why']).code).toBe(2);
    expect(run(yard, ['why', '1', '2']).stderr).toContain('why takes one job at a time');
  });
});
