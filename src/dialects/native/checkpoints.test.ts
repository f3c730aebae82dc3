import { describe, expect, it } from 'vitest';
import type { Job } from '../../model/job.ts';
import { type CheckpointsAnswer, type CheckpointView, NOTHING_KEPT } from '../../model/keeping.ts';
import { rangeOf } from '../../model/ranges.ts';
import { refusal } from '../../model/refusal.ts';
import {
  aJob,
  anAttempt,
  aView,
  endedJob,
  type FakeYard,
  fakeYard,
  HOUR,
  MINUTE,
  NOW,
} from '../fake-yard.ts';
import { run } from './fake-yard.ts';

const KEEPING = { ...NOTHING_KEPT, checkpoints: '$SCRATCH/out', persist: '/data/out' };

function a(name: string, changes: Partial<CheckpointView> = {}): CheckpointView {
  return {
    name,
    kind: 'file',
    step: 300,
    bytes: 2 ** 30,
    files: 1,
    writtenAt: NOW - 2 * MINUTE,
    keptAt: NOW - MINUTE,
    state: 'kept',
    isBest: false,
    attempt: '17.1',
    path: `/data/out/${name}`,
    ...changes,
  };
}

const SEVERAL = [
  a('s-400', { kind: 'directory', step: 400, writtenAt: NOW - 1000, keptAt: null, state: 'growing' }),
  a('s-300.pt'),
  a('best.pt', { step: null, bytes: 1024, writtenAt: NOW - 26 * HOUR, isBest: true }),
];

function yardWith(answer: Partial<CheckpointsAnswer> = {}, job: Partial<Job> = {}): FakeYard {
  const running = aJob({ phase: 'active', attempt: anAttempt(), ...job }, { keeping: KEEPING });
  const yard = fakeYard({ views: [aView(running)] });
  yard.checkpoints = () => ({
    ok: true,
    from: '/scratch/17/out',
    to: '/data/out',
    checkpoints: SEVERAL,
    done: [],
    trouble: null,
    ...answer,
  });
  return yard;
}

const asked = (argv: readonly string[]) => {
  const yard = yardWith();
  expect(run(yard, ['checkpoints', ...argv]).code).toBe(0);
  return yard.checkpointAsks;
};

describe('a list of checkpoints', () => {
  it('has where they are, and of each its step, age, size and state', () => {
    expect(run(yardWith({ trouble: 'no space left on /data' }), ['checkpoints', '17'])).toEqual({
      code: 0,
      stdout: [
        'checkpoints of job 17  train.sh',
        '  from  /scratch/17/out',
        '  to    /data/out',
        '  trouble: no space left on /data',
        'NAME      STEP    AGE  SIZE  STATE',
        's-400/     400     1s    1G  growing',
        's-300.pt   300     2m    1G  kept',
        'best.pt      -  1d 2h    1K  kept, best',
        '1 growing, 2 kept',
        '',
      ].join('\n'),
      stderr: '',
    });
  });

  it('says so when there are none', () => {
    const none = { checkpoints: [], to: null };
    expect(run(yardWith(none), ['checkpoints', '17']).stdout).toBe(
      'checkpoints of job 17  train.sh\n  in    /scratch/17/out\n' +
        '  there are none yet; a program is told where to write them in TRAINYARD_CHECKPOINTS\n',
    );
    const over = run(yardWith(none, endedJob(17)), ['checkpoints', '17']);
    expect(over.stdout).not.toContain('yet');
  });

  it('is for programs and scripts, too', () => {
    expect(JSON.parse(run(yardWith(), ['checkpoints', '--json', '17']).stdout)).toMatchObject({
      id: 17,
      what: 'list',
      from: '/scratch/17/out',
      to: '/data/out',
      trouble: null,
      checkpoints: [
        { name: 's-400', state: 'growing', keptAt: null },
        { name: 's-300.pt', bytes: 2 ** 30, writtenAt: '2026-03-10T14:18:00.000Z' },
        { name: 'best.pt', isBest: true },
      ],
    });
    expect(run(yardWith(), ['checkpoints', '-q', '17']).stdout).toBe('s-400\ns-300.pt\nbest.pt\n');
  });

  it('has colours on a terminal only, and no control characters of names', () => {
    const yard = yardWith({ checkpoints: [a('x\ny\x1b', { state: 'damaged' })] });
    expect(run(yard, ['checkpoints', '17']).stdout).toContain('x\\ny\\x1b');
    const terminal = { stdin: true, stdout: true, stderr: true, columns: 80, colour: true };
    expect(run(yard, ['checkpoints', '17'], { terminal }).stdout).toContain('\x1b[31mdamaged');
  });
});

