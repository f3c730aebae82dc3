import { describe, expect, it } from 'vitest';
import { capturedJobs, capturedYard, SUBMITTED } from '../../../../test/golden/slurm/captured-yard.ts';
import { bytesFromText } from '../../../model/bytes.ts';
import type { Job } from '../../../model/job.ts';
import type { JobSpec } from '../../../model/job-spec.ts';
import type { JobView } from '../../../model/query.ts';
import { fromIndices, rangeOf } from '../../../model/ranges.ts';
import { aStep, aView, CALLER_GONE, type FakeYard, runDialect } from '../../fake-yard.ts';
import { slurmProgram } from '../run.ts';
import { squeue } from './squeue.ts';

const NOW = SUBMITTED + 3000;

function run(line: string | readonly string[], yard: FakeYard = capturedYard(), variables = '') {
  const words = typeof line === 'string' ? line.split(' ').filter((word) => word !== '') : line;
  return runDialect(slurmProgram(squeue), yard, ['squeue', ...words], {
    user: 'root',
    uid: 0,
    environment: bytesFromText(variables),
  });
}

/** The ids that are listed, in order. */
function ids(line: string, yard: FakeYard = capturedYard(), variables = ''): string {
  const { stdout } = run(
    [...line.split(' ').filter((word) => word !== ''), '-h', '-o', '%i'],
    yard,
    variables,
  );
  return stdout.trim().split('\n').join(' ');
}

/** The captured yard with one of its jobs changed. */
function withJob(
  id: number,
  changes: Partial<Job>,
  spec: Partial<JobSpec> = {},
  view: Partial<JobView> = {},
) {
  const views = capturedJobs().map((each) =>
    each.job.id === id
      ? { ...each, ...view, job: { ...each.job, ...changes, spec: { ...each.job.spec, ...spec } } }
      : each,
  );
  return capturedYard({ views });
}

const ENDED = { phase: 'ended', outcome: 'failed' } as const;

describe('which jobs are listed', () => {
  it('is up to the options', () => {
    expect(ids('-p gpu')).toBe('5');
    expect(ids('-p gpu,low')).toBe('5');
    expect(ids('-n PAR,held')).toBe('8 3');
    expect(ids('-t PD')).toBe('4_[3-4%2] 7 9 8');
    expect(ids('-t r -w n[3-4]')).toBe('6 5');
    expect(ids('-w localhost -p gpu')).toBe('5');
    expect(ids('-A ROOT -q Normal -p gpu')).toBe('5');
    expect(ids('-A other')).toBe('');
    expect(ids('-q other')).toBe('');
    expect(ids('-u 0 -p gpu')).toBe('5');
    expect(ids('-u user2')).toBe('');
    expect(ids('--me -p gpu')).toBe('5');
    expect(ids('--notme')).toBe('');
    expect(ids('-t')).toBe('');
  });

  it('is up to what was said of licenses and reservations', () => {
    const words = { licenses: 'matlab:2,foo', reservation: 'maint' };
    const yard = withJob(5, {}, { origin: { dialect: 'slurm', words } });
    expect(ids('-L matlab', yard)).toBe('5');
    expect(ids('-L mat', yard)).toBe('');
    expect(ids('-R maint', yard)).toBe('5');
    expect(ids('-R other', yard)).toBe('');
  });

  it('is up to the environment, unless an option says otherwise', () => {
    expect(ids('', capturedYard(), 'SQUEUE_PARTITION=gpu\0')).toBe('5');
    expect(ids('-p cpu -n par', capturedYard(), 'SQUEUE_PARTITION=gpu\0')).toBe('3');
    expect(ids('', capturedYard(), 'SQUEUE_STATES=PD\0SQUEUE_NAMES=dep\0SQUEUE_USERS=root\0')).toBe('7');
    expect(ids('', capturedYard(), 'SQUEUE_SORT=-i\0SQUEUE_STATES=PD\0')).toBe('9 8 7 4_[3-4%2]');
    expect(ids('-j 4 -t PD', capturedYard(), 'SQUEUE_ARRAY=\0')).toBe('4_3 4_4');
    expect(ids('', capturedYard(), 'SQUEUE_ACCOUNT=x\0')).toBe('');
    expect(ids('', capturedYard(), 'SQUEUE_LICENSES=x\0')).toBe('');
    expect(ids('', capturedYard(), 'SQUEUE_QOS=x\0')).toBe('');
  });

  it('does not include what has ended, unless its state is asked for within five minutes', () => {
    const recent = withJob(2, { ...ENDED, endedAt: NOW - 299_000 });
    expect(ids('-p cpu -t R', recent)).toBe('3 4_1 4_2 6');
    expect(ids('-t F', recent)).toBe('2');
    expect(ids('-t all -p cpu', recent)).toBe('1 2 4_[3-4%2] 7 9 8 3 4_1 4_2 6');
    expect(ids('-t all -p cpu', withJob(2, { ...ENDED, endedAt: NOW - 301_000 }))).not.toContain(' 2 ');
  });

  it('tells of users that there are not', () => {
    expect(run('-u ada,root -h -p gpu -o %i')).toEqual({
      code: 0,
      stdout: '5\n',
      stderr: 'squeue: error: Invalid user: ada\n\n',
    });
  });

  it('takes whoever asks for a user, known to the system or not', () => {
    const yard = capturedYard({ users: [] });
    expect(run('--me -h -p gpu -o %i|%U|%g', yard)).toEqual({
      code: 0,
      stdout: '5|N/A|(null)\n',
      stderr: '',
    });
  });

  it('refuses nodes that there are not', () => {
    expect(run('-w n9')).toEqual({ code: 1, stdout: '', stderr: 'squeue: error: Invalid node name n9\n' });
    expect(run('-w n[').code).toBe(1);
  });
});

