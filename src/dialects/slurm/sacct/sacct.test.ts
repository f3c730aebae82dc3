import { describe, expect, it } from 'vitest';
import type { Attempt, Job } from '../../../model/job.ts';
import { PLAIN_POLICY } from '../../../model/plain.ts';
import { rangeOf } from '../../../model/ranges.ts';
import {
  aJob,
  anAttempt,
  aSpec,
  aStep,
  aView,
  endedJob,
  type FakeYard,
  fakeYard,
  HOUR,
  MINUTE,
  NOW,
  runDialect,
  runningJob,
} from '../../fake-yard.ts';
import { slurmProgram } from '../run.ts';
import { sacct } from './sacct.ts';

function run(yard: FakeYard, words: string, environment = '') {
  const argv = ['sacct', ...words.split(' ').filter((word) => word !== '')];
  const bytes = new TextEncoder().encode(environment);
  return runDialect(slurmProgram(sacct), yard, argv, { environment: bytes });
}

function yardWith(...jobs: readonly Job[]): FakeYard {
  return fakeYard({ views: jobs.map((job) => aView(job)) });
}

const EARLIER: Partial<Attempt> = {
  phase: 'ended',
  endedAt: NOW - 3 * MINUTE,
  exit: { code: null, signal: 15, outOfMemory: false },
};

/** Started, requeued by somebody, and running again. */
function requeuedYard(): FakeYard {
  const stop = { cause: 'requeued', by: 'ada', requestedAt: NOW, killAt: NOW, step: 'term' } as const;
  const first = anAttempt({ ...EARLIER, stop });
  const second = anAttempt({ id: '17.2', n: 2, startedAt: NOW - MINUTE, clockFrom: NOW - MINUTE });
  const job = aJob({ id: 17, phase: 'active', attempt: second, restarts: 1, eligibleAt: NOW - 10 * MINUTE });
  return { ...yardWith(job), attempts: new Map([[17, [first, second]]]) };
}

describe('as tools call it', () => {
  it('answers snakemake: the last element of an array has the number of the array', () => {
    const spec = aSpec({ array: { indices: rangeOf(1, 2), throttle: null } });
    const elements = [1, 2].map((index) => endedJob(12 + index, { spec, element: { array: 12, index } }));
    const { stdout } = run(yardWith(...elements), '-X -n --parsable2 --format=JobIdRaw,JobId,State');
    expect(stdout).toBe('13|12_1|COMPLETED\n12|12_2|COMPLETED\n');
  });

  it('answers submitit: several -j, a header, elements that wait in brackets', () => {
    const array = aJob(
      {
        id: 12,
        phase: 'active',
        eligibleAt: NOW - HOUR,
        array: { unstarted: [...rangeOf(3, 7), ...rangeOf(9, 9)], dropped: [], live: 1, ended: {} },
      },
      { array: { indices: rangeOf(0, 9), throttle: 2 } },
    );
    const element = { ...runningJob(14), element: { array: 12, index: 1 } };
    const { stdout, code } = run(
      yardWith(array, element, endedJob(20)),
      '-o JobID,State,NodeList --parsable2 -j 12 -j 20',
    );
    expect(code).toBe(0);
    expect(stdout).toBe(
      [
        'JobID|State|NodeList',
        '20|COMPLETED|node1',
        '20.batch|COMPLETED|node1',
        '12_1|RUNNING|node1',
        '12_1.batch|RUNNING|node1',
        '12_[3-7,9%2]|PENDING|None assigned',
        '',
      ].join('\n'),
    );
  });

  it("answers snakemake's poll, and its question for nodes", () => {
    const yard = yardWith({ ...endedJob(20), spec: aSpec({ name: 'f00-ba2' }) }, endedJob(21));
    const poll =
      '-X --parsable2 --clusters all --noheader --format=JobIdRaw,State --starttime 2026-03-10T13:00 --endtime now --name f00-ba2';
    expect(run(yard, poll).stdout).toBe('20|COMPLETED\n');
    expect(run(yard, '-j 20 -n -X -o nodelist%-256').stdout).toBe(`${'node1'.padEnd(256)} \n`);
  });

  it('answers torchx with one value of JSON', () => {
    const answer = JSON.parse(run(yardWith(endedJob(20)), '--json -j 20').stdout);
    expect(answer.jobs[0]).toMatchObject({ job_id: 20, state: { current: 'COMPLETED' }, nodes: 'node1' });
    expect(answer.jobs[0].steps[0].step).toMatchObject({ id: 'batch', name: 'batch' });
    const none = JSON.parse(run(yardWith(), '--json -j 20').stdout);
    expect(none).toMatchObject({ jobs: [], errors: [{ error_number: 9003 }] });
  });
});

