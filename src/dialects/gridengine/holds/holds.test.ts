import { describe, expect, it } from 'vitest';
import type { Job } from '../../../model/job.ts';
import type { JobView } from '../../../model/query.ts';
import { rangeOf } from '../../../model/ranges.ts';
import { refusal } from '../../../model/refusal.ts';
import { aView, endedJob, type FakeYard, fakeYard, runDialect } from '../../fake-yard.ts';
import { arrayOf, held, inError, inWords, running, waiting } from '../fake-jobs.ts';
import { gridEngineProgram } from '../run.ts';
import { qhold, qrls } from './commands.ts';

function yardOf(...views: readonly (JobView | readonly JobView[])[]): FakeYard {
  return fakeYard({ views: views.flat() });
}

/** `ada` runs the yard of these tests; `eve` only uses it. */
function ran(yard: FakeYard, line: string, user = 'ada') {
  const argv = line.split(' ').filter((word) => word !== '');
  const command = argv[0] === 'qhold' ? qhold : qrls;
  return runDialect(gridEngineProgram(command), yard, argv, { user });
}

const typesOf = (yard: FakeYard) =>
  yard.commands.map((each) =>
    'target' in each ? `${each.type} ${each.target.job}.${each.target.index}` : each.type,
  );

describe('qhold', () => {
  it('holds what waits, and says nothing of what is held', () => {
    const yard = yardOf(waiting(20), held(21));
    expect(ran(yard, 'qhold 20,21')).toEqual({ code: 0, stdout: 'modified hold of job 20\n', stderr: '' });
    expect(yard.commands).toEqual([{ type: 'hold', target: { job: 20, index: null }, by: 'ada' }]);
  });

  it('-h says whose hold it is', () => {
    const yard = yardOf(held(20), waiting(21));
    expect(ran(yard, 'qhold -h o 20 21').stdout).toBe('modified hold of job 20\nmodified hold of job 21\n');
    expect(yard.commands).toMatchObject([
      { type: 'update', target: { job: 20 }, changes: { origin: { words: { holds: 'uo' } } } },
      { type: 'hold', target: { job: 21 } },
      { type: 'update', target: { job: 21 }, changes: { origin: { words: { holds: 'o' } } } },
    ]);
  });

  it('names each task of an array, and holds those without records at once', () => {
    const yard = yardOf(arrayOf(33, rangeOf(1, 4), { 1: running(34), 2: held(35) }));
    expect(ran(yard, 'qhold 33')).toEqual({
      code: 0,
      stdout: 'modified hold of job-array task 33.3\nmodified hold of job-array task 33.4\n',
      stderr: '',
    });
    expect(typesOf(yard)).toEqual(['hold 33.null']);
  });

  it('holds some tasks', () => {
    const yard = yardOf(arrayOf(33, rangeOf(1, 9)));
    expect(ran(yard, 'qhold 33.5 -t 7-8').stdout).toBe(
      'modified hold of job-array task 33.5\n' +
        'modified hold of job-array task 33.7\n' +
        'modified hold of job-array task 33.8\n',
    );
    expect(typesOf(yard)).toEqual(['hold 33.5', 'hold 33.7', 'hold 33.8']);
    expect(ran(yardOf(arrayOf(33, rangeOf(1, 9))), 'qhold 33.20')).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
    });
  });

  it('cannot hold what runs or is in error, and says so', () => {
    const yard = yardOf(running(19), inError(20));
    expect(ran(yard, 'qhold 19 20')).toEqual({
      code: 0,
      stdout: '',
      stderr:
        'qhold: warning: job 19 is running: it cannot be held\n' +
        'qhold: warning: job 20 is in error state, which keeps it from starting: it cannot be held\n',
    });
    expect(yard.commands).toEqual([]);
  });

  it('finds jobs by name, whosever they are, and by user', () => {
    const views = [waiting(3, { name: 'sweep' }), waiting(4, { name: 'sweep', user: 'bob' })];
    expect(ran(yardOf(views), 'qhold sw*').stdout).toBe(
      'modified hold of job 3\n' + 'denied: "ada" must be at least owner of job 4 to change job attributes\n',
    );
    expect(ran(yardOf(views), 'qhold 3 -u bob', 'root').stdout).toBe('modified hold of job 4\n');
    expect(ran(yardOf(views), 'qhold -u eve,mallory')).toEqual({
      code: 3,
      stdout: 'The job * of user(s) eve,mallory does not exist\n',
      stderr: '',
    });
  });

  it('does not find what is not there', () => {
    expect(ran(yardOf(waiting(3), aView(endedJob(9))), 'qhold 9 nosuch 3')).toEqual({
      code: 3,
      stdout: 'denied: job "9" does not exist\ndenied: job "nosuch" does not exist\nmodified hold of job 3\n',
      stderr: '',
    });
  });

  it('does not find what ended between looking and holding', () => {
    const yard = yardOf(waiting(5));
    yard.answer = () => {
      yard.views = [aView(endedJob(5))];
      return { ok: false, refusal: refusal('wrongState', 'job 5 has ended and cannot be held') };
    };
    expect(ran(yard, 'qhold 5')).toEqual({ code: 3, stdout: 'denied: job "5" does not exist\n', stderr: '' });
  });

  it('is not for the jobs of others, nor for holds of a higher rank', () => {
    expect(ran(yardOf(waiting(35)), 'qhold 35', 'eve')).toEqual({
      code: 18,
      stdout: 'denied: "eve" must be at least owner of job 35 to change job attributes\n',
      stderr: '',
    });
    const own = () => yardOf(waiting(36, { user: 'eve' }));
    expect(ran(own(), 'qhold -h o 36', 'eve')).toEqual({
      code: 10,
      stdout: 'denied: "eve" must be operator to set operator hold\n',
      stderr: '',
    });
    expect(ran(own(), 'qhold -h s 36', 'eve').stdout).toBe(
      'denied: "eve" must be manager to set manager hold\n',
    );
  });
});