describe('jobs by number', () => {
  it('are whole jobs, arrays with their elements, and elements', () => {
    expect(ids('-j 2,3')).toBe('2 3');
    expect(ids('-j2')).toBe('2');
    expect(ids('--jobs=2')).toBe('2');
    expect(ids('-j 4')).toBe('4_[3-4%2] 4_1 4_2');
    expect(ids('-j 4_1')).toBe('4_1');
    expect(ids('-j 4_4')).toBe('4_4');
    expect(ids('-j 4_3,4_4')).toBe('4_[3-4]');
    expect(ids('-j 4_[2-3]')).toBe('4_3 4_2');
    expect(ids('-j 11')).toBe('4_1');
    expect(ids('-j 4_9')).toBe('');
    expect(ids('-j 2abc')).toBe('2');
    expect(ids('-j ,2,,3,')).toBe('2 3');
  });

  it('must be there when only one is asked for', () => {
    const failed = { code: 1, stdout: '', stderr: 'slurm_load_jobs error: Invalid job id specified\n' };
    expect(run('-j 999')).toEqual(failed);
    expect(run('-j 999_1')).toEqual(failed);
    expect(run('--json -j 999')).toEqual(failed);
    expect(run('-j 999,998 -h')).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(ids('-j 2,999')).toBe('2');
  });

  it('are gone for good five minutes after their end', () => {
    expect(run('-j 2 -h', withJob(2, { ...ENDED, endedAt: NOW - 299_000 })).code).toBe(0);
    expect(run('-j 2 -h', withJob(2, { ...ENDED, endedAt: NOW - 301_000 })).code).toBe(1);
  });

  it('are numbers', () => {
    for (const word of ['abc', '0', '_1']) {
      expect(run(['-j', word]).stderr).toBe(`squeue: error: Invalid job id: ${word}\n`);
    }
  });
});

