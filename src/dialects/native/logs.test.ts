import { describe, expect, it } from 'vitest';
import { bytesFromText } from '../../model/bytes.ts';
import type { JobSpec } from '../../model/job-spec.ts';
import { rangeOf } from '../../model/ranges.ts';
import {
  aJob,
  anAttempt,
  aSpec,
  aView,
  endedJob,
  type FakeYard,
  fakeYard,
  runningJob,
} from '../fake-yard.ts';
import { run } from './fake-yard.ts';

const OUT = '/home/ada/work/trainyard-17.out';

function yardWithOutput(text: string | Uint8Array, job = endedJob(17)): FakeYard {
  const bytes = typeof text === 'string' ? bytesFromText(text) : text;
  return fakeYard({ views: [aView(job)], files: new Map([[OUT, bytes]]) });
}

describe('logs', () => {
  it('prints the bytes of a job as they are', () => {
    const text = 'a\n\x1b[31mred\x1b[0m\udcff\0\nlast';
    expect(run(yardWithOutput(text), ['logs', '17'])).toEqual({ code: 0, stdout: text, stderr: '' });
  });

  it('prints the last lines, across chunks, with and without a newline at the end', () => {
    const last = (text: string, n: number) => run(yardWithOutput(text), ['logs', '-n', `${n}`, '17']).stdout;
    expect(last('a\nb\nc\n', 2)).toBe('b\nc\n');
    expect(last('a\nb\nc', 2)).toBe('b\nc');
    expect(last('a\nb\n', 5)).toBe('a\nb\n');
    expect(last('a\nb\n', 0)).toBe('');
    expect(last('', 3)).toBe('');
    expect(last('\n\n\n', 2)).toBe('\n\n');
    const long = `${'x'.repeat(200_000)}\nshort\n`;
    expect(last(`first\n${long}`, 2)).toBe(long);
    const many = Array.from({ length: 50_000 }, (_, i) => `line ${i}\n`).join('');
    expect(last(many, 3)).toBe('line 49997\nline 49998\nline 49999\n');
  });

  it('says so when there is nothing to print yet', () => {
    const waiting = fakeYard({ views: [aView(aJob())] });
    expect(run(waiting, ['logs', '17'])).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'trainyard: job 17 has not started, so there is no output\n' +
        '  hint: see what it waits for: trainyard why 17\n' +
        '  hint: or wait for its output: trainyard logs -f 17\n',
    });
    const gone = fakeYard({ views: [aView(endedJob(17))] });
    expect(run(gone, ['logs', '17']).stderr).toContain(`job 17 has no output file ${OUT}`);
    expect(run(gone, ['logs', '17']).stderr).toContain('it may have been removed');
    gone.attempts.set(17, [anAttempt({ phase: 'ended', startedAt: null })]);
    expect(run(gone, ['logs', '17']).stderr).toContain(
      'its program has not run; to see why: trainyard why 17',
    );
  });

  it('asks which element of an array is meant', () => {
    const array = aJob(
      { id: 20, array: { unstarted: rangeOf(2, 9), dropped: [], live: 1, ended: { completed: 1 } } },
      { array: { indices: rangeOf(0, 9), throttle: null } },
    );
    const element = { ...endedJob(21), element: { array: 20, index: 0 } };
    const yard = fakeYard({ views: [aView(array), aView(element)] });
    yard.files.set('/home/ada/work/trainyard-21.out', bytesFromText('zero\n'));
    expect(run(yard, ['logs', '20'])).toMatchObject({
      code: 1,
      stderr: 'trainyard: job 20 is an array: say which element\n  hint: for example: trainyard logs 20_0\n',
    });
    expect(run(yard, ['logs', '20_0']).stdout).toBe('zero\n');
    expect(run(yard, ['logs', '20_5']).stderr).toContain('job 20_5 has not started');
  });

  it('tells stderr from stdout where they are two files', () => {
    const yard = yardWithOutput('out\n');
    expect(run(yard, ['logs', '--stderr', '17'])).toMatchObject({
      stdout: 'out\n',
      stderr: 'trainyard: note: this job writes stdout and stderr to one file\n',
    });
    const streams: JobSpec['streams'] = { ...aSpec().streams, stderr: 'err' };
    const job = endedJob(17);
    yard.views = [aView({ ...job, spec: { ...job.spec, streams } }, { stderrPath: '/home/ada/work/err' })];
    yard.files.set('/home/ada/work/err', bytesFromText('bad\n'));
    expect(run(yard, ['logs', '-e', '17'])).toEqual({ code: 0, stdout: 'bad\n', stderr: '' });
  });

  it('finds the output of an earlier attempt', () => {
    const streams: JobSpec['streams'] = { ...aSpec().streams, stdout: '%x/%j-%2r-%J.out' };
    const second = anAttempt({ id: '17.2', n: 2, phase: 'ended' });
    const job = aJob(
      { phase: 'ended', outcome: 'completed', restarts: 1, attempt: second },
      { streams, name: 'a/b' },
    );
    const yard = fakeYard({ views: [aView(job)] });
    yard.attempts.set(17, [anAttempt({ phase: 'ended' }), second]);
    yard.files.set('/home/ada/work/a_b/17-00-17.1.out', bytesFromText('first\n'));
    yard.files.set(OUT, bytesFromText('second\n'));
    expect(run(yard, ['logs', '--attempt', '1', '17']).stdout).toBe('first\n');
    expect(run(yard, ['logs', '--attempt', '2', '17']).stdout).toBe('second\n');
    expect(run(yard, ['logs', '--attempt', '3', '17'])).toMatchObject({
      code: 1,
      stderr: 'trainyard: job 17 has no attempt 3\n  choices: 1 and 2\n',
    });
  });

  it('is one value in JSON, the end of it when there is much', () => {
    const value = JSON.parse(run(yardWithOutput('a\nb\n\udcff'), ['logs', '-n', '2', '--json', '17']).stdout);
    expect(value).toEqual({ id: 17, ref: '17', path: OUT, sizeBytes: 5, fromByte: 2, text: 'b\n\udcff' });
    const huge = new Uint8Array(9 * 1024 * 1024).fill(0x61);
    const cut = JSON.parse(run(yardWithOutput(huge), ['logs', '--json', '17']).stdout);
    expect(cut.text.length).toBe(8 * 1024 * 1024);
    expect(cut.fromByte).toBe(1024 * 1024);
  });
});

