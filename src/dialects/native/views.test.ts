import { describe, expect, it } from 'vitest';
import { PLAIN_QUEUE_STATE } from '../../model/plain.ts';
import type { QueueState } from '../../model/policy.ts';
import { rangeOf } from '../../model/ranges.ts';
import {
  aJob,
  anAttempt,
  aQueue,
  aSpec,
  aStep,
  aView,
  endedJob,
  fakeYard,
  HOUR,
  MINUTE,
  NOW,
  runningJob,
} from '../fake-yard.ts';
import { run } from './fake-yard.ts';

const GIB = 2 ** 30;

describe('show', () => {
  it('names the script of a job that sbatch submitted', () => {
    const words = { by: 'sbatch', command: '/home/ada/work/train.sbatch --lr 0.1' };
    const { program } = aSpec();
    const job = aJob(
      {},
      { origin: { dialect: 'slurm', words }, program: { ...program, argv: ['--lr', '0.1'] } },
    );
    expect(run(fakeYard({ views: [aView(job)] }), ['show', '17']).stdout).toContain(
      'runs        /home/ada/work/train.sbatch --lr 0.1\n',
    );
  });

  it('tells everything that was said about a job', () => {
    const job = aJob(
      { phase: 'active', restarts: 1, attempt: anAttempt({ id: '17.2', n: 2 }) },
      {
        limitMs: 2 * HOUR,
        warning: { signal: 10, beforeMs: MINUTE, scope: 'main' },
        dependencies: { need: 'all', terms: [{ kind: 'afterok', job: 3, index: 1 }, { kind: 'singleton' }] },
        comment: 'second\ntry',
        program: { ...aSpec().program, argv: ['--lr', "it's"] },
      },
    );
    const lost = anAttempt({ phase: 'lost', endedAt: NOW - MINUTE, fault: 'the machine restarted' });
    const yard = fakeYard({ views: [aView(job)] });
    yard.attempts.set(17, [lost, anAttempt({ id: '17.2', n: 2 })]);
    expect(run(yard, ['show', '17']).stdout).toBe(
      [
        'job 17  train.sh',
        '  state       running',
        '  user        ada',
        '  queue       main',
        "  runs        /home/ada/work/train.sh --lr 'it'\\''s'",
        '  in          /home/ada/work',
        '  wants       1 cpu',
        '  time limit  2h',
        '  warning     SIGUSR1 to the main process, 1m before the limit',
        '  depends on  afterok:3_1 and singleton',
        '  submitted   2026-03-10 14:10:00 (10m ago)',
        '  restarts    1',
        '  stdout      /home/ada/work/trainyard-17.out',
        '  comment     second\\ntry',
        '',
        '  ATTEMPT  STATE    EXIT  STARTED              RAN  CPU  MEMORY  WHERE             FAULT',
        '  17.1     lost     -     2026-03-10 14:15:00   4m    -       -  node1: 1 cpu (0)  the machine restarted',
        '  17.2     running  -     2026-03-10 14:15:00   5m    -       -  node1: 1 cpu (0)',
        '',
      ].join('\n'),
    );
  });

  it('tells of its steps, the newest of them', () => {
    const exit = { code: 3, signal: null, outOfMemory: false };
    const ended = { endedAt: NOW - MINUTE, exit };
    const usage = { userCpuMs: 5, systemCpuMs: 1, peakMemoryBytes: 2 ** 30, rankStatuses: [3] };
    const yard = fakeYard({ views: [aView(runningJob(17))] });
    yard.steps.set(17, [aStep({ ...ended, usage }), aStep({ n: 1, stoppedBy: 'ada' })]);
    expect(run(yard, ['show', '17']).stdout).toContain(
      [
        '  STEP    NAME    STATE     EXIT  RANKS  STARTED              RAN  MEMORY  WHERE',
        '  17.1/0  python  ended     3         1  2026-03-10 14:15:00   4m      1G  node1: 1 cpu (0)',
        '  17.1/1  python  stopping  -         1  2026-03-10 14:15:00   5m       -  node1: 1 cpu (0)',
        '',
      ].join('\n'),
    );
    expect(JSON.parse(run(yard, ['show', '--json', '17']).stdout).steps).toMatchObject([
      { attempt: '17.1', n: 0, elapsedMs: 4 * MINUTE, exit },
      { n: 1, endedAt: null, stoppedBy: 'ada' },
    ]);
    yard.steps.set(
      17,
      Array.from({ length: 25 }, (_, n) => aStep({ n })),
    );
    const { stdout } = run(yard, ['show', '17']);
    expect(stdout).toContain('  17.1/24 ');
    expect(stdout).not.toContain('  17.1/4 ');
    expect(stdout).toContain('  and 5 steps before these\n');
  });

  it('tells that it is suspended', () => {
    const attempt = anAttempt({ suspendedAt: NOW - 2 * MINUTE, suspensions: 1 });
    const { stdout } = run(fakeYard({ views: [aView(aJob({ phase: 'active', attempt }))] }), ['show', '17']);
    expect(stdout).toContain('  state       suspended\n');
    expect(stdout).toContain('  suspended   2026-03-10 14:18:00 (2m ago)\n');
    expect(stdout).toMatch(/17\.1 +suspended +- +2026-03-10 14:15:00 +3m/);
    const lending = { ...attempt, suspendedFor: ['preemption'], makesRoomFor: 18 } as const;
    const yard = fakeYard({ views: [aView(aJob({ phase: 'active', attempt: lending }))] });
    expect(run(yard, ['show', '17']).stdout).toContain('(2m ago) to make room for job 18\n');
  });

  it('prints the script as it was, or says that there is none', () => {
    const yard = fakeYard({
      views: [aView(aJob())],
      scripts: new Map([[17, '#!/bin/sh\necho \udcff\x1b\n']]),
    });
    expect(run(yard, ['show', '--script', '17']).stdout).toBe('#!/bin/sh\necho \udcff\x1b\n');
    expect(JSON.parse(run(yard, ['show', '--script', '--json', '17']).stdout).script).toContain('#!/bin/sh');
    const command = { ...aSpec().program, script: null, argv: ['sleep', '5'] };
    yard.views = [aView(aJob({}, { program: command }))];
    yard.scripts.clear();
    expect(run(yard, ['show', '--script', '17'])).toMatchObject({
      code: 1,
      stderr: 'trainyard: job 17 is a command and has no script\n  hint: sleep 5\n',
    });
  });

  it('shows an array and its elements', () => {
    const array = aJob(
      { id: 20, array: { unstarted: rangeOf(5, 9), dropped: [], live: 2, ended: { completed: 3 } } },
      { array: { indices: rangeOf(0, 9), throttle: 2 } },
    );
    const yard = fakeYard({
      views: [aView(array), aView({ ...runningJob(24), element: { array: 20, index: 3 } })],
    });
    const { stdout } = run(yard, ['show', '20']);
    expect(stdout).toContain('array 20  train.sh\n');
    expect(stdout).toContain('elements    10 elements (0-9), 2 at once, 2 under way, 3 completed\n');
    expect(stdout).toContain('stdout      trainyard-%j.out\n');
    expect(run(yard, ['show', '20_3']).stdout).toContain('number      24\n');
    const value = JSON.parse(run(yard, ['show', '--json', '20']).stdout);
    expect(value.elements).toEqual([expect.objectContaining({ id: 24, ref: '20_3' })]);
  });
});

