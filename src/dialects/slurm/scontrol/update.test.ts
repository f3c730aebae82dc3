/** What `scontrol update` makes of each name. The real one was asked the same. */

import { describe, expect, it } from 'vitest';
import type { JobChanges, UserCommand } from '../../../model/command.ts';
import type { Job } from '../../../model/job.ts';
import type { ResourceRequest } from '../../../model/job-spec.ts';
import type { NodeView } from '../../../model/query.ts';
import { rangeOf } from '../../../model/ranges.ts';
import {
  aJob,
  aView,
  type FakeYard,
  fakeYard,
  HOUR,
  MINUTE,
  NOW,
  runDialect,
  runningJob,
} from '../../fake-yard.ts';
import { slurmProgram } from '../run.ts';
import { scontrol } from './scontrol.ts';

function node(name: string, state: NodeView['node']['state'] = 'up'): NodeView {
  const plain = {
    cpus: 4,
    cpuIds: [],
    memoryBytes: 8 * 1024 ** 3,
    devices: [],
    features: ['fast'],
    reason: null,
  };
  return { node: { name, state, ...plain }, cpusUsed: 0, memoryUsedBytes: 0, devices: [], jobs: [] };
}

const job = aJob({ id: 57 }, { limitMs: 5 * MINUTE });

function yardWith(...jobs: readonly Job[]): FakeYard {
  return fakeYard({
    views: jobs.map((each) => aView(each)),
    nodes: [node('n1'), node('n2'), node('n3', 'draining')],
  });
}

function run(yard: FakeYard, ...words: readonly string[]) {
  return runDialect(slurmProgram(scontrol), yard, ['scontrol', 'update', ...words]);
}

/** What the yard is asked to change, and what is said about it. */
function updated(word: string, of: Job = job): { changes: JobChanges | null; stderr: string; code: number } {
  const yard = yardWith(of);
  const { code, stderr } = run(yard, `JobId=${of.id}`, ...word.split(' '));
  const [command] = yard.commands as readonly UserCommand[];
  return { changes: command?.type === 'update' ? command.changes : null, stderr, code };
}

function changes(word: string, of: Job = job): JobChanges | null {
  const { changes: made, stderr, code } = updated(word, of);
  expect([word, stderr, code]).toEqual([word, '', 0]);
  return made;
}

function resources(word: string): Partial<ResourceRequest> {
  const { resources: made } = changes(word) ?? {};
  const before: Readonly<Record<string, unknown>> = { ...job.spec.resources };
  const different = Object.entries(made ?? {}).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]),
  );
  return Object.fromEntries(different);
}

const refusedWith = (stderr: string) => ({ changes: null, stderr: `${stderr}\n`, code: 1 });

describe('time', () => {
  it.each<[string, number | null]>([
    ['TimeLimit=10', 10 * MINUTE],
    ['TimeLimit=+5', 10 * MINUTE],
    ['TimeLimit=-2', 3 * MINUTE],
    ['TimeLimit+=5', 10 * MINUTE],
    ['TimeLimit-=2', 3 * MINUTE],
    ['TimeLimit=1-0', 24 * HOUR],
    ['TimeLimit=2:30', 3 * MINUTE],
    ['TIMELIMIT=UNLIMITED', null],
    ['timelim=7', 7 * MINUTE],
  ])('%s', (word, limitMs) => {
    expect(changes(word)).toEqual({ limitMs });
  });

  it('more of a time that has no limit is the same', () => {
    expect(changes('TimeLimit+=5', aJob({ id: 57 }, { limitMs: null }))).toEqual({});
  });

  it('moments lie ahead', () => {
    expect(changes('StartTime=now+1hour')).toEqual({ beginAt: NOW + HOUR });
    expect(changes('EligibleTime=2027-01-01T00:00')).toEqual({ beginAt: 1_798_761_600_000 });
    expect(changes('Deadline=now+2hours')).toEqual({ deadlineAt: NOW + 2 * HOUR });
    expect(changes('EndTime=now+1minute', runningJob(57))).toEqual({ limitMs: 6 * MINUTE });
  });

  it.each([
    ['TimeLimit=banana', 'scontrol: error: Invalid TimeLimit value'],
    ['timelimit=', 'scontrol: error: Invalid TimeLimit value'],
    ['TimeLimit-=100', 'scontrol: error: TimeLimit decrement larger than current time limit (100 > 5)'],
    ['StartTime=foo', 'Invalid time specification (pos=0): foo\nNo changes specified'],
    ['StartTime=', 'No changes specified'],
    ['Deadline=2020-01-01', 'Invalid time specified for job 57'],
    ['EndTime=now+1hour', 'Job is not running for job 57'],
  ])('%s is refused', (word, stderr) => {
    expect(updated(word)).toEqual(refusedWith(stderr));
  });
});

