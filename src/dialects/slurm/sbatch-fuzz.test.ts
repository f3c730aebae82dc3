import { expect, it } from 'vitest';
import { strangeWords, submitStrangely } from '../../../test/strange-calls.ts';
import { bytesFromText } from '../../model/bytes.ts';
import { type Random, seededRandom } from '../../sim/random.ts';
import { fakeYard, type Ran, runDialect } from '../fake-yard.ts';
import { slurmProgram } from './run.ts';
import { sbatch } from './sbatch.ts';
import { INPUT_VARIABLES } from './submit/environment-input.ts';
import { SBATCH_OPTIONS } from './submit/options.ts';

const ROUNDS = 1500;

const SAMPLES = [
  ...[
    '',
    '0',
    '1',
    '-1',
    '4',
    '64',
    '1k',
    '2-4',
    '2-',
    '1-99999999',
    '0-15:4%2',
    '1,2,,3',
    'x',
    'NONE',
    'ALL',
  ],
  ...['100', '4G', '1.5G', '10:00', '1-2:3:4', 'UNLIMITED', 'now+1hour', 'tomorrow', '2026-13-40', '16:00pm'],
  ...[
    'gpu',
    'gpu:v100:2',
    'gpu:1,gpu:a:2',
    'fpga',
    ':',
    'a&b',
    '[a*2&b]',
    '((',
    'n[1-3]',
    'n[',
    'n[1-999999999]',
  ],
  ...[
    'afterok:1:2',
    'after:1+x',
    'singleton?5',
    'USR1@60',
    'B:TERM',
    '@',
    '%j-%x',
    '\\%j',
    '%',
    'a,b=c,"d',
    '__proto__',
  ],
  ...[
    'constructor',
    'toString',
    '\u0000',
    '\u001b[31m',
    '\udcff',
    '🚂',
    `${'9'.repeat(400)}`,
    '(('.repeat(500),
    "'",
    '"',
  ],
];

const LINES = [
  '#SBATCH',
  '#SBATCH -',
  '#SBATCH --',
  '# x',
  '',
  '#PBS -l x',
  '#YARD',
  '#YARD checkpoints=out persist=$SCRATCH',
  '#YARD --checkpoints "a b" --keep 0 chain',
  '#YARD chain snapshot scratch=5G logs=a:b',
  '#YARD keep=\u0000 "',
  '#YARD cpus=4 nonsense=\\',
  'echo',
  '#SBATCH "',
  '\t#SBATCH -J x',
  '#SBATCH \\',
];

const word = strangeWords(SAMPLES, 0.7);

function option(random: Random): readonly string[] {
  const { name, short } = random.pick(SBATCH_OPTIONS);
  const long = random.chance(0.2) ? name.slice(0, random.between(1, name.length)) : name;
  switch (random.below(5)) {
    case 0:
      return [`--${long}`];
    case 1:
      return [`--${long}`, word(random)];
    case 2:
      return short === undefined ? [`-${word(random)}`] : [`-${short}${word(random)}`];
    default:
      return [`--${long}=${word(random)}`];
  }
}

function someOptions(random: Random): readonly string[] {
  return Array.from({ length: random.below(5) }, () => option(random)).flat();
}

function script(random: Random): string {
  const lines = Array.from({ length: random.below(6) }, () =>
    random.chance(0.5) ? `#SBATCH ${someOptions(random).join(' ')}` : random.pick(LINES),
  );
  return `${random.chance(0.9) ? '#!/bin/sh\n' : ''}${lines.join('\n')}${random.chance(0.5) ? '\n' : ''}`;
}

function environment(random: Random): string {
  const names = Object.keys(INPUT_VARIABLES.sbatch);
  const some = Array.from({ length: random.below(3) }, () => `${random.pick(names)}=${word(random)}`);
  return ['PATH=/usr/bin', 'SLURM_EXIT_ERROR=x', ...some]
    .map((entry) => `${entry.replaceAll('\0', '')}\0`)
    .join('');
}

function attempt(seed: number): Ran {
  const random = seededRandom(seed);
  const file = bytesFromText(script(random));
  const yard = fakeYard({
    files: new Map([
      ['/home/ada/work/job.sh', file],
      ['/home/ada/work/gpu', file],
    ]),
    stdin: file,
    policy: { ...fakeYard().policy, unknownQueue: random.pick(['refuse', 'useDefault'] as const) },
  });
  const argv = ['sbatch', ...someOptions(random), ...(random.chance(0.8) ? ['job.sh', word(random)] : [])];
  const surroundings = { environment: bytesFromText(environment(random)) };
  // A job that is waited for never ends in a yard where nothing happens.
  return runDialect(
    slurmProgram(sbatch),
    yard,
    argv.filter((each) => !/^-(?:-wa|.*W)/.test(each)),
    surroundings,
  );
}

it('whatever is written, the answer is a job or a complaint in whole lines', () => {
  const { strange, accepted } = submitStrangely(ROUNDS, attempt, /^(?:[^\x00-\x1f]+\n)*$/);
  expect(strange).toEqual([]);
  expect(accepted).toBeGreaterThan(ROUNDS / 20);
});
