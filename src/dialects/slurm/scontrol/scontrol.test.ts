/** What `scontrol` does and says. The real one was asked the same, and said the same. */

import { describe, expect, it } from 'vitest';
import { bytesFromText, textFromBytes } from '../../../model/bytes.ts';
import type { UserCommand } from '../../../model/command.ts';
import type { Job } from '../../../model/job.ts';
import type { JobSpec } from '../../../model/job-spec.ts';
import type { NodeView } from '../../../model/query.ts';
import { rangeOf } from '../../../model/ranges.ts';
import { type RefusalCode, refusal } from '../../../model/refusal.ts';
import {
  aJob,
  anAttempt,
  aStep,
  aView,
  endedJob,
  type FakeYard,
  fakeYard,
  MINUTE,
  NOW,
  runDialect,
  runningJob,
} from '../../fake-yard.ts';
import type { Invocation } from '../../program.ts';
import { slurmProgram } from '../run.ts';
import { scontrol } from './scontrol.ts';

function run(yard: FakeYard, line: string, changes: Partial<Invocation> = {}) {
  const words = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
  return runDialect(slurmProgram(scontrol), yard, ['scontrol', ...words], changes);
}

function withJobs(...jobs: readonly Job[]): FakeYard {
  return fakeYard({ views: jobs.map((job) => aView(job)), nodes: [node('node1'), node('node2')] });
}

function node(name: string, changes: Partial<NodeView['node']> = {}): NodeView {
  return {
    node: {
      name,
      cpus: 4,
      cpuIds: [],
      memoryBytes: 8 * 1024 ** 3,
      devices: [],
      features: ['fast'],
      state: 'up',
      reason: null,
      ...changes,
    },
    cpusUsed: 0,
    memoryUsedBytes: 0,
    devices: [],
    jobs: [],
  };
}

/** A yard that will not do it. */
function refusing(yard: FakeYard, code: RefusalCode): FakeYard {
  return { ...yard, answer: () => ({ ok: false, refusal: refusal(code, 'no') }) };
}

const said = (stderr: string) => ({ code: 1, stdout: '', stderr: `${stderr}\n` });
const DONE = { code: 0, stdout: '', stderr: '' };

const waiting = aJob({ id: 57 });
const running = runningJob(58);
const ended = endedJob(73);
const array = aJob(
  { id: 4, array: { unstarted: rangeOf(1, 6), dropped: [], live: 0, ended: {} } },
  { array: { indices: rangeOf(1, 6), throttle: null } },
);

describe('what is done to jobs', () => {
  it.each<[string, UserCommand['type']]>([
    ['hold 57', 'hold'],
    ['uhold 57', 'hold'],
    ['holdu 57', 'hold'],
    ['release 57', 'release'],
    ['rel 57', 'release'],
    ['requeue 58', 'requeue'],
    ['req 58', 'requeue'],
    ['requeuehold 58', 'requeue'],
    ['suspend 58', 'suspend'],
    ['resume 58', 'resume'],
  ])('%s', (line, type) => {
    const yard = withJobs(waiting, running);
    expect(run(yard, line)).toEqual(DONE);
    expect(yard.commands).toMatchObject([{ type, by: 'ada' }]);
  });

  it('is done to each of several, and to elements of arrays', () => {
    const yard = withJobs(waiting, running, array);
    expect(run(yard, 'hold 57,4_[1-2] 4_5')).toEqual(DONE);
    const targets = yard.commands.map((command) => 'target' in command && command.target);
    expect(targets).toEqual([
      { job: 57, index: null },
      { job: 4, index: 1 },
      { job: 4, index: 2 },
      { job: 4, index: 5 },
    ]);
  });

  it('is done by name', () => {
    const yard = withJobs(aJob({ id: 1 }, { name: 'a' }), aJob({ id: 2 }, { name: 'b' }));
    expect(run(yard, 'hold jobname=b')).toEqual(DONE);
    expect(yard.commands).toMatchObject([{ target: { job: 2 } }]);
    expect(run(yard, 'hold jobname=nope')).toEqual(DONE);
  });

  it('keeps requeued jobs back where that is asked for', () => {
    const yard = withJobs(running);
    run(yard, 'requeue 58');
    run(yard, 'requeuehold 58');
    expect(yard.commands).toMatchObject([{ hold: false }, { hold: true }]);
  });

  it('passes over jobs that have ended when only others are meant', () => {
    const yard = withJobs(running, ended);
    expect(run(yard, 'requeue incomplete 58,73')).toEqual(DONE);
    expect(yard.commands).toMatchObject([{ target: { job: 58 } }]);
  });

  it('says that a running job is not held', () => {
    const { code, stderr } = run(refusing(withJobs(running), 'wrongState'), 'hold 58');
    expect(code).toBe(0);
    expect(stderr).toBe('scontrol: warning: job 58 runs, and is not held; requeuehold would stop it\n');
  });
});

