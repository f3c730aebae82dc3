import { describe, expect, it } from 'vitest';
import { NOTHING_KEPT } from '../../model/keeping.ts';
import { refusal } from '../../model/refusal.ts';
import { complaint, submitted, yardWith } from './fake-submit.ts';
import { run } from './fake-yard.ts';

const scriptWith = (line: string) => `#!/bin/sh\n#YARD ${line}\npython train.py\n`;

describe('what is kept of a job', () => {
  it('is said on the command line and in the script alike, and the command line wins', () => {
    const argv = ['--checkpoints', 'out', '--persist', '~/results', '--keep', '3', '--scratch=5G', '--chain'];
    const words = 'checkpoints=out persist=~/results keep=3 scratch=5G chain';
    const whole = {
      keeping: {
        ...NOTHING_KEPT,
        checkpoints: '/home/ada/work/out',
        persist: '/home/ada/results',
        keepCount: 3,
        scratch: { maxBytes: 5 * 1024 ** 3 },
      },
      chain: true,
    };
    expect(submitted([...argv, '--', 'python', 'train.py'])).toMatchObject(whole);
    expect(submitted(['train.sh'], scriptWith(words))).toMatchObject(whole);
    expect(submitted(['--keep', '9', 'train.sh'], scriptWith(words)).keeping?.keepCount).toBe(9);
  });

  it('is nothing when nobody says so', () => {
    expect(submitted(['train.sh'])).not.toHaveProperty('keeping');
    expect(submitted(['--requeue', 'train.sh'])).not.toHaveProperty('chain');
  });

  it('starts at the directory of the job', () => {
    const spec = submitted(['-D', '/data/run', '--checkpoints', 'out', '--', 'x']);
    expect(spec.keeping?.checkpoints).toBe('/data/run/out');
  });

  it('makes a job go on that may be started again', () => {
    expect(submitted(['--requeue', '--checkpoints', 'out', '--', 'x']).chain).toBe(true);
    expect(submitted(['--checkpoints', 'out', '--', 'x']).chain).toBeUndefined();
  });

  it('is refused with a hint, as any wrong option', () => {
    expect(complaint(['--persist', 'p', '--', 'x'])).toBe(
      'trainyard: --persist says what becomes of checkpoints, but nothing says where they are written\n' +
        '  hint: add --checkpoints DIR\n',
    );
    expect(complaint(['train.sh'], scriptWith('checkpoints=$RUN/out'))).toContain('so $RUN stays as it is');
    expect(complaint(['--no-requeue', '--chain', 'train.sh'])).toContain('leave out one of the two');
    expect(complaint(['train.sh'], scriptWith('checkpoints persist=p'))).toContain(
      'line 2: --checkpoints needs a value',
    );
    expect(run(yardWith(), ['submit', '--keep', '0', '--checkpoints', 'c', 'train.sh']).code).toBe(2);
  });

  it('is said to be shared by the elements of an array', () => {
    const ran = run(yardWith(), ['submit', '-a', '0-3', '--checkpoints', 'out', 'train.sh']);
    expect(ran).toMatchObject({ code: 0 });
    expect(ran.stderr).toContain('so they run one at a time; with %a in it each has its own');
    expect(run(yardWith(), ['submit', '-q', '-a', '0-3', '--checkpoints', 'o', 'train.sh']).stderr).toBe('');
  });
});

describe('the code of a job', () => {
  it('is kept from where it runs', () => {
    const yard = yardWith();
    expect(run(yard, ['submit', '--snapshot', 'train.sh']).code).toBe(0);
    expect(yard.snapshots).toEqual(['/home/ada/work']);
    expect(yard.commands[0]).toMatchObject({
      spec: { keeping: { snapshot: { tree: 'tree-0', root: '/home/ada/work', below: '' } } },
    });
  });

  it('or nothing is submitted, and it is said why', () => {
    const yard = yardWith();
    yard.snapshot = { ok: false, refusal: refusal('tooLarge', 'the code has 9G', 'leave some out') };
    expect(run(yard, ['submit', '--snapshot', 'train.sh'])).toEqual({
      code: 1,
      stdout: '',
      stderr: 'trainyard: the code has 9G\n  hint: leave some out\n',
    });
    expect([yard.commands, yard.blobs]).toEqual([[], []]);
  });
});

describe('who is warned', () => {
  const warning = (text: string) => submitted(['--signal', text, '--', 'x']).warning;

  it('is all of the job, or as it says', () => {
    expect(warning('USR1@2m')).toEqual({ signal: 10, beforeMs: 120_000, scope: 'all' });
    expect(warning('all:USR1')).toEqual({ signal: 10, beforeMs: 60_000, scope: 'all' });
    expect(warning('B:USR1@90s')).toEqual({ signal: 10, beforeMs: 90_000, scope: 'main' });
    expect(warning('main:TERM')?.scope).toBe('main');
    expect(warning('steps:TERM')?.scope).toBe('steps');
  });

  it('is nobody else', () => {
    expect(complaint(['--signal', 'X:USR1@2m', '--', 'x'])).toBe(
      'trainyard: --signal "X:USR1@2m": "X" is nobody to be warned\n  choices: all, main, B and steps\n',
    );
  });
});
