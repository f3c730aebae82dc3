import { describe, expect, it } from 'vitest';
import { placingYard, shares, withRunningJob } from '../../../../test/placing-yard.ts';
import {
  batchYard,
  environment,
  error,
  fails,
  IN_JOB,
  inside,
  run,
  says,
} from '../../../../test/srun-calls.ts';
import { PLAIN_RESOURCES } from '../../../model/plain.ts';
import { aStep, NOW } from '../../fake-yard.ts';

/** Which rank runs on which node, in the order of the ranks. */
function nodesOf(argv: readonly string[], variables: Readonly<Record<string, string>> = {}) {
  const { ran, handed } = inside(argv, variables);
  expect(ran.code).toBe(0);
  return handed?.ranks.map(({ node }) => node);
}

describe('in a job that is there', () => {
  it('is a step with as many tasks as the job has, and leaves the job as it is', () => {
    const { yard, ran, handed } = inside(['hostname']);
    expect(ran).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(yard.commands.map(({ type }) => type)).toEqual(['startStep']);
    expect(handed).toMatchObject({ attempt: '5.1', step: 0, holdsJob: false });
    expect(handed?.ranks.map(({ node }) => node)).toEqual(['n1', 'n1', 'n2', 'n2']);
  });

  it('takes whole nodes, unless it says what it needs', () => {
    expect(inside(['hostname']).request).toMatchObject({ wholeNodes: true, overlap: false });
    expect(inside(['--exact', 'hostname']).request).toMatchObject({ wholeNodes: false });
    expect(inside(['--exclusive', 'hostname']).request).toMatchObject({ wholeNodes: false });
    expect(inside(['-c1', 'hostname']).request).toMatchObject({ wholeNodes: false, cpusPerRank: 1 });
    expect(inside(['--overlap', 'hostname']).request).toMatchObject({ wholeNodes: true, overlap: true });
  });

  it('has its CPUs for each task from its own words, not from those of the job', () => {
    expect(inside(['-n2', 'true'], { SLURM_CPUS_PER_TASK: '2' }).request?.cpusPerRank).toBe(1);
    expect(inside(['-n2', 'true'], { SRUN_CPUS_PER_TASK: '2' }).request?.cpusPerRank).toBe(2);
  });

  it('goes to fewer nodes when it has fewer tasks, and says so', () => {
    const { ran, handed } = inside(['-n1', 'true']);
    expect(ran.stderr).toBe(says("Warning: can't run 1 processes on 2 nodes, setting nnodes to 1"));
    expect(handed?.ranks.map(({ node }) => node)).toEqual(['n1']);
  });

  it.each([
    [
      ['-n4', 'true'],
      ['n1', 'n1', 'n2', 'n2'],
    ],
    [
      ['-n3', 'true'],
      ['n1', 'n1', 'n2'],
    ],
    [
      ['-n2', 'true'],
      ['n1', 'n2'],
    ],
    [
      ['-n4', '-m', 'cyclic', 'true'],
      ['n1', 'n2', 'n1', 'n2'],
    ],
    [
      ['-n3', '-m', 'cyclic:block', 'true'],
      ['n1', 'n2', 'n1'],
    ],
    [
      ['-n4', '-m', 'plane=1', 'true'],
      ['n1', 'n2', 'n1', 'n2'],
    ],
    [['-N1', '-n1', '-r1', 'true'], ['n2']],
    [['-N1', '-n1', '-w', 'n2', 'true'], ['n2']],
    [['-N1', '-n1', '-x', 'n1', 'true'], ['n2']],
    [
      ['-N2', '-n2', '--ntasks-per-node=1', 'true'],
      ['n1', 'n2'],
    ],
    [
      ['-n3', '-N2', '--ntasks-per-node=1', 'true'],
      ['n1', 'n1', 'n2'],
    ],
    [
      ['-O', '-n6', 'true'],
      ['n1', 'n1', 'n1', 'n2', 'n2', 'n2'],
    ],
  ])('srun %j puts its tasks on %j', (argv, nodes) => {
    expect(nodesOf(argv)).toEqual(nodes);
  });

  it('runs one task on each node of a job that said nothing of tasks', () => {
    const { SLURM_NTASKS: _ntasks, SLURM_NPROCS: _nprocs, ...without } = IN_JOB;
    const yard = batchYard();
    run(yard, ['true'], environment(without));
    expect(yard.runs[0]?.ranks.map(({ node }) => node)).toEqual(['n1', 'n2']);
    const perNode = batchYard();
    run(perNode, ['--ntasks-per-node=2', 'true'], environment(without));
    expect(perNode.runs[0]?.ranks).toHaveLength(4);
  });

  it.each([
    [['-n5', 'true'], error('Unable to create step for job 5: More processors requested than permitted')],
    [['-N1', 'true'], error('Unable to create step for job 5: More processors requested than permitted')],
    [['-c4', 'true'], error('Unable to create step for job 5: More processors requested than permitted')],
    [
      ['-O', '-n', '1025', 'true'],
      error('Unable to create step for job 5: Task count specification invalid'),
    ],
    [
      ['-O', '-n', '99999999', 'true'],
      error('Unable to create step for job 5: Task count specification invalid'),
    ],
    [['-N3', 'true'], error('Only allocated 2 nodes asked for 3')],
    [
      ['-x', 'n1', '-N2', 'true'],
      error('Only allocated 1 nodes asked for 2', 'Are required nodes explicitly excluded?'),
    ],
    [
      ['-N1', '-n1', '-w', 'n9', 'true'],
      error('Unable to create step for job 5: Requested node configuration is not available'),
    ],
    [
      ['-r5', 'true'],
      error('--relative and SLURM_JOB_NUM_NODES option incompatible with count of allocated nodes (5+2>2)'),
    ],
    [
      ['-n2', '-N2', '-r1', 'true'],
      error('--relative and --nodes option incompatible with count of allocated nodes (1+2>2)'),
    ],
    [
      ['--gres=gpu:3', 'true'],
      error(
        "Step requested GRES but job doesn't have GRES",
        'Unable to create step for job 5: Invalid generic resource (gres) specification',
      ),
    ],
    [['--gres=foo:1', 'true'], error('Invalid generic resource (gres) specification')],
    [['-n0', 'true'], error('Invalid numeric value "0" for --ntasks.')],
    [['--exclusive', '--overlap', 'true'], error('--exclusive and --overlap are mutually exclusive')],
    [['--multi-prog', '/no/such'], error('Could not open multi_prog config file /no/such')],
  ])('srun %j is refused as the original refuses it', (argv, stderr) => {
    expect(inside(argv).ran).toEqual(fails(stderr));
  });

  it.each([
    [['-m', 'foo', 'true'], error('Invalid --distribution specification'), 255],
    [['--unknown'], 'srun: unrecognized option \'--unknown\'\nTry "srun --help" for more information\n', 255],
    [[], 'srun: fatal: No command given to execute.\n', 1],
    [['--mpi=foo', 'true'], error("Invalid MPI type 'foo', --mpi=list for acceptable types"), 1],
    [
      ['--cpu-bind=foo', 'true'],
      `${error('unrecognized --cpu-bind argument "foo"')}srun: fatal: Failed to parse --cpu-bind= values.\n`,
      1,
    ],
    [
      ['--jobid=99', 'true'],
      error('Unable to confirm allocation for job 99: Invalid job id specified') +
        says('Check SLURM_JOB_ID environment variable. Expired or invalid job 99'),
      1,
    ],
    [['--jobid=x', 'true'], error('Invalid numeric value "x" for --jobid.'), 1],
  ])('srun %j ends with the text and the exit code of the original', (argv, stderr, code) => {
    expect(inside(argv).ran).toEqual(fails(stderr, code));
  });

  it('names nodes beyond what it may have', () => {
    const { ran, handed } = inside(['-w', 'n1,n2,n3', 'true']);
    expect(ran.stderr).toBe(
      error(
        'Required nodelist includes more nodes than permitted by max-node count (3 > 2). Eliminating nodes from the nodelist.',
      ),
    );
    expect(handed?.ranks).toHaveLength(4);
  });

  it('does not take more memory than the job has', () => {
    const memoryBytes = 400 * 1024 ** 2;
    const refused = error('Unable to create step for job 5: Memory required by task is not available');
    expect(inside(['--mem=401', 'true'], {}, batchYard({ memoryBytes })).ran).toEqual(fails(refused));
    expect(inside(['--mem-per-cpu=201', 'true'], {}, batchYard({ memoryBytes })).ran).toEqual(fails(refused));
    expect(inside(['--mem=400', 'true'], {}, batchYard({ memoryBytes })).ran.code).toBe(0);
    expect(inside(['true'], { SLURM_MEM_PER_NODE: '900' }, batchYard({ memoryBytes })).ran.code).toBe(0);
  });

  it('waits for other steps, and says so', () => {
    const yard = batchYard();
    inside(['sleep', '9'], {}, yard);
    yard.meanwhile.push(
      () => {},
      () => yard.steps.set(5, [aStep({ attempt: '5.1', endedAt: NOW })]),
    );
    const { ran } = inside(['true'], {}, yard);
    expect(ran).toEqual({
      code: 0,
      stdout: '',
      stderr: says(
        'Job 5 step creation temporarily disabled, retrying (Requested nodes are busy)',
        'Step created for job 5',
      ),
    });
  });

  it('goes on waiting at the next yard, and says that only once', () => {
    const yard = batchYard();
    inside(['sleep', '9'], {}, yard);
    yard.meanwhile.push(() => {
      throw new Error('the yard goes away');
    });
    expect(() => inside(['true'], {}, yard)).toThrow('goes away');
    const ticket = yard.tickets.at(-1) as string;
    yard.meanwhile.push(() => yard.steps.set(5, [aStep({ attempt: '5.1', endedAt: NOW })]));
    const ran = run(yard, ['true'], { ...environment(IN_JOB), ticket });
    expect(ran).toEqual({ code: 0, stdout: '', stderr: says('Step created for job 5') });
  });

  it('waits for no one with --immediate, and is in nobody’s way with --overlap', () => {
    const yard = batchYard();
    inside(['sleep', '9'], {}, yard);
    expect(inside(['-I', 'true'], {}, yard).ran).toEqual(
      fails(error('Unable to create step for job 5: Requested nodes are busy')),
    );
    expect(inside(['--overlap', 'true'], {}, yard).ran.code).toBe(0);
  });

  it('runs beside others with --exact until the CPUs are used up', () => {
    const yard = batchYard();
    for (let i = 0; i < 4; i++) expect(inside(['--exact', '-n1', '-N1', 'true'], {}, yard).ran.code).toBe(0);
    expect(inside(['--exact', '-I', '-n1', '-N1', 'true'], {}, yard).ran.code).toBe(1);
  });

  it('gives up waiting when a signal comes', () => {
    const yard = batchYard();
    inside(['sleep', '9'], {}, yard);
    yard.meanwhile.push(() => {
      yard.signal = 15;
    });
    expect(inside(['true'], {}, yard).ran).toEqual(
      fails(
        says(
          'Job 5 step creation temporarily disabled, retrying (Requested nodes are busy)',
          'Cancelled pending job step with signal 15',
        ) + error('Unable to create step for job 5: Job/step already completing or completed'),
      ),
    );
  });

  it('stops its step should the caller go away before it runs, and goes on with it at the next yard', () => {
    const { yard } = inside(['true']);
    expect(yard.whenCallerGoes).toEqual({
      type: 'stopStep',
      target: { job: 5, index: null },
      by: 'ada',
      step: 0,
    });
    expect(yard.tickets).toEqual(['anew', 'step 0']);
    const next = placingYard({}, { views: yard.views, steps: yard.steps });
    run(next, ['true'], { ...environment(IN_JOB), ticket: 'step 0' });
    expect(next.commands).toEqual([]);
    expect(next.runs).toEqual(yard.runs);
  });

  it('is found in jobs of other dialects, and has as many tasks as they have ranks', () => {
    const yard = placingYard();
    const resources = { ...PLAIN_RESOURCES, ranks: 4 };
    withRunningJob(yard, 8, shares(2, { ranks: 2, cpus: 2 }), {
      resources,
      origin: { dialect: 'native', words: {} },
    });
    expect(run(yard, ['true'], environment({ TRAINYARD_JOB_ID: '8' })).code).toBe(0);
    expect(yard.runs[0]?.ranks).toHaveLength(4);
    expect(yard.runs[0]?.ranks[3]?.variables).toMatchObject({ SLURM_PROCID: '3', SLURM_JOB_ID: '8' });
  });

  it('refuses a job that is over, and one that has not begun', () => {
    const yard = batchYard();
    yard.views = yard.views.map((view) => ({ ...view, job: { ...view.job, phase: 'ended' } }));
    expect(inside(['true'], {}, yard).ran.stderr).toContain('SLURM job 5 has expired');
    yard.views = yard.views.map((view) => ({ ...view, job: { ...view.job, phase: 'pending' } }));
    expect(inside(['true'], {}, yard).ran.stderr).toContain('job 5: Job is pending execution');
  });

  it('waits for the yard to note that the job runs, whose script may be quicker', () => {
    const yard = batchYard();
    const running = yard.views;
    yard.views = running.map((view) => ({
      ...view,
      job: { ...view.job, attempt: view.job.attempt && { ...view.job.attempt, startedAt: null } },
    }));
    yard.meanwhile.push(() => {
      yard.views = running;
    });
    expect(inside(['true'], {}, yard).ran).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it('says that --begin comes too late', () => {
    expect(inside(['--begin=now+1', 'true']).ran).toEqual({
      code: 0,
      stdout: '',
      stderr: error('--begin is ignored because nodes are already allocated.'),
    });
  });

  it('says once what has no effect, and nothing about what the environment says', () => {
    const { ran } = inside(['--mem-bind=local', '--mpi=pmi2', 'true'], { SLURM_MEM_BIND: 'local' });
    expect(ran.stderr.split('\n').filter((line) => line !== '')).toHaveLength(2);
    expect(ran.stderr).toContain('srun: warning: --mpi=pmi2 has no effect here');
    expect(inside(['-m', 'arbitrary', '--propagate=NONE', 'true']).ran.stderr.split('\n')).toHaveLength(3);
    expect(inside(['--propagate=ALL', 'true']).ran.stderr).toBe('');
    expect(inside(['true'], { SLURM_MEM_BIND: 'local', SLURM_MPI_TYPE: 'pmi2' }).ran.stderr).toBe('');
  });
});
