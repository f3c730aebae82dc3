import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { bytesFromText } from '../../../model/bytes.ts';
import type { Attempt, Job } from '../../../model/job.ts';
import {
  anAttempt,
  aView,
  endedJob,
  type FakeYard,
  fakeYard,
  MINUTE,
  NOW,
  runDialect,
  runningJob,
} from '../../fake-yard.ts';
import { aNodeView, aQueueView } from '../fake-hosts.ts';
import { inWords } from '../fake-jobs.ts';
import { gridEngineProgram } from '../run.ts';
import { qacct } from './qacct.ts';

function run(yard: FakeYard, ...argv: readonly string[]) {
  return runDialect(gridEngineProgram(qacct), yard, ['qacct', ...argv]);
}

function ended(id: number, name: string, attempt: Partial<Attempt> = {}, changes: Partial<Job> = {}): Job {
  const job = endedJob(id, changes, attempt);
  return { ...job, spec: { ...job.spec, ...inWords({ queues: 'cpu' }), name, queue: 'cpu' } };
}

/** A job that failed at first, an array of two, one that still runs. */
function busyYard(): FakeYard {
  const again = ended(3, 'again', { id: '3.2', n: 2 });
  const first = anAttempt({
    id: '3.1',
    phase: 'ended',
    startedAt: NOW - 9 * MINUTE,
    endedAt: NOW - 8 * MINUTE,
    exit: { code: 99, signal: null, outOfMemory: false },
  });
  const aftermath = { againExitCodes: [99], errorExitCodes: [100], faultsAreErrors: true };
  const jobs = [
    ended(1, 'train', { usage: { peakMemoryBytes: 4572 * 1024, cpuMs: 1500, userCpuMs: 1250 } }),
    { ...again, spec: { ...again.spec, aftermath } },
    ended(5, 'arr', {}, { element: { array: 4, index: 1 } }),
    ended(
      6,
      'arr',
      { endedAt: NOW - 2 * MINUTE },
      { element: { array: 4, index: 2 }, endedAt: NOW - 2 * MINUTE },
    ),
    runningJob(7),
  ];
  return fakeYard({
    views: jobs.map((job) => aView(job)),
    attempts: new Map([[3, [first, again.attempt as Attempt]]]),
    users: [{ name: 'ada', uid: 1000, gid: 100, group: 'staff' }],
    queues: [aQueueView('cpu')],
    nodes: [aNodeView('node1')],
  });
}

function linesOf(text: string, name: string): readonly string[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith(name))
    .map((line) => line.slice(13).trimEnd());
}

describe('qacct -j', () => {
  it('tells all that is known of a run, in the form of the original', () => {
    const capture = new URL('../../../../test/golden/gridengine/captures/sge-qacct-j.txt', import.meta.url);
    const names = [...readFileSync(capture, 'utf8').matchAll(/^[a-z_]+ +/gm)].map(([name]) => name.trim());
    const { stdout, code } = run(busyYard(), '-j', '1');
    expect(code).toBe(0);
    expect([...stdout.matchAll(/^[a-z_]+ /gm)].map(([name]) => name.trim())).toEqual(names);
    expect(stdout).toContain(`${'='.repeat(62)}\nqname        cpu                 \n`);
    expect(stdout).toContain('taskid       undefined\n');
    expect(stdout).toContain('qsub_time    Tue Mar 10 14:10:00 2026\n');
    expect(stdout).toContain('failed       0    \nexit_status  0                   \nru_wallclock 240s\n');
    expect(stdout).toContain('ru_utime     1.250s\nru_stime     0.250s\nru_maxrss    4.465KB\n');
    expect(stdout).toContain('maxvmem      4.465MB\n');
    expect(stdout).toContain('group        staff               \n');
  });

  it('tells each run of a job that ran again, the first one first', () => {
    const { stdout } = run(busyYard(), '-j', '3');
    expect(linesOf(stdout, 'failed')).toEqual(['25  : rescheduling', '0']);
    expect(linesOf(stdout, 'exit_status')).toEqual(['99', '0']);
  });

  it('tells the tasks of an array as they ended, or some of them', () => {
    expect(linesOf(run(busyYard(), '-j', '4').stdout, 'taskid')).toEqual(['2', '1']);
    expect(linesOf(run(busyYard(), '-j', 'arr', '-t', '1').stdout, 'taskid')).toEqual(['1']);
    expect(run(busyYard(), '-j', '4', '-t', '7-9:2')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'error: Job-array tasks 4.7-9:2 not found\n',
    });
  });

  it('never shows the number that the yard gave to a task', () => {
    expect(run(busyYard(), '-j', '5')).toMatchObject({ code: 1, stderr: 'error: job id 5 not found\n' });
  });

  it('finds several numbers, and names those that are not there', () => {
    const { stdout, stderr, code } = run(busyYard(), '-j', '1,4,9');
    expect(new Set(linesOf(stdout, 'jobnumber'))).toEqual(new Set(['1', '4']));
    expect([stderr, code]).toEqual(['error: job id 9 not found\n', 0]);
  });

  it('does not see what runs', () => {
    expect(run(busyYard(), '-j', '7')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'error: job id 7 not found\n',
    });
    expect(run(busyYard(), '-j', 'lim')).toMatchObject({
      code: 1,
      stderr: 'error: job name lim not found\n',
    });
  });

  it('without a job tells all of them and what they used together', () => {
    const { stdout } = run(busyYard(), '-j');
    expect(linesOf(stdout, 'jobnumber')).toEqual(['3', '4', '1', '3', '4']);
    expect(stdout).toContain('Total System Usage\n');
  });
});