describe('history', () => {
  const yard = fakeYard({
    views: [
      aView(endedJob(9, { outcome: 'failed' }, { exit: { code: 3, signal: null, outOfMemory: false } })),
      aView(
        endedJob(
          8,
          { outcome: 'outOfMemory', note: 'it wanted more' },
          { exit: { code: null, signal: 9, outOfMemory: true } },
        ),
      ),
      aView(endedJob(7, { outcome: 'cancelled', attempt: null, endedAt: NOW - 48 * HOUR })),
    ],
  });

  it('lists what has ended', () => {
    expect(run(yard, ['history']).stdout).toBe(
      [
        'ID  NAME      USER  QUEUE  STATE          EXIT     ENDED             RAN  NOTE',
        '9   train.sh  ada   main   failed         3        14:19              4m',
        '8   train.sh  ada   main   out of memory  SIGKILL  14:19              4m  it wanted more',
        '7   train.sh  ada   main   cancelled      -        2026-03-08 14:20    -',
        '',
      ].join('\n'),
    );
  });

  it('filters by time, state and number', () => {
    const ids = (...argv: string[]) =>
      run(yard, ['history', '-q', ...argv])
        .stdout.trim()
        .split('\n');
    expect(ids('--since', '1d')).toEqual(['9', '8']);
    expect(ids('--state', 'out-of-memory')).toEqual(['8']);
    expect(ids('--state', 'outOfMemory', '-s', 'failed')).toEqual(['9', '8']);
    expect(ids('-n', '1')).toEqual(['9']);
    expect(run(yard, ['history', '-n', '2']).stdout).toContain('the newest 2; -n shows more');
    expect(run(yard, ['history', '--since', 'never'])).toMatchObject({ code: 2 });
    expect(run(yard, ['history', '--state', 'bored']).stderr).toContain('is no way to end');
    expect(run(yard, ['history', '-u', 'bob']).stdout).toContain('no job has ended that matches');
  });
});

