import { describe, expect, it } from 'vitest';
import { bytesFromText, textFromBytes } from '../../../model/bytes.ts';
import { exportedEnvironment, withVariablesOf } from './export-values.ts';

const ENVIRONMENT = bytesFromText(
  'PATH=/bin\0HOME=/home/ada\0FOO=foo\0MYVAR=1\0SLURM_X=1\0SLURMX=2\0TMPDIR=/var/tmp\0',
);

function exported(text: string | null): Record<string, string> {
  const entries = textFromBytes(exportedEnvironment(ENVIRONMENT, text, 'ada'))
    .split('\0')
    .filter(Boolean);
  return Object.fromEntries(
    entries.map((entry) => [entry.split('=')[0], entry.slice(entry.indexOf('=') + 1)]),
  );
}

const LOGIN = { PATH: '/bin', HOME: '/home/ada', USER: 'ada', LOGNAME: 'ada', SLURM_X: '1' };
const OF = (text: string) => ({ ...LOGIN, SLURM_EXPORT_ENV: text, SLURM_GET_USER_ENV: '1' });

// As the original did with the same environment.
describe('what is exported', () => {
  it('is everything, byte for byte, unless somebody says otherwise', () => {
    for (const text of [null, 'ALL', 'all']) {
      expect(exportedEnvironment(ENVIRONMENT, text, 'ada')).toBe(ENVIRONMENT);
    }
  });

  it.each([
    ['NONE', { SLURMX: '2' }],
    ['none', { SLURMX: '2' }],
    ['FOO', { FOO: 'foo' }],
    ['FOO,BAR=x', { FOO: 'foo', BAR: 'x' }],
    ['BAR=a b', { BAR: 'a b' }],
    ['BAR="q,r"', { BAR: '"q,r"' }],
    ["'BAR=q,r'", { BAR: 'q,r' }],
    ['BAR=x=y', { BAR: 'x=y' }],
    ['FOO=,BAR', { FOO: '' }],
    ['NONE,FOO', { FOO: 'foo' }],
    ['', {}],
    ['NIL', {}],
  ])('is with %s only that', (text, more) => expect(exported(text)).toEqual({ ...OF(text), ...more }));

  it('is with ALL and values everything and the values', () => {
    const all = { FOO: 'foo', MYVAR: '1', SLURMX: '2', TMPDIR: '/var/tmp' };
    expect(exported('ALL,BAR=x')).toEqual({ ...OF('ALL,BAR=x'), ...all, BAR: 'x' });
    expect(exported('FOO=other,ALL')).toEqual({ ...OF('FOO=other,ALL'), ...all, FOO: 'other' });
  });

  it('may come from a file', () => {
    const text = (file: string) =>
      textFromBytes(withVariablesOf(bytesFromText('A=1\0B=2\0'), bytesFromText(file)));
    expect(text('B=3\n4\0C=5')).toBe('A=1\0B=3\n4\0C=5\0');
    expect(text('C=5\0')).toBe('A=1\0B=2\0C=5\0');
    expect(text('')).toBe('A=1\0B=2\0');
  });
});
