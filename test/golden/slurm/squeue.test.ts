/** `squeue` against what the real one printed in the same situation, letter by letter. */

import { describe, expect, it } from 'vitest';
import { anAttempt, aView, endedJob, fakeYard, runDialect } from '../../../src/dialects/fake-yard.ts';
import { slurmProgram } from '../../../src/dialects/slurm/run.ts';
import { squeue } from '../../../src/dialects/slurm/squeue/squeue.ts';
import { capturedYard, SUBMITTED } from './captured-yard.ts';
import { captured } from './captures.ts';

function ran(argv: readonly string[], yard = capturedYard()) {
  return runDialect(slurmProgram(squeue), yard, ['squeue', ...argv], { user: 'root', uid: 0 });
}

/** The words of a command line, with quotes as the captures use them. */
function words(command: string): string[] {
  return [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '').slice(1);
}

describe('squeue prints what the real one prints', () => {
  it.each([
    'slurm-squeue',
    'slurm-squeue-l',
    'slurm-squeue-me',
    'slurm-squeue-o-full',
    'slurm-squeue-o-i-t',
    'slurm-squeue-r',
    'slurm-squeue-s',
    'slurm-squeue-start',
    'slurm-squeue-nojob',
    'slurm-squeue-badfmt',
  ])('%s', (name) => {
    const { commands, stderr, code } = captured(name);
    const [{ command, stdout }] = commands as [(typeof commands)[0]];
    expect(ran(words(command))).toEqual({ code, stdout, stderr });
  });

  it('slurm-squeue-empty', () => {
    const { commands, code } = captured('slurm-squeue-empty');
    expect(ran([], fakeYard())).toEqual({ code, stdout: commands[0]?.stdout, stderr: '' });
  });

  it('slurm-squeue-u', () => {
    const { commands, stderr } = captured('slurm-squeue-u');
    const ended = endedJob(5, { endedAt: SUBMITTED, submittedAt: SUBMITTED });
    const placement = { nodes: [{ ...anAttempt().placement.nodes[0], node: 'n1' }] } as never;
    const attempt = anAttempt({
      phase: 'ended',
      startedAt: SUBMITTED,
      clockFrom: SUBMITTED,
      endedAt: SUBMITTED,
      placement,
    });
    const job = { ...ended, attempt, spec: { ...ended.spec, user: 'user2', queue: 'cpu', name: 'wrap' } };
    const yard = capturedYard({ views: [aView(job)] });
    const first = ran(['-u', 'user2', '-t', 'all'], yard);
    const second = ran(['-u', 'nosuchuser'], yard);
    // In the file the column of the user is narrower than on the screen it came from.
    const shown = first.stdout + second.stdout;
    expect(shown.replaceAll(/ +/g, ' ')).toBe(commands[0]?.stdout.replaceAll(/ +/g, ' '));
    expect(second).toMatchObject({ code: 0, stderr });
  });

  it('slurm-squeue-json', () => {
    const { commands } = captured('slurm-squeue-json');
    const told = ran(['--json']).stdout;
    expect(withoutOwnAffairs(told)).toBe(withoutOwnAffairs(commands[0]?.stdout ?? ''));
  });

  it('slurm-squeue-yaml', () => {
    const { commands } = captured('slurm-squeue-yaml');
    const stdout = commands[0]?.stdout ?? '';
    // The real one was cut off in the middle of a line.
    const whole = stdout.slice(0, stdout.lastIndexOf('\n'));
    const told = ran(['--yaml']).stdout.slice(0, whole.length + 200);
    expect(withoutOwnAffairs(told).startsWith(withoutOwnAffairs(whole))).toBe(true);
  });
});

/** What a cluster has and a yard has not, or the other way round: its name, its database, its scheduler's diary. */
function withoutOwnAffairs(text: string): string {
  return text
    .replace(/("?cluster"?: (?:!!str )?)"?\w+"?/g, '$1X')
    .replace(/("?association_id"?: (?:!!int )?)\d+/g, '$1X')
    .replace(/("?(?:accrue_time|last_sched_evaluation)"?: (?:!!int )?)\d+/g, '$1X');
}