describe('which jobs', () => {
  const at = (agoMs: number) => ({ eligibleAt: NOW - agoMs, submittedAt: NOW - agoMs });
  const yesterday = endedJob(
    1,
    { ...at(24 * HOUR), endedAt: NOW - 23 * HOUR },
    { startedAt: NOW - 24 * HOUR, endedAt: NOW - 23 * HOUR },
  );
  const failed = endedJob(
    2,
    { ...at(2 * HOUR), outcome: 'failed', endedAt: NOW - HOUR },
    { startedAt: NOW - 2 * HOUR, endedAt: NOW - HOUR, exit: { code: 3, signal: null, outOfMemory: false } },
  );
  const running = { ...runningJob(3), ...at(HOUR) };
  const pending = aJob({ id: 4, ...at(HOUR) });
  const held = aJob({ id: 5, phase: 'held', eligibleAt: null, hold: { by: 'user', reason: null } });
  const theirs = { ...runningJob(6, { user: 'bob' }), ...at(HOUR) };
  const yard = fakeYard({
    views: [yesterday, failed, running, pending, held, theirs].map((job) => aView(job)),
    users: [
      { name: 'ada', uid: 1000, gid: 1000, group: 'ada' },
      { name: 'bob', uid: 1001, gid: 1001, group: 'lab' },
    ],
  });
  const ids = (words: string) => run(yard, `-X -n -P -o jobid ${words}`).stdout.trim().split('\n').join(' ');

  it.each([
    ['', '2 3 4'],
    ['-S 2026-03-09', '1 2 3 4'],
    ['-j 1,2', '1 2'],
    ['-j 5', '5'],
    ['-S now-30minutes', '3 4'],
    ['-E now-90minutes', '2'],
    ['-s PD', '4'],
    ['-s R', '3'],
    ['-s F', ''],
    ['-s f -S midnight -E now', '2'],
    ['-s CD,FAILED -S 2026-03-09 -E now', '1 2'],
    ['-s CD -j 1,2', '1'],
    ['-s R -S 2026-03-09 -E now', '1 2 3'],
    ['-a', '2 3 4 6'],
    ['-u bob', '6'],
    ['-u 1001,ada', '2 3 4 6'],
    ['-a -g lab', '6'],
    ['-N node1', '2 3'],
    ['-N other', ''],
    ['-r main', '2 3 4'],
    ['-r gpu', ''],
    ['-q normal', '2 3 4'],
    ['-A lab', ''],
    ['--name nobody', ''],
    ['-i 1', '2 3'],
    ['-i 2-4', ''],
    ['-I 1', '2 3'],
    ['-M elsewhere', ''],
    ['-M yard', '2 3 4'],
    ['-j 0', '2 3 4'],
    ['-D --duplicates', '2 3 4'],
  ])('%s finds %s', (words, expected) => expect(ids(words)).toBe(expected));

  it('shows the steps that are named, and the whole job without them', () => {
    const job = runningJob(17);
    const steps = new Map([[17, [aStep(), aStep({ n: 1, name: 'true' })]]]);
    const withSteps = { ...yardWith(job), steps };
    const shown = (words: string) =>
      run(withSteps, `-n -P -o jobid,jobname ${words}`).stdout.split('\n').slice(0, -1);
    expect(shown('-j 17')).toEqual(['17|train.sh', '17.batch|batch', '17.0|python', '17.1|true']);
    expect(shown('-j 17.batch,17.1')).toEqual(['17.batch|batch', '17.1|true']);
    expect(shown('-j 17.0 -X')).toEqual(['17|train.sh']);
    expect(shown('-j 17.7')).toEqual([]);
  });

  it('shows a job whose time has not come to those who name it, and what it waited for when it is cancelled', () => {
    const later = aJob({ id: 17, phase: 'waiting', eligibleAt: null }, { beginAt: NOW + HOUR });
    const format = '-X -n -P -o jobid,state,eligible,reserved';
    const reason = { kind: 'begin', at: NOW + HOUR } as const;
    const waits = fakeYard({ views: [aView(later, { reason })] });
    expect(run(waits, `${format},reason -j 17`).stdout).toBe(
      '17|PENDING|2026-03-10T15:20:00|INVALID|BeginTime\n',
    );
    expect(run(waits, format).stdout).toBe('');
    const ended = { phase: 'ended', outcome: 'cancelled', endedAt: NOW } as const;
    const reasonOf = (job: Job) => run(yardWith({ ...job, ...ended }), '-X -n -P -o reason -j 17').stdout;
    expect(reasonOf(later)).toBe('BeginTime\n');
    expect(reasonOf({ ...later, hold: { by: 'user', reason: null } })).toBe('JobHeldUser\n');
    expect(reasonOf(aJob({ id: 17, eligibleAt: NOW - HOUR }))).toBe('None\n');
  });

  it('finds an element that has not begun in the record of its array', () => {
    const array = aJob(
      { id: 12, eligibleAt: NOW, array: { unstarted: rangeOf(3, 7), dropped: [], live: 0, ended: {} } },
      { array: { indices: rangeOf(3, 7), throttle: null } },
    );
    expect(run(yardWith(array), '-X -n -P -o jobid -j 12_4').stdout).toBe('12_[3-7]\n');
    expect(run(yardWith(array), '-X -n -P -o jobid -j 12_8').stdout).toBe('');
  });
});