describe('elements of an array', () => {
  it('that wait again share a line', () => {
    const waiting = { phase: 'pending', attempt: null } as const;
    const views = capturedJobs().map((each) =>
      each.job.element === null ? each : { ...each, job: { ...each.job, ...waiting } },
    );
    const yard = capturedYard({ views });
    expect(ids('-j 4', yard)).toBe('4_[1-2] 4_[3-4%2]');
    expect(ids('-j 4 --array-unique', yard)).toBe('4_1 4_2 4_[3-4%2]');
    expect(ids('-j 4 -r', yard)).toBe('4_1 4_2 4_3 4_4');
  });

  it('are listed as far as the environment allows', () => {
    const unstarted = fromIndices(Array.from({ length: 100 }, (_, at) => at * 2 + 1));
    const array = { unstarted, dropped: [], live: 0, ended: {} };
    const yard = withJob(4, { array });
    expect(ids('-j 4 -t PD', yard)).toBe(
      '4_[1,3,5,7,9,11,13,15,17,19,21,23,25,27,29,31,33,35,37,39,41,43...%2]',
    );
    expect(ids('-j 4 -t PD', yard, 'SLURM_BITSTR_LEN=9\0')).toBe('4_[1,3,5...%2]');
  });

  it('are listed together when they were cancelled before they began', () => {
    const array = { unstarted: [], dropped: rangeOf(3, 4), live: 0, ended: { cancelled: 2 } };
    const yard = withJob(4, { array, phase: 'ended', outcome: 'cancelled', endedAt: NOW });
    expect(run('-t CA -h -o %i|%T|%R', yard).stdout).toBe('4_[3-4%2]|CANCELLED|\n');
    expect(ids('-t PD', yard)).toBe('7 9 8');
  });
});

