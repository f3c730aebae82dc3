/** Whatever anybody writes after `qstat`, `qselect` and `qhost`: an answer or a refusal, never a broken command. */

import { describe, expect, it } from 'vitest';
import { capturedYard } from '../../../test/golden/gridengine/captured-yard.ts';
import type { JobView } from '../../model/query.ts';
import { rangeOf } from '../../model/ranges.ts';
import { type Random, seededRandom } from '../../sim/random.ts';
import { aView, endedJob, runDialect } from '../fake-yard.ts';
import type { GridEngineCommand } from './command.ts';
import { arrayOf, inError, running, waiting } from './fake-jobs.ts';
import { qhost } from './qhost/qhost.ts';
import { qselect } from './qselect.ts';
import { qstat } from './qstat/qstat.ts';
import { gridEngineProgram } from './run.ts';

const ROUNDS = 1500;

const FLAGS = [
  ...['-ext', '-explain', '-f', '-F', '-g', '-help', '-j', '-l', '-ne', '-ncb', '-pe', '-q', '-qs', '-r'],
  ...['-s', '-t', '-u', '-U', '-urg', '-pri', '-xml', '-h', '-x', '-', '--'],
];

const WORDS = [
  ...['1', '2', '4', '4.1', '11', '999999', '2,3', 'sleep.sh', 'a*', '*', '[', '[!s]*', 'nosuch', '', ','],
  ...['c', 'd', 't', 'cd', 'p', 'r', 's', 'z', 'prs', 'hu', 'hjha', 'h', 'a', 'az', 'E', 'u', 'aAcE'],
  ...['cpu', 'cpu@vm', '*@*', 'gpu,cpu', '@vm', 'cpu@@allhosts', '!cpu', '((', 'vm', 'vm,vm', 'smp', 'mpi'],
  ...['h_rt=60', 'arch=lx*', 'num_proc=4', 'num_proc=x', 'slots=2', 'nosuch=1', '=', 'gpu', 'load_avg,arch'],
  ...['root', '$user', '__proto__', 'constructor', '\u0000', '\u001b[31m', '\udc80', 'x'.repeat(5000)],
];

/** Jobs whose words say nothing sensible. */
function strangeJobs(): readonly JobView[] {
  const strange = {
    script: '',
    resources: '=,x=1,h_rt=y',
    slotRange: 'x',
    pe: '<pe>',
    submitter: '{',
    taskRange: '9',
  };
  const words = {
    ...strange,
    priority: 'NaN',
    holdJobs: ',',
    variables: '=,A',
    mailList: '@',
    binding: '',
    shell: ':',
  };
  const origin = { dialect: 'gridengine', words };
  const spec = { origin, name: `<&>"'\u0001\udc80`, user: 'root' };
  const views = [
    waiting(20, spec),
    running(21, spec),
    inError(22, spec),
    waiting(23, { ...spec, queue: 'gone' }),
  ];
  return [
    ...views,
    ...arrayOf(24, rangeOf(1, 9, 2), { 1: running(25), 3: inError(26) }, spec),
    aView(endedJob(30)),
  ];
}

const yard = () => {
  const made = capturedYard();
  made.views.push(...strangeJobs());
  return made;
};

function pick<T>(random: Random, from: readonly T[]): T {
  return from[Math.floor(random.next() * from.length)] as T;
}

function commandLine(random: Random): readonly string[] {
  const length = Math.floor(random.next() * 6);
  return Array.from({ length }, () => pick(random, random.next() < 0.6 ? FLAGS : WORDS));
}

const COMMANDS: readonly GridEngineCommand[] = [qstat, qselect, qhost];

describe.each(COMMANDS)('any command line of $name', (command) => {
  it('gets an answer', () => {
    const random = seededRandom(command.name.length);
    for (let round = 0; round < ROUNDS; round++) {
      const argv = [command.name, ...commandLine(random)];
      const { code, stdout, stderr } = runDialect(gridEngineProgram(command), yard(), argv, { user: 'root' });
      const said = `round ${round}: ${JSON.stringify(argv)}`;
      expect([0, 1], said).toContain(code);
      expect(`${stdout}${stderr}`, said).not.toMatch(/TypeError|undefined|NaN|\[object/);
    }
  });
});

it('XML is whole, whatever is in it', () => {
  const random = seededRandom(3);
  for (let round = 0; round < ROUNDS / 3; round++) {
    const argv = ['qstat', '-xml', ...commandLine(random)];
    const { code, stdout } = runDialect(gridEngineProgram(qstat), yard(), argv, { user: 'root' });
    if (code !== 0 || !stdout.startsWith('<?xml')) continue;
    const open: string[] = [];
    for (const [, isEnd, name = ''] of stdout.matchAll(/<(\/?)([A-Za-z_-]+)(?:\s[^<>]*)?>/g)) {
      if (isEnd === '') open.push(name);
      else expect(open.pop(), JSON.stringify(argv)).toBe(name);
    }
    expect(open, JSON.stringify(argv)).toEqual([]);
    expect(stdout.replace(/<[^<>]*>/g, '')).not.toMatch(/[<>]|&(?!(?:amp|lt|gt|quot|apos);)/);
  }
});
