import { describe, expect, it } from 'vitest';
import { rangeOf } from '../../model/ranges.ts';
import { aJob, aView, endedJob, fakeYard, invocationOf, runDialect, runningJob } from '../fake-yard.ts';
import { type Asking, printOut } from '../program.ts';
import { type JobWord, jobNumbered, jobsMeant, readJobWord, tasksMeant, withTasks } from './job-list.ts';

const array = aView(
  aJob(
    { id: 20, array: { unstarted: rangeOf(3, 9), dropped: [], live: 2, ended: {} } },
    { name: 'sweep', array: { indices: rangeOf(1, 9), throttle: null } },
  ),
);
const second = aView({ ...runningJob(22, { name: 'sweep' }), element: { array: 20, index: 2 } });
const first = aView({ ...runningJob(21, { name: 'sweep' }), element: { array: 20, index: 1 } });
const others = aView(runningJob(30, { name: 'train', user: 'bob' }));
const mine = aView(aJob({ id: 31 }, { name: 'train' }));

function yardOf() {
  return fakeYard({ views: [second, others, array, first, mine, aView(endedJob(32))] });
}

function answerOf<T>(asking: () => Asking<T>, yard = yardOf()): T {
  let answer: T | undefined;
  runDialect(
    function* () {
      answer = yield* asking();
      yield* printOut('');
      return 0;
    },
    yard,
    invocationOf(['x']).argv,
  );
  return answer as T;
}

function idsOf(word: JobWord, users: readonly string[] | null): readonly number[] {
  return answerOf(() => jobsMeant(word, users)).map(({ id }) => id);
}

const word = (text: string) => readJobWord(text) as JobWord;

describe('a word of a list of jobs', () => {
  it('is a number, with tasks or without', () => {
    expect(word('12')).toEqual({ text: '12', number: 12, tasks: null });
    expect(word('12.3')).toEqual({ text: '12', number: 12, tasks: [[3, 3, 1]] });
    expect(word('12.1-5:2')).toEqual({ text: '12', number: 12, tasks: [[1, 5, 2]] });
  });

  it('is a name where it does not begin like a number', () => {
    expect(word('train.2')).toEqual({ text: 'train.2', number: null, tasks: null });
    expect(word('-x')).toEqual({ text: '-x', number: null, tasks: null });
  });

  it.each(['1x2', '12.', '12.x', '12.3-x', '12.-2', '12.2-', '0', '99999999999999', '12,13'])(
    'is not %s',
    (text) => {
      expect(readJobWord(text)).toBeNull();
    },
  );

  it('may be given more tasks', () => {
    expect(withTasks(word('12.2'), rangeOf(4, 5)).tasks).toEqual([
      [2, 2, 1],
      [4, 5, 1],
    ]);
    expect(withTasks(word('sweep'), rangeOf(4, 5)).tasks).toEqual([[4, 5, 1]]);
  });
});

describe('the jobs that are meant', () => {
  it('are found by number, whosever they are', () => {
    expect(idsOf(word('30'), null)).toEqual([30]);
    expect(idsOf(word('30'), ['ada'])).toEqual([]);
  });

  it('do not include what has ended, nor the numbers that tasks have within', () => {
    expect(idsOf(word('32'), null)).toEqual([]);
    expect(idsOf(word('21'), null)).toEqual([]);
    expect(idsOf(word('99'), null)).toEqual([]);
  });

  it('are found by name and by pattern, of some users or of all, an array once', () => {
    expect(idsOf(word('train'), null)).toEqual([30, 31]);
    expect(idsOf(word('train'), ['ada'])).toEqual([31]);
    expect(idsOf(word('*'), ['a*'])).toEqual([20, 31]);
    expect(idsOf(word('[st]*'), null)).toEqual([20, 30, 31]);
    expect(idsOf(word('tr?in'), ['nobody'])).toEqual([]);
  });

  it('have their tasks, with records and without', () => {
    const known = answerOf(() => jobNumbered(20));
    expect(known).not.toBeNull();
    if (known === null) return;
    const all = tasksMeant(known, null);
    expect(all.records.map(({ job }) => job.id)).toEqual([21, 22]);
    expect(all.unstarted).toEqual([[3, 9, 1]]);
    const some = tasksMeant(known, rangeOf(2, 4));
    expect(some.records.map(({ job }) => job.id)).toEqual([22]);
    expect(some.unstarted).toEqual([[3, 4, 1]]);
    expect(tasksMeant(known, rangeOf(20, 22))).toEqual({ records: [], unstarted: [] });
  });

  it('are their own task 1 where they are no array', () => {
    const known = answerOf(() => jobNumbered(31));
    if (known === null) throw new Error('31 is there');
    expect(tasksMeant(known, rangeOf(1, 3)).records).toEqual([mine]);
    expect(tasksMeant(known, rangeOf(2, 3)).records).toEqual([]);
  });

  it('have all their tasks where there are more than are told of one job', () => {
    const yard = yardOf();
    const crowded = { ...array, job: { ...array.job, array: { ...array.job.array!, live: 3 } } };
    yard.views = [crowded, first, second];
    const known = answerOf(function* () {
      const job = yield* jobNumbered(20);
      return job?.elements.length;
    }, yard);
    expect(known).toBe(2);
  });
});
