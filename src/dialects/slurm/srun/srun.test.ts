import { describe, expect, it } from 'vitest';
import { aShare, begin, placingYard, shares } from '../../../../test/placing-yard.ts';
import { environment, error, fails, inside, run, says } from '../../../../test/srun-calls.ts';
import type { RunHere } from '../../../model/run-here.ts';
import { NOW } from '../../fake-yard.ts';

const SIGINT = 2;

describe('in a job of its own', () => {
  it('asks for the place that its options say, and runs there', () => {
    const yard = placingYard({ nodes: shares(2, { ranks: 2, cpus: 2 }) });
    const ran = run(yard, ['-N2', '-n4', '-t10', '-J', 'mine', 'python', 'train.py']);
    expect(ran).toEqual({ code: 0, stdout: '', stderr: '' });
    const [submit, step] = yard.commands;
    expect(submit).toMatchObject({
      type: 'submit',
      spec: {
        name: 'mine',
        limitMs: 600_000,
        requeue: false,
        resources: { nodes: { min: 2, max: 2 }, ranks: 4 },
        program: { spread: 'caller', caller: { pid: 4711, startTicks: 815, bootId: 'boot' } },
        origin: {
          words: {
            by: 'srun',
            command: 'python',
            submitLine: 'srun -N2 -n4 -t10 -J mine python train.py',
          },
        },
      },
    });
    expect(step).toMatchObject({
      type: 'startStep',
      target: { job: 17 },
      request: { ranks: 4, name: 'mine' },
    });
    const [handed] = yard.runs as [RunHere];
    expect(handed).toMatchObject({ attempt: '17.1', step: 0, holdsJob: true, input: { kind: 'all' } });
    expect(handed.manner).toMatchObject({ name: 'srun', stepName: '17.0', label: false, terminal: false });
    expect(handed.ranks.map(({ rank, node, nodeNumber }) => [rank, node, nodeNumber])).toEqual([
      [0, 'n1', 0],
      [1, 'n1', 0],
      [2, 'n2', 1],
      [3, 'n2', 1],
    ]);
    for (const rank of handed.ranks) {
      expect(rank).toMatchObject({
        argv: ['python', 'train.py'],
        workDir: '/home/ada/work',
        stdout: { kind: 'caller' },
        stderr: { kind: 'caller' },
      });
    }
  });

  it('is named after its command', () => {
    const yard = placingYard();
    run(yard, ['/usr/bin/true']);
    expect(yard.commands[0]).toMatchObject({ spec: { name: 'true' } });
  });

  it('says when it has to wait, and when that is over', () => {
    const yard = placingYard({ isFree: false });
    yard.meanwhile.push(
      () => {},
      () => begin(yard),
    );
    expect(run(yard, ['true'])).toEqual({
      code: 0,
      stdout: '',
      stderr: says('job 17 queued and waiting for resources', 'job 17 has been allocated resources'),
    });
    expect(yard.runs).toHaveLength(1);
  });

  it('waits without a word when it is told to be quiet', () => {
    const yard = placingYard({ isFree: false });
    yard.meanwhile.push(() => begin(yard));
    expect(run(yard, ['-Q', 'true'])).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it('is cancelled when the caller goes away while it waits', () => {
    const yard = placingYard({ isFree: false });
    yard.meanwhile.push(() => {
      expect(yard.whenCallerGoes).toEqual({ type: 'cancel', target: { job: 17, index: null }, by: 'ada' });
      begin(yard);
    });
    run(yard, ['true']);
  });

  it('is cancelled by a signal while it waits', () => {
    const yard = placingYard({ isFree: false });
    yard.meanwhile.push(() => {
      yard.signal = SIGINT;
    });
    expect(run(yard, ['true'])).toEqual(
      fails(
        says(
          'job 17 queued and waiting for resources',
          'Job allocation 17 has been revoked',
          'Force Terminated JobId=17',
        ),
      ),
    );
    expect(yard.commands.at(-1)).toEqual({ type: 'cancel', target: { job: 17, index: null }, by: 'ada' });
    expect(yard.runs).toEqual([]);
  });

  it('says so when somebody else cancels it', () => {
    const yard = placingYard({ isFree: false });
    yard.meanwhile.push(() => {
      yard.views = yard.views.map((view) => ({ ...view, job: { ...view.job, phase: 'ended' } }));
    });
    const { code, stderr } = run(yard, ['true']);
    expect(code).toBe(1);
    expect(stderr).toBe(
      says('job 17 queued and waiting for resources', 'Job has been cancelled') +
        error('Unable to allocate resources: Job/step already completing or completed'),
    );
  });

  it('says that it is held', () => {
    const yard = placingYard();
    yard.meanwhile.push(() => begin(yard));
    expect(run(yard, ['-H', 'true']).stderr).toBe(
      says(
        'Job is in held state, pending scheduler release',
        'job 17 queued and waiting for resources',
        'job 17 has been allocated resources',
      ),
    );
  });

  it('does not wait where it must not', () => {
    const yard = placingYard({ isFree: false });
    const busy = fails(error('Unable to allocate resources: Requested nodes are busy'));
    expect(run(yard, ['-I', 'true'])).toEqual(busy);
    expect(yard.commands.at(-1)).toMatchObject({ type: 'cancel' });
    const chosen = environment({ SLURM_EXIT_IMMEDIATE: '44' });
    expect(run(placingYard({ isFree: false }), ['-I', 'true'], chosen).code).toBe(44);
  });

  it('waits so long and no longer', () => {
    const yard = placingYard({ isFree: false });
    yard.meanwhile.push(() => {
      yard.now = NOW + 2000;
    });
    expect(run(yard, ['-I2', 'true'])).toEqual(
      fails(
        says('job 17 queued and waiting for resources') +
          error('Unable to allocate resources: Requested nodes are busy'),
      ),
    );
  });

  it('goes on waiting at the next yard, and submits nothing twice', () => {
    const first = placingYard({ isFree: false });
    first.meanwhile.push(() => {
      throw new Error('the yard goes away');
    });
    expect(() => run(first, ['true'])).toThrow('goes away');
    expect(first.tickets).toEqual(['17', '17 told']);
    const next = placingYard({}, { views: first.views });
    next.meanwhile.push(() => begin(next));
    const ran = run(next, ['true'], { ticket: '17 told' });
    expect(ran).toEqual({ code: 0, stdout: '', stderr: says('job 17 has been allocated resources') });
    expect(next.commands.map(({ type }) => type)).toEqual(['startStep']);
  });

  it('runs the step that the yard before had made for it', () => {
    const yard = placingYard();
    run(yard, ['true']);
    const next = placingYard({}, { views: yard.views, steps: yard.steps });
    expect(run(next, ['true'], { ticket: '17' }).code).toBe(0);
    expect(next.commands).toEqual([]);
    expect(next.runs).toEqual(yard.runs);
  });

  it('says what was refused as the original does, with the exit code that the caller chose', () => {
    const yard = placingYard();
    yard.policy = { ...yard.policy, unknownQueue: 'refuse' };
    const refused = error(
      'invalid partition specified: nope',
      'Unable to allocate resources: Invalid partition name specified',
    );
    expect(run(yard, ['-p', 'nope', 'true'])).toEqual(fails(refused));
    expect(run(yard, ['-p', 'nope', 'true'], environment({ SLURM_EXIT_ERROR: '33' })).code).toBe(33);
  });

  it('says when it would start, and starts nothing', () => {
    const yard = placingYard();
    yard.trial = { ok: true, job: 17, queue: 'main', startAt: NOW, placement: { nodes: shares(2) } };
    expect(run(yard, ['--test-only', 'true']).stderr).toBe(
      says('Job 17 to start at 2026-03-10T14:20:00 using 2 processors on nodes n[1-2] in partition main'),
    );
    expect(yard.commands).toEqual([]);
  });

  it('gives tasks that overcommit their CPUs all the same', () => {
    const yard = placingYard({ nodes: [aShare({ cpus: 1 })] });
    expect(run(yard, ['-O', '-n4', 'true'])).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(yard.runs[0]?.ranks).toHaveLength(4);
  });
});

describe('what it answers about itself', () => {
  it('prints its version, its help and what MPI it knows', () => {
    expect(run(placingYard(), ['-V'])).toEqual({ code: 0, stdout: 'slurm 22.05.8\n', stderr: '' });
    expect(run(placingYard(), ['--help']).stdout).toMatch(/^Usage: srun /);
    expect(run(placingYard(), ['--usage']).stdout).toMatch(/^Usage: srun /);
    expect(run(placingYard(), ['--mpi=list', 'true']).stdout).toBe('MPI plugin types are...\n\tnone\n');
  });

  it('says where everything is when asked to', () => {
    const { ran } = inside(['-v', 'true']);
    expect(ran.stderr).toContain("srun: jobid 5: nodes(2):`n[1-2]', cpu counts: 2(x2)\n");
    expect(ran.stderr).toContain('srun: launching StepId=5.0 on host n2, 2 tasks: 2,3\n');
  });

  it('says what it does not do', () => {
    expect(run(placingYard(), ['a', ':', 'b']).stderr).toContain('heterogeneous');
    expect(run(placingYard(), ['-Z', 'true'])).toEqual(
      fails(error('--no-allocate: every step needs a place')),
    );
  });
});
