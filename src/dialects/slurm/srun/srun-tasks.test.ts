import { describe, expect, it } from 'vitest';
import { aShare, placingYard, withRunningJob } from '../../../../test/placing-yard.ts';
import { batchYard, error, fails, inside } from '../../../../test/srun-calls.ts';
import { bytesFromText } from '../../../model/bytes.ts';
import { PLAIN_RESOURCES } from '../../../model/plain.ts';

describe('GPUs of a step', () => {
  const devices = [0, 1].map((index) => ({ index, millis: 1000 }));
  const seen = (argv: readonly string[], variables: Readonly<Record<string, string>> = {}) =>
    inside(argv, variables, batchYard({ devices })).handed?.ranks.map(
      (rank) => rank.variables.CUDA_VISIBLE_DEVICES,
    );

  it.each([
    [['true'], ['0,1', '0,1', '0,1', '0,1']],
    [
      ['--gres=gpu:1', 'true'],
      ['0', '0', '0', '0'],
    ],
    [
      ['--gpus-per-task=1', 'true'],
      ['0', '1', '0', '1'],
    ],
    [
      ['--gpu-bind=single:1', 'true'],
      ['0', '1', '0', '1'],
    ],
    [
      ['--gpu-bind=map_gpu:1,0', 'true'],
      ['1', '0', '1', '0'],
    ],
    [
      ['--gpu-bind=mask_gpu:3,0x1', 'true'],
      ['0,1', '0', '0,1', '0'],
    ],
    [
      ['--gpus-per-task=1', '--gpu-bind=none', 'true'],
      ['0,1', '0,1', '0,1', '0,1'],
    ],
    [
      ['--gres=none', 'true'],
      [undefined, undefined, undefined, undefined],
    ],
  ])('srun %j lets its tasks see %j', (argv, expected) => {
    expect(seen(argv)).toEqual(expected);
  });

  it('are those of its nodes, whatever the job had asked for in all', () => {
    expect(seen(['-N1', '-n1', 'true'], { SLURM_GPUS: '4' })).toEqual(['0,1']);
    expect(seen(['true'], { SLURM_GPUS_PER_TASK: '1' })).toEqual(['0', '1', '0', '1']);
  });
});

describe('CPUs of a step', () => {
  const bound = (argv: readonly string[], cpusAsked: boolean) => {
    const yard = placingYard();
    const resources = { ...PLAIN_RESOURCES, cpusAsked };
    withRunningJob(yard, 5, [aShare({ cpus: 4, ranks: 2, cpuIds: [2, 3, 6, 7] })], { resources });
    const { ran } = inside(argv, { SLURM_JOB_NUM_NODES: '1', SLURM_NNODES: '1', SLURM_NTASKS: '2' }, yard);
    expect(ran.code).toBe(0);
    return yard.runs[0]?.ranks.map(({ cpuIds }) => cpuIds);
  };

  it('are shared out where the job asked for CPUs, or somebody asks for binding', () => {
    expect(bound(['true'], false)).toEqual([[], []]);
    expect(bound(['true'], true)).toEqual([
      [2, 3],
      [6, 7],
    ]);
    expect(bound(['--cpu-bind=cores', 'true'], false)).toEqual([
      [2, 3],
      [6, 7],
    ]);
    expect(bound(['--cpu-bind=none', 'true'], true)).toEqual([[], []]);
    expect(bound(['--cpu-bind=q', 'true'], false)).toEqual([[], []]);
    expect(bound(['--cpu-bind=map_cpu:1,0', 'true'], false)).toEqual([[3], [2]]);
    expect(bound(['--cpu-bind=v,mask_cpu:0x3,c', 'true'], false)).toEqual([
      [2, 3],
      [6, 7],
    ]);
  });
});

