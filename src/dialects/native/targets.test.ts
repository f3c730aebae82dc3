import { describe, expect, it } from 'vitest';
import type { UserCommand } from '../../model/command.ts';
import { rangeOf } from '../../model/ranges.ts';
import { refusal } from '../../model/refusal.ts';
import { aJob, aView, type FakeYard, fakeYard, runningJob } from '../fake-yard.ts';
import { run } from './fake-yard.ts';

function yard(): FakeYard {
  return fakeYard({
    views: [
      aView(runningJob(12)),
      aView(aJob({ id: 13 }, { name: 'sweep' })),
      aView(aJob({ id: 14 }, { user: 'bob', queue: 'gpu' })),
      aView(aJob({ id: 15, phase: 'held' })),
      aView(aJob({ id: 20, array: { unstarted: rangeOf(1, 9), dropped: [], live: 1, ended: {} } })),
      aView({ ...runningJob(21), element: { array: 20, index: 0 } }),
    ],
  });
}

function targets(argv: readonly string[]): string[] {
  const asked = yard();
  run(asked, argv);
  return asked.commands.map((command: UserCommand) =>
    'target' in command
      ? `${command.type} ${command.target.job}${command.target.index === null ? '' : `_${command.target.index}`}`
      : command.type,
  );
}

describe('commands for several jobs', () => {
  it('take jobs, elements and ranges of elements', () => {
    expect(targets(['cancel', '17', '20_3', '20_[5-6,9]'])).toEqual([
      'cancel 17',
      'cancel 20_3',
      'cancel 20_5',
      'cancel 20_6',
      'cancel 20_9',
    ]);
    expect(targets(['hold', '20_[1-3%2]'])).toHaveLength(3);
  });

  it('take filters, for your own jobs unless a user is named', () => {
    expect(targets(['cancel', '--all'])).toEqual(['cancel 12', 'cancel 13', 'cancel 15', 'cancel 20']);
    expect(targets(['cancel', '--name', 'sweep'])).toEqual(['cancel 13']);
    expect(targets(['cancel', '-u', 'bob'])).toEqual(['cancel 14']);
    expect(targets(['hold', '--all'])).toEqual(['hold 13', 'hold 20']);
    expect(targets(['release', '--all'])).toEqual(['release 15']);
    expect(targets(['suspend', '--all'])).toEqual(['suspend 12', 'suspend 21']);
    expect(targets(['cancel', '-p', 'gpu'])).toEqual([]);
    expect(run(yard(), ['cancel', '-p', 'gpu'])).toEqual({
      code: 0,
      stdout: 'no job to cancel\n',
      stderr: '',
    });
  });

  it('want one or the other', () => {
    expect(run(yard(), ['cancel'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('cancel needs a job'),
    });
    expect(run(yard(), ['cancel', '--all', '17']).stderr).toContain('but not both');
    expect(run(yard(), ['cancel', '20_[9-1]']).stderr).toContain('does not name elements');
    expect(run(yard(), ['cancel', '20_[0-999999]']).stderr).toContain('does not name elements');
    expect(run(yard(), ['requeue', '--all']).code).toBe(2);
  });

  it('say what was done', () => {
    const said = (argv: readonly string[], changed: boolean) => {
      const asked = yard();
      asked.answer = () => ({ ok: true, job: 12, step: null, changed });
      return run(asked, argv).stdout;
    };
    expect(said(['cancel', '12'], true)).toBe('cancelled job 12\n');
    expect(said(['cancel', '12'], false)).toBe('job 12 has ended already, or is about to\n');
    expect(said(['hold', '12'], true)).toBe('job 12 is held\n');
    expect(said(['hold', '12'], false)).toBe('job 12 was held before\n');
    expect(said(['release', '12'], true)).toBe('released job 12\n');
    expect(said(['release', '12'], false)).toBe('job 12 was not held\n');
    expect(said(['suspend', '12'], true)).toBe('job 12 is suspended\n');
    expect(said(['suspend', '12'], false)).toBe('job 12 was suspended before\n');
    expect(said(['resume', '12'], true)).toBe('job 12 goes on\n');
    expect(said(['resume', '12'], false)).toBe('job 12 was not suspended\n');
    expect(said(['requeue', '12'], true)).toBe('job 12 is queued again\n');
    expect(said(['requeue', '--hold', '12'], true)).toBe('job 12 is queued again, and held\n');
    expect(said(['cancel', '-q', '12'], true)).toBe('');
  });

  it('carry out what they can, tell what was refused, and end with 1', () => {
    const asked = yard();
    asked.answer = (command) =>
      'target' in command && command.target.job === 99
        ? { ok: false, refusal: refusal('noSuchJob', 'there is no job 99') }
        : { ok: true, job: null, step: null, changed: true };
    expect(run(asked, ['cancel', '12', '99', '13'])).toEqual({
      code: 1,
      stdout: 'cancelled job 12\ncancelled job 13\n',
      stderr: 'trainyard: there is no job 99\n',
    });
    expect(JSON.parse(run(asked, ['cancel', '--json', '12', '99']).stdout)).toEqual({
      error: { code: 'noSuchJob', message: 'there is no job 99', hint: null, choices: [] },
      jobs: [
        { ref: '12', changed: true, error: null },
        { ref: '99', changed: false, error: expect.objectContaining({ code: 'noSuchJob' }) },
      ],
    });
  });

  it('carry who asks, and whether to hold', () => {
    const asked = yard();
    run(asked, ['requeue', '-H', '12']);
    expect(asked.commands).toEqual([
      { type: 'requeue', target: { job: 12, index: null }, by: 'ada', hold: true },
    ]);
  });
});

describe('down', () => {
  it('says what goes on, then stops the yard', () => {
    const asked = yard();
    const ran = run(asked, ['down']);
    expect(ran.stdout).toBe(
      'the yard stops\n  2 jobs go on running without it\n  4 jobs wait until it is up again\n',
    );
    expect(asked.stopped).toBe(true);
    expect(asked.commands).toEqual([]);
  });

  it('cancels everything first when asked, and waits for the end', () => {
    const asked = yard();
    asked.meanwhile = [
      () => (asked.views = asked.views.filter(({ job }) => job.phase === 'active')),
      () => {
        expect(asked.stopped).toBe(false);
        asked.views = [];
      },
    ];
    expect(run(asked, ['down', '--cancel']).stdout).toBe('cancelled 6 jobs; the yard stops\n');
    expect(asked.commands).toHaveLength(6);
    expect(asked.stopped).toBe(true);
  });

  it('does not stop when a job may not be cancelled', () => {
    const asked = yard();
    asked.answer = () => ({ ok: false, refusal: refusal('notAllowed', 'job 14 belongs to bob') });
    expect(run(asked, ['down', '--cancel', '--json'])).toMatchObject({ code: 1 });
    expect(asked.stopped).toBe(false);
  });
});