describe('the yard', () => {
  const device = (index: number) => ({ index, kind: 'a100', memoryBytes: 80 * GIB, simulated: index === 1 });
  const yard = fakeYard({
    views: [
      aView(runningJob(12)),
      aView({ ...runningJob(15), element: { array: 13, index: 2 } }),
      aView(aJob({ id: 17 })),
    ],
    nodes: [
      {
        node: {
          name: 'node1',
          cpus: 8,
          cpuIds: [],
          memoryBytes: 64 * GIB,
          devices: [device(0), device(1)],
          features: ['fast'],
          state: 'up',
          reason: null,
        },
        cpusUsed: 5,
        memoryUsedBytes: GIB,
        devices: [
          { index: 0, usedMillis: 1000, jobs: [12] },
          { index: 1, usedMillis: 250, jobs: [14, 15] },
        ],
        jobs: [12, 14, 15],
      },
    ],
    queues: [
      { queue: aQueue(), state: PLAIN_QUEUE_STATE, running: 1, waiting: 1 },
      {
        queue: aQueue({
          name: 'gpu',
          isDefault: false,
          priority: 10,
          open: false,
          maxLimitMs: 24 * HOUR,
          preempt: 'requeue',
          nodes: ['node1'],
          limits: { ...aQueue().limits, maxRunningPerUser: 4 },
        }),
        state: PLAIN_QUEUE_STATE,
        running: 0,
        waiting: 0,
      },
    ],
    config: {
      file: '/home/ada/.trainyard/trainyard.toml',
      values: [
        { key: 'yard.grace', value: '30s', from: 'default' },
        { key: 'node.cpus', value: '8', from: 'trainyard.toml:3' },
      ],
    },
  });

  it('shows its nodes', () => {
    expect(run(yard, ['nodes']).stdout).toBe(
      [
        'NODE   STATE  CPUS            MEMORY             GPUS               JOBS             FEATURES  REASON',
        'node1  up     [#####...] 5/8  [#.......] 1G/64G  [#####...] 1.25/2  12, 14 and 13_2  fast',
        '',
        'NODE   GPU    KIND              MEMORY  IN USE                JOBS',
        'node1  gpu 0  a100                 80G  [########] 100%/100%  12',
        'node1  gpu 1  a100 (simulated)     80G  [##......] 25%/100%   14 and 13_2',
        '',
      ].join('\n'),
    );
    expect(run(yard, ['nodes', 'node9'])).toMatchObject({
      code: 1,
      stderr: 'trainyard: there is no node node9\n  choices: node1\n',
    });
    expect(run(yard, ['nodes', '-q']).stdout).toBe('node1\n');
    expect(run(fakeYard(), ['nodes']).stdout).toBe('this yard has no nodes yet\n');
  });

  it('shows a device as full when those who share it have grown beyond that', () => {
    const nodes = yard.nodes.map((view) => ({
      ...view,
      devices: [
        { index: 0, usedMillis: 1075, jobs: [12, 14] },
        { index: 1, usedMillis: 219, jobs: [15] },
      ],
    }));
    const crowded = fakeYard({ views: yard.views, nodes });
    expect(run(crowded, ['nodes']).stdout).toContain('[########] 100%/100%   12 and 14\n');
    expect(run(crowded, ['nodes']).stdout).toContain('[##......] 21.9%/100%');
    expect(run(crowded, ['status']).stdout).toContain('1.22/2 GPUs');
  });

  it('shows how the GPUs of a queue are shared', () => {
    const queues = [
      { queue: aQueue({ gpuShare: 'auto' }), state: PLAIN_QUEUE_STATE, running: 0, waiting: 0 },
    ];
    expect(run(fakeYard({ queues }), ['queues']).stdout).toMatch(/all +GPUs shared\n/);
  });

  it('shows its queues', () => {
    expect(run(yard, ['queues']).stdout).toBe(
      [
        'QUEUE  STATE   PRIORITY  RUNNING  WAITING  TIME  MOST  PREEMPT  NODES  LIMITS',
        'main*  open           0        1        1     -     -  off      all    -',
        'gpu    closed        10        0        0     -    1d  requeue  node1  4 running per user',
        '',
      ].join('\n'),
    );
    expect(run(yard, ['queues', '-q']).stdout).toBe('main\ngpu\n');
    expect(run(yard, ['queues', '-q', 'gpu']).stdout).toBe('gpu\n');
    expect(run(yard, ['queues', 'nope'])).toMatchObject({
      code: 1,
      stderr: 'trainyard: there is no queue nope\n  choices: main and gpu\n',
    });
  });

  it('shows what was decided about its queues', () => {
    const word = (state: QueueState) => {
      const queues = [{ queue: aQueue(), state, running: 0, waiting: 0 }];
      return run(fakeYard({ queues }), ['queues']).stdout.split('\n')[1]?.split(/ +/)[1];
    };
    expect(word(PLAIN_QUEUE_STATE)).toBe('open');
    expect(word({ disabled: true, suspended: false })).toBe('disabled');
    expect(word({ disabled: true, suspended: true })).toBe('suspended');
  });

  it('shows its settings', () => {
    expect(run(yard, ['config']).stdout).toBe(
      [
        'config file /home/ada/.trainyard/trainyard.toml',
        'KEY         VALUE  FROM',
        'yard.grace  30s    default',
        'node.cpus   8      trainyard.toml:3',
        '',
      ].join('\n'),
    );
    expect(run(yard, ['config', '-q', 'yard']).stdout).toBe('30s\n');
    expect(run(yard, ['config', 'yard.grce']).stderr).toContain('choices: yard.grace');
  });

  it('shows its status', () => {
    expect(run(yard, ['status'], { timeZone: 'Europe/Berlin' }).stdout).toBe(
      [
        'trainyard 0.1.0, the yard of ada, up for 2h',
        '  jobs       2 running, 1 queued, 0 waiting, 0 held',
        '  nodes      1 node, in use: 5/8 CPUs, 1G/64G memory, 1.25/2 GPUs',
        '  started    2026-03-10 13:20:00, process 4321',
        '  directory  /home/ada/.trainyard',
        '  socket     /run/user/1000/trainyard.sock',
        '  remark     memory is limited through cgroups v2',
        '',
      ].join('\n'),
    );
    expect(run(yard, ['status', '-q'])).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(JSON.parse(run(yard, ['status', '--json']).stdout)).toMatchObject({
      startedAt: '2026-03-10T12:20:00.000Z',
      upMs: 2 * HOUR,
      cpus: { used: 5, total: 8 },
      gpus: { used: 1.25, total: 2 },
    });
  });
});