describe('qrls', () => {
  it('releases what its owner held, and says nothing of what nobody holds', () => {
    const yard = yardOf(held(20), waiting(21), running(22));
    expect(ran(yard, 'qrls 20 21 22')).toEqual({ code: 0, stdout: 'modified hold of job 20\n', stderr: '' });
    expect(typesOf(yard)).toEqual(['release 20.null']);
  });

  it('leaves holds of others, and takes theirs by name', () => {
    const both = held(20, inWords({ holds: 'uo' }));
    const yard = yardOf(both);
    expect(ran(yard, 'qrls 20').stdout).toBe('modified hold of job 20\n');
    expect(yard.commands).toMatchObject([{ type: 'update', changes: { origin: { words: { holds: 'o' } } } }]);
    expect(ran(yardOf(held(20, inWords({ holds: 'o' }))), 'qrls 20').stdout).toBe('');
    const last = yardOf(held(20, inWords({ holds: 'o' })));
    ran(last, 'qrls -h o 20');
    expect(typesOf(last)).toEqual(['update 20.null', 'release 20.null']);
    expect(last.commands[0]).toMatchObject({ changes: { origin: { words: { by: 'qsub' } } } });
    expect(JSON.stringify(last.commands[0])).not.toContain('holds');
    expect(ran(yardOf(held(20, { user: 'eve', ...inWords({ holds: 'o' }) })), 'qrls -h o 20', 'eve')).toEqual(
      {
        code: 10,
        stdout: 'denied: "eve" must be operator to remove operator hold\n',
        stderr: '',
      },
    );
  });

  it('does not touch an error', () => {
    const yard = yardOf(inError(12));
    expect(ran(yard, 'qrls 12')).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(yard.commands).toEqual([]);
  });

  const HELD: Partial<Job> = { phase: 'held', hold: { by: 'user', reason: null } };

  it('releases an array at once, or some of its tasks', () => {
    const whole = yardOf(arrayOf(34, rangeOf(1, 3), {}, {}, HELD));
    expect(ran(whole, 'qrls 34').stdout).toBe(
      [1, 2, 3].map((index) => `modified hold of job-array task 34.${index}\n`).join(''),
    );
    expect(typesOf(whole)).toEqual(['release 34.null']);
    const some = yardOf(arrayOf(34, rangeOf(1, 9), { 2: waiting(40) }, {}, HELD));
    expect(ran(some, 'qrls 34 -t 2-3').stdout).toBe('modified hold of job-array task 34.3\n');
  });

  it('does not release tasks in error along with their array', () => {
    const yard = yardOf(arrayOf(34, rangeOf(1, 3), { 1: inError(35) }, {}, HELD));
    expect(ran(yard, 'qrls 34').stdout).toBe(
      'modified hold of job-array task 34.2\nmodified hold of job-array task 34.3\n',
    );
    expect(typesOf(yard)).toEqual(['release 34.2', 'release 34.3']);
  });
});

describe('qhold and qrls that were called wrongly', () => {
  it.each([
    ['qhold -h x 9', 7, 'qalter: Unknown hold list "x" specified to -h option\n'],
    ['qrls -h n 9', 7, 'qalter: Unknown hold list "n" specified to -h option\n'],
    ['qhold -h', 2, 'qalter: -h option must have argument\n'],
    ['qhold -u', 2, 'qalter: -u option must have a list usernames\n'],
    ['qhold -x', 2, 'qalter: invalid option argument "-x"\n'],
    ['qhold 1x2', 2, 'ERROR! "1x2" is an invalid job-task identifier\n'],
    ['qhold 3 -t', 2, 'qalter: -t option must have a list of task id ranges\n'],
    [
      'qhold 3 -t x',
      7,
      'qalter: Numerical value invalid!\nThe initial portion of string "x" contains no decimal number\n',
    ],
    ['qhold -t 2', 5, 'Unknown option -t 2\n\n'],
    ['qhold -t 2 3', 2, `found lonely '-t 2' option (The -t option needs a leading job name).\n`],
  ])('%s', (line, code, stderr) => {
    expect(ran(yardOf(waiting(3)), line)).toEqual({ code, stdout: '', stderr });
  });

  it('do nothing when one word of them says nothing', () => {
    const yard = yardOf(waiting(3));
    expect(runDialect(gridEngineProgram(qhold), yard, ['qhold', '3', ''])).toEqual({
      code: 7,
      stdout: '',
      stderr: 'qalter: Wrong job id list format "" specified\n',
    });
    expect(yard.commands).toEqual([]);
  });

  it('want to know what to hold', () => {
    for (const line of ['qhold', 'qhold -h u']) {
      const { code, stdout, stderr } = ran(yardOf(waiting(3)), line);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(/^SGE 8.1.9\nusage: qhold [\s\S]*\nERROR! no option argument\n$/);
    }
    expect(ran(yardOf(), 'qrls -help').stdout).toMatch(/^SGE 8.1.9\nusage: qrls /);
  });
});
