import { expect, test } from 'vitest';
import { GridEngineFailure } from './failure.ts';
import { collectJobWords, lonelyTasks, notAJob } from './job-words.ts';

const collecting = () =>
  collectJobWords({
    noJob: (text) => new GridEngineFailure([notAJob(text)], 1),
    badTasks: (lines, text) => new GridEngineFailure([`${text}: ${lines.length} lines`], 2),
    lonelyTasks: (text) => new GridEngineFailure([lonelyTasks(text)], 3),
  });

test('tasks are of the jobs of the argument before them, and of no other', () => {
  const jobs = collecting();
  jobs.name('1');
  jobs.name('2,train,3.7');
  jobs.narrow('4-5');
  expect(jobs.words).toEqual([
    { text: '1', number: 1, tasks: null },
    { text: '2', number: 2, tasks: [[4, 5, 1]] },
    { text: 'train', number: null, tasks: [[4, 5, 1]] },
    {
      text: '3',
      number: 3,
      tasks: [
        [7, 7, 1],
        [4, 5, 1],
      ],
    },
  ]);
});

test('what is wrong is said in the words of the command', () => {
  const failing = (act: (jobs: ReturnType<typeof collecting>) => void) => {
    const jobs = collecting();
    jobs.name('1');
    try {
      act(jobs);
    } catch (error) {
      if (error instanceof GridEngineFailure) return [error.exitCode, ...error.lines];
      throw error;
    }
    return null;
  };
  expect(failing((jobs) => jobs.name('2x'))).toEqual([1, 'ERROR! "2x" is an invalid job-task identifier']);
  expect(failing((jobs) => jobs.narrow('x'))?.[0]).toBe(2);
  expect(failing((jobs) => jobs.narrow(undefined))?.[0]).toBe(2);
  const lonely = "found lonely '-t 4' option (The -t option needs a leading job name).";
  const passed = (jobs: ReturnType<typeof collecting>) => {
    jobs.pass();
    jobs.narrow('4');
  };
  expect(failing(passed)).toEqual([3, lonely]);
  const twice = (jobs: ReturnType<typeof collecting>) => {
    jobs.narrow('3');
    jobs.narrow('4');
  };
  expect(failing(twice)).toEqual([3, lonely]);
});