describe('runs', () => {
  it('shows the last run, and all of them with -D', () => {
    const format = '-j 17 -P -n -o jobid,state,exitcode,submit,start,end';
    expect(run(requeuedYard(), format).stdout).toBe(
      [
        '17|RUNNING|0:0|2026-03-10T14:17:00|2026-03-10T14:19:00|Unknown',
        '17.batch|RUNNING|0:0|2026-03-10T14:19:00|2026-03-10T14:19:00|Unknown',
        '',
      ].join('\n'),
    );
    expect(run(requeuedYard(), `-D ${format}`).stdout).toBe(
      [
        '17|REQUEUED|0:0|2026-03-10T14:10:00|2026-03-10T14:15:00|2026-03-10T14:17:00',
        '17.batch|CANCELLED|0:15|2026-03-10T14:15:00|2026-03-10T14:15:00|2026-03-10T14:17:00',
        '17|RUNNING|0:0|2026-03-10T14:17:00|2026-03-10T14:19:00|Unknown',
        '17.batch|RUNNING|0:0|2026-03-10T14:19:00|2026-03-10T14:19:00|Unknown',
        '',
      ].join('\n'),
    );
  });

  it('finds a state of an earlier run', () => {
    expect(run(requeuedYard(), '-X -n -P -o jobid,state -j 17 -s RQ').stdout).toBe('17|REQUEUED\n');
  });

  it.each([
    [{ phase: 'lost' }, 'NODE_FAIL'],
    [{ exit: { code: 3, signal: null, outOfMemory: false } }, 'REQUEUED'],
    [{ exit: { code: 4, signal: null, outOfMemory: false } }, 'FAILED'],
    [{ exit: { code: 0, signal: null, outOfMemory: false } }, 'COMPLETED'],
    [{ exit: { code: null, signal: 9, outOfMemory: true } }, 'OUT_OF_MEMORY'],
    [{ stop: { cause: 'preempted', by: null, requestedAt: 0, killAt: 0, step: 'term' } }, 'PREEMPTED'],
  ] as const)('knows how an earlier run ended: %o', (changes, state) => {
    const yard = requeuedYard();
    const [, second] = yard.attempts.get(17) as Attempt[];
    yard.attempts.set(17, [anAttempt({ ...EARLIER, ...changes }), second as Attempt]);
    yard.policy = { ...PLAIN_POLICY, requeueExitCodes: [3] };
    expect(run(yard, '-D -X -n -P -o state -j 17').stdout).toBe(`${state}\nRUNNING\n`);
  });

  it('shows that a job waits to be run again, and that it was cancelled then', () => {
    const yard = requeuedYard();
    const [first] = yard.attempts.get(17) as Attempt[];
    const waiting = aJob({ id: 17, attempt: first as Attempt, restarts: 1, eligibleAt: NOW - 10 * MINUTE });
    yard.attempts.set(17, [first as Attempt]);
    yard.views = [aView(waiting)];
    expect(run(yard, '-X -n -P -o state,start,nodelist -j 17').stdout).toBe(
      'PENDING|Unknown|None assigned\n',
    );
    yard.views = [
      aView({ ...waiting, phase: 'ended', outcome: 'cancelled', endedAt: NOW - MINUTE, endedBy: 'ada' }),
    ];
    expect(run(yard, '-X -n -P -o state,start,end -j 17').stdout).toBe(
      'CANCELLED by 1000|None|2026-03-10T14:19:00\n',
    );
  });

  it('tells who cancelled a job, cut to the width of its column', () => {
    const job = endedJob(
      17,
      { outcome: 'cancelled', endedBy: 'ada' },
      { exit: { code: null, signal: 15, outOfMemory: false } },
    );
    expect(run(yardWith(job), '-n -j 17 -o state,exitcode').stdout).toBe(
      'CANCELLED+      0:0 \n CANCELLED     0:15 \n',
    );
  });

  it('takes the worst exit of the steps for the derived one', () => {
    const steps = [
      aStep({ endedAt: NOW, exit: { code: 2, signal: null, outOfMemory: false } }),
      aStep({ n: 1, endedAt: NOW, exit: { code: 0, signal: null, outOfMemory: false } }),
    ];
    const yard = { ...yardWith(endedJob(17)), steps: new Map([[17, steps]]) };
    expect(run(yard, '-n -P -j 17 -o jobid,state,derivedexitcode').stdout).toBe(
      '17|COMPLETED|2:0\n17.batch|COMPLETED|\n17.0|FAILED|\n17.1|COMPLETED|\n',
    );
  });

  it('counts the time of a suspended job as it stands still', () => {
    const attempt = anAttempt({ suspendedAt: NOW - MINUTE, suspendedMs: 2000, suspensions: 3 });
    const yard = yardWith(aJob({ id: 17, phase: 'active', attempt, eligibleAt: NOW - HOUR }));
    expect(run(yard, '-n -P -j 17 -o jobid,state,elapsed,suspended').stdout).toBe(
      '17|SUSPENDED|00:04:00|00:01:02\n17.batch|SUSPENDED|00:04:00|00:01:02\n',
    );
    expect(run(yard, '-X -n -P -s S -o jobid').stdout).toBe('17\n');
  });

  it('counts no time after the processes of a job are gone, while what they left is made safe', () => {
    const exit = { code: 0, signal: null, outOfMemory: false };
    const attempt = anAttempt({ phase: 'syncing', endedAt: NOW - MINUTE, exit });
    const yard = yardWith(aJob({ id: 17, phase: 'active', attempt, eligibleAt: NOW - HOUR }));
    expect(run(yard, '-n -P -j 17 -o jobid,state,elapsed').stdout).toBe(
      '17|COMPLETING|00:04:00\n17.batch|COMPLETED|00:04:00\n',
    );
  });

  it('shows how a job went that ended only when what it left was safe', () => {
    const exit = { code: 7, signal: null, outOfMemory: false };
    const job = endedJob(17, { outcome: 'failed' }, { exit, endedAt: NOW - MINUTE, safeAt: NOW });
    expect(run(yardWith({ ...job, endedAt: NOW }), '-n -P -D -j 17 -o jobid,state,exitcode').stdout).toBe(
      '17|FAILED|7:0\n17.batch|FAILED|7:0\n',
    );
  });

  it('shows the memory of a batch script that had no steps', () => {
    const job = endedJob(17, {}, { usage: { peakMemoryBytes: 3000 * 1024, cpuMs: 2000, userCpuMs: 1600 } });
    expect(run(yardWith(job), '-n -P -j 17 -o maxrss,averss,maxrssnode,avecpu').stdout).toBe(
      '|||\n3000K|3000K|node1|00:00:02\n',
    );
  });

  it("subtracts what the steps used from what the batch script used, and shows the job's sum", () => {
    const usage = { userCpuMs: 1500, systemCpuMs: 250, peakMemoryBytes: 5 * 1024 ** 2, rankStatuses: [0] };
    const step = aStep({ endedAt: NOW - MINUTE, exit: { code: 0, signal: null, outOfMemory: false }, usage });
    const job = endedJob(17, {}, { usage: { peakMemoryBytes: 3000 * 1024, cpuMs: 2000, userCpuMs: 1600 } });
    const yard = { ...yardWith(job), steps: new Map([[17, [step]]]) };
    expect(run(yard, '-n -P -j 17 -o jobid,totalcpu,usercpu,systemcpu,maxrss,averss,avecpu').stdout).toBe(
      [
        '17|00:00:02|00:01.600|00:00.400|||',
        '17.batch|00:00.250|00:00.100|00:00.150|||',
        '17.0|00:01.750|00:01.500|00:00.250|5M|5M|00:00:01',
        '',
      ].join('\n'),
    );
  });

  it('leaves out a part of the CPU time that nobody told apart', () => {
    const job = endedJob(17, {}, { usage: { peakMemoryBytes: null, cpuMs: 2000 } });
    expect(run(yardWith(job), '-n -P -X -j 17 -o totalcpu,usercpu,systemcpu').stdout).toBe('00:00:02||\n');
  });
});

