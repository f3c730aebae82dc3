import { expect, it } from 'vitest';
import { strangeWords, submitStrangely } from '../../../test/strange-calls.ts';
import { bytesFromText } from '../../model/bytes.ts';
import { type Random, seededRandom } from '../../sim/random.ts';
import { type Ran, runDialect } from '../fake-yard.ts';
import { qsub } from './qsub.ts';
import { gridEngineProgram } from './run.ts';
import { aYard } from './submit/fake-qsub.ts';
import { SUBMIT_FLAGS } from './submit/flag-table.ts';

const ROUNDS = 1500;

const SAMPLES = [
  ...[
    '',
    '0',
    '1',
    '-1',
    '4',
    '64',
    'y',
    'n',
    'yes',
    'maybe',
    '2-4',
    '4-',
    '-4',
    '2,4',
    '1-10:2',
    '1:10',
    '1-',
    'x',
  ],
  ...[
    '1-99999999999',
    '5-1:3',
    '0-3',
    '1-3,7',
    '1-10:0',
    '3600',
    '1:0:0',
    ':10:',
    '1.5G',
    'INFINITY',
    '0x1M',
  ],
  ...[
    '203001010000',
    '01010000.59',
    '13320000',
    'cpu',
    'gpu@n1',
    '*@@allhosts',
    'c*&!gpu',
    '(((',
    '!',
    'nope',
    '@',
  ],
  ...[
    'h_rt=60',
    'h_rt=1:0:0,mf=1G',
    'gpu=2',
    'gpu',
    'h=n*|x',
    'arch=lx-*',
    'slots=3',
    'nosuch',
    'h_vmem=9x',
    '=',
    'a=',
  ],
  ...[
    'smp',
    'mpi',
    'e',
    'w',
    'v',
    'p',
    'bea',
    'n1:/a,/b',
    '$HOME/$JOB_ID.$TASK_ID',
    '~/x',
    '~',
    ':',
    'logs/',
    '%j%%%',
  ],
  ...[
    'A=1,B',
    'A="x,y",B=\'z',
    '=1',
    'A=$JOB_ID',
    '__proto__=$JOB_ID',
    'constructor',
    'linear:2',
    'env',
    'set',
  ],
  ...[
    'train',
    'tr*',
    '5,6',
    '12.3',
    'a b',
    '\u0000',
    '\u001b[31m',
    '\udcff',
    '🚂',
    '9'.repeat(400),
    '(('.repeat(500),
    "'",
    '"',
    '#',
    '-',
  ],
];

const LINES = [
  '#$',
  '#$ -',
  '#$ --',
  '# x',
  '',
  'echo',
  '#$ "',
  '#YARD',
  '#YARD checkpoints=out persist=$SCRATCH',
  '#YARD --checkpoints "a b" --keep 0 chain',
  '#YARD chain snapshot scratch=5G logs=a:b',
  '#YARD keep=\u0000 "',
  '#YARD cpus=4 nonsense=\\',
  "#$ -N 'x",
  '#$\t-N x',
  '#$ \\',
  '#$ -@ job.sh',
  'X_Y=1',
  'python $X',
];

const word = strangeWords(SAMPLES, 0.8);

function flag(random: Random): readonly string[] {
  const { flag: name, words } = random.pick(SUBMIT_FLAGS);
  const count = random.chance(0.9) ? words : random.below(3);
  return [name, ...Array.from({ length: count }, () => word(random))];
}

function someFlags(random: Random): readonly string[] {
  return Array.from({ length: random.below(4) }, () => flag(random)).flat();
}

function text(random: Random, prefix: string): string {
  const lines = Array.from({ length: random.below(5) }, () =>
    random.chance(0.5) ? `${prefix} ${someFlags(random).join(' ')}` : random.pick(LINES),
  );
  return `${random.chance(0.7) ? '#!/bin/sh\n' : ''}${lines.join('\n')}${random.chance(0.5) ? '\n' : ''}`;
}

function attempt(seed: number): Ran {
  const random = seededRandom(seed);
  const script = text(random, '#$');
  const yard = aYard({
    'job.sh': script,
    ...(random.chance(0.2) ? { '.sge_request': text(random, '') } : {}),
  });
  yard.stdin = bytesFromText(script);
  yard.policy = { ...yard.policy, unknownQueue: random.pick(['refuse', 'useDefault'] as const) };
  const argv = ['qsub', ...someFlags(random), ...(random.chance(0.8) ? ['job.sh', word(random)] : [])];
  return runDialect(gridEngineProgram(qsub), yard, argv);
}

it('whatever is written, the answer is a job or a complaint in whole lines', () => {
  const { strange, accepted } = submitStrangely(ROUNDS, attempt, /^(?:[^\x00-\x1f]*\n)*$/);
  expect(strange).toEqual([]);
  expect(accepted).toBeGreaterThan(ROUNDS / 20);
});
