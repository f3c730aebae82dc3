import { describe, expect, it } from 'vitest';
import { refusal } from '../../model/refusal.ts';
import { fakeYard } from '../fake-yard.ts';
import { run } from './fake-yard.ts';

describe('trainyard queues', () => {
  it.each([
    ['--disable', { disabled: true }, 'is disabled: jobs wait in it, and none starts'],
    ['--enable', { disabled: false }, 'is enabled'],
    ['--suspend', { suspended: true }, 'is suspended, with the jobs that run in it'],
    ['--resume', { suspended: false }, 'goes on'],
  ])('%s', (option, change, says) => {
    const yard = fakeYard();
    expect(run(yard, ['queues', option, 'gpu', 'main', 'gpu'])).toEqual({
      code: 0,
      stdout: `queue gpu ${says}\nqueue main ${says}\n`,
      stderr: '',
    });
    const by = 'ada';
    expect(yard.commands).toEqual(
      ['gpu', 'main'].map((queue) => ({ type: 'setQueue', queue, by, ...change })),
    );
  });

  it.each([
    ['--disable', 'was disabled before'],
    ['--enable', 'was not disabled'],
    ['--suspend', 'was suspended before'],
    ['--resume', 'was not suspended'],
  ])('%s where nothing has to change', (option, says) => {
    const yard = {
      ...fakeYard(),
      answer: () => ({ ok: true, job: null, changed: false, step: null }) as const,
    };
    expect(run(yard, ['queues', option, 'gpu']).stdout).toBe(`queue gpu ${says}\n`);
    expect(run(yard, ['queues', option, 'gpu', '-q']).stdout).toBe('');
  });

  it('says what a queue is refused for, and goes on with the others', () => {
    const error = refusal('noSuchQueue', "there is no queue 'x'", 'choose one of main', ['main']);
    const yard = fakeYard();
    yard.answer = (command) =>
      command.type === 'setQueue' && command.queue === 'x'
        ? { ok: false, refusal: error }
        : { ok: true, job: null, changed: true, step: null };
    expect(run(yard, ['queues', '--enable', 'x', 'main'])).toEqual({
      code: 1,
      stdout: 'queue main is enabled\n',
      stderr: "trainyard: there is no queue 'x'\n  hint: choose one of main\n",
    });
    const json = run(yard, ['queues', '--enable', '--json', 'x', 'main']);
    expect([json.code, JSON.parse(json.stdout)]).toEqual([
      1,
      {
        error,
        queues: [
          { queue: 'x', changed: false, error },
          { queue: 'main', changed: true, error: null },
        ],
      },
    ]);
  });

  it.each([
    [['--disable'], '--disable needs a queue\n  hint: for example: trainyard queues --disable main'],
    [['--disable', '--resume', 'gpu'], '--disable and --resume do not go together'],
  ])('%j is wrong', (words, says) => {
    const yard = fakeYard();
    expect(run(yard, ['queues', ...words])).toEqual({ code: 2, stdout: '', stderr: `trainyard: ${says}\n` });
    expect(yard.commands).toEqual([]);
  });
});