describe('what is not done, and why', () => {
  const SUSPEND_ERROR = '\nslurm_suspend error:';
  it.each<[string, RefusalCode, string]>([
    [
      'hold 999999',
      'noSuchJob',
      `Invalid job id specified for job 999999${SUSPEND_ERROR} Invalid job id specified`,
    ],
    [
      'hold abc',
      'noSuchJob',
      `Invalid job id specified for job abc${SUSPEND_ERROR} Invalid job id specified`,
    ],
    [
      'hold 999999,999998',
      'noSuchJob',
      `Invalid job id specified for job 999999\nInvalid job id specified for job 999998${SUSPEND_ERROR} Invalid job id specified`,
    ],
    ['hold 73', 'wrongState', `Job has already finished for job 73${SUSPEND_ERROR} Job has already finished`],
    [
      'release 73',
      'wrongState',
      `Job has already finished for job 73${SUSPEND_ERROR} Job has already finished`,
    ],
    ['hold 57', 'notAllowed', `Invalid user id for job 57${SUSPEND_ERROR} Invalid user id`],
    ['hold 4_9', 'noSuchJob', '4_9: Invalid job id specified'],
    ['requeue 57', 'wrongState', 'Job is pending execution for job 57'],
    ['requeue 4_2', 'wrongState', '4_2: Job is pending execution'],
    ['requeue 4', 'wrongState', '4_1-6: Job is pending execution'],
    ['requeue 999999', 'noSuchJob', 'Invalid job id specified for job 999999'],
    ['requeue abc', 'noSuchJob', 'Invalid job id specified for job abc'],
    ['requeue 58', 'notAllowed', 'Access/permission denied for job 58'],
    ['suspend 57', 'wrongState', 'Job is pending execution for job 57'],
    ['suspend 73', 'wrongState', 'Job/step already completing or completed for job 73'],
    ['suspend 58', 'notAllowed', 'Access/permission denied for job 58'],
    ['resume 57', 'wrongState', 'Job is pending execution for job 57'],
    ['resume 58', 'wrongState', 'Job is not suspended for job 58'],
    ['resume 73', 'wrongState', 'Job/step already completing or completed for job 73'],
    ['update JobId=73 TimeLimit=5', 'wrongState', 'Job has already finished for job 73'],
    ['update JobId=999999 TimeLimit=5', 'noSuchJob', 'Invalid job id specified for job 999999'],
    ['update JobId=abc TimeLimit=5', 'noSuchJob', 'Invalid job id specified for job abc'],
    ['update JobId=4_9 TimeLimit=5', 'noSuchJob', '4_9: Invalid job id specified'],
    ['update JobId=57 TimeLimit=5', 'notAllowed', 'Invalid user id for job 57'],
    ['update JobId=57 Partition=nope', 'noSuchQueue', 'Invalid partition name specified for job 57'],
    ['update JobId=57 QOS=nope', 'noSuchQos', 'Invalid qos specification for job 57'],
    ['update JobId=58 Partition=gpu', 'wrongState', 'Job is no longer pending execution for job 58'],
  ])('%s', (line, code, stderr) => {
    expect(run(refusing(withJobs(waiting, running, ended, array), code), line)).toEqual(said(stderr));
  });

  it.each<[string, Partial<JobSpec>, string]>([
    ['a job that may not be', { requeue: false }, 'Requested operation is presently disabled for job 58'],
    [
      'a place that somebody asked for',
      { program: { ...running.spec.program, spread: 'caller' } },
      'Only batch jobs are accepted or processed for job 58',
    ],
  ])('requeue %s', (_, spec, stderr) => {
    const yard = withJobs(runningJob(58, spec));
    expect(run(yard, 'requeue 58')).toEqual(said(stderr));
    expect(yard.commands).toEqual([]);
  });

  it('a job that goes on already cannot be resumed, but be suspended twice', () => {
    const yard = withJobs(running);
    yard.answer = () => ({ ok: true, job: 58, step: null, changed: false });
    expect(run(yard, 'resume 58')).toEqual(said('Job is not suspended for job 58'));
    expect(run(yard, 'suspend 58')).toEqual(DONE);
  });

  it('the others are done all the same', () => {
    const yard = withJobs(waiting, running);
    yard.answer = (command) =>
      'target' in command && command.target.job === 57
        ? { ok: false, refusal: refusal('wrongState', 'no') }
        : { ok: true, job: 58, step: null, changed: true };
    expect(run(yard, 'requeue 57 58')).toEqual(said('Job is pending execution for job 57'));
    expect(yard.commands).toHaveLength(2);
  });

  it('nothing is said when nobody wants to know', () => {
    const yard = refusing(withJobs(waiting), 'noSuchJob');
    for (const line of ['-Q hold 9', '-Q requeue 9', '-Q update JobId=9 TimeLimit=1', '-Q show job 9'])
      expect(run(yard, line)).toEqual({ code: 1, stdout: '', stderr: '' });
  });
});

