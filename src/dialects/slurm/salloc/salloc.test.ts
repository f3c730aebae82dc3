import { describe, expect, it } from 'vitest';
import { aShare, begin, placingYard, shares } from '../../../../test/placing-yard.ts';
import { bytesFromText } from '../../../model/bytes.ts';
import { type FakeYard, NOW, type Ran, runDialect } from '../../fake-yard.ts';
import type { Invocation } from '../../program.ts';
import { slurmProgram } from '../run.ts';
import { salloc } from './salloc.ts';

function run(yard: FakeYard, argv: readonly string[], changes: Partial<Invocation> = {}): Ran {
  return runDialect(slurmProgram(salloc), yard, ['salloc', ...argv], changes);
}

const says = (...lines: readonly string[]) => lines.map((line) => `salloc: ${line}\n`).join('');
const GRANTED = 'Granted job allocation 17';
const ON_A_TERMINAL = { terminal: { stdin: true, stdout: true, stderr: true, columns: 80, colour: true } };

describe('the place', () => {
  it('is for the command, which runs in it', () => {
    const yard = placingYard();
    expect(run(yard, ['-t', '1', '-n1', 'sh', '-c', 'srun hostname'])).toEqual({
      code: 0,
      stdout: '',
      stderr: says(GRANTED),
    });
    expect(yard.commands).toMatchObject([
      {
        type: 'submit',
        spec: {
          name: 'interactive',
          limitMs: 60_000,
          requeue: false,
          program: { spread: 'caller', caller: { pid: 4711 } },
          origin: { words: { by: 'salloc', submitLine: 'salloc -t 1 -n1 sh -c srun hostname' } },
        },
      },
    ]);
    expect(yard.runs).toMatchObject([
      {
        attempt: '17.1',
        step: null,
        holdsJob: true,
        ranks: [{ argv: ['sh', '-c', 'srun hostname'], workDir: '/home/ada/work', node: 'n1' }],
        manner: {
          name: 'salloc',
          terminal: true,
          farewell: 'salloc: Relinquishing job allocation 17',
        },
      },
    ]);
  });

  it("is for the caller's shell when there is no command", () => {
    const yard = placingYard();
    run(yard, [], { environment: bytesFromText('SHELL=/bin/zsh\0') });
    run(yard, ['-D', '/tmp'], { environment: bytesFromText('HOME=/\0') });
    expect(yard.runs.map(({ ranks }) => ranks[0]?.argv)).toEqual([['/bin/zsh'], ['/bin/sh']]);
    expect(yard.runs[1]?.ranks[0]?.workDir).toBe('/tmp');
  });

  it('stays when nobody runs anything in it', () => {
    const yard = placingYard();
    expect(run(yard, ['--no-shell', '-n2'])).toEqual({ code: 0, stdout: '', stderr: says(GRANTED) });
    expect(yard.commands[0]).toMatchObject({ spec: { program: { spread: 'caller', caller: null } } });
    expect(yard.runs).toEqual([]);
    expect(yard.whenCallerGoes).toBeNull();
  });

  it('is waited for', () => {
    const yard = placingYard({ isFree: false });
    yard.meanwhile.push(() => begin(yard));
    expect(run(yard, ['true']).stderr).toBe(
      says(
        'Pending job allocation 17',
        'job 17 queued and waiting for resources',
        'job 17 has been allocated resources',
        GRANTED,
      ),
    );
  });

  it('is given up by a signal', () => {
    const yard = placingYard();
    yard.meanwhile.push(() => {
      yard.signal = 2;
    });
    expect(run(yard, ['-H', 'true'])).toEqual({
      code: 1,
      stdout: '',
      stderr: says(
        'Job is in held state, pending scheduler release',
        'Pending job allocation 17',
        'job 17 queued and waiting for resources',
        'Job allocation 17 has been revoked.',
        'Job aborted due to signal',
      ),
    });
    expect(yard.commands.at(-1)).toMatchObject({ type: 'cancel', target: { job: 17 } });
  });

  it('is taken away by somebody else', () => {
    const yard = placingYard({ isFree: false });
    yard.meanwhile.push(() => {
      yard.views = yard.views.map((view) => ({ ...view, job: { ...view.job, phase: 'ended' } }));
    });
    expect(run(yard, ['-Q', 'true'])).toEqual({
      code: 1,
      stdout: '',
      stderr: says(
        'Job has been cancelled',
        'Job allocation 17 has been revoked.',
        'error: Job submit/allocate failed: Job/step already completing or completed',
      ),
    });
  });

  it('must be there at once, or soon', () => {
    expect(run(placingYard({ isFree: false }), ['-I', 'true'])).toEqual({
      code: 1,
      stdout: '',
      stderr: says(
        'error: Unable to allocate resources: Requested nodes are busy',
        'Job allocation 17 has been revoked.',
      ),
    });
    const late = placingYard({ isFree: false });
    late.meanwhile.push(() => {
      late.now = NOW + 3000;
    });
    expect(run(late, ['-I2', '-Q', 'true']).stderr).toBe(
      says(
        'error: Unable to allocate resources: Connection timed out',
        'Job allocation 17 has been revoked.',
      ),
    );
  });

  it('is refused as the original refuses it', () => {
    const yard = placingYard();
    yard.policy = { ...yard.policy, unknownQueue: 'refuse' };
    expect(run(yard, ['-p', 'nope'])).toEqual({
      code: 1,
      stdout: '',
      stderr: says(
        'error: invalid partition specified: nope',
        'error: Job submit/allocate failed: Invalid partition name specified',
      ),
    });
    expect(run(yard, ['-N2-x']).stderr).toBe(says('error: "x" is not a valid node count'));
    expect(run(yard, ['--foo'])).toMatchObject({ code: 255 });
  });

  it('is waited for at the next yard', () => {
    const yard = placingYard({ isFree: false });
    yard.meanwhile.push(() => {
      throw new Error('the yard goes away');
    });
    expect(() => run(yard, ['true'])).toThrow('goes away');
    const next = placingYard({}, { views: yard.views });
    begin(next);
    expect(run(next, ['true'], { ticket: yard.tickets.at(-1) ?? null }).stderr).toBe(
      says('job 17 has been allocated resources', GRANTED),
    );
    expect(next.commands).toEqual([]);
    expect(next.runs).toHaveLength(1);
  });
});

