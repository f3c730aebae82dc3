/** Whatever is typed after `scontrol` and `scancel`, they answer in one of a few ways, and never with a defect. */

import { expect, it } from 'vitest';
import { runDialect } from '../../../src/dialects/fake-yard.ts';
import type { SlurmCommand } from '../../../src/dialects/slurm/command.ts';
import { slurmProgram } from '../../../src/dialects/slurm/run.ts';
import { scancel } from '../../../src/dialects/slurm/scancel/scancel.ts';
import { JOB_KEYS } from '../../../src/dialects/slurm/scontrol/job-keys.ts';
import { scontrol } from '../../../src/dialects/slurm/scontrol/scontrol.ts';
import { bytesFromText } from '../../../src/model/bytes.ts';
import { refusal } from '../../../src/model/refusal.ts';
import { type Random, seededRandom } from '../../../src/sim/random.ts';
import { capturedYard } from './captured-yard.ts';

const ROUNDS = 1500;

const VALUES = [
  ...[
    '',
    '0',
    '1',
    '2',
    '4',
    '4_1',
    '4_3',
    '4_[1-3]',
    '4_[',
    '2.0',
    '2.batch',
    '1,2,,5',
    '-1',
    '999999',
    'abc',
  ],
  ...[
    'n1',
    'n[1-3]',
    'n[',
    'n[3-1]',
    'n[1-99999999]',
    'gpu',
    'cpu',
    'nope',
    'root',
    'user2',
    'PENDING',
    'R',
    'USR1',
  ],
  ...[
    '10',
    '+5',
    '-5',
    '1-2:3',
    'UNLIMITED',
    'now+1hour',
    'foo',
    'afterok:2',
    'gpu:2',
    'a&b',
    'yes',
    'END,FAIL',
  ],
  ...[
    '__proto__',
    'constructor',
    'toString',
    '\u0000',
    '\udc80',
    'ä',
    '\n',
    '%',
    '"',
    "'",
    ' ',
    '='.repeat(50),
  ],
];

const SCONTROL_WORDS = [
  ...['hold', 'release', 'requeue', 'requeuehold', 'suspend', 'resume', 'top', 'ping', 'write', 'wait_job'],
  ...['notify', 'show', 'update', 'version', 'help', 'completing', 'cluster', 'listpids', 'd', 'o', 'all'],
  ...['job', 'node', 'partition', 'config', 'hostnames', 'hostlist', 'hostlistsorted', 'step', 'reservation'],
  ...['licenses', 'topology', 'aliases', 'batch_script', 'incomplete', 'State=SpecialExit', 'jobname=arr'],
  ...['-o', '-d', '-a', '-Q', '-v', '--json', '--yaml', '-u', '-M', '--hide', '--', '-', '-x'],
  ...['NodeName=n1', 'State=DRAIN', 'Reason=x', 'PartitionName=cpu', 'JobId=2', 'JobName=arr', 'StepId=2.0'],
];

const SCANCEL_WORDS = [
  ...['-A', '-b', '-c', '-f', '-H', '-i', '-M', '-n', '-p', '-q', '-Q', '-R', '-s', '-t', '-u', '-v', '-w'],
  ...['--me', '--wckey', '--sibling', '--ctld', '--usage', '--signal=USR1', '--state=PENDING', '--', '-x'],
];

function wordsFor(command: SlurmCommand, random: Random): string[] {
  const vocabulary = command === scancel ? SCANCEL_WORDS : SCONTROL_WORDS;
  const keys = Object.keys(JOB_KEYS);
  return Array.from({ length: random.between(0, 6) }, () => {
    const kind = random.between(0, 9);
    if (kind < 4) return random.pick(vocabulary);
    if (kind < 6 && command === scontrol) return `${random.pick(keys)}=${random.pick(VALUES)}`;
    return random.pick(VALUES);
  });
}

it.each([scontrol, scancel])('$name', (command) => {
  for (let seed = 1; seed <= ROUNDS; seed++) {
    const random = seededRandom(seed);
    const words = wordsFor(command, random);
    const codes = ['noSuchJob', 'wrongState', 'notAllowed', 'badRequest', 'busy'] as const;
    const yard = capturedYard({
      stdin: bytesFromText(`${wordsFor(command, random).join(' ')}\ny\n`),
      meanwhile: Array.from({ length: 50 }, () => () => {}),
    });
    if (random.chance(0.5))
      yard.answer = () => ({ ok: false, refusal: refusal(random.pick(codes), 'it is not to be') });
    const ran = runDialect(slurmProgram(command), yard, [command.name, ...words], { user: 'root', uid: 0 });
    const context = JSON.stringify({ seed, words, ran: { ...ran, stdout: ran.stdout.slice(0, 200) } });
    expect(Number.isInteger(ran.code) && ran.code >= 0 && ran.code < 256, context).toBe(true);
    expect(/undefined|NaN|\[object|^ +at /m.test(ran.stdout + ran.stderr), context).toBe(false);
  }
});
