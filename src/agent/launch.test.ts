import { expect, test } from 'vitest';
import { build, createBlobs, type Wish } from '../../test/agent/builders.ts';
import type { KeepOrder } from '../storage/keeper.ts';
import { parseEnvironment } from './environment.ts';
import {
  changedVariables,
  commandOf,
  jobVariables,
  type LaunchSurroundings,
  shimArguments,
  shimCommand,
  stringBlock,
  truncatesOutput,
} from './launch.ts';
import { placesOf } from './places.ts';

const blobs = createBlobs();
const nothingSet = parseEnvironment(new Uint8Array(0));
const yard: LaunchSurroundings = {
  yardId: 'y1',
  yardDirectory: '/yard',
  node: { name: 'box', devices: [] },
  kept: null,
  ownDir: null,
  againExitCode: null,
  endsAt: null,
  commands: [],
  python: null,
};

function variablesOf(
  wish: Partial<Wish>,
  surroundings = yard,
  names: readonly string[] = [],
  rank = 0,
  spoken: Readonly<Record<string, string>> = {},
) {
  const { job, attempt } = build(blobs, { argv: ['true'], workDir: '/tmp', ...wish });
  const place = placesOf(job, attempt)[rank]!;
  const submitted = parseEnvironment(Buffer.from(names.map((name) => `${name}=/bin\0`).join('')));
  const said = new Map(Object.entries(spoken));
  return Object.fromEntries(jobVariables(job, attempt, place, surroundings, submitted, said));
}

test('a job learns who it is', () => {
  expect(variablesOf({ id: 17, n: 2 })).toEqual({
    TRAINYARD_YARD: 'y1',
    TRAINYARD_ATTEMPT: '17.2',
    TRAINYARD_JOB_ID: '17',
    TRAINYARD_RESTARTS: '1',
    TRAINYARD_DIR: '/yard',
    TRAINYARD_NODE: 'box',
    TRAINYARD_NODES: 'box',
    TRAINYARD_RANK: '0',
    TRAINYARD_RANKS: '1',
    TRAINYARD_LOCAL_RANK: '0',
  });
});

test('it learns what it keeps, where it goes on from, and until when it may run', () => {
  const order: KeepOrder = {
    attempt: '17.1',
    owner: { yardId: 'y1', job: 17 },
    from: '/local/17',
    to: '/lasting/17',
    keepCount: null,
    keepForMs: null,
    logs: [],
    scratch: { directory: '/local/scratch/17.1', maxBytes: null },
    umask: 0o022,
  };
  const around = { ...yard, ownDir: '/tmp/y/attempts/17.1', endsAt: 1_700_000_000_999 };
  const said = variablesOf({}, { ...around, kept: { order, resumeFrom: '/local/17/step-3.pt' } });
  expect(said).toMatchObject({
    TRAINYARD_CHECKPOINTS: '/local/17',
    TRAINYARD_PERSIST: '/lasting/17',
    TRAINYARD_RESUME_FROM: '/local/17/step-3.pt',
    SCRATCH: '/local/scratch/17.1',
    TRAINYARD_ATTEMPT_DIR: '/tmp/y/attempts/17.1',
    TRAINYARD_ENDS_AT: '1700000000',
  });
  const fresh = variablesOf({}, { ...yard, kept: { order: { ...order, to: null, scratch: null } } });
  for (const name of ['TRAINYARD_PERSIST', 'TRAINYARD_RESUME_FROM', 'SCRATCH', 'TRAINYARD_ENDS_AT'])
    expect(fresh).not.toHaveProperty(name);
});

test('a batch script, and what is chained, learns by which exit code it asks for another run', () => {
  const asking = { ...yard, againExitCode: 3 };
  const told = (wish: Partial<Wish>) => variablesOf(wish, asking).TRAINYARD_REQUEUE_EXIT;
  expect(told({ script: 'true' })).toBe('3');
  expect(variablesOf({ script: 'true' })).not.toHaveProperty('TRAINYARD_REQUEUE_EXIT');
  expect(told({ script: 'true', spec: { requeue: false } })).toBeUndefined();
  expect(told({ argv: ['true'] })).toBeUndefined();
  expect(told({ argv: ['true'], spec: { chain: true } })).toBe('3');
  const aftermath = { againExitCodes: [99], errorExitCodes: [100], faultsAreErrors: true };
  expect(told({ argv: ['true'], spec: { aftermath } })).toBe('99');
});

test('what Python may import of the yard is at the end of its path, once', () => {
  const withPython = { ...yard, python: '/opt/trainyard/python' };
  const path = (value: string) => {
    const { job, attempt } = build(blobs, { argv: ['true'], workDir: '/tmp' });
    const submitted = parseEnvironment(Buffer.from(value === '' ? '' : `PYTHONPATH=${value}\0`));
    const place = placesOf(job, attempt)[0]!;
    return jobVariables(job, attempt, place, withPython, submitted, new Map()).get('PYTHONPATH');
  };
  expect(path('')).toBe('/opt/trainyard/python');
  expect(path('/mine:/more')).toBe('/mine:/more:/opt/trainyard/python');
  expect(path('/opt/trainyard/python:/mine')).toBeUndefined();
  expect(variablesOf({})).not.toHaveProperty('PYTHONPATH');
});