describe('what a job is', () => {
  it.each<[string, JobChanges]>([
    ['Partition=gpu', { queue: 'gpu' }],
    ['Partition=gpu,main', { queue: 'gpu', queueChoices: ['gpu', 'main'] }],
    ['Nice', { nice: 100 }],
    ['Nice=50', { nice: 50 }],
    ['Nice=-50', { nice: -50 }],
    ['JobName=foo', { name: 'foo' }],
    ['Name=bar', { name: 'bar' }],
    ['Comment=hello', { comment: 'hello' }],
    ['Comment=', { comment: null }],
    ['Account=a', { account: 'a' }],
    ['Account=', { account: null }],
    ['QOS=high', { qos: 'high' }],
    ['QOS=', { qos: null }],
    ['Requeue=0', { requeue: false }],
    ['Requeue=1', { requeue: true }],
    ['Dependency=', { dependencies: null }],
    [
      'Dependency=afterok:5:6',
      {
        dependencies: {
          need: 'all',
          terms: [
            { kind: 'afterok', job: 5, index: null },
            { kind: 'afterok', job: 6, index: null },
          ],
        },
      },
    ],
    ['MailType=END', { mail: { to: 'ada', on: ['end'] } }],
    ['MailType=BEGIN,TIME_LIMIT MailUser=x@y.z', { mail: { to: 'x@y.z', on: ['begin', 'timeLimit'] } }],
    ['MailType=NONE', { mail: null }],
    ['Priority=1200', { priority: 200, nice: 0 }],
    ['Licenses=', {}],
    ['ReservationName=', {}],
  ])('%s', (word, made) => {
    expect(changes(word)).toEqual(made);
  });

  it('several names together', () => {
    expect(changes('TimeLimit=10 NumNodes=2 MinMemoryNode=100')).toMatchObject({
      limitMs: 10 * MINUTE,
      resources: { nodes: { min: 2, max: 2 }, ranks: 2, memory: { bytes: 100 * 1024 ** 2, per: 'node' } },
    });
  });

  it('a priority of 0 holds', () => {
    const yard = yardWith(job);
    expect(run(yard, 'JobId=57', 'Priority=0').code).toBe(0);
    expect(yard.commands.map(({ type }) => type)).toContain('hold');
  });

  it('the throttle is that of the whole array', () => {
    const element = { ...runningJob(61), element: { array: 60, index: 1 } };
    const array = aJob(
      { id: 60, array: { unstarted: rangeOf(2, 4), dropped: [], live: 1, ended: {} } },
      { array: { indices: rangeOf(1, 4), throttle: null } },
    );
    const yard = yardWith(array, element);
    run(yard, 'JobId=60_1', 'ArrayTaskThrottle=3');
    run(yard, 'JobId=60', 'ArrayTaskThrottle=0');
    expect(yard.commands).toMatchObject([
      { target: { job: 60, index: null }, changes: { throttle: 3 } },
      { target: { job: 60, index: null }, changes: { throttle: null } },
    ]);
  });

  it.each([
    ['Priority=x', 'scontrol: error: Invalid Priority value: x'],
    ['Priority=-1', 'scontrol: error: Invalid Priority value: -1'],
    ['Requeue=x', 'scontrol: error: Invalid Requeue value: x'],
    ['Dependency=foo:1', 'Job dependency problem for job 57'],
    ['MailType=FOO', 'Invalid MailType: FOO'],
    ['Licenses=foo', 'Invalid license specification for job 57'],
    ['Reservation=foo', 'Requested reservation is invalid for job 57'],
    ['BurstBuffer=x', 'Requested operation not supported on this system for job 57'],
    ['StdOut=/tmp/x', 'Requested operation not supported on this system for job 57'],
    ['OverSubscribe=x', 'scontrol: error: Invalid OverSubscribe value: x'],
    ['Hold=1', 'Update of this parameter is not supported: Hold=1\nRequest aborted'],
    ['Time=8', 'Update of this parameter is not supported: Time=8\nRequest aborted'],
    ['StdErr=x', 'Update of this parameter is not supported: StdErr=x\nRequest aborted'],
    ['constructor=x', 'Update of this parameter is not supported: constructor=x\nRequest aborted'],
    ['Foo', 'Invalid input: Foo\nRequest aborted'],
    ['UserID=0', 'No changes specified'],
  ])('%s is refused', (word, stderr) => {
    expect(updated(word)).toEqual(refusedWith(stderr));
  });

  it('a held job has no priority to be set', () => {
    const held = aJob({ id: 57, phase: 'held', hold: { by: 'user', reason: null } });
    expect(updated('Priority=100', held)).toEqual(
      refusedWith('Job is in held state, pending scheduler release for job 57'),
    );
  });

  it.each(['Dependency=', 'StartTime=now+1hour', 'Account=x'])(
    '%s comes too late for a running job',
    (word) => {
      const late = refusedWith('Job is no longer pending execution for job 57');
      expect(updated(word, runningJob(57))).toEqual(late);
    },
  );

  it.each([
    'Contiguous=yes',
    'WCKey=k',
    'CoreSpec=1',
    'Switches=1@5',
    'Reboot=no',
    'TimeMin=1',
    'wait-for-switch=5',
  ])('%s is said to have no effect', (word) => {
    const { stderr, code } = updated(word);
    expect(code).toBe(0);
    expect(stderr).toBe(`scontrol: warning: ${word.split('=')[0]} has no effect here\n`);
  });
});