describe('words', () => {
  it.each([
    ['hold', 'too few arguments for keyword:hold'],
    ['release', 'too few arguments for keyword:release'],
    ['req', 'too few arguments for keyword:req'],
    ['suspend', 'too few arguments for keyword:suspend'],
    ['top', 'too few arguments for keyword:top'],
    ['ping x', 'too many arguments for keyword:ping'],
    ['notify 58', 'too few arguments for keyword:notify'],
    ['wait_job', 'too few arguments for keyword:wait_job'],
    ['write', 'too few arguments for keyword:write'],
    ['write foo', 'invalid write argument:foo'],
    ['write batch_script 58 a b c', 'too many arguments for keyword:write'],
    ['show', 'too few arguments for keyword:show'],
    ['show job 1 2', 'too many arguments for keyword:show'],
    ['show foo', 'invalid entity:foo for keyword:show '],
    ['update', 'too few arguments for update keyword'],
    ['u', 'too few arguments for u keyword'],
    [
      'update foo=bar',
      'No valid entity in update command\nInput line must include "NodeName", "PartitionName", "Reservation", "JobId", or "SlurmctldDebug"',
    ],
    ['sh', 'invalid keyword: sh'],
    ['re', 'invalid keyword: re'],
    ['!!', 'invalid keyword: !!'],
    ['-Z', `scontrol: invalid option -- 'Z'\nTry "scontrol --help" for more information`],
    ['--foo', `scontrol: unrecognized option '--foo'\nTry "scontrol --help" for more information`],
    [
      '-M foo ping',
      "scontrol: error: No cluster 'foo' known by database.\nscontrol: error: 'foo' can't be reached now, or it is an invalid entry for --cluster.  Use 'sacctmgr list clusters' to see available clusters.",
    ],
  ])('%s', (line, stderr) => {
    expect(run(withJobs(waiting, running), line)).toEqual(said(stderr));
  });

  it.each([
    'reconfigure',
    'shutdown',
    'setdebug 3',
    'takeover',
    'reboot n1',
    'create partition',
    'token',
    'abort',
  ])('%s has another name here', (line) => {
    const { code, stderr } = run(fakeYard(), line);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^scontrol: error: \w+ is not for a yard: .+\n$/);
  });

  it('tells its version and how it is used', () => {
    for (const line of ['-V', 'version']) expect(run(fakeYard(), line).stdout).toBe('slurm 22.05.8\n');
    for (const line of ['-h', '--help', 'help'])
      expect(run(fakeYard(), line).stdout).toMatch(/^Usage: scontrol/);
  });
});

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

describe('write batch_script', () => {
  function withScript(): FakeYard {
    const yard = withJobs(running, runningJob(60, { user: 'bob' }), runningJob(61));
    yard.scripts.set(58, '#!/bin/sh\n\udcff\n');
    return yard;
  }

  it('writes what was submitted, byte by byte', () => {
    const yard = withScript();
    expect(run(yard, 'write batch_script 58').stdout).toBe(
      'batch script for job 58 written to slurm-58.sh\n',
    );
    const bytes = yard.files.get('/home/ada/work/slurm-58.sh') as Uint8Array;
    expect(textFromBytes(bytes)).toBe('#!/bin/sh\n\udcff\n');
    expect(run(yard, 'write batch_script 58 /tmp/x').stdout).toContain('written to /tmp/x\n');
    expect(run(yard, 'write batch_script 58 -').stdout).toBe('#!/bin/sh\n\udcff\n');
  });

  it.each([
    ['999999', 'Invalid job id specified'],
    ['abc', 'Invalid job id specified'],
    ['60', 'Invalid user id'],
    ['61', 'Job script not specified'],
  ])('says why there is none of %s', (job, sentence) => {
    const stderr = `job script retrieval failed: ${sentence}\n`;
    expect(run(withScript(), `write batch_script ${job} -`)).toEqual({ code: 0, stdout: '', stderr });
  });

  it('says why it cannot be written', () => {
    const yard = withScript();
    yard.files.set('/home/ada/work/there', 'directory');
    expect(run(yard, 'write batch_script 58 there').stderr).toBe(
      'failed to open file `there`: Is a directory\n',
    );
  });
});

