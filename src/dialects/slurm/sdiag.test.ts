import { expect, it } from 'vitest';
import { aJob, aView, fakeYard, MINUTE, NOW, runDialect, runningJob } from '../fake-yard.ts';
import { slurmProgram } from './run.ts';
import { sdiag } from './sdiag.ts';

const yard = fakeYard({
  views: [aView(runningJob(1)), aView(aJob({ id: 2 })), aView(aJob({ id: 3, phase: 'held' }))],
  activity: {
    since: NOW - 4 * MINUTE,
    jobs: { submitted: 39, started: 30, completed: 22, cancelled: 16, failed: 1 },
    plans: { count: 120, lastMs: 0.019, maxMs: 2.175, totalMs: 10.68, waitingAtLast: 1 },
    slices: { count: 0, longestMs: 0, longestOf: null, longCount: 0 },
  },
});

const run = (...words: readonly string[]) => runDialect(slurmProgram(sdiag), yard, ['sdiag', ...words]);

it('prints what the yard has been doing', () => {
  const rule = '*'.repeat(55);
  expect(run().stdout).toBe(`${rule}
sdiag output at Tue Mar 10 14:20:00 2026 (1773152400)
Data since      Tue Mar 10 14:16:00 2026 (1773152160)
${rule}

Jobs submitted: 39
Jobs started:   30
Jobs completed: 22
Jobs canceled:  16
Jobs failed:    1

Job states ts:  Tue Mar 10 14:20:00 2026 (1773152400)
Jobs pending:   2
Jobs running:   1

Main schedule statistics (microseconds):
\tLast cycle:   19
\tMax cycle:    2175
\tTotal cycles: 120
\tMean cycle:   89
\tCycles per minute: 30
\tLast queue length: 1
`);
});

it('warns about what there is nothing of, and refuses to forget', () => {
  expect(run('-t')).toMatchObject({ code: 0, stderr: expect.stringContaining('no remote procedure calls') });
  expect(run('--reset')).toMatchObject({ code: 1, stdout: '' });
});
