import { describe, expect, it } from 'vitest';
import { textFromBytes } from '../../model/bytes.ts';
import { HOUR, MINUTE, NOW } from '../fake-yard.ts';
import { complaint, submitted, yardWith } from './fake-submit.ts';
import { run } from './fake-yard.ts';

describe('time and order', () => {
  const spec = (...argv: string[]) => submitted([...argv, 'train.sh']);

  it('reads limits, warnings and moments', () => {
    expect(spec('-t', '1h30m').limitMs).toBe(90 * MINUTE);
    expect(spec('--signal', 'USR1').warning).toEqual({ signal: 10, beforeMs: MINUTE, scope: 'all' });
    expect(spec('--signal', 'B:TERM@90s').warning).toEqual({ signal: 15, beforeMs: 90_000, scope: 'main' });
    expect(spec('--begin', '+2h').beginAt).toBe(NOW + 2 * HOUR);
    expect(spec('--deadline', '16:20').deadlineAt).toBe(NOW + 2 * HOUR);
    expect(spec('--priority', '-5', '--nice', '10')).toMatchObject({ priority: -5, nice: 10 });
    expect(complaint(['-t', '0', 'train.sh'])).toContain('a duration is wanted');
    expect(complaint(['--signal', 'USR1@90', 'train.sh'])).toContain('the time needs a unit, as 90s or 90m');
    expect(complaint(['--signal', 'XYZ@1m', 'train.sh'])).toContain('a signal and a time are wanted');
    expect(complaint(['--begin', 'soon', 'train.sh'])).toContain('a time is wanted');
    expect(complaint(['--deadline', '2020-01-01', 'train.sh'])).toContain('the deadline has passed already');
  });

  it('reads arrays', () => {
    expect(spec('-a', '0-99%8')).toMatchObject({
      array: { indices: [[0, 99, 1]], throttle: 8 },
      streams: { stdout: 'trainyard-%A_%a.out' },
    });
    for (const wrong of ['', 'x', '9-0', '0-9%0', '0-9%', '0-9999999999']) {
      expect(complaint(['-a', wrong, 'train.sh'])).toContain('-a');
    }
  });

  it('reads dependencies', () => {
    expect(spec('--afterok', '17,18_3', '--afterany', '4', '--singleton').dependencies).toEqual({
      need: 'all',
      terms: [
        { kind: 'afterok', job: 17, index: null },
        { kind: 'afterok', job: 18, index: 3 },
        { kind: 'afterany', job: 4, index: null },
        { kind: 'singleton' },
      ],
    });
    expect(spec('--depend', 'afterok:17:18?afternotok:9').dependencies).toEqual({
      need: 'any',
      terms: [
        { kind: 'afterok', job: 17, index: null },
        { kind: 'afterok', job: 18, index: null },
        { kind: 'afternotok', job: 9, index: null },
      ],
    });
    expect(complaint(['--depend', 'afterok:1,afterok:2?afterok:3', 'train.sh'])).toContain('mixes');
    expect(complaint(['--depend', 'afterok:1?afterok:2', '--afterok', '3', 'train.sh'])).toContain(
      'cannot be combined',
    );
    expect(complaint(['--depend', 'later:1', 'train.sh'])).toContain('"later:1" is no dependency');
    expect(complaint(['--depend', 'afterok', 'train.sh'])).toContain('needs a job');
    expect(complaint(['--afterok', 'x', 'train.sh'])).toContain('"x" is not a job');
  });

  it('reads streams', () => {
    expect(spec('-o', 'a', '-e', 'a', '--append').streams).toMatchObject({
      stdout: 'a',
      stderr: null,
      openMode: 'append',
    });
    expect(spec('-e', 'b', '-i', 'c', '--truncate').streams).toMatchObject({
      stderr: 'b',
      stdin: 'c',
      openMode: 'truncateAlways',
    });
    expect(spec('-D', '../other/./x').workDir).toBe('/home/ada/other/x');
    expect(spec('--no-requeue', '--requeue').requeue).toBe(true);
    expect(spec('--no-requeue').requeue).toBe(false);
  });

  it('keeps odd names, and refuses endless ones', () => {
    expect(spec('-J', 'a\nb\x1b').name).toBe('a\nb\x1b');
    expect(complaint(['-J', 'x'.repeat(1025), 'train.sh'])).toContain(
      '1024 characters, and this one has 1025',
    );
    expect(complaint(['--comment', 'x'.repeat(2000), 'train.sh'])).toContain('a comment may have');
    expect(complaint(['-J', '', 'train.sh'])).toContain('-J must not be empty');
  });
});

describe('environment', () => {
  function environmentOf(argv: readonly string[]): string {
    const yard = yardWith();
    const ran = run(yard, ['submit', ...argv, 'train.sh']);
    expect(ran.stderr).toBe('');
    return textFromBytes(yard.blobs[1] as Uint8Array);
  }

  it('is the caller’s, with changes', () => {
    expect(environmentOf([])).toBe('HOME=/home/ada\0PATH=/usr/bin\0SECRET=a=b\0');
    expect(environmentOf(['--env', 'SECRET=', '--env', 'X=1'])).toBe(
      'HOME=/home/ada\0PATH=/usr/bin\0SECRET=\0X=1\0',
    );
  });

  it('is small with --no-env, plus what is named', () => {
    expect(environmentOf(['--no-env'])).toBe('HOME=/home/ada\0PATH=/usr/bin\0');
    expect(environmentOf(['--no-env', '--env', 'SECRET'])).toBe(
      'HOME=/home/ada\0PATH=/usr/bin\0SECRET=a=b\0',
    );
    expect(complaint(['--env', 'MISSING', 'train.sh'])).toContain('there is no such variable here');
    expect(complaint(['--env', '=x', 'train.sh'])).toContain('a name is wanted');
  });
});