describe('wait_job and notify', () => {
  it('waits until a job runs', () => {
    const assigned = aJob({
      id: 9,
      phase: 'active',
      attempt: anAttempt({ phase: 'assigned', startedAt: null, clockFrom: null }),
    });
    const yard = withJobs(assigned, ended);
    yard.meanwhile = [() => {}, () => yard.views.splice(0, 1, aView(runningJob(9)))];
    expect(run(yard, 'wait_job 9')).toEqual({ ...DONE, stderr: 'scontrol: Nodes are ready for job 9\n' });
    expect(run(yard, 'wait_job 73')).toEqual(said('scontrol: Job 73 no longer running'));
    expect(run(yard, 'wait_job 999')).toEqual(said('scontrol: Problem running job 999'));
    expect(run(yard, 'wait_job abc')).toEqual(said('Invalid job_id abc'));
  });

  it('writes to the output of a running job', () => {
    const yard = withJobs(running, waiting, ended, runningJob(60, { user: 'bob' }));
    yard.files.set('/home/ada/work/trainyard-58.out', bytesFromText('before\n'));
    expect(run(yard, 'notify 58 hello "dear\x1b[2J job"')).toEqual(DONE);
    expect(textFromBytes(yard.files.get('/home/ada/work/trainyard-58.out') as Uint8Array)).toBe(
      'before\nslurmstepd: error: hello dear\\x1b[2J job\n',
    );
    const failure = (sentence: string) => said(`job notify failure: ${sentence}`);
    expect(run(yard, 'notify 57 x')).toEqual(failure('Requested operation is presently disabled'));
    expect(run(yard, 'notify 73 x')).toEqual(failure('Job/step already completing or completed'));
    expect(run(yard, 'notify 60 x')).toEqual(failure('Invalid user id'));
    expect(run(yard, 'notify 999 x')).toEqual(failure('Invalid job id specified'));
  });
});

describe('top', () => {
  it('deals the priorities of the same user and partition out anew', () => {
    const yard = withJobs();
    const pending = (id: number, priority: number, spec: Partial<JobSpec> = {}) =>
      aView(aJob({ id }, spec), { priority });
    yard.views = [pending(1, 300), pending(2, 200), pending(3, 100), pending(4, 900, { user: 'bob' })];
    expect(run(yard, 'top 3')).toEqual(DONE);
    expect(yard.commands).toMatchObject([
      { target: { job: 3 }, changes: { priority: 200 } },
      { target: { job: 1 }, changes: { priority: -100 } },
      { target: { job: 2 }, changes: { priority: -100 } },
    ]);
  });

  it('puts a job before its equals', () => {
    const yard = withJobs();
    yard.views = [aView(aJob({ id: 1 }), { priority: 5 }), aView(aJob({ id: 2 }), { priority: 5 })];
    run(yard, 'top 2');
    expect(yard.commands).toMatchObject([{ target: { job: 2 }, changes: { priority: 1 } }]);
  });

  it.each([
    ['top 999999', 'Invalid job id specified for job 999999'],
    ['top 8', 'Job is in held state, pending scheduler release for job 8'],
    ['top 73', 'Job is no longer pending execution for job 73'],
    ['top 60', 'Access/permission denied for job 60'],
  ])('%s', (line, stderr) => {
    const held = aJob({ id: 8, phase: 'held', hold: { by: 'user', reason: null } });
    expect(run(withJobs(held, ended, aJob({ id: 60 }, { user: 'bob' })), line)).toEqual(said(stderr));
  });
});

describe('commands from stdin', () => {
  function typing(text: string): ReturnType<typeof run> {
    const yard = withJobs(running);
    yard.stdin = bytesFromText(text);
    return run(yard, '');
  }

  it('are run one after the other until quit, and shown', () => {
    const ran = typing('show hostnames n[1-2]\nfrobnicate\n\nping\nquit\nping\n');
    expect(ran).toEqual({
      code: 0,
      stdout:
        'scontrol: show hostnames n[1-2]\nn1\nn2\nscontrol: frobnicate\nscontrol: \nscontrol: ping\nSlurmctld(primary) at box.example.org is UP\nscontrol: quit\n',
      stderr: 'invalid keyword: frobnicate\n',
    });
  });

  it('end with the end of stdin, and with what the last one came to', () => {
    expect(typing('frobnicate\n')).toMatchObject({ code: 1, stdout: 'scontrol: frobnicate\nscontrol: \n' });
    expect(typing('')).toEqual({ code: 0, stdout: 'scontrol: \n', stderr: '' });
  });

  it('are repeated, take quotes, and say how answers are given', () => {
    expect(typing('ping\n!!\n').stdout.match(/is UP/g)).toHaveLength(2);
    expect(typing('oneliner\nshow job 58\n').stdout.split('\n')).toHaveLength(5);
    const yard = withJobs(waiting);
    yard.stdin = bytesFromText('update JobId=57 Comment="a b"\n');
    run(yard, '');
    expect(yard.commands).toMatchObject([{ changes: { comment: 'a b' } }]);
  });
});