describe('what a job asks for', () => {
  const MEBIBYTE = 1024 ** 2;
  it.each<[string, Partial<ResourceRequest>]>([
    ['NumNodes=2', { nodes: { min: 2, max: 2 }, ranks: 2 }],
    ['ReqNodes=1-2', { nodes: { min: 1, max: 2 } }],
    ['NumTasks=3', { ranks: 3 }],
    ['ReqProcs=3', { ranks: 3 }],
    ['NumCPUs=2', { cpusPerRank: 2, cpusAsked: true }],
    ['CPUsPerTask=2', { cpusPerRank: 2, cpusAsked: true }],
    ['MinCPUsNode=3', { cpusPerRank: 3, cpusAsked: true }],
    ['TasksPerNode=2', { ranksPerNode: 2 }],
    ['MinMemoryNode=100', { memory: { bytes: 100 * MEBIBYTE, per: 'node' } }],
    ['MinMemoryCPU=50', { memory: { bytes: 50 * MEBIBYTE, per: 'cpu' } }],
    ['Features=fast', { constraint: 'fast' }],
    ['ReqNodeList=n[1-2]', { onlyNodes: ['n1', 'n2'] }],
    ['ExcNodeList=n1', { exceptNodes: ['n1'] }],
    ['Gres=gpu:2', { gpus: { count: 2, kind: null, per: 'node', shareMillis: 1000 } }],
    ['TresPerNode=gres:gpu:a100:1', { gpus: { count: 1, kind: 'a100', per: 'node', shareMillis: 1000 } }],
    ['Gres=shard:2', { gpus: { count: 1, kind: null, per: 'node', shareMillis: 1000, sharing: 'auto' } }],
    ['Gres=', {}],
  ])('%s', (word, made) => {
    expect(resources(word)).toEqual(made);
  });

  it.each([
    ['NumNodes=x', 'scontrol: error: Invalid numeric value "x" for requested node count.'],
    [
      'NumCPUs=x',
      'scontrol: error: Invalid numeric value "x" for NumCPUs.\nscontrol: error: Invalid NumCPUs value: x',
    ],
    ['NumTasks=x', 'scontrol: error: Invalid NumTasks value: x'],
    ['MinMemoryNode=1G', 'scontrol: error: Invalid MinMemoryNode value: 1G'],
    ['Features=slow', 'Invalid feature specification for job 57'],
    ['ReqNodeList=nope', 'Invalid node name specified for job 57'],
    ['ExcNodeList=n[9', 'Invalid node name specified for job 57'],
    ['Gres=foo:1', 'Invalid generic resource (gres) specification for job 57'],
  ])('%s is refused', (word, stderr) => {
    expect(updated(word)).toEqual(refusedWith(stderr));
  });
});

