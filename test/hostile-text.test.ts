/**
 * Texts that people choose (names, comments, paths, messages) as an attack on whoever looks at them: no command of
 * any dialect prints a character that acts on a terminal, and no text makes a line of its own.
 */

import { describe, expect, test } from 'vitest';
import { runDialect } from '../src/dialects/fake-yard.ts';
import { FIELDS as SACCT_FIELDS } from '../src/dialects/slurm/sacct/fields.ts';
import { ALL_LETTERS as SINFO_LETTERS } from '../src/dialects/slurm/sinfo/columns.ts';
import { NODE_FIELDS } from '../src/dialects/slurm/sinfo/fields.ts';
import { ALL_LETTERS } from '../src/dialects/slurm/squeue/columns.ts';
import { JOB_FIELDS } from '../src/dialects/slurm/squeue/fields.ts';
import { printable } from '../src/model/bytes.ts';
import { documentedCommands, given, programNamed } from './documented-options.ts';
import { ACTS_ON_A_TERMINAL, FORGED_LINE, HOSTILE, hostileJobs, hostileYard } from './hostile-text.ts';

const IDS = hostileJobs().map(({ id }) => `${id}`);

function printed(words: readonly string[]): string {
  try {
    const { stdout, stderr } = runDialect(programNamed(words[0] as string), hostileYard(), words);
    return stdout + stderr;
  } catch (error) {
    // A job that is waited for never ends in a yard where nothing happens.
    if (`${error}`.includes('nothing more happens')) return '';
    throw error;
  }
}

/** What of it would act: the place, with what is around. */
function strange(text: string): readonly string[] {
  return [ACTS_ON_A_TERMINAL, FORGED_LINE].flatMap((pattern) => {
    const found = pattern.exec(text);
    return found === null
      ? []
      : [JSON.stringify(text.slice(Math.max(0, found.index - 60), found.index + 30))];
  });
}

const fields = (all: object) =>
  Object.keys(all)
    .map((name) => `${name}:200`)
    .join(',');

const LISTINGS: readonly (readonly string[])[] = [
  ['squeue'],
  ['squeue', '-l'],
  ['squeue', '-s'],
  ['squeue', '-o', ALL_LETTERS],
  ['squeue', '-O', fields(JOB_FIELDS)],
  ['squeue', '--json'],
  ['squeue', '--yaml'],
  ['sacct'],
  ['sacct', '-P', '-o', SACCT_FIELDS.map(({ name }) => name).join(',')],
  ['sacct', '-o', SACCT_FIELDS.map(({ name }) => `${name}%200`).join(',')],
  ['sacct', '--json'],
  ['sinfo'],
  ['sinfo', '-R'],
  ['sinfo', '-N', '-o', SINFO_LETTERS],
  ['sinfo', '-N', '-O', fields(NODE_FIELDS)],
  ['sinfo', '--json'],
  ['sprio', '-l'],
  ['sshare', '-a', '-l'],
  ['sacctmgr', 'show', 'assoc'],
  ['sacctmgr', 'show', 'user'],
  ['sacctmgr', 'show', 'cluster'],
  ['sdiag'],
  ...['job', 'node', 'partition', 'step', 'config', 'hostnames'].flatMap((what) => [
    ['scontrol', 'show', what],
    ['scontrol', '-o', 'show', what],
    ['scontrol', '-d', 'show', what],
    ['scontrol', '--json', 'show', what],
  ]),
  ['scontrol', 'show', 'hostlist', HOSTILE],
  ['scontrol', 'show', 'hostnames', HOSTILE],
  ...IDS.flatMap((id) => [
    ['scontrol', 'show', 'job', id],
    ['seff', id],
    ['sstat', '-a', '-j', id],
    ['scancel', '-v', id],
    ['scancel', '-i', id],
    ['sattach', `${id}.0`],
    ['qstat', '-j', id],
    ['qstat', '-xml', '-j', id],
    ['qacct', '-j', id],
    ['qdel', id],
    ['qhold', id],
    ['qrls', id],
    ['qalter', '-N', HOSTILE, id],
    ['qmod', '-cj', id],
    ['qresub', id],
    ['trainyard', 'show', id],
    ['trainyard', 'why', id],
    ['trainyard', 'logs', id],
    ['trainyard', 'cancel', id],
    ['trainyard', 'show', '--json', id],
    ['trainyard', 'why', '--json', id],
    ['trainyard', 'checkpoints', id],
  ]),
  ['qstat'],
  ['qstat', '-f'],
  ['qstat', '-f', '-F'],
  ['qstat', '-ext'],
  ['qstat', '-r'],
  ['qstat', '-urg'],
  ['qstat', '-xml'],
  ['qstat', '-xml', '-r', '-ext', '-urg', '-f', '-F'],
  ['qstat', '-g', 'c'],
  ['qstat', '-g', 'c', '-xml'],
  ['qstat', '-j'],
  ['qstat', '-u', '*'],
  ['qhost'],
  ['qhost', '-j', '-q', '-F'],
  ['qhost', '-xml', '-j', '-q', '-F'],
  ['qacct'],
  ['qacct', '-j'],
  ['qacct', '-o', '-g', '-h', '-q', '-D', '-P', '-A'],
  ['qselect'],
  ['qconf', '-sql'],
  ['qconf', '-sq', HOSTILE],
  ['qconf', '-se', HOSTILE],
  ['qconf', '-sel'],
  ['qconf', '-suserl'],
  ['qconf', '-sconf'],
  ['qping', HOSTILE, '536', 'qmaster', '1'],
  ...[
    'queue',
    'history',
    'events',
    'nodes',
    'queues',
    'gpus',
    'footprints',
    'config',
    'status',
    'env',
  ].flatMap((name) => [
    ['trainyard', name],
    ['trainyard', name, '--json'],
  ]),
];

describe('what is said about hostile jobs, nodes and people is safe to print', () => {
  test.each(LISTINGS.map((words) => [words.join(' ').slice(0, 60), words] as const))('%s', (_name, words) => {
    expect(strange(printed(words))).toEqual([]);
  });

  test('and something is said', () => {
    const silent = LISTINGS.filter((words) => printed(words) === '').map((words) => words.join(' '));
    expect(silent.length, silent.join('\n')).toBeLessThan(LISTINGS.length / 4);
  });
});

/** What a format has besides its fields is the caller's own, ends of lines too. */
const FORMATS: ReadonlySet<string> = new Set(['-o', '-O', '--format', '--Format']);

test('what is typed is never sent back raw, whatever option it was the value of', () => {
  const found: string[] = [];
  for (const { words, options } of documentedCommands()) {
    const lines = [
      [HOSTILE],
      [HOSTILE, HOSTILE],
      ...options.flatMap((each) => [[each], [...given(each, HOSTILE), HOSTILE]]),
    ];
    for (const line of lines) {
      const problems = strange(printed([...words, ...line]));
      const isFormat = FORMATS.has(line[0]?.split('=')[0] ?? '');
      if (problems.length > 0 && !isFormat)
        found.push(printable(`${words.join(' ')} ${line[0]?.slice(0, 20)}: ${problems.join(' ')}`));
    }
  }
  expect(found).toEqual([]);
});