describe('columns', () => {
  function cells(format: string, id: number, yard: FakeYard = capturedYard()) {
    return run(['-h', '-t', 'all', '-j', `${id}`, '-o', format], yard).stdout.trimEnd();
  }

  it('tell how a job ended', () => {
    const exit = { code: 3, signal: null, outOfMemory: false };
    const attempt = capturedJobs().find(({ job }) => job.id === 2)?.job.attempt ?? null;
    const ended = attempt && { ...attempt, phase: 'ended' as const, endedAt: NOW - 1000, exit };
    const yard = withJob(2, { ...ENDED, endedAt: NOW - 1000, attempt: ended });
    expect(cells('%t|%r|%R|%N|%M|%e', 2, yard)).toBe(
      'F|NonZeroExitCode|(NonZeroExitCode)|n1|0:02|2026-11-15T20:28:37',
    );
    expect(run('-h -t all -j 2 -O exit_code:0', yard).stdout).toBe('768\n');
    const late = withJob(2, { ...ENDED, outcome: 'timeout', endedAt: NOW, attempt: ended });
    expect(cells('%t|%R', 2, late)).toBe('TO|(TimeLimit)');
    const cancelled = withJob(2, { ...ENDED, outcome: 'cancelled', endedAt: NOW, attempt: ended });
    expect(cells('%t|%R', 2, cancelled)).toBe('CA|n1');
  });

  it('say that nothing will end a job without a limit', () => {
    expect(cells('%l|%L|%e', 2, withJob(2, {}, { limitMs: null }))).toBe('UNLIMITED|UNLIMITED|NONE');
    expect(cells('%e', 7, withJob(7, {}, { limitMs: null }))).toBe('N/A');
  });

  it('name the nodes that cannot be had', () => {
    const reason = { kind: 'nodesUnavailable', nodes: ['n2', 'n4'] } as const;
    const yard = withJob(4, {}, {}, { reason });
    expect(cells('%r|%R', 4, yard)).toContain('ReqNodeNotAvail|(ReqNodeNotAvail, UnavailableNodes:n[2,4])');
  });

  it('tell memory in large units, or in megabytes', () => {
    const memory = { bytes: 3 * 1024 ** 3, per: 'node' } as const;
    const { resources } = (capturedJobs()[1] as JobView).job.spec;
    const yard = withJob(2, {}, { resources: { ...resources, memory } });
    expect(cells('%m', 2, yard)).toBe('3G');
    expect(run('-h --noconvert -j 2 -o %m', yard).stdout).toBe('3072M\n');
  });

  it('say back what was asked for', () => {
    const words = {
      cpusPerGpu: '4',
      exclusive: 'user',
      gpus: 'v100:2',
      minCpus: '2',
      profile: 'task,energy',
      switches: '1@5',
      threadSpec: '3',
      timeMin: '5',
      tmp: '10',
      wckey: 'wk',
    };
    const yard = withJob(2, {}, { nice: -10, comment: 'a b', origin: { dialect: 'slurm', words } });
    expect(cells('%c|%d|%h|%k|%w|%y|%X|%b', 2, yard)).toBe('2|10M|USER|a b|wk|-10|3 Threads|N/A');
    const fields = 'cpus-per-tres,tres-per-job,profile,reqswitch,wait4switch,mintime';
    const line = run(['-h', '-j', '2', '-O', fields.replaceAll(',', ':0|,')], yard).stdout;
    expect(line).toBe('gres:gpu:4|gres:gpu:v100:2|Energy,Task|1|5:00|5:00                \n');
  });

  it('tell parts of GPUs as they were asked for', () => {
    const yard = withJob(2, {}, { origin: { dialect: 'slurm', words: { gres: 'shard:2' } } });
    expect(cells('%b', 2, yard)).toBe('gres:shard:2');
  });

  it('tell GPUs that were asked for in other words', () => {
    expect(cells('%b', 5)).toBe('gres:gpu:1');
  });

  it('show the output as it was asked for', () => {
    const streams = { ...(capturedJobs()[1] as JobView).job.spec.streams, stdout: 'o%j', stderr: '/e%j' };
    const fields = ['-h', '-j', '2', '-O', 'stdout:0|,stderr:0|,stdin:0'];
    expect(run(fields, withJob(2, {}, { streams })).stdout).toBe(
      '/tmp/slurm-lab/work/cap/o%j|/e%j|/dev/null\n',
    );
    const usual = '/tmp/slurm-lab/work/cap/slurm-2.out';
    expect(run(fields).stdout).toBe(`${usual}|${usual}|/dev/null\n`);
  });

  it('exist for every letter', () => {
    const { stdout, stderr } = run('-o %all');
    expect(stderr).toBe('');
    const [heading = '', ...rows] = stdout.trimEnd().split('\n');
    expect(heading.split('|')).toHaveLength(52);
    for (const row of rows) expect(row.split('|')).toHaveLength(52);
  });

  it('that there are not are told of and left as they are', () => {
    expect(run(['-j', '2', '-h', '-o', '[%0] %i'])).toEqual({
      code: 0,
      stdout: '[%0] 2\n',
      stderr: 'squeue: error: Invalid job format specification: ]\n',
    });
    expect(run('-j 2 -h -O Bogus,jobid:3')).toEqual({
      code: 0,
      stdout: '2  \n',
      stderr: 'squeue: error: Invalid job format specification: Bogus\n',
    });
  });

  it('tell times in the form that the environment asks for', () => {
    expect(run('-h -j 2 -o %S', capturedYard(), 'SLURM_TIME_FORMAT=%a %T\0').stdout).toBe('Sun 20:28:35\n');
    expect(run('-h -j 2 -o %S', capturedYard(), 'SLURM_TIME_FORMAT=xx\0')).toEqual({
      code: 0,
      stdout: '2026-11-15T20:28:35\n',
      stderr: "squeue: error: invalid SLURM_TIME_FORMAT = 'xx'\n",
    });
  });

  it('come from the environment, but not into listings that have their own', () => {
    const variables = 'SQUEUE_FORMAT=%i\0SQUEUE_FORMAT2=name\0';
    expect(run('-j 2', capturedYard(), variables).stdout).toBe('JOBID\n2\n');
    expect(run('-j 2', capturedYard(), 'SQUEUE_FORMAT2=name:5\0').stdout).toBe('NAME \nsleep\n');
    expect(run('-j 2 -O jobid:3', capturedYard(), variables).stdout).toBe('JOB\n2  \n');
    expect(run('-l -j 2', capturedYard(), variables).stdout).toContain('TIME_LIMI');
    expect(run('-s', capturedYard(), variables).stdout).toContain('STEPID');
  });
});

