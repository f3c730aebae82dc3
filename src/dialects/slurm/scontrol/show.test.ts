/** What `scontrol show` shows. The real one was asked the same, and said the same. */

import { describe, expect, it } from 'vitest';
import { bytesFromText } from '../../../model/bytes.ts';
import type { Job } from '../../../model/job.ts';
import { PLAIN_QOS, PLAIN_QUEUE, PLAIN_QUEUE_STATE } from '../../../model/plain.ts';
import { aJob, anAttempt, aQueue, aStep, endedJob, MINUTE, NOW, runningJob } from '../../fake-yard.ts';
import { array, ended, run, running, said, waiting, withJobs } from './fake-scontrol.ts';

describe('show', () => {
  it('lists what has ended a moment ago, but not longer', () => {
    const old = endedJob(1, { endedAt: NOW - 6 * MINUTE });
    const { stdout } = run(withJobs(old, ended, running), '-o show jobs');
    expect([...stdout.matchAll(/^JobId=(\d+)/gm)].map(([, id]) => id)).toEqual(['58', '73']);
    expect(run(withJobs(old), 'show job 1')).toEqual(said('slurm_load_jobs error: Invalid job id specified'));
    expect(run(withJobs(), 'show job').stdout).toBe('No jobs in the system\n');
  });

  it('finds elements that have not started, and says which there are not', () => {
    const yard = withJobs(array);
    expect(run(yard, '-o show job 4_2').stdout).toMatch(
      /^JobId=4 ArrayJobId=4 ArrayTaskId=2 JobName=train.sh /,
    );
    expect(run(yard, 'show job 4_99')).toEqual({ code: 1, stdout: 'Job 4_99 not found\n', stderr: '' });
    expect(run(yard, 'show job abc')).toEqual(said('scontrol_print_job error: Invalid job id specified'));
  });

  it('takes several jobs, and other ways to name them', () => {
    const yard = withJobs(waiting, running);
    for (const line of ['show job 57,58', 'show jobs', 'show j']) {
      expect(run(yard, `-o ${line}`).stdout.match(/^JobId=/gm)).toHaveLength(2);
    }
    for (const line of ['show job=57', 'show jobid=57', 'show jobid 57']) {
      expect(run(yard, `-o ${line}`).stdout.match(/^JobId=57 /gm)).toHaveLength(1);
    }
  });

  it('tells parts of GPUs as they were asked for, until that is changed', () => {
    const gpus = { count: 1, per: 'node', kind: null, shareMillis: 1000, sharing: 'auto' } as const;
    const asking = (changes: Partial<typeof gpus>, gres: string) =>
      aJob(
        { id: 9 },
        {
          resources: { ...waiting.spec.resources, gpus: { ...gpus, ...changes } },
          origin: { dialect: 'slurm', words: { gres } },
        },
      );
    const line = (job: Job) => /TresPerNode=(\S+)/.exec(run(withJobs(job), 'show job 9').stdout)?.[1];
    expect(line(asking({}, 'shard:2'))).toBe('gres:shard:2');
    expect(line(asking({}, 'gpu:1'))).toBe('gres:gpu:1');
    const { sharing: _, ...whole } = gpus;
    const changed = asking({}, 'mps:50');
    const spec = { ...changed.spec, resources: { ...changed.spec.resources, gpus: whole } };
    expect(line({ ...changed, spec })).toBe('gres:gpu:1');
  });

  it('tells all that was asked for', () => {
    const job = aJob(
      { id: 9, phase: 'held', hold: { by: 'user', reason: null } },
      {
        name: 'a\nb',
        nice: 5,
        requeue: false,
        limitMs: 93_660_000,
        comment: 'my comment',
        deadlineAt: NOW,
        mail: { to: 'x@y.z', on: ['timeLimit80', 'end', 'fail'] },
        resources: {
          ...waiting.spec.resources,
          nodes: { min: 2, max: 3 },
          ranks: 4,
          ranksPerNode: 2,
          memory: { bytes: 1536 * 1024 ** 2, per: 'node' },
          gpus: { count: 2, per: 'job', kind: 'a100', shareMillis: 1000 },
          onlyNodes: ['n1', 'n2'],
          exceptNodes: ['n4'],
          exclusive: true,
          constraint: 'fast&big',
        },
        origin: { dialect: 'slurm', words: { nodes: '2-3', timeMin: '2', command: '/x.sh' } },
      },
    );
    const { stdout } = run(withJobs(job), 'show job 9');
    for (const line of [
      'JobId=9 JobName=a\\nb',
      'Priority=0 Nice=5 Account=root QOS=normal',
      'Requeue=0 Restarts=0 BatchFlag=1 Reboot=0 ExitCode=0:0',
      'RunTime=00:00:00 TimeLimit=1-02:01:00 TimeMin=00:02:00',
      'StartTime=Unknown EndTime=Unknown Deadline=2026-03-10T14:20:00',
      'ReqNodeList=n[1-2] ExcNodeList=n4',
      'NumNodes=2-3 NumCPUs=4 NumTasks=4 CPUs/Task=1 ReqB:S:C:T=0:0:*:*',
      'MinCPUsNode=2 MinMemoryNode=1.50G MinTmpDiskNode=0',
      'Features=fast&big DelayBoot=00:00:00',
      'OverSubscribe=NO Contiguous=0 Licenses=(null) Network=(null)',
      'Comment=my comment ',
      'TresPerJob=gres:gpu:a100:2',
      'MailUser=x@y.z MailType=END,FAIL,TIME_LIMIT_80',
    ])
      expect(stdout.split('\n').map((each) => each.replace(/^ {3}/, ''))).toContain(line);
  });

  it('tells how jobs ended, and what the worst of their steps was', () => {
    const job = endedJob(
      9,
      { outcome: 'cancelled' },
      { exit: { code: null, signal: 15, outOfMemory: false } },
    );
    const yard = withJobs(job);
    yard.steps.set(9, [
      aStep({ exit: { code: 2, signal: null, outOfMemory: false } }),
      aStep({ n: 1, exit: { code: 0, signal: 9, outOfMemory: false } }),
    ]);
    const { stdout } = run(yard, '-d show job 9');
    expect(stdout).toContain('JobState=CANCELLED Reason=None');
    expect(stdout).toContain(' ExitCode=0:15\n   DerivedExitCode=2:0\n');
  });

  it('tells times as SLURM_TIME_FORMAT wants them', () => {
    const environment = bytesFromText('SLURM_TIME_FORMAT=%s\0');
    expect(run(withJobs(running), 'show job 58', { environment }).stdout).toContain('StartTime=1773152100 ');
  });

  it('tells programs', () => {
    const { stdout } = run(withJobs(waiting, running), 'show job 58 --json');
    expect(JSON.parse(stdout).jobs).toMatchObject([{ job_id: 58, job_state: 'RUNNING' }]);
    const nodes = JSON.parse(run(withJobs(), 'show node node2 --json').stdout).nodes;
    expect(nodes).toMatchObject([{ name: 'node2', cpus: 4, state: 'idle' }]);
    const yard = withJobs();
    yard.queues = [
      {
        queue: aQueue({ name: 'q', maxLimitMs: 5 * MINUTE }),
        state: PLAIN_QUEUE_STATE,
        waiting: 0,
        running: 0,
      },
    ];
    const partitions = JSON.parse(run(yard, 'show partition --json').stdout).partitions;
    expect(partitions).toMatchObject([{ name: 'q', max_time_limit: 5, nodes: 'node[1-2]', total_cpus: 8 }]);
    expect(run(yard, 'show partition nope --json').code).toBe(1);
  });

  it('shows steps', () => {
    const yard = withJobs(running, runningJob(60));
    yard.steps.set(58, [aStep({ attempt: '58.1' }), aStep({ attempt: '58.1', n: 1, endedAt: NOW })]);
    expect(run(yard, 'show step 58').stdout).toBe(
      [
        'StepId=58.batch UserId=1000 StartTime=2026-03-10T14:15:00 TimeLimit=UNLIMITED',
        '   State=RUNNING Partition=main NodeList=node1',
        '   Nodes=1 CPUs=0 Tasks=1 Name=batch Network=(null)',
        '   TRES=(null)',
        '   ResvPorts=(null)',
        '   CPUFreqReq=Default',
        '   SrunHost:Pid=(null):0',
        '',
        'StepId=58.0 UserId=1000 StartTime=2026-03-10T14:15:00 TimeLimit=UNLIMITED',
        '   State=RUNNING Partition=main NodeList=node1',
        '   Nodes=1 CPUs=1 Tasks=1 Name=python Network=(null)',
        '   TRES=cpu=1,node=1',
        '   ResvPorts=(null)',
        '   CPUFreqReq=Default',
        '   SrunHost:Pid=(null):0',
        '',
        '',
      ].join('\n'),
    );
    expect(run(yard, '-o show step').stdout.match(/^StepId=/gm)).toHaveLength(3);
    expect(run(yard, '-o show step 58.0').stdout).toMatch(/^StepId=58\.0 /);
    expect(run(yard, '-o show step 58.batch').stdout).toMatch(/^StepId=58\.batch /);
    expect(run(yard, 'show step 58.9')).toEqual({ code: 1, stdout: 'Job step 58.9 not found\n', stderr: '' });
    expect(run(yard, 'show step 9')).toEqual(said('slurm_get_job_steps error: Invalid job id specified'));
  });

  it.each([
    ['show reservation', 'No reservations in the system\n', 0],
    ['show reservation foo', 'Reservation foo not found\n', 1],
    ['show licenses', 'No licenses configured in Slurm.\n', 0],
    ['show federation', '', 0],
    ['show bbstat', '', 0],
    ['show daemons', 'slurmctld slurmd\n', 0],
    ['show aliases', 'node1 node2\n', 0],
    ['show partition nope', 'Partition nope not found\n', 1],
    ['show node nope,nada', 'Node nope not found\nNode nada not found\n', 1],
    ['show hostlist n3,n1,n2,n1', 'n[3,1-2,1]\n', 0],
    ['show hostlistsorted b2,a10,a9,a1,b1,x', 'a[1,9-10],b[1-2],x\n', 0],
    ['show hostnames n[1-2],m[01-02]x', 'n1\nn2\nm01x\nm02x\n', 0],
  ])('%s', (line, stdout, code) => {
    expect(run(withJobs(), line)).toEqual({ code, stdout, stderr: '' });
  });

  it.each([
    [[], [], 'OFF', 'preempt/none'],
    [['off', 'requeue', 'suspend'], [], 'REQUEUE', 'preempt/partition_prio'],
    [['suspend', 'cancel'], [], 'GANG,SUSPEND', 'preempt/partition_prio'],
    [[], [{ preempts: ['low'] }, { name: 'low' }], 'REQUEUE', 'preempt/qos'],
    [[], [{ preempts: ['low'] }, { name: 'low', preempt: 'cancel' }], 'CANCEL', 'preempt/qos'],
  ] as const)('config: of queues that say %j and of QOS %j', (modes, classes, mode, type) => {
    const yard = withJobs();
    yard.policy = {
      ...yard.policy,
      queues: modes.map((preempt) => ({ ...PLAIN_QUEUE, preempt })),
      qos: classes.map((one) => ({ ...PLAIN_QOS, ...one })),
    };
    const { stdout } = run(yard, 'show config');
    expect(stdout).toContain(`\nPreemptMode             = ${mode}\n`);
    expect(stdout).toContain(`\nPreemptType             = ${type}\n`);
  });

  it('tells of one that makes room that it is suspended, and since when', () => {
    const attempt = { suspendedAt: NOW, suspendedFor: ['preemption'], makesRoomFor: 9 } as const;
    const yard = withJobs({ ...running, attempt: { ...anAttempt(), ...attempt } });
    yard.policy = { ...yard.policy, qos: [{ ...PLAIN_QOS, preempts: ['low'] }] };
    const { stdout } = run(yard, '-o show job 58');
    expect(stdout).toContain(' JobState=SUSPENDED ');
    expect(stdout).toMatch(/ PreemptTime=(\S+) SuspendTime=\1 /);
  });

  it('takes hosts from the job it is called in, and from a file', () => {
    const environment = bytesFromText('SLURM_JOB_NODELIST=n[1-2]\0');
    expect(run(withJobs(), 'show hostnames', { environment }).stdout).toBe('n1\nn2\n');
    const yard = withJobs();
    yard.files.set('/hosts', bytesFromText('n1,n2\nn3\n'));
    expect(run(yard, 'show hostlist /hosts').stdout).toBe('n[1-3]\n');
    expect(run(yard, 'show hostlist /none')).toEqual(said('Can not open /none'));
    expect(run(yard, 'show hostnames').stderr).toBe('scontrol: error: host list is empty\n');
  });
});