describe('qacct', () => {
  it('sums up what the yard remembers', () => {
    const { stdout } = run(busyYard(), '-o');
    expect(stdout.split('\n')[2]).toBe(
      'ada             960         1.250         0.250         1.500              0.000              0.000              0.000',
    );
  });

  it('takes a group by its number', () => {
    const { stdout } = run(busyYard(), '-g', '100');
    expect(stdout.split('\n')[2]).toMatch(/^staff +960 /);
  });

  it('counts what ran where something is offered', () => {
    expect(run(busyYard(), '-l', 'arch=lx-*').stdout.split('\n')[3]).toMatch(/^ +960 /);
    expect(run(busyYard(), '-l', 'arch=sol*').stdout.split('\n')[3]).toBe('');
    expect(run(busyYard(), '-l', 'nope=1')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'error: unknown resource "nope"\n',
    });
    expect(run({ ...busyYard(), queues: [] }, '-l', 'arch=*')).toMatchObject({
      code: 0,
      stderr: "5 jobs ignored for accounting. Jobs' master queue no longer exists.\n",
    });
  });

  it('prints a table without lines when nothing has ended', () => {
    const { stdout, code } = run(fakeYard());
    expect([stdout.split('\n').length, code]).toEqual([4, 0]);
  });

  it('reads a file that is named, or what it is given', () => {
    const line = readFileSync(
      new URL('../../../../test/golden/gridengine/qacct/accounting', import.meta.url),
    );
    const files = new Map([['/tmp/old', line]]);
    const expected = run(fakeYard({ files }), '-f', '/tmp/old').stdout;
    expect(expected).toContain('12.250');
    expect(run(fakeYard({ files }), '/tmp/old').stdout).toBe(expected);
    expect(run(fakeYard({ stdin: line }), '-f', '-').stdout).toBe(expected);
  });

  it('passes over what is no record', () => {
    const files = new Map([['/tmp/old', bytesFromText('# c\nx\n\ncpu:n1:short\n')]]);
    const { stderr, code } = run(fakeYard({ files }), '-f', '/tmp/old');
    expect([stderr, code]).toEqual([
      'error: ignoring invalid entry in line 1\nerror: ignoring invalid entry in line 2\n',
      0,
    ]);
  });

  it.each([
    [['-zzz'], 'SGE 8.1.9\nusage: qacct'],
    [['-f'], 'SGE 8.1.9\nusage: qacct'],
    [['-d', 'x'], 'SGE 8.1.9\nusage: qacct'],
    [['a', 'b'], 'SGE 8.1.9\nusage: qacct'],
    [['-t', '1'], 'error: -t option requires -j option with an argument\nSGE 8.1.9\nusage: qacct'],
    [['-j', '4', '-t', 'x'], 'invalid list of task id ranges: x\nSGE 8.1.9\n'],
    [['-ar', 'x'], 'invalid advance reservation id, must be an unsigned integer\nSGE 8.1.9\n'],
    [['-b', '99999999'], '\nInvalid month specification.\nSGE 8.1.9\n'],
  ])('refuses %j and says how it is called', (argv, beginning) => {
    const { stdout, stderr, code } = run(busyYard(), ...argv);
    expect([stdout, stderr.slice(0, beginning.length), code]).toEqual(['', beginning, 1]);
  });

  it('helps', () => {
    const { stdout, code } = run(fakeYard(), '-help');
    expect([stdout.slice(0, 23), code]).toEqual(['SGE 8.1.9\nusage: qacct ', 0]);
  });
});
