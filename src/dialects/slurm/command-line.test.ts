import { expect, test } from 'vitest';
import type { OptionSpec } from '../options.ts';
import { type CommandLineStyle, readCommandLine } from './command-line.ts';
import { SlurmFailure } from './failure.ts';

const SPECS: readonly OptionSpec[] = [
  { name: 'nodes', short: 'N', value: 'required' },
  { name: 'nodelist', short: 'w', value: 'required' },
  { name: 'hold', short: 'H', value: 'none' },
];
const SBATCH: CommandLineStyle = { command: 'sbatch', positionals: 'endOptions', exitCode: 255 };

function complaintOf(...argv: string[]): readonly string[] {
  try {
    readCommandLine(SPECS, argv, SBATCH);
  } catch (error) {
    if (error instanceof SlurmFailure && error.exitCode === 255) return error.lines;
    throw error;
  }
  throw new Error('nothing was wrong with it');
}

test.each([
  [['--bogus'], "sbatch: unrecognized option '--bogus'"],
  [['--bogus=3'], "sbatch: unrecognized option '--bogus=3'"],
  [['-Z'], "sbatch: invalid option -- 'Z'"],
  [['--node=2'], "sbatch: option '--node=2' is ambiguous; possibilities: '--nodes' '--nodelist'"],
  [['--nodes'], "sbatch: option '--nodes' requires an argument"],
  [['-N'], "sbatch: option requires an argument -- 'N'"],
  [['--hold=yes'], "sbatch: option '--hold' doesn't allow an argument"],
])('%j is refused as getopt does', (argv, line) => {
  expect(complaintOf(...argv)).toEqual([line, 'Try "sbatch --help" for more information']);
});

test('what follows the script belongs to the script', () => {
  const read = readCommandLine(SPECS, ['-HN2', '--nodel', 'n1', 'job.sh', '-N', '3'], SBATCH);
  expect(read.options.map(({ name, value }) => [name, value])).toEqual([
    ['hold', null],
    ['nodes', '2'],
    ['nodelist', 'n1'],
  ]);
  expect(read.positionals).toEqual(['job.sh', '-N', '3']);
});