describe('order', () => {
  it('is by any letter, either way', () => {
    expect(ids('-S i')).toBe('2 3 4_1 4_2 4_[3-4%2] 5 6 7 8 9');
    expect(ids('-S -i -t PD')).toBe('9 8 7 4_[3-4%2]');
    expect(ids('-S -D,j -t R')).toBe('6 4_1 4_2 5 3 2');
    expect(ids('-S N -t R')).toBe('2 3 4_1 4_2 5 6');
    expect(ids('-S S -t PD')).toBe('9 7 8 4_[3-4%2]');
    expect(ids('-S ,, -t PD')).toBe('7 8 9 4_[3-4%2]');
  });

  it('that there is not ends the command below the heading', () => {
    expect(run('-o %i -S bogus')).toEqual({
      code: 1,
      stdout: 'JOBID\n',
      stderr: 'squeue: error: Invalid sort specification: s\n',
    });
    expect(run('-h -o %i -p gpu -S b')).toEqual({
      code: 0,
      stdout: '5\n',
      stderr: 'squeue: Invalid sort specification: b\n',
    });
  });
});

describe('steps', () => {
  function withSteps() {
    const running = aStep({
      attempt: '6.1',
      n: 0,
      name: 'train',
      startedAt: SUBMITTED + 1000,
      endedAt: null,
    });
    const over = aStep({ attempt: '6.1', n: 1, name: 'over', endedAt: NOW });
    const other = aStep({ attempt: '6.0', n: 0, name: 'earlier', endedAt: null });
    return capturedYard({ steps: new Map([[6, [running, over, other]]]) });
  }

  it('are those that run', () => {
    expect(run('-s -j 6', withSteps()).stdout).toBe(
      [
        '         STEPID     NAME PARTITION     USER      TIME NODELIST',
        '            6.0    train       cpu     root      0:02 node1',
        '        6.batch    batch       cpu     root      0:03 n3',
        '',
      ].join('\n'),
    );
  });

  it('can be chosen', () => {
    expect(ids('-s6.0', withSteps())).toBe('6.0');
    expect(ids('-s 6.batch,4_1.batch', withSteps())).toBe('6.batch 4_1.batch');
    expect(ids('-s6.9', withSteps())).toBe('');
    expect(ids('-s -p gpu', withSteps())).toBe('5.batch');
    expect(ids('-s -j 999', withSteps())).toBe('');
    expect(run('-s6').stderr).toBe('squeue: error: Invalid job_step id: 6.??\n');
  });

  it('have fields of their own', () => {
    const { stdout, stderr } = run('-s6.0 -h -O stepid:5,numtasks:2,name,stepstate:0', withSteps());
    expect(stdout).toMatch(/^6\.0 +\d RUNNING\n$/);
    expect(stderr).toBe('squeue: error: Invalid job step format specification: name\n');
  });
});

describe('expected starts', () => {
  it('are told of jobs whose turn will come', () => {
    const explanation = { reason: null, expectedStartAt: NOW + 60_000, priority: null, ahead: 0 };
    const yard = capturedYard({ explanations: new Map([[4, explanation]]) });
    expect(run('--start -h -o %i|%S|%e', yard).stdout).toBe(
      [
        '4_[3-4%2]|2026-11-15T20:29:38|2026-11-15T20:39:38',
        '9|2026-11-15T21:28:35|2026-11-15T21:38:35',
        '7|N/A|N/A',
        '8|N/A|N/A',
        '',
      ].join('\n'),
    );
  });

  it('are those of other states when somebody says so', () => {
    expect(ids('--start -t R -p gpu')).toBe('5');
  });
});

