/**
 * `qstat` and `qhost` against what the real ones printed in the same situation, letter by letter. Set aside are numbers
 * that depend on a scheduler's habits (priorities) and on the moment (what jobs have used).
 */

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type FakeYard, fakeYard, runDialect } from '../../../src/dialects/fake-yard.ts';
import { qstat } from '../../../src/dialects/gridengine/qstat/qstat.ts';
import { gridEngineProgram } from '../../../src/dialects/gridengine/run.ts';
import { type Captured, capturedBy } from '../captures.ts';
import { capturedYard } from './captured-yard.ts';
import { flagsYard } from './flags-yard.ts';

function ran(argv: readonly string[], yard: FakeYard = capturedYard()) {
  return runDialect(gridEngineProgram(qstat), yard, ['qstat', ...argv], { user: 'root', uid: 0 });
}

function words(command: string): string[] {
  return [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '').slice(1);
}

const aside = (text: string) =>
  text
    // A job that has run at all has a priority, whichever it is.
    .replace(/(^ *\d+ |<JAT_prio>|<JAT_ntix>|<JB_nurg>)0\.(?!00000)\d+/gm, '$10.#####')
    .replace(/\d:\d\d:\d\d:\d\d \d\.\d{5} \d\.\d{5}/g, 'NA         NA      NA     ')
    .replace(/cpu=\d\d:\d\d:\d\d, .*$/gm, 'cpu=')
    .replace(/CQLOAD[\s\S]*/, (table) => table.replace(/\d\.\d\d/g, '#.##'));

describe('qstat prints what the real one prints', () => {
  it.each([
    'sge-qstat',
    'sge-qstat-all-users',
    'sge-qstat-s-p',
    'sge-qstat-g-d',
    'sge-qstat-ext',
    'sge-qstat-r',
    'sge-qstat-f',
    'sge-qstat-f-explain',
    'sge-qstat-xml',
    'sge-qstat-f-xml',
    'sge-qstat-j-none',
  ])('%s', (name) => {
    const { commands, stderr, code } = capturedBy('gridengine', name);
    const [{ command, stdout }] = commands as [Captured];
    const answer = ran(words(command));
    expect({ ...answer, stdout: aside(answer.stdout) }).toEqual({ code, stdout: aside(stdout), stderr });
  });

  it('sge-qstat-empty', () => {
    expect(ran([], fakeYard())).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it('sge-qstat-g-c, where a queue has what the others of its node leave it', () => {
    const [{ stdout }] = capturedBy('gridengine', 'sge-qstat-g-c').commands as [Captured];
    const ours = stdout.replace('0      0      4      4', '0      0      0      4');
    expect(aside(ran(['-g', 'c']).stdout)).toBe(aside(ours));
  });

  it.each(['sge-qstat-j', 'sge-qstat-j-array', 'sge-qstat-j-pending'])(
    '%s, where the other queue of the node is full as well',
    (name) => {
      const [{ command, stdout }] = capturedBy('gridengine', name).commands as [Captured];
      const more = [
        'queue instance "cpu@vm" dropped because it is full',
        'queue instance "gpu@vm" dropped because it is full',
        'All queues dropped because of overload or full',
      ];
      const ours = stdout
        .replace(more[0] as string, more.join(`\n${' '.repeat(28)}`))
        .replaceAll('root@vm', 'root@box');
      expect(aside(ran(words(command)).stdout)).toBe(aside(ours));
    },
  );

  it('sge-qstat-j-xml', () => {
    const [{ command, stdout }] = capturedBy('gridengine', 'sge-qstat-j-xml').commands as [Captured];
    const body = (text: string) => aside(text.replace(/<messages>[\s\S]*/, ''));
    expect(body(ran(words(command)).stdout)).toBe(body(stdout.replace('<MR_host>vm', '<MR_host>box')));
  });
});

/** The original's queue was in error, which is no state of a queue here. */
const inOurStates = (text: string) =>
  text
    .replace(/^(cpu@vm .* )E$/gm, '$1d')
    .replaceAll('temporarily not available', 'disabled')
    .replaceAll('root@vm', 'root@box')
    // Priorities and urgencies are the yard's own.
    .replace(/^( *\d+ )0\.[1-9]\d*( [01]\.\d{5})*( +\d+){0,4}(?= {1,6}[-\da-z])/gm, '$1#')
    .replace(/(#)( +-?\d+)+(?= q\d)/g, '$1');

const FLAGS = readFileSync(new URL('./qstat-flags.txt', import.meta.url), 'utf8');

describe('flag by flag', () => {
  const calls = FLAGS.split(/^\$ /m).slice(1);
  it.each(calls.map((call) => ({ line: call.slice(0, call.indexOf('\n')), call })))(
    '$line',
    ({ line, call }) => {
      const printed = call.slice(line.length + 1);
      const answer = ran(line.split(' ').slice(1), flagsYard());
      expect({ ...answer, stdout: aside(inOurStates(answer.stdout)) }).toEqual({
        code: 0,
        stdout: aside(inOurStates(printed)),
        stderr: '',
      });
    },
  );
});