describe('how it is printed', () => {
  const yard = yardWith({
    ...endedJob(17),
    eligibleAt: NOW - 9 * MINUTE,
    spec: aSpec({ limitMs: 90 * MINUTE }),
  });

  it('takes the format from the environment unless one is given', () => {
    expect(run(yard, '-X -n -P', 'SACCT_FORMAT=jobid,user').stdout).toBe('17|ada\n');
    expect(run(yard, '-X -n -P -o state', 'SACCT_FORMAT=jobid,user').stdout).toBe('COMPLETED\n');
    expect(run(yard, '-X -n -P -b', 'SACCT_FORMAT=jobid,user').stdout).toBe('17|COMPLETED|0:0\n');
  });

  it('joins formats, and stops at an empty field', () => {
    expect(run(yard, '-X -n -P -o jobid -o user').stdout).toBe('17|ada\n');
    expect(run(yard, '-X -n -P -o jobid,,user').stdout).toBe('17\n');
  });

  it('writes times as the environment says', () => {
    expect(run(yard, '-X -n -P -o start', 'SLURM_TIME_FORMAT=relative').stdout).toBe('14:15:00\n');
  });

  it('cuts times to the window with -T', () => {
    expect(run(yard, '-X -n -P -T -S 14:16 -E 14:18 -o start,end,elapsed').stdout).toBe(
      '2026-03-10T14:16:00|2026-03-10T14:18:00|00:02:00\n',
    );
  });

  it('shows limits as times and as minutes', () => {
    expect(run(yard, '-X -n -P -o timelimit,timelimitraw,reserved,cputimeraw').stdout).toBe(
      '01:30:00|90|00:04:00|240\n',
    );
  });

  it('prints every field of every kind of line without a hole', () => {
    const { stdout } = run(yard, '-P -o ALL');
    const [heading = '', ...lines] = stdout.trimEnd().split('\n');
    expect(heading.split('|')).toHaveLength(109);
    for (const line of lines) expect(line.split('|')).toHaveLength(109);
    expect(stdout).not.toMatch(/undefined|NaN|null/);
  });

  it('prints the script of a job, or NONE', () => {
    const scripts = new Map([[17, '#!/bin/sh\ntrue']]);
    const rule = '-'.repeat(80);
    expect(run({ ...yard, scripts }, '-B -j 17').stdout).toBe(
      `Batch Script for 17\n${rule}\n#!/bin/sh\ntrue\n\n`,
    );
    expect(run(yard, '-B -j 17').stdout).toContain('\nNONE\n');
    expect(run(yard, '-B')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("with the '-j' option"),
    });
  });

  it('says which time it looks at when asked to', () => {
    expect(run(yard, '-v -X -j 17').stderr).toBe(
      'sacct: Jobs Eligible in the time window from Epoch 0 to Tue Mar 10 14:20:00 2026\n',
    );
  });
});