describe('what tasks read and write', () => {
  const outputs = (argv: readonly string[], variables: Readonly<Record<string, string>> = {}) =>
    inside([...argv, 'true'], variables).handed?.ranks.map(({ stdout, stderr }) => [stdout, stderr]) ?? [];
  const file = (path: string, append = false) => ({ kind: 'file', path, append });

  it('goes to one file, which the first of them empties', () => {
    expect(outputs(['-n2', '-o', 'out.txt'])).toEqual([
      [file('/home/ada/work/out.txt'), null],
      [file('/home/ada/work/out.txt', true), null],
    ]);
    expect(outputs(['-n2', '-o', 'out.txt', '--open-mode=append'])[0]).toEqual([
      file('/home/ada/work/out.txt', true),
      null,
    ]);
  });

  it('goes to files of their own, where the pattern says so', () => {
    expect(outputs(['-n2', '-o', '%J_%j_%s_%N_%n_%2t_%u_%%', '-e', '/tmp/%j.err'])).toEqual([
      [file('/home/ada/work/5.0_5_0_n1_0_00_ada_%'), file('/tmp/5.err')],
      [file('/home/ada/work/5.0_5_0_n2_1_01_ada_%'), file('/tmp/5.err', true)],
    ]);
  });

  it('is in the directory of the tasks when each has a file, and of the caller when all share one', () => {
    expect(outputs(['-n2', '-D', '/tmp', '-o', 'x'])[0]?.[0]).toEqual(file('/home/ada/work/x'));
    expect(outputs(['-n2', '-D', '/tmp', '-o', 'x%t'])[0]?.[0]).toEqual(file('/tmp/x0'));
  });

  it('is kept from one task, from all, or goes nowhere', () => {
    const caller = { kind: 'caller' };
    const none = { kind: 'none' };
    expect(outputs(['-n2', '-o', '1'])).toEqual([
      [none, none],
      [caller, caller],
    ]);
    expect(outputs(['-n2', '-o', 'none'])[0]).toEqual([none, none]);
    expect(outputs(['-n2', '-e', 'none'])[0]).toEqual([caller, none]);
    expect(outputs(['-n2', '-o', 'none', '-e', 'all'])[0]).toEqual([none, caller]);
    // A number beyond the tasks is a name.
    expect(outputs(['-n2', '-o', '7'])[0]?.[0]).toEqual(file('/home/ada/work/7'));
  });

  it('comes from the caller, from a file, or from nowhere', () => {
    const input = (...argv: string[]) => inside([...argv, 'true']).handed?.input;
    expect(input()).toEqual({ kind: 'all' });
    expect(input('-i', 'none')).toEqual({ kind: 'none' });
    expect(input('-i', '2')).toEqual({ kind: 'rank', rank: 2 });
    expect(input('-i', 'in.txt')).toEqual({ kind: 'file', path: '/home/ada/work/in.txt' });
    expect(input('-n2', '-i', 'in-%t')).toEqual({
      kind: 'files',
      paths: ['/home/ada/work/in-0', '/home/ada/work/in-1'],
    });
  });

  it('gives the terminal to the first task', () => {
    const { handed } = inside(['--pty', 'bash']);
    expect(handed?.manner).toMatchObject({ terminal: true, unbuffered: true });
    expect(handed?.input).toEqual({ kind: 'rank', rank: 0 });
    expect(handed?.ranks.map(({ stdout }) => stdout.kind)).toEqual(['caller', 'none', 'none', 'none']);
  });
});

describe('how tasks are run', () => {
  it.each([
    [['-l'], { label: true }],
    [['-u'], { unbuffered: true }],
    [['-K'], { killOnBadExit: true }],
    [['-K0'], { killOnBadExit: false }],
    [['-W60'], { waitMs: 60_000 }],
    [['-W0'], { waitMs: null }],
    [['-Q'], { quiet: true }],
    [['-X'], { quitOnInterrupt: true }],
    [['-t', '2'], { limitMs: 120_000 }],
    [['-t', '0'], { limitMs: null }],
  ])('with %j', (argv, manner) => {
    expect(inside([...argv, 'true']).handed?.manner).toMatchObject(manner);
  });

  it('has what the environment says, where the command line does not', () => {
    expect(inside(['true'], { SLURM_LABELIO: '1', SLURM_KILL_BAD_EXIT: '1' }).handed?.manner).toMatchObject({
      label: true,
      killOnBadExit: true,
    });
  });

  it('runs a program for each task that a file names', () => {
    const yard = batchYard();
    const text = "# who does what\n0,2-3 echo offset:%o '%t'\n* hostname -%t\n";
    yard.files.set('/home/ada/work/multi.conf', bytesFromText(text));
    const { handed } = inside(['--multi-prog', 'multi.conf', 'more'], {}, yard);
    expect(handed?.ranks.map(({ argv }) => argv)).toEqual([
      ['echo', 'offset:0', '%t', 'more'],
      ['hostname', '-1', 'more'],
      ['echo', 'offset:1', '%t', 'more'],
      ['echo', 'offset:2', '%t', 'more'],
    ]);
  });

  it.each([
    ['0 echo\n', ['Configuration file m invalid, no record for task id 1']],
    ['0-6 echo\n', ['Invalid task id, 6 >= ntasks', 'Line 1 of configuration file m invalid']],
    ['# one\n0\n', ['Line 2 of configuration file m invalid']],
    ['x echo\n', ['Line 1 of configuration file m invalid']],
    ['0-1 echo\n1-3 echo\n', ['Duplicate record for task 1', 'Line 2 of configuration file m invalid']],
  ])('refuses the file of programs %j', (text, complaints) => {
    const yard = batchYard();
    yard.files.set('/home/ada/work/m', bytesFromText(text));
    expect(inside(['--multi-prog', 'm'], {}, yard).ran).toEqual(fails(error(...complaints)));
  });

  it.each([
    [null, { SECRET: 'kept' }, []],
    ['ALL,X=1,HOME=/', { X: '1' }, []],
    ['HOME,X=1', { X: '1' }, ['PATH', 'SECRET']],
    ['NONE', {}, ['HOME', 'PATH', 'SECRET']],
  ])('exports %j', (text, set, unset) => {
    const argv = text === null ? ['true'] : [`--export=${text}`, 'true'];
    const rank = inside(argv, { SECRET: 'x', TRAINYARD_JOB_ID: '5' }).handed?.ranks[0];
    expect(rank?.unset).toEqual(unset);
    if (text !== null) expect(rank?.variables).toMatchObject(set);
    expect(rank?.variables.HOME).toBeUndefined();
  });

  it('keeps the numbers of the job where it is told to', () => {
    const variables = inside(['-E', '-n2', 'true']).handed?.ranks[0]?.variables;
    expect(variables).not.toHaveProperty('SLURM_NTASKS');
    expect(variables).toMatchObject({ SLURM_STEP_NUM_TASKS: '2' });
  });
});
