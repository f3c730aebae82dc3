import { describe, expect, it } from 'vitest';
import { rangeOf } from '../../model/ranges.ts';
import { aJob, aSpec, aView, type FakeYard, fakeYard, HOUR, MINUTE, NOW, runningJob } from '../fake-yard.ts';
import { displayWidth } from '../text/width.ts';
import { run } from './fake-yard.ts';

const { resources } = aSpec();

function busyYard(): FakeYard {
  const gpus = { count: 2, per: 'job', kind: 'a100', shareMillis: 1000 } as const;
  return fakeYard({
    views: [
      aView(aJob({ id: 30, phase: 'held', hold: { by: 'user', reason: null } }), {
        reason: { kind: 'held', by: 'user', note: null },
      }),
      aView(aJob({ id: 17 }, { user: 'bob' }), {
        priority: 2000,
        reason: {
          kind: 'resources',
          short: [{ resource: 'gpus', wanted: 2, free: 1, total: 4 }],
          waitsFor: [12],
        },
      }),
      aView(
        aJob(
          { id: 20, array: { unstarted: rangeOf(5, 99), dropped: [], live: 1, ended: { completed: 4 } } },
          { name: 'sweep', array: { indices: rangeOf(0, 99), throttle: 8 } },
        ),
        { reason: { kind: 'throttle', allowed: 8 } },
      ),
      aView({ ...runningJob(24, { name: 'sweep' }), element: { array: 20, index: 4 } }),
      aView(runningJob(12, { limitMs: 2 * HOUR, resources: { ...resources, cpusPerRank: 4, gpus } })),
    ],
  });
}

describe('queue', () => {
  it('shows what runs, then what starts next, an array as one row and its running elements', () => {
    expect(run(busyYard(), ['queue']).stdout).toBe(
      [
        'ID           NAME      USER  QUEUE  STATE    TIME  LIMIT  RESOURCES          WHERE/REASON',
        '12           train.sh  ada   main   running    5m     2h  4 cpu, 2 gpu a100  node1',
        '20_4         sweep     ada   main   running    5m      -  1 cpu              node1',
        '17           train.sh  bob   main   queued      -      -  1 cpu              needs 2 GPUs, 1 free',
        '20_[5-99%8]  sweep     ada   main   queued      -      -  1 cpu              at most 8 at once',
        '30           train.sh  ada   main   held        -      -  1 cpu              held',
        '2 running, 96 queued, 1 held',
        '',
      ].join('\n'),
    );
  });

  it('says of a job that it is suspended, and how long it had run', () => {
    const job = runningJob(12, { limitMs: 2 * HOUR });
    const attempt = job.attempt && { ...job.attempt, suspendedAt: NOW - 2 * MINUTE };
    const { stdout } = run(fakeYard({ views: [aView({ ...job, attempt })] }), ['queue']);
    expect(stdout).toContain('12  train.sh  ada   main   suspended    3m     2h  1 cpu      node1\n');
  });

  it('says of a job whose run is over that it saves, and what keeps it from that', () => {
    const job = runningJob(12);
    const saving = job.attempt && { ...job.attempt, phase: 'syncing' as const };
    const stuck = saving && { ...saving, trouble: 'no space left on /data' };
    const views = [aView({ ...job, attempt: saving }), aView({ ...job, id: 13, attempt: stuck })];
    const { stdout } = run(fakeYard({ views }), ['queue']);
    expect(stdout).toMatch(/^12 .* saving .* its run is over, its checkpoints are being copied$/m);
    expect(stdout).toMatch(/^13 .* saving .* no space left on \/data$/m);
    expect(stdout).toContain('\n2 saving\n');
  });

  it('calls the job that another waits for as people do', () => {
    const element = { ...runningJob(24), element: { array: 20, index: 4 } };
    const reason = { kind: 'place', directory: '/data/a', job: 24 } as const;
    const { stdout } = run(fakeYard({ views: [aView(element), aView(aJob({ id: 30 }), { reason })] }), [
      'queue',
    ]);
    expect(stdout).toContain('job 20_4 keeps its checkpoints in /data/a');
  });

  it('fits the terminal, and only a terminal', () => {
    const terminal = { stdin: true, stdout: true, stderr: true, columns: 72, colour: false };
    const lines = run(busyYard(), ['queue'], { terminal }).stdout.split('\n');
    for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(72);
    expect(lines[3]).toContain('…');
  });

  it('filters', () => {
    const ids = (...argv: string[]) =>
      run(busyYard(), ['queue', '-q', ...argv])
        .stdout.split('\n')
        .slice(0, -1);
    expect(ids('-u', 'bob')).toEqual(['17']);
    expect(ids('--name', 'sweep')).toEqual(['20_4', '20']);
    expect(ids('--state', 'running')).toEqual(['12', '20_4']);
    expect(ids('-s', 'held', '-s', 'queued')).toEqual(['17', '20', '30']);
    expect(ids('12', '30')).toEqual(['12', '30']);
    expect(ids('20')).toEqual(['20_4', '20']);
    expect(run(busyYard(), ['queue', '-u', 'nobody']).stdout).toContain('no job that waits or runs matches');
    expect(run(busyYard(), ['queue', '--state', 'odd'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('choices: held, waiting, queued and running'),
    });
  });

  it('leaves out an array whose elements have all started', () => {
    const yard = busyYard();
    yard.views = yard.views.map((view) =>
      view.job.id === 20
        ? {
            ...view,
            job: { ...view.job, phase: 'active', array: { unstarted: [], dropped: [], live: 1, ended: {} } },
          }
        : view,
    );
    expect(run(yard, ['queue']).stdout).not.toContain('20_[');
  });

  it('says what to try when there is nothing', () => {
    expect(run(fakeYard(), ['queue']).stdout).toContain(
      'nothing waits and nothing runs\n  try: trainyard submit',
    );
    expect(run(fakeYard(), ['queue', '-q']).stdout).toBe('');
    expect(run(fakeYard(), ['queue', '--json']).stdout).toBe('{"jobs":[]}\n');
  });

  it('survives names that would break a terminal', () => {
    const yard = fakeYard({ views: [aView(aJob({}, { name: '\x1b[2J日本\n\udcff' }))] });
    const { stdout } = run(yard, ['queue']);
    expect(stdout.split('\n')).toHaveLength(4);
    expect(stdout).toContain('\\x1b[2J日本\\n\\xff  ada');
  });

  it('gives programs UTC times, milliseconds and the reason', () => {
    const { jobs } = JSON.parse(run(busyYard(), ['queue', '--json'], { timeZone: 'Asia/Tokyo' }).stdout);
    expect(jobs[0]).toMatchObject({
      id: 12,
      ref: '12',
      phase: 'active',
      submittedAt: '2026-03-10T14:10:00.000Z',
      limitMs: 7_200_000,
      elapsedMs: 300_000,
      reason: null,
      attempt: { id: '12.1', startedAt: '2026-03-10T14:15:00.000Z' },
    });
    expect(jobs[2].reason).toMatchObject({ kind: 'resources', waitsFor: [12], text: 'needs 2 GPUs, 1 free' });
    expect(jobs[3].array).toEqual({
      indices: '0-99',
      throttle: 8,
      unstarted: '5-99',
      live: 1,
      ended: { completed: 4 },
    });
  });
});
