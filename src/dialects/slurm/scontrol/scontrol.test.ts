/** The keywords of `scontrol`, on the command line and from stdin. The real one was asked the same, and said the same. */

import { describe, expect, it } from 'vitest';
import { bytesFromText, textFromBytes } from '../../../model/bytes.ts';
import { aJob, anAttempt, aView, type FakeYard, fakeYard, MINUTE, runningJob } from '../../fake-yard.ts';
import { DONE, ended, run, running, said, waiting, withJobs } from './fake-scontrol.ts';

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

describe('processes', () => {
  function withProcesses(): FakeYard {
    const yard = withJobs(runningJob(58, { limitMs: 10 * MINUTE }), runningJob(60));
    const part = { rank: 0, memoryBytes: 0, virtualBytes: 0, userCpuMs: 0, systemCpuMs: 0 };
    const usage = (...parts: { step: number | null; pids: number[] }[]) => ({
      parts: parts.map((each) => ({ ...part, ...each })),
      peakMemoryBytes: null,
    });
    yard.usage.set(58, usage({ step: null, pids: [101, 102] }, { step: 0, pids: [103] }));
    yard.usage.set(60, usage({ step: null, pids: [201] }));
    return yard;
  }

  it('are listed by job and by step', () => {
    const heading = 'PID      JOBID    STEPID   LOCALID GLOBALID\n';
    expect(run(withProcesses(), 'listpids 58.0').stdout).toBe(
      `${heading}103      58       0        0       0       \n`,
    );
    expect(run(withProcesses(), 'listpids 58').stdout.match(/^\d+/gm)).toEqual(['101', '102', '103']);
    expect(run(withProcesses(), 'listpids').stdout.match(/^\d+/gm)).toHaveLength(4);
    expect(run(withProcesses(), 'listpids 99')).toEqual({
      code: 1,
      stdout: heading,
      stderr: 'There are no steps for job 99 on node (null).\n',
    });
    expect(run(withProcesses(), 'listpids 58.9').stderr).toBe('StepId=58.9 does not exist on node (null).\n');
    expect(run(withProcesses(), 'listpids abc')).toEqual(said('"abc" does not look like a jobid'));
  });

  it('lead to their job', () => {
    expect(run(withProcesses(), 'pidinfo 103').stdout).toBe(
      'Slurm job id 58 ends at Tue Mar 10 14:25:00 2026\nslurm_get_rem_time is 300\n',
    );
    expect(run(withProcesses(), 'pidinfo 201').stdout).toBe('Slurm job id 60 ends at Unknown\n');
    expect(run(withProcesses(), 'pidinfo 1')).toEqual(said('Failed to locate job for requested pid'));
    expect(run(withProcesses(), 'pidinfo')).toEqual(said('missing argument for keyword:pidinfo'));
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