describe('again and again', () => {
  it('until nobody listens', () => {
    const yard = capturedYard();
    yard.meanwhile = [
      () => {
        yard.now += 2000;
        yard.views = [];
      },
    ];
    expect(run('-i 2 -p gpu -o %i', yard)).toEqual({
      code: CALLER_GONE,
      stdout: 'Sun Nov 15 20:28:38 2026\nJOBID\n5\n\nSun Nov 15 20:28:40 2026\nJOBID\n\n',
      stderr: '',
    });
  });

  it('though the job is not there yet', () => {
    expect(run('-i 2 -h -j 999')).toEqual({
      code: CALLER_GONE,
      stdout: '\n',
      stderr: 'slurm_load_jobs error: Invalid job id specified\n',
    });
  });

  it('with an interval', () => {
    for (const text of ['0', '-1', 'abc']) {
      expect(run(['-i', text])).toEqual({
        code: 1,
        stdout: '',
        stderr: `squeue: error: --iterate=${text}\n\n`,
      });
    }
  });
});

describe('the command line', () => {
  it('is refused where the original refuses it', () => {
    const refused = (line: string) => run(line).stderr.split('\n')[0];
    expect(refused('--bogus')).toBe("squeue: unrecognized option '--bogus'");
    expect(refused('-o %i -O jobid')).toBe('squeue: error: -O (--Format) is incompatible with -o (--format)');
    expect(refused('-O jobid -o %i')).toBe('squeue: error: -o (--format) is incompatible with -O (--Format)');
    expect(refused('-l -o %i')).toBe(
      'squeue: fatal: Options -o(--format) and -l(--long) are mutually exclusive. Please remove one and retry.',
    );
    expect(refused('68')).toBe('squeue: error: Unrecognized option: 68');
    expect(refused('-j 68 69')).toBe('squeue: error: Unrecognized option: 69');
    expect(refused('-M elsewhere')).toBe("squeue: error: No cluster 'elsewhere' known by database.");
  });

  it('takes what has no effect on one yard', () => {
    expect(ids('-a -P --federation --local --sibling --hide --only-job-state -p gpu')).toBe('5');
  });

  it('names the cluster when it is asked for', () => {
    expect(run('-M yard -p gpu -o %i').stdout).toBe('CLUSTER: yard\nJOBID\n5\n');
    expect(run('-M all -h -p gpu -o %i').stdout).toBe('5\n');
  });

  it('tells its version and its options', () => {
    expect(run('-V').stdout).toBe('slurm 22.05.8\n');
    expect(run('--help')).toMatchObject({ code: 0, stderr: '' });
    expect(run('--usage').stdout).toMatch(/^Usage: squeue /);
  });
});

describe('for programs', () => {
  function told(line: string) {
    return JSON.parse(run(line).stdout).jobs as { job_id: number; job_state: string }[];
  }

  it('tells of those that were asked for, ended or not', () => {
    expect(told('--json').map(({ job_id }) => job_id)).toEqual([1, 2, 3, 11, 5, 6, 7, 8, 9, 12, 4]);
    expect(told('--json -j 2').map(({ job_state }) => job_state)).toEqual(['RUNNING']);
    expect(told('--json -j 1').map(({ job_state }) => job_state)).toEqual(['COMPLETED']);
    expect(told('--json -t PD -p cpu').map(({ job_id }) => job_id)).toEqual([7, 8, 9, 4]);
  });
});

describe('a long queue', () => {
  it('is listed whole', () => {
    const waiting = (capturedJobs()[3] as JobView).job;
    const views = Array.from({ length: 20_000 }, (_, at) =>
      aView({ ...waiting, id: at + 1, array: null, spec: { ...waiting.spec, array: null } }),
    );
    expect(run('-h', capturedYard({ views })).stdout.split('\n')).toHaveLength(20_001);
  });
});
