import { expect, it } from 'vitest';
import { refusal } from '../../model/refusal.ts';
import { aView, endedJob, type FakeYard, fakeYard, runDialect } from '../fake-yard.ts';
import { arrayOf, held, running } from './fake-jobs.ts';
import { qresub } from './qresub.ts';
import { gridEngineProgram } from './run.ts';

function run(yard: FakeYard, ...argv: string[]) {
  return runDialect(gridEngineProgram(qresub), yard, ['qresub', ...argv]);
}

function aYard(): FakeYard {
  const views = [
    running(5, { name: 'train', held: false }),
    held(6, { name: 'later', held: true }),
    ...arrayOf(8, [[2, 8, 2]], {}, { name: 'arr' }),
    aView(endedJob(9)),
  ];
  return fakeYard({ views });
}

it('a copy is submitted without the holds of the original', () => {
  const yard = aYard();
  expect(run(yard, '5,6')).toEqual({
    code: 0,
    stdout: 'Your job 17 ("train") has been submitted\nYour job 17 ("later") has been submitted\n',
    stderr: '',
  });
  expect(yard.commands.map((each) => (each.type === 'submit' ? each.spec.held : null))).toEqual([
    false,
    false,
  ]);
  expect(run(yard, '8').stdout).toBe('Your job-array 17.2-8:2 ("arr") has been submitted\n');
});

it('a copy may be held', () => {
  const yard = aYard();
  run(yard, '-h', 'u', '5');
  expect(yard.commands).toMatchObject([{ type: 'submit', spec: { name: 'train', held: true } }]);
});

it('what is not there, or is only a part, is said', () => {
  const yard = aYard();
  expect(run(yard, '5', '99999')).toEqual({ code: 4, stdout: 'job "99999" does not exist\n', stderr: '' });
  expect(run(yard, '9').stdout).toBe('job "9" does not exist\n');
  expect(run(yard, 'train').stdout).toBe('job "0" does not exist\n');
  expect(yard.commands).toEqual([]);
  expect(run(yard, '8.2')).toEqual({
    code: 4,
    stdout: '',
    stderr: 'denied: the selected option works only on jobs and not on tasks\n',
  });
});

it('what the yard refuses is said', () => {
  const yard = aYard();
  yard.answer = () => ({ ok: false, refusal: refusal('limitReached', 'there are too many jobs') });
  expect(run(yard, '5')).toMatchObject({
    code: 1,
    stderr: 'Unable to run job: there are too many jobs\nExiting.\n',
  });
});

it('wrong calls', () => {
  expect(run(aYard())).toMatchObject({ code: 1, stdout: '' });
  expect(run(aYard()).stderr).toMatch(/^SGE 8\.1\.9\nusage: qresub [\s\S]*\nERROR! no option argument\n$/);
  expect(run(aYard(), '-h', 'u')).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(run(aYard(), '')).toEqual({
    code: 7,
    stdout: '',
    stderr: 'qalter: Wrong job id list format "" specified\n',
  });
  expect(run(aYard(), '-bogus', '5')).toMatchObject({
    code: 2,
    stderr: 'qalter: invalid option argument "-bogus"\n',
  });
  expect(run(aYard(), '-h', 'z', '5').stderr).toBe('qalter: Unknown hold list "z" specified to -h option\n');
  expect(run(aYard(), '-help').stdout).toMatch(/^SGE 8\.1\.9\nusage: qresub /);
});