describe('its command', () => {
  it('is told of the place and of what was asked for', () => {
    const devices = [{ index: 1, millis: 1000 }];
    const yard = placingYard({ nodes: shares(2, { ranks: 2, cpus: 2, devices }) });
    run(yard, ['-N2', '-n4', '--gres=gpu:1', '--mem=50', '-m', 'cyclic', 'true']);
    const variables = yard.runs[0]?.ranks[0]?.variables;
    expect(variables).toMatchObject({
      CUDA_VISIBLE_DEVICES: '1',
      SLURM_CLUSTER_NAME: 'yard',
      SLURM_DISTRIBUTION: 'cyclic',
      SLURM_JOBID: '17',
      SLURM_JOB_CPUS_PER_NODE: '2(x2)',
      SLURM_JOB_ID: '17',
      SLURM_JOB_NAME: 'interactive',
      SLURM_JOB_NODELIST: 'n[1-2]',
      SLURM_JOB_NUM_NODES: '2',
      SLURM_MEM_PER_NODE: '50',
      SLURM_NNODES: '2',
      SLURM_NODELIST: 'n[1-2]',
      SLURM_NODE_ALIASES: '(null)',
      SLURM_NPROCS: '4',
      SLURM_NTASKS: '4',
      SLURM_SUBMIT_DIR: '/home/ada/work',
      SLURM_SUBMIT_HOST: 'box',
      SLURM_TASKS_PER_NODE: '2(x2)',
    });
    for (const name of ['SLURM_PROCID', 'SLURM_JOB_UID', 'SLURM_STEP_ID', 'SLURMD_NODENAME'])
      expect(variables).not.toHaveProperty(name);
  });
});

describe('its manners', () => {
  it('rings when asked to, or after a long wait, and only on a terminal', () => {
    expect(run(placingYard(), ['--bell', 'true']).stdout).toBe('');
    expect(run(placingYard(), ['--bell', 'true'], ON_A_TERMINAL).stdout).toBe('\u0007');
    expect(run(placingYard(), ['true'], ON_A_TERMINAL).stdout).toBe('');
    const slow = () => {
      const yard = placingYard({ isFree: false });
      yard.meanwhile.push(() => {
        yard.now = NOW + 11_000;
        begin(yard, [aShare()]);
      });
      return yard;
    };
    expect(run(slow(), ['true'], ON_A_TERMINAL).stdout).toBe('\u0007');
    expect(run(slow(), ['--no-bell', 'true'], ON_A_TERMINAL).stdout).toBe('');
  });

  it('says nothing when it is told to be quiet', () => {
    const yard = placingYard();
    expect(run(yard, ['-Q', 'true'])).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(yard.runs[0]?.manner).toMatchObject({ quiet: true, farewell: null });
  });

  it('answers about itself', () => {
    expect(run(placingYard(), ['-V']).stdout).toBe('slurm 22.05.8\n');
    expect(run(placingYard(), ['--help']).stdout).toMatch(/^Usage: salloc /);
    expect(run(placingYard(), ['-K1', 'true']).stderr).toContain('--kill-command=1 has no effect here');
    expect(run(placingYard(), ['a', ':', 'b']).stderr).toContain('heterogeneous');
  });
});
