import { describe, expect, it } from 'vitest';
import { PLAIN_POLICY } from '../../../model/plain.ts';
import type { PriorityBreakdown } from '../../../model/reason.ts';
import { aJob, aView, type FakeYard, fakeYard, NOW, runDialect } from '../../fake-yard.ts';
import { slurmProgram } from '../run.ts';
import { sprio } from './sprio.ts';

function run(yard: FakeYard, words: string, environment = '') {
  const argv = ['sprio', ...words.split(' ').filter((word) => word !== '')];
  return runDialect(slurmProgram(sprio), yard, argv, { environment: new TextEncoder().encode(environment) });
}

const NO_PART: PriorityBreakdown = { total: 0, age: 0, fairShare: 0, queue: 0, qos: 0, size: 0, asked: 0 };

function waiting(id: number, user: string, queue: string, nice: number, parts: Partial<PriorityBreakdown>) {
  const job = aJob({ id, eligibleAt: NOW }, { user, queue, nice });
  const priority = { ...NO_PART, ...parts };
  const { age, fairShare, qos, size } = priority;
  const total = age + fairShare + priority.queue + qos + size - nice;
  return {
    view: aView(job),
    explanation: { reason: null, expectedStartAt: null, ahead: 0, priority: { ...priority, total } },
  };
}

/** The jobs of a real listing. */
const JOBS = [
  waiting(4, 'mail', 'high', 0, { size: 375, queue: 2000 }),
  waiting(6, 'games', 'cpu', 50, { size: 500, queue: 200, qos: 3000 }),
  waiting(9, 'root', 'short', 0, { fairShare: 10_000, size: 375, queue: 20 }),
];
const WEIGHTS = { age: 1000, fairShare: 10_000, size: 500, queue: 2000, qos: 3000 };

function aYard(weights = WEIGHTS): FakeYard {
  return fakeYard({
    views: JOBS.map(({ view }) => view),
    explanations: new Map(JOBS.map(({ view, explanation }) => [view.job.id, explanation])),
    policy: { ...PLAIN_POLICY, weights },
    users: ['root', 'games', 'mail'].map((name, i) => ({ name, uid: i * 5, gid: i * 5, group: name })),
  });
}

const lines = (...text: readonly string[]) => text.map((line) => `${line}\n`).join('');

describe('sprio', () => {
  it('prints the table that Slurm prints', () => {
    expect(run(aYard(), '').stdout).toBe(
      lines(
        '          JOBID PARTITION   PRIORITY       SITE        AGE  FAIRSHARE    JOBSIZE  PARTITION        QOS',
        '              4 high            2375          0          0          0        375       2000          0',
        '              6 cpu             3650          0          0          0        500        200       3000',
        '              9 short          10395          0          0      10000        375         20          0',
      ),
    );
  });

  it('prints factors, everything, and the weights', () => {
    expect(run(aYard(), '-n -j 6').stdout).toBe(
      lines(
        '          JOBID PARTITION PRIORITY   AGE        FAIRSHARE  JOBSIZE    PARTITION  QOS       ',
        '              6 cpu       0.00000084 0.0000000  0.0000000  1.0000000  0.1000000  1.0000000 ',
      ),
    );
    expect(run(aYard(), '-l -j6 -h').stdout).toBe(
      lines(
        '              6 cpu          games       3650          0          0          0          0        500        200       3000          50                     ',
      ),
    );
    expect(run(aYard(), '-w').stdout).toBe(
      lines(
        '          JOBID PARTITION   PRIORITY       SITE        AGE  FAIRSHARE    JOBSIZE  PARTITION        QOS',
        '        Weights                               1       1000      10000        500       2000       3000',
      ),
    );
  });

  it('leaves out what has no weight', () => {
    expect(run(aYard({ ...WEIGHTS, size: 0 }), '').stdout).not.toContain('JOBSIZE');
  });

  it('shows users when asked for some, by name or number', () => {
    expect(run(aYard(), '-u games').stdout).toContain('\n              6 cpu          games       3650');
    expect(run(aYard(), '-h -o %i -u 0,10').stdout).toBe('4\n9\n');
    expect(run(aYard(), '-h -o %i -u nobody')).toEqual({
      code: 0,
      stdout: '',
      stderr: 'sprio: error: Invalid user: nobody\n',
    });
  });

  it('filters by partition, and sorts', () => {
    expect(run(aYard(), '-h -o %i -p cpu,short').stdout).toBe('6\n9\n');
    expect(run(aYard(), '-h -o %i -S -Y').stdout).toBe('9\n6\n4\n');
    expect(run(aYard(), '-h -o %i -S u,-i').stdout).toBe('6\n4\n9\n');
  });

  it('keeps the text of a format, also from the environment', () => {
    expect(run(aYard(), '-h -j 4', 'SPRIO_FORMAT=<%i> %.8Y|%20a|').stdout).toBe(
      '<4>     2375|0.0000000           |\n',
    );
  });

  it('says when a job is not to be found', () => {
    expect(run(aYard(), '-j 99')).toMatchObject({
      code: 0,
      stdout: 'Unable to find jobs matching user/id(s) specified\n',
    });
  });

  it.each([
    ['-j abc', 'sprio: error: Invalid job id: abc\n'],
    ['-S Z', 'sprio: error: Invalid sort specification: Z\n'],
    ['--bogus', 'sprio: unrecognized option \'--bogus\'\nTry "sprio --help" for more information\n'],
  ])('refuses %s', (words, stderr) => {
    expect(run(aYard(), words)).toMatchObject({ code: 1, stderr });
  });

  it('refuses words that mean nothing, and other clusters', () => {
    expect(run(aYard(), 'extra').stderr).toContain('sprio: error: Unrecognized option: extra\nUsage: sprio');
    expect(run(aYard(), '-M elsewhere').code).toBe(1);
  });
});