test('the commands of the yard are at the end of its PATH, once', () => {
  const withCommands = { ...yard, commands: ['/yard/commands/slurm', '/bin'] };
  expect(variablesOf({}, withCommands, ['PATH']).PATH).toBe('/bin:/yard/commands/slurm');
  expect(variablesOf({}, withCommands).PATH).toBeUndefined();
  expect(variablesOf({}, yard, ['PATH']).PATH).toBeUndefined();
});

test('what its dialect says counts, and the commands come after that PATH too', () => {
  const withCommands = { ...yard, commands: ['/yard/commands/slurm'] };
  const spoken = { PATH: '/tmp/1.1.main:/usr/bin', TRAINYARD_NODE: 'renamed' };
  expect(variablesOf({}, withCommands, ['PATH'], 0, spoken)).toMatchObject({
    PATH: '/tmp/1.1.main:/usr/bin:/yard/commands/slurm',
    TRAINYARD_NODE: 'renamed',
  });
});

test('an element learns its place in the array', () => {
  const variables = variablesOf({
    job: { element: { array: 9, index: 4 } },
    spec: { array: { indices: [[2, 8, 2]], throttle: null } },
  });
  expect(variables).toMatchObject({
    TRAINYARD_ARRAY_ID: '9',
    TRAINYARD_ARRAY_INDEX: '4',
    TRAINYARD_ARRAY_MIN: '2',
    TRAINYARD_ARRAY_MAX: '8',
    TRAINYARD_ARRAY_COUNT: '4',
  });
});

const withDevicesNamed = (name?: string) => ({
  ...yard,
  node: {
    name: 'box',
    devices: [0, 1, 2, 3].map((index) => ({
      index,
      kind: 'v100',
      memoryBytes: 2 ** 34,
      simulated: false,
      ...(name === undefined ? {} : { visibleAs: `${name}${index}` }),
    })),
  },
});

test('devices that have names are shown by them, also where a dialect has said their numbers', () => {
  const devices = [
    { index: 1, millis: 1000 },
    { index: 3, millis: 1000 },
  ];
  const spoken = { CUDA_VISIBLE_DEVICES: '1,3', SLURM_JOB_GPUS: '1,3' };
  expect(variablesOf({ nodes: [{ devices }] }, withDevicesNamed('GPU-'), [], 0, spoken)).toMatchObject({
    CUDA_VISIBLE_DEVICES: 'GPU-1,GPU-3',
    SLURM_JOB_GPUS: '1,3',
  });
});

test('devices are shown by index; none on a node that has some is said too', () => {
  const withDevices = withDevicesNamed();
  const devices = [
    { index: 1, millis: 1000 },
    { index: 3, millis: 500 },
  ];
  expect(variablesOf({ nodes: [{ devices }] }, withDevices).CUDA_VISIBLE_DEVICES).toBe('1,3');
  expect(variablesOf({}, withDevices).CUDA_VISIBLE_DEVICES).toBe('');
  expect(variablesOf({})).not.toHaveProperty('CUDA_VISIBLE_DEVICES');
});

test('ranks are numbered across nodes and find each other', () => {
  const wish: Partial<Wish> = {
    id: 12_345,
    program: { spread: 'everyRank' },
    nodes: [
      { node: 'a', ranks: 2 },
      { node: 'b', ranks: 2 },
    ],
  };
  expect(variablesOf(wish, yard, [], 3)).toMatchObject({
    TRAINYARD_NODE: 'b',
    TRAINYARD_NODES: 'a,b',
    RANK: '3',
    WORLD_SIZE: '4',
    LOCAL_RANK: '1',
    MASTER_ADDR: '127.0.0.1',
    MASTER_PORT: '22345',
  });
  expect(variablesOf(wish, yard, ['MASTER_ADDR', 'MASTER_PORT'])).not.toHaveProperty('MASTER_ADDR');
});

test('threads follow the CPUs asked for, unless somebody has said how many', () => {
  const wish: Partial<Wish> = { resources: { cpusAsked: true, cpusPerRank: 4 } };
  expect(variablesOf(wish).OMP_NUM_THREADS).toBe('4');
  expect(variablesOf(wish, yard, ['OMP_NUM_THREADS'])).not.toHaveProperty('OMP_NUM_THREADS');
  expect(variablesOf({})).not.toHaveProperty('OMP_NUM_THREADS');
});

test('a job that is one process has one place, however many ranks it counts', () => {
  const { job, attempt } = build(blobs, { argv: ['x'], workDir: '/', nodes: [{ ranks: 3 }, { ranks: 3 }] });
  expect(placesOf(job, attempt)).toHaveLength(1);
  expect(
    jobVariables(job, attempt, placesOf(job, attempt)[0]!, yard, nothingSet, new Map()).get(
      'TRAINYARD_RANKS',
    ),
  ).toBe('6');
});