describe('which jobs', () => {
  const targets = (yard: FakeYard) =>
    yard.commands.map((command) => 'target' in command && command.target.job);

  it('are named before or after what changes, with or without an equals sign', () => {
    for (const words of [
      ['TimeLimit=5', 'JobId=57'],
      ['JobId', '57', 'TimeLimit', '5'],
      ['job', '57', 'TimeLimit=5'],
      ['job=57', 'timelimit=5'],
    ]) {
      const yard = yardWith(job);
      expect(run(yard, ...words).code).toBe(0);
      expect(yard.commands).toMatchObject([{ target: { job: 57 }, changes: { limitMs: 5 * MINUTE } }]);
    }
  });

  it('are several, or those of a name', () => {
    const yard = yardWith(
      job,
      aJob({ id: 58 }, { name: 'zz' }),
      aJob({ id: 59 }, { name: 'zz', user: 'bob' }),
    );
    run(yard, 'JobId=57,58', 'TimeLimit=5');
    run(yard, 'JobName=zz', 'UserID=ada', 'TimeLimit=5');
    expect(targets(yard)).toEqual([57, 58, 58]);
    expect(run(yard, 'JobName=nope', 'TimeLimit=5')).toMatchObject({
      code: 1,
      stderr: "scontrol: error: No jobs with name 'nope'\n",
    });
    expect(run(yard, 'JobName=zz', 'UserID=nobody', 'TimeLimit=5').stderr).toBe(
      'Invalid UserID: nobody\nRequest aborted\n',
    );
  });

  it('nothing is changed when any of it makes no sense', () => {
    const yard = yardWith(job);
    expect(run(yard, 'JobId=57', 'Comment=x', 'TimeLimit=banana').code).toBe(1);
    expect(yard.commands).toEqual([]);
    expect(run(yard, 'JobId=57').stderr).toBe('No changes specified\n');
  });
});

describe('nodes', () => {
  it('are drained with a reason, and take jobs again', () => {
    const yard = yardWith();
    expect(run(yard, 'NodeName=n[1-2]', 'State=DRAIN', 'Reason=disk full')).toMatchObject({
      code: 0,
      stderr: '',
    });
    expect(run(yard, 'Node=n3', 'state=resume')).toMatchObject({ code: 0, stderr: '' });
    expect(yard.commands).toEqual([
      { type: 'drainNode', node: 'n1', reason: 'disk full' },
      { type: 'drainNode', node: 'n2', reason: 'disk full' },
      { type: 'resumeNode', node: 'n3' },
    ]);
  });

  it.each([
    [
      ['NodeName=n1', 'State=DRAIN'],
      'You must specify a reason when DOWNING or DRAINING a node. Request denied',
    ],
    [['NodeName=nope', 'State=DRAIN', 'Reason=x'], 'slurm_update error: Invalid node name specified'],
    [['NodeName=n1'], 'No changes specified'],
    [['NodeName=n1', 'State=RESUME'], 'slurm_update error: Invalid node state specified'],
    [['NodeName=n1', 'Foo=x'], 'Update of this parameter is not supported: Foo=x\nRequest aborted'],
    [
      ['NodeName=n1', 'State=foo'],
      "Invalid input: State=foo\nRequest aborted\nValid states are: DRAIN DOWN FAIL RESUME UNDRAIN\nNot all states are valid given a node's prior state",
    ],
    [
      ['Reservation=foo', 'Duration=5'],
      'Error updating the reservation: Requested reservation is invalid\nslurm_update error: Requested reservation is invalid',
    ],
  ])('%j is refused', (words, stderr) => {
    const yard = yardWith();
    expect(run(yard, ...words)).toEqual({ code: 1, stdout: '', stderr: `${stderr}\n` });
    expect(yard.commands).toEqual([]);
  });
});