describe('logs -f', () => {
  it('waits for the start, shows what comes, and ends with the job', () => {
    const yard = fakeYard({ views: [aView(aJob(), { reason: { kind: 'throttle', allowed: 1 } })] });
    const write = (text: string) => yard.files.set(OUT, bytesFromText(text));
    yard.meanwhile = [
      () => (yard.views = [aView(runningJob(17))]),
      () => write('one\n'),
      () => write('one\ntwo\n'),
      () => {
        write('one\ntwo\nthree\n');
        yard.views = [aView(endedJob(17, { outcome: 'failed' }))];
      },
    ];
    expect(run(yard, ['logs', '-f', '17'])).toEqual({
      code: 0,
      stdout: 'one\ntwo\nthree\n',
      stderr: 'trainyard: note: job 17 waits: at most 1 at once\n',
    });
  });

  it('begins at the last lines when asked', () => {
    const yard = yardWithOutput('a\nb\nc\n', runningJob(17));
    yard.meanwhile = [
      () => {
        yard.files.set(OUT, bytesFromText('a\nb\nc\nd\n'));
        yard.views = [aView(endedJob(17))];
      },
    ];
    expect(run(yard, ['logs', '-f', '-n', '1', '17']).stdout).toBe('c\nd\n');
  });

  it('goes through a restart, and begins anew when the file does', () => {
    const streams: JobSpec['streams'] = { ...aSpec().streams, openMode: 'truncateAlways' };
    const active = (n: number) =>
      aView(
        aJob({ phase: 'active', restarts: n - 1, attempt: anAttempt({ id: `17.${n}`, n }) }, { streams }),
      );
    const yard = fakeYard({ views: [active(1)], files: new Map([[OUT, bytesFromText('first try\n')]]) });
    yard.meanwhile = [
      () => (yard.views = [aView(aJob({ attempt: anAttempt({ phase: 'lost' }) }, { streams }))]),
      () => {
        yard.files.set(OUT, bytesFromText('again\n'));
        yard.views = [active(2)];
      },
      () => (yard.views = [aView(endedJob(17, {}, { id: '17.2', n: 2 }))]),
    ];
    expect(run(yard, ['logs', '-f', '17']).stdout).toBe('first try\nagain\n');
  });

  it('ends when the job ends without having started', () => {
    const yard = fakeYard({ views: [aView(aJob({ phase: 'waiting' }))] });
    yard.meanwhile = [() => (yard.views = [aView(aJob({ phase: 'ended', outcome: 'cancelled' }))])];
    expect(run(yard, ['logs', '-f', '17'])).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it('finds an element once it has a record', () => {
    const array = aJob(
      { id: 20, array: { unstarted: rangeOf(0, 9), dropped: [], live: 0, ended: {} } },
      { array: { indices: rangeOf(0, 9), throttle: null } },
    );
    const yard = fakeYard({ views: [aView(array)] });
    yard.meanwhile = [
      () => {
        const started = { ...array, array: { unstarted: rangeOf(0, 2), dropped: [], live: 1, ended: {} } };
        yard.views = [aView(started), aView({ ...endedJob(24), element: { array: 20, index: 3 } })];
        yard.files.set('/home/ada/work/trainyard-24.out', bytesFromText('three\n'));
      },
    ];
    expect(run(yard, ['logs', '-f', '20_3']).stdout).toBe('three\n');
  });
});