describe('what is asked of the yard', () => {
  it('is by default a list, with the deed before the job or behind it', () => {
    expect(asked(['17'])).toEqual([{ job: 17, ask: { what: 'list' } }]);
    expect(asked(['17', 'list'])).toEqual([{ job: 17, ask: { what: 'list' } }]);
    expect(asked(['17', 'flush'])).toEqual([{ job: 17, ask: { what: 'flush' } }]);
    expect(asked(['verify', '17'])).toEqual([{ job: 17, ask: { what: 'verify' } }]);
  });

  it('is a restore with its own options', () => {
    expect(asked(['restore', '17'])[0]?.ask).toEqual({ what: 'restore', name: null, to: null });
    expect(asked(['restore', '17', '--name', 's-300.pt', '--to', 'look'])[0]?.ask).toEqual({
      what: 'restore',
      name: 's-300.pt',
      to: '/home/ada/work/look',
    });
  });

  it('is a pruning as said here, or as the job said', () => {
    expect(asked(['prune', '17', '--keep', '1', '--keep-for', '7d'])[0]?.ask).toEqual({
      what: 'prune',
      keepCount: 1,
      keepForMs: 7 * 24 * HOUR,
    });
    const job = aJob({}, { keeping: { ...KEEPING, keepCount: 3 } });
    const yard = fakeYard({ views: [aView(job)] });
    run(yard, ['checkpoints', 'prune', '17']);
    expect(yard.checkpointAsks[0]?.ask).toEqual({ what: 'prune', keepCount: 3, keepForMs: null });
    expect(run(yardWith(), ['checkpoints', 'prune', '17'])).toMatchObject({
      code: 2,
      stderr: 'trainyard: how many are to stay?\n  hint: say it with --keep 3 or --keep-for 7d\n',
    });
  });
});

describe('what was done', () => {
  it('is said line by line', () => {
    expect(run(yardWith({ done: ['/tmp/look/s-300.pt'] }), ['checkpoints', 'restore', '17']).stdout).toBe(
      'restored /tmp/look/s-300.pt\n',
    );
    const pruned = run(yardWith({ done: ['s-1.pt', 's-2.pt'] }), [
      'checkpoints',
      'prune',
      '17',
      '--keep',
      '1',
    ]);
    expect(pruned.stdout).toBe('removed s-1.pt\nremoved s-2.pt\n2 checkpoints left\n');
    expect(run(yardWith(), ['checkpoints', 'flush', '17']).stdout).toBe(
      'nothing to be copied of the checkpoints of job 17\n',
    );
  });

  it('is bad when a flush leaves something unsafe', () => {
    expect(run(yardWith({ trouble: 'no space left' }), ['checkpoints', 'flush', '17'])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'trouble: no space left\n',
    });
  });

  it('is good when every byte is as it was, and bad when not', () => {
    const well = run(yardWith({ checkpoints: [a('s.pt')] }), ['checkpoints', 'verify', '17']);
    expect(well.code).toBe(0);
    expect(well.stdout).toContain('1 checkpoint read to the last byte, and all is well');
    const damaged = { checkpoints: [a('s.pt'), a('t.pt', { state: 'damaged' })], done: ['t.pt is damaged'] };
    const bad = run(yardWith(damaged), ['checkpoints', 'verify', '17']);
    expect(bad.code).toBe(1);
    expect(bad.stdout).toContain('t.pt is damaged\n');
    expect(bad.stdout).toContain('1 checkpoint whole, 1 damaged');
    expect(run(yardWith(damaged), ['checkpoints', '-q', 'verify', '17'])).toEqual({
      code: 1,
      stdout: '',
      stderr: '',
    });
  });
});

describe('what cannot be', () => {
  it.each([
    [['destroy', '17'], '"destroy" is neither a job nor something that can be done with checkpoints'],
    [['list', 'verify', '17'], 'one thing at a time'],
    [[], 'checkpoints needs a job'],
    [['17', '18'], 'one job at a time'],
    [['17', '--name', 'x'], '--name goes with restore'],
    [['restore', '17', '--keep', '2'], '--keep goes with prune'],
    [['prune', '17', '--keep', '0'], 'at least 1 is wanted'],
    [['prune', '17', '--keep-for', '7'], 'a time with its unit is wanted'],
    [['restore', '17', '--to', ''], '--to must not be empty'],
  ])('%j', (argv, said) => {
    const ran = run(yardWith(), ['checkpoints', ...argv]);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain(said);
  });

  it('a job that keeps nothing', () => {
    expect(run(fakeYard({ views: [aView(aJob())] }), ['checkpoints', '17'])).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'trainyard: job 17 names no directory of checkpoints\n' +
        '  hint: a job names one in its script, #YARD checkpoints=DIR, or with --checkpoints DIR\n',
    });
  });

  it('a whole array, or an element that has not started', () => {
    const array = { unstarted: rangeOf(1, 4), dropped: [], live: 0, ended: {} };
    const job = aJob({ array }, { keeping: KEEPING, array: { indices: rangeOf(1, 4), throttle: null } });
    const yard = fakeYard({ views: [aView(job)] });
    expect(run(yard, ['checkpoints', '17']).stderr).toContain('name an element, as 17_1');
    expect(run(yard, ['checkpoints', '17_2']).stderr).toContain('element 2 of array 17 has not started yet');
  });

  it('what the yard refuses', () => {
    const yard = yardWith();
    yard.checkpoints = () => ({ ok: false, refusal: refusal('notAllowed', 'job 17 belongs to bob') });
    expect(run(yard, ['checkpoints', '17'])).toMatchObject({
      code: 1,
      stderr: 'trainyard: job 17 belongs to bob\n',
    });
    expect(JSON.parse(run(yard, ['checkpoints', '--json', '17']).stdout).error.message).toContain('bob');
  });
});
