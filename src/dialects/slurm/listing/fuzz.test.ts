/** Whatever anybody writes as a format or an option: an answer or a refusal, never a broken command. */

import { describe, expect, it } from 'vitest';
import { capturedYard } from '../../../../test/golden/slurm/captured-yard.ts';
import { bytesFromText } from '../../../model/bytes.ts';
import { CALLER_GONE, runDialect } from '../../fake-yard.ts';
import type { SlurmCommand } from '../command.ts';
import { slurmProgram } from '../run.ts';
import { sinfo } from '../sinfo/sinfo.ts';
import { squeue } from '../squeue/squeue.ts';

const ROUNDS = 1500;

/** The same numbers for the same seed. */
function dice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * sides);
  };
}

const PIECES = [
  ...Array.from('%ijNPtZ#-+,:._[]()019*& =\n\0é列\udc80'),
  ...[
    '%.',
    '%9',
    '%.8',
    '%all',
    '4_1',
    '4_[1-3]',
    '999',
    '1-',
    '\u001b[2J',
    'n[1-3]',
    'n[',
    '99999999999999999999',
  ],
  ...['name', 'jobid:', ':5', ':.7x', 'gres', 'pd', 'all', 'idle', 'cpu', 'root'],
  ...['__proto__', 'constructor', 'toString'],
];

const FLAGS = Array.from('AahijlLnMOopPqRrsStuvVwdeNFTx?-', (letter) => `-${letter}`);
const LONG_FLAGS = [
  '--json',
  '--yaml',
  '--start',
  '--me',
  '--notme',
  '--format',
  '--Format',
  '--sort',
  '--states=',
  '--st',
  '--',
  '-',
];

function pick<T>(roll: (sides: number) => number, from: readonly T[]): T {
  return from[roll(from.length)] as T;
}

function text(roll: (sides: number) => number): string {
  return Array.from({ length: roll(6) }, () => pick(roll, PIECES)).join('');
}

function commandLine(roll: (sides: number) => number): string[] {
  return Array.from({ length: 1 + roll(5) }, () => {
    const kind = roll(4);
    if (kind === 0) return text(roll);
    return kind === 1 ? `${pick(roll, LONG_FLAGS)}${text(roll)}` : pick(roll, FLAGS);
  });
}

const VARIABLES = [
  'SQUEUE_FORMAT',
  'SQUEUE_SORT',
  'SQUEUE_STATES',
  'SINFO_FORMAT',
  'SINFO_SORT',
  'SLURM_TIME_FORMAT',
  'SLURM_BITSTR_LEN',
];

function environment(roll: (sides: number) => number): Uint8Array {
  const name = pick(roll, VARIABLES);
  return bytesFromText(roll(3) === 0 ? `${name}=${text(roll).replaceAll('\0', '')}\0` : '');
}

describe.each([squeue, sinfo])('any command line of $name', (command: SlurmCommand) => {
  it('gets an answer', () => {
    const roll = dice(command.name.length);
    for (let round = 0; round < ROUNDS; round++) {
      const argv = [command.name, ...commandLine(roll)];
      const { code } = runDialect(slurmProgram(command), capturedYard(), argv, {
        environment: environment(roll),
      });
      expect([0, 1, CALLER_GONE], `round ${round}: ${JSON.stringify(argv)}`).toContain(code);
    }
  });

  it('gets an answer for any format', () => {
    const roll = dice(7);
    for (let round = 0; round < ROUNDS; round++) {
      const argv = [command.name, pick(roll, ['-o', '-O', '-S', '-t', '-s -o', '-j']), text(roll)];
      const { stderr } = runDialect(slurmProgram(command), capturedYard(), argv);
      expect(stderr).not.toMatch(/TypeError|undefined|NaN|\[object/);
    }
  });
});
