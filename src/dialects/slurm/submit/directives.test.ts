import { describe, expect, it } from 'vitest';
import { bytesFromText } from '../../../model/bytes.ts';
import { SlurmFailure } from '../failure.ts';
import { readDirectives } from './directives.ts';

function given(script: string): Record<string, string | null> {
  const { given } = readDirectives(bytesFromText(script), 'd.sh');
  return Object.fromEntries(given.map(({ name, value }) => [name, value]));
}

/** One directive line in an otherwise plain script. */
const line = (text: string) => given(`#!/bin/sh\n#SBATCH ${text}\necho\n`);

function complaint(text: string): string {
  try {
    line(text);
  } catch (error) {
    if (error instanceof SlurmFailure) return `${error.message} [${error.exitCode}]`;
    throw error;
  }
  throw new Error(`nobody complained about ${text}`);
}

// Each as the original read it.
describe('directives', () => {
  it('stand before the first command, among comments and blank lines', () => {
    const named = { 'job-name': 'one' };
    expect(given('#!/bin/sh\n\n# c\n   \n\t# x\n#SBATCH -J one\n')).toEqual(named);
    expect(given('#!/bin/sh\necho\n#SBATCH -J one\n')).toEqual({});
    expect(given('#!/bin/sh\n#SBATCH\t-J\tone\n')).toEqual(named);
    expect(given('#!/bin/sh\n#SBATCH-J one\n')).toEqual(named);
    expect(given('#!/bin/sh\n#SBATCH -J one')).toEqual(named);
  });

  it('begin at the beginning of a line and in capitals', () => {
    for (const text of [' #SBATCH -J x', '##SBATCH -J x', '#sbatch -J x', '# SBATCH -J x']) {
      expect(given(`#!/bin/sh\n${text}\n`)).toEqual({});
    }
  });

  it.each([
    ['-n2 -c1 --time=5', { ntasks: '2', 'cpus-per-task': '1', time: '5' }],
    [`-J 'a b' --comment="x 'y' z"`, { 'job-name': 'a b', comment: `x 'y' z` }],
    ['-J one # --comment=no', { 'job-name': 'one' }],
    ['-J one#two', { 'job-name': 'one' }],
    ['--comment=#x', { comment: '' }],
    ['-J "a#b"', { 'job-name': 'a#b' }],
    ['-J a\\#b', { 'job-name': 'a#b' }],
    [`-J 'a\\'b'`, { 'job-name': `a'b` }],
    ['-J "a\\"b"', { 'job-name': 'a"b' }],
    [`-J a'b c'd`, { 'job-name': 'ab cd' }],
    ['-J $HOME', { 'job-name': '$HOME' }],
    ['-J a\\', { 'job-name': 'a' }],
    ['-J "a\\\\b"', { 'job-name': 'a\\b' }],
    ['--comment="ends with space "', { comment: 'ends with space ' }],
    ['--job=ab --ntasks-per-n=2', { 'job-name': 'ab', 'ntasks-per-node': '2' }],
    ['', {}],
    ['# nothing', {}],
  ])('%s', (text, expected) => expect(line(text)).toEqual(expected));

  it.each([
    ['--bogus', `sbatch: unrecognized option '--bogus'\nTry "sbatch --help" for more information [255]`],
    ['-J one stray', 'sbatch: error: Invalid directive found in batch script: stray [255]'],
    ['-J one -- --comment=x', 'sbatch: error: Invalid directive found in batch script: --comment=x [255]'],
    ['-J a\\ b', 'sbatch: error: Invalid directive found in batch script: b [255]'],
    ['-J "one', 'sbatch: fatal: d.sh: line 2: Unmatched `"` in [ "one] [1]'],
    ['-J a : -J b', 'sbatch: fatal: d.sh: line 2: Unexpected `:` in [: -J b] [1]'],
    ['-J ""', `sbatch: option requires an argument -- 'J'\nTry "sbatch --help" for more information [255]`],
    ['hetjob', 'sbatch: error: Batch job submission failed: heterogeneous jobs are not supported here [1]'],
  ])('%s is refused', (text, expected) => expect(complaint(text)).toBe(expected));

  it('of other systems are noticed', () => {
    const script = '#!/bin/sh\n#PBS -N x\n#BSUB -J y\n#PBS -q z\necho\n';
    expect(readDirectives(bytesFromText(script), 'd.sh').foreign).toEqual(['#PBS', '#BSUB']);
  });

  it('of a long script do not make it slow to read', () => {
    const long = new Uint8Array(10 * 1024 * 1024).fill(0x23);
    long.set(bytesFromText('#!/bin/sh\n#SBATCH -J x\n'));
    expect(readDirectives(long, 'd.sh').given).toHaveLength(1);
  });
});