test('a script runs through its interpreter', () => {
  const { job } = build(blobs, { argv: ['-x', 'a b'], script: '', workDir: '/' });
  const script = { path: '/yard/scripts/1', interpreter: ['/usr/bin/env', 'python3 -u'] };
  expect(commandOf(job.spec.program, script, [])).toEqual([
    '/usr/bin/env',
    'python3 -u',
    '/yard/scripts/1',
    '-x',
    'a b',
  ]);
});

test('a script is run by what its submitter says, if anything', () => {
  const script = { path: '/yard/scripts/1', interpreter: ['/usr/bin/env', 'python3'] };
  const { program } = build(blobs, { script: 'x', argv: ['-x'], workDir: '/' }).job.spec;
  expect(commandOf({ ...program, interpreter: ['/bin/bash', '-l'] }, script, [])).toEqual([
    '/bin/bash',
    '-l',
    '/yard/scripts/1',
    '-x',
  ]);
});

test('variables that a shell would not pass on make a detour, and so do odd command names', () => {
  const program = (...argv: string[]) => build(blobs, { argv, workDir: '/' }).job.spec.program;
  expect(commandOf(program('run', 'x'), null, ['f%%=() { :; }'])).toEqual([
    '/usr/bin/env',
    '--',
    'f%%=() { :; }',
    'run',
    'x',
  ]);
  expect(commandOf(program('-run'), null, [])).toEqual(['/usr/bin/env', '--', '-run']);
  expect(commandOf(program('a=b'), null, ['f%%=1']).slice(3)).toEqual([
    '/bin/sh',
    '-c',
    'exec "$@"',
    'sh',
    'a=b',
  ]);
});

function limitArguments(ulimits: Record<string, string>, ownUlimits: Record<string, string> = {}) {
  const argv = shimArguments({
    rankPath: '/rank',
    claim: 'boot',
    umask: 0o27,
    workDir: '/w',
    streams: { stdin: '/dev/null', stdout: '/o', stderr: '/o' },
    truncate: true,
    variables: new Map(),
    pidVariable: null,
    cgroupFiles: ['/g/cgroup.procs'],
    ulimits,
    ownUlimits,
    command: ['cmd'],
  });
  expect(argv.slice(0, 8)).toEqual(['/rank', 'boot', '0027', '/w', '/dev/null', '/o', '/o', 'truncate']);
  return argv.slice(8).join(' ');
}

test('limits that a shim can live by are its own; the one that could gag it comes last', () => {
  expect(limitArguments({ f: '0', n: '1024', v: '9', c: '0' })).toBe(
    'own n 1024 own c 0 cgroup /g/cgroup.procs ulimit v 9 ulimit f 0 run cmd',
  );
  expect(limitArguments({ n: '10' })).toBe('cgroup /g/cgroup.procs ulimit n 10 run cmd');
});

test('limits that are so already are not set again', () => {
  expect(limitArguments({ n: '1024', s: '8192' }, { n: '1024', s: 'unlimited' })).toBe(
    'cgroup /g/cgroup.procs ulimit s 8192 run cmd',
  );
});

test('a shim that was told one thing is told what is different for the next', () => {
  const before = new Map([
    ['SAME', '1'],
    ['NEW', '1'],
    ['GONE', '1'],
    ['THEIRS', '1'],
  ]);
  const after = new Map([
    ['SAME', '1'],
    ['NEW', '2'],
    ['MORE', '3'],
  ]);
  const submitted = (name: string) => (name === 'THEIRS' ? 'as submitted' : null);
  expect(Object.fromEntries(changedVariables(before, after, submitted))).toEqual({
    NEW: '2',
    MORE: '3',
    GONE: null,
    THEIRS: 'as submitted',
  });
});

test('a command for a shim is quoted, and a NUL inside is noticed', () => {
  const command = shimCommand(['/rank', "it's", 'a\nb $x'])!;
  expect(Buffer.from(command).toString()).toBe("_yard_attempt '/rank' 'it'\\''s' 'a\nb $x'\n");
  expect(shimCommand(['a\0b'])).toBeNull();
});

test('strings become bytes with NULs between, and a NUL inside is noticed', () => {
  expect(Buffer.from(stringBlock(['a', '', 'é\udcff'])!).toString('latin1')).toBe('a\0\0\xc3\xa9\xff\0');
  expect(stringBlock(['a\0b'])).toBeNull();
});

test('only the first attempt empties what is there, unless it is asked for always', () => {
  const truncates = (openMode: 'truncate' | 'append' | 'truncateAlways', n: number) => {
    const { job, attempt } = build(blobs, { argv: ['x'], workDir: '/', n, streams: { openMode } });
    return truncatesOutput(job, attempt);
  };
  expect([truncates('truncate', 1), truncates('truncate', 2)]).toEqual([true, false]);
  expect([truncates('append', 1), truncates('append', 2)]).toEqual([false, false]);
  expect([truncates('truncateAlways', 1), truncates('truncateAlways', 2)]).toEqual([true, true]);
});