describe('what it refuses', () => {
  it.each([
    ['--bogus', "sacct: unrecognized option '--bogus'\n"],
    ['-Z', "sacct: invalid option -- 'Z'\n"],
    ['-o jobid,bogus', 'sacct: error: Invalid field requested: "bogus"\n'],
    ['-s XX', "sacct: fatal: unrecognized job state value 'XX'\n"],
    ['-S bogus', 'Invalid time specification (pos=0): bogus\n'],
    ['-j abc', 'sacct: fatal: Bad job/step specified: abc\n'],
    ['-j 49.foo', 'sacct: fatal: Bad step specified: 49\n'],
    ['-j 50_[1-2]', 'sacct: fatal: Bad job array element specified: 50\n'],
    ['-u nosuchuser', 'sacct: error: Invalid user id: nosuchuser\n'],
    ['-k abc', 'sacct: fatal: Invalid time limit specification\n'],
    ['extra args', 'sacct: error: Unknown arguments:\nsacct: error:  extra\nsacct: error:  args\n'],
    [
      '--units=X',
      "sacct: error: Invalid unit type 'X'. Possible options are 'KMGTP'\nsacct: fatal: Invalid unit type\n",
    ],
    ['-i x', 'sacct: error: Invalid numeric value "x" for requested node range.\n'],
    [
      '-q nosuch',
      "sacct: error: You gave a bad qos 'nosuch'. Valid QOS's are normal\nsacct: fatal: problem processing qos list\n",
    ],
    ['-F bogus', 'sacct: error: str_2_job_flags: Invalid job flag bogus\n'],
    ['--whole-hetjob=foo', 'sacct: error: Invalid --whole-hetjob value "foo". Valid values: [yes|no].\n'],
    [
      '-S now -E now-1hour',
      'sacct: error: Start time (2026-03-10T14:20:00) requested is after end time (2026-03-10T13:20:00).\n',
    ],
    ['-f /etc/passwd', '/etc/passwd is not a valid file\n'],
  ])('%s', (words, stderr) => {
    expect(run(fakeYard(), words)).toEqual({ code: 1, stdout: '', stderr });
  });
});
