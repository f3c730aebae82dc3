/** `scancel` against what the real one said in the same situation. */

import { expect, it } from 'vitest';
import { type FakeYard, runDialect } from '../../../src/dialects/fake-yard.ts';
import { slurmProgram } from '../../../src/dialects/slurm/run.ts';
import { scancel } from '../../../src/dialects/slurm/scancel/scancel.ts';
import { refusal } from '../../../src/model/refusal.ts';
import { capturedYard } from './captured-yard.ts';
import { captured } from './captures.ts';

/** A yard that does what it is told to the jobs it has; what was ended before stays as it is. */
function lab(over: readonly number[] = []): FakeYard {
  const yard = capturedYard();
  yard.answer = (command) => {
    const id = 'target' in command ? command.target.job : 0;
    if (!yard.views.some(({ job }) => job.id === id))
      return { ok: false, refusal: refusal('noSuchJob', `there is no job ${id}`) };
    return { ok: true, job: id, step: null, changed: !over.includes(id) };
  };
  return yard;
}

function ran(words: readonly string[], yard: FakeYard, user = 'root') {
  return runDialect(slurmProgram(scancel), yard, ['scancel', ...words], {
    user,
    uid: user === 'root' ? 0 : 1001,
  });
}

it.each<[string, readonly number[]]>([
  ['slurm-scancel-again', [2]],
  ['slurm-scancel-array-task', []],
  ['slurm-scancel-bad', []],
  ['slurm-scancel-name', []],
  ['slurm-scancel-noargs', []],
  ['slurm-scancel-none', []],
  ['slurm-scancel-ok', []],
  ['slurm-scancel-signal', []],
  ['slurm-scancel-v-none', []],
  ['slurm-scancel-verbose-again', [2]],
])('%s', (name, over) => {
  const { commands, stderr, code } = captured(name);
  const [{ command, stdout }] = commands as [(typeof commands)[0]];
  const words = command
    .replace(/^.*scancel/, '')
    .split(' ')
    .filter((word) => word !== '');
  expect(ran(words, lab(over))).toEqual({ stdout, stderr, code });
});

it('slurm-scancel-not-owner', () => {
  const { commands, stderr } = captured('slurm-scancel-not-owner');
  const yard = capturedYard({
    answer: () => ({ ok: false, refusal: refusal('notAllowed', 'job 6 belongs to root') }),
  });
  const { code, stderr: told } = ran(['6'], yard, 'user2');
  expect(`rc=${code}\n`).toBe(commands[0]?.stdout);
  expect(told).toBe(`${stderr.split('\n')[0]}\n`);
});
