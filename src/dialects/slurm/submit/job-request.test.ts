import { describe, expect, it } from 'vitest';
import type { JobSpec } from '../../../model/job-spec.ts';
import { PLAIN_POLICY, PLAIN_QUEUE, PLAIN_SPEC } from '../../../model/plain.ts';
import type { Queue } from '../../../model/policy.ts';
import { invocationOf, NOW } from '../../fake-yard.ts';
import { type GivenOption, parseOptions } from '../../options.ts';
import { SlurmFailure } from '../failure.ts';
import { SubmissionRefused } from './complaints.ts';
import { type JobRequest, jobRequest, type Surroundings } from './job-request.ts';
import { SBATCH_OPTIONS } from './options.ts';

const MEGABYTE = 1024 ** 2;
const MINUTE = 60_000;

const SURROUNDINGS: Surroundings = {
  now: NOW,
  policy: {
    ...PLAIN_POLICY,
    queues: [
      { ...PLAIN_QUEUE, isDefault: true },
      { ...PLAIN_QUEUE, name: 'gpu' },
    ],
  },
  haveFeatures: true,
  sendsMail: true,
};

function options(line: string): readonly GivenOption[] {
  const outcome = parseOptions(SBATCH_OPTIONS, line === '' ? [] : line.split(' '), 'endOptions');
  if (!outcome.ok) throw new Error(`${line}: ${outcome.error.kind}`);
  return outcome.arguments.options;
}

function requested(line: string, changes: Partial<Surroundings> = {}): JobRequest {
  const wanted = {
    command: 'sbatch',
    given: options(line),
    invocation: invocationOf([]),
    program: PLAIN_SPEC.program,
    defaultName: 'train.sh',
    words: {},
  } as const;
  return jobRequest(wanted, { ...SURROUNDINGS, ...changes });
}

function spec(line: string): JobSpec {
  return requested(line).spec;
}

/** What is said against it, as it is printed, and the exit code. */
function complaint(line: string, changes: Partial<Surroundings> = {}): string {
  try {
    requested(line, changes);
  } catch (error) {
    if (error instanceof SlurmFailure) return `${error.message} [${error.exitCode}]`;
    if (error instanceof SubmissionRefused) return [...error.before, `refused: ${error.message}`].join('\n');
    throw error;
  }
  throw new Error(`nobody complained about ${line}`);
}

describe('a job of which nothing is said', () => {
  it('has one task on one node, its output beside it, and no words but where it came from', () => {
    expect(spec('')).toMatchObject({
      name: 'train.sh',
      user: 'ada',
      account: null,
      qos: null,
      queue: '',
      workDir: '/home/ada/work',
      streams: {
        stdin: null,
        stdout: 'slurm-%j.out',
        stderr: null,
        openMode: 'truncateAlways',
        makeDirectories: false,
      },
      resources: { nodes: { min: 1, max: 1 }, ranks: 1, cpusPerRank: 1, cpusAsked: false, memory: null },
      limitMs: null,
      requeue: true,
      held: false,
      mail: null,
      origin: { dialect: 'slurm', words: { by: 'sbatch', submitDir: '/home/ada/work' } },
    });
    expect(Object.keys(spec('').origin.words)).toEqual(['by', 'submitDir']);
  });
});

describe('nodes, tasks and CPUs', () => {
  const shape = (line: string) => {
    const { nodes, ranks, ranksPerNode, cpusPerRank } = spec(line).resources;
    return `${nodes.min}-${nodes.max} nodes, ${ranks} ranks, ${ranksPerNode ?? 'any'} per node, ${cpusPerRank} CPUs`;
  };

  it.each([
    ['-N 2', '2-2 nodes, 2 ranks, any per node, 1 CPUs'],
    ['-N 1-3', '1-3 nodes, 1 ranks, any per node, 1 CPUs'],
    ['-n 3', '1-3 nodes, 3 ranks, any per node, 1 CPUs'],
    ['-n 3 -N 2', '2-2 nodes, 3 ranks, any per node, 1 CPUs'],
    ['--ntasks-per-node=2', '1-2 nodes, 2 ranks, 2 per node, 1 CPUs'],
    ['--ntasks-per-node=2 -N 2', '2-2 nodes, 4 ranks, 2 per node, 1 CPUs'],
    ['--ntasks-per-node=2 -n 3', '2-3 nodes, 3 ranks, 2 per node, 1 CPUs'],
    ['--ntasks-per-node=3 -n 2', '1-2 nodes, 2 ranks, 3 per node, 1 CPUs'],
    ['-c 2 -N 2', '2-2 nodes, 2 ranks, any per node, 2 CPUs'],
    ['-w n[1-2]', '2-2 nodes, 2 ranks, any per node, 1 CPUs'],
    ['-O -n 8', '1-1 nodes, 1 ranks, any per node, 1 CPUs'],
    ['--mincpus=4', '1-1 nodes, 1 ranks, any per node, 4 CPUs'],
    ['--mincpus=4 -n 2 -N 1', '1-1 nodes, 2 ranks, any per node, 2 CPUs'],
    ['--tres-per-task=cpu:3 -n 2 -N 1', '1-1 nodes, 2 ranks, any per node, 3 CPUs'],
    ['-G 4 --cpus-per-gpu=3', '1-1 nodes, 1 ranks, any per node, 12 CPUs'],
  ])('%s', (line, expected) => expect(shape(line)).toBe(expected));

  it('say when there are fewer tasks than nodes', () => {
    const { spec, remarks } = requested('-N 2 -n 1');
    expect(remarks).toEqual([`Warning: can't run 1 processes on 2 nodes, setting nnodes to 1`]);
    expect(spec.resources.nodes).toEqual({ min: 1, max: 1 });
  });

  it('keep what was asked for in words', () => {
    expect(spec('-n 8 -O -N 1').origin.words).toMatchObject({ ntasks: '8', nodes: '1' });
    expect(spec('-c 2 --ntasks-per-node 4').origin.words).toMatchObject({
      cpusPerTask: '2',
      ntasksPerNode: '4',
    });
  });
});

describe('GPUs', () => {
  const gpus = (line: string) => {
    const { gpus, ranks, nodes } = spec(line).resources;
    if (gpus === null) return 'none';
    return `${gpus.count}${gpus.kind === null ? '' : ` ${gpus.kind}`} per ${gpus.per}, ${ranks} ranks, ${nodes.min} nodes`;
  };

  it.each([
    ['--gres=gpu', '1 per node, 1 ranks, 1 nodes'],
    ['--gres=gpu:v100:8', '8 v100 per node, 1 ranks, 1 nodes'],
    ['--gres=none', 'none'],
    ['-G 2', '2 per job, 1 ranks, 1 nodes'],
    ['-G 2 -N 2', '2 per job, 2 ranks, 2 nodes'],
    ['--gpus-per-node=v100:2 -N 2', '2 v100 per node, 2 ranks, 2 nodes'],
    ['--gpus-per-task=1 -n 2', '1 per rank, 2 ranks, 1 nodes'],
    ['--gpus-per-task=1 -G 2', '1 per rank, 2 ranks, 1 nodes'],
    ['-G 2 --gres=gpu:1', '1 per node, 2 ranks, 2 nodes'],
    ['--gpus-per-socket=1 --sockets-per-node=2', '2 per node, 1 ranks, 1 nodes'],
    ['--ntasks-per-gpu=2 -G 1', '1 per job, 2 ranks, 1 nodes'],
    ['--ntasks-per-gpu=2 -n 4', '2 per job, 4 ranks, 1 nodes'],
    ['--tres-per-task=cpu=1,gres/gpu:2 -n 2', '2 per rank, 2 ranks, 1 nodes'],
  ])('%s', (line, expected) => expect(gpus(line)).toBe(expected));

  it('of several kinds are as many of any, and that is said', () => {
    const { spec, remarks } = requested('-G volta:1,kepler:2');
    expect(spec.resources.gpus).toMatchObject({ count: 3, kind: null });
    expect(remarks).toEqual(['warning: a job has GPUs of one kind: it gets as many of any']);
  });

  it.each([
    ['--gres=fpga:1', 'sbatch: error: Invalid generic resource (gres) specification [1]'],
    ['--gres=', 'refused: Invalid Trackable RESource (TRES) specification'],
    [
      '--gpus-per-task=1',
      'sbatch: error: Failed to validate job spec. --gpus-per-task used without either --gpus or -n/--ntasks is not allowed.\nsbatch: error: Invalid generic resource (gres) specification [1]',
    ],
    [
      '--gpus-per-socket=1',
      'sbatch: error: --gpus-per-socket option requires --sockets-per-node specification\nsbatch: error: Invalid generic resource (gres) specification [1]',
    ],
    [
      '--cpus-per-gpu=1 -c 1 -G 1',
      'sbatch: error: --cpus-per-gpu is mutually exclusive with --cpus-per-task\nsbatch: error: Invalid generic resource (gres) specification [1]',
    ],
    [
      '--mem-per-gpu=10',
      'sbatch: error: Requested mem_per_tres=gres:gpu:10 but did not request any GPU.\nsbatch: error: Invalid generic resource (gres) specification [1]',
    ],
    [
      '--ntasks-per-gpu=1 --ntasks-per-node=2 -G 2',
      'sbatch: fatal: --ntasks-per-node is mutually exclusive with --ntasks-per-gpu and SLURM_NTASKS_PER_GPU [1]',
    ],
  ])('%s is refused', (line, expected) => expect(complaint(line)).toBe(expected));
});

describe('memory', () => {
  it.each([
    ['--mem=2G', { bytes: 2048 * MEGABYTE, per: 'node' }],
    ['--mem=0', { bytes: 0, per: 'node' }],
    ['--mem-per-cpu=100', { bytes: 100 * MEGABYTE, per: 'cpu' }],
    ['--mem-per-cpu=0', { bytes: 0, per: 'node' }],
    ['--mem-per-gpu=100 -G 3', { bytes: 300 * MEGABYTE, per: 'node' }],
    ['--mem-per-gpu=100 --gpus-per-task=2 -n 4', { bytes: 200 * MEGABYTE, per: 'rank' }],
  ])('%s', (line, memory) => expect(spec(line).resources.memory).toEqual(memory));

  it('is asked for in one way', () => {
    expect(complaint('--mem=100 --mem-per-cpu=100')).toBe(
      'sbatch: fatal: --mem, --mem-per-cpu, and --mem-per-gpu are mutually exclusive. [1]',
    );
  });
});

describe('nodes by name and by feature', () => {
  it('are those named, and not those left out', () => {
    expect(spec('-w n[1-2],n1 -x n[3,5]').resources).toMatchObject({
      onlyNodes: ['n1', 'n2'],
      exceptNodes: ['n3', 'n5'],
    });
    expect(complaint('-N1 -w n1,n2')).toBe('sbatch: error: invalid number of nodes (-N 2-1) [1]');
    expect(complaint('-w n[1-')).toBe('refused: Invalid node name specified');
  });

  it('may be any where more are wanted than named', () => {
    const { spec, remarks } = requested('-w n1 -N 2');
    expect(spec.resources).toMatchObject({ onlyNodes: [], nodes: { min: 2, max: 2 } });
    expect(remarks).toEqual(['warning: --nodelist names 1 of 2 nodes, so the job may get any']);
  });

  it('have features, or nobody looks at them', () => {
    expect(spec('-C a&b').resources.constraint).toBe('a&b');
    const { spec: without, remarks } = requested('-C a&b', { haveFeatures: false });
    expect(without.resources.constraint).toBeNull();
    expect(remarks).toEqual(['warning: no node has features here, so --constraint=a&b is not looked at']);
    expect(complaint('-C a&')).toBe('refused: Invalid feature specification');
  });
});

describe('partitions', () => {
  const refuse = { policy: { ...SURROUNDINGS.policy, unknownQueue: 'refuse' } } as const;

  it('are queues', () => {
    expect(spec('-p gpu').queue).toBe('gpu');
    expect(requested('-p gpu,main')).toMatchObject({
      spec: { queue: 'gpu', queueChoices: ['gpu', 'main'] },
      remarks: [],
    });
  });

  it('that are not there are the default one, or refused', () => {
    const use = { policy: { ...SURROUNDINGS.policy, unknownQueue: 'useDefault' } } as const;
    expect(requested('-p nope', use)).toMatchObject({
      spec: { queue: '' },
      remarks: ['warning: there is no partition nope here; using main'],
    });
    expect(complaint('-p nope', refuse)).toBe(
      'invalid partition specified: nope\nrefused: Invalid partition name specified',
    );
  });
});

describe('when', () => {
  it('a job begins and how long it runs', () => {
    expect(spec('-t 1:30')).toMatchObject({ limitMs: 2 * MINUTE });
    expect(spec('-t 0').limitMs).toBeNull();
    expect(spec('--begin=now+1hour').beginAt).toBe(NOW + 60 * MINUTE);
    expect(spec('--begin=2020-01-01').beginAt).toBeNull();
    expect(spec('--deadline=now+1hour').deadlineAt).toBe(NOW + 60 * MINUTE);
    expect(spec('--time-min=5 -t 10').origin.words.timeMin).toBe('5');
  });

  it('a queue with limits has no job without one', () => {
    const limited = (changes: Partial<Queue>): Partial<Surroundings> => ({
      policy: { ...PLAIN_POLICY, queues: [{ ...PLAIN_QUEUE, isDefault: true, ...changes }] },
    });
    expect(requested('-t 0', limited({ defaultLimitMs: MINUTE })).remarks).toEqual([
      'warning: --time=0: jobs in partition main have a limit, and this one gets it',
    ]);
    expect(complaint('-t UNLIMITED', limited({ maxLimitMs: MINUTE }))).toBe(
      'refused: Requested time limit is invalid (missing or exceeds some limit)',
    );
    expect(requested('', limited({ maxLimitMs: MINUTE })).remarks).toEqual([]);
  });

  it.each([
    ['-t banana', 'sbatch: error: Invalid --time specification [255]'],
    ['--time-min=20 -t 10', "refused: Invalid time-min specification (exceeds job's time or other limits)"],
    [
      '--begin=x',
      'Invalid time specification (pos=0): x\nsbatch: error: Invalid --begin specification [255]',
    ],
    ['--begin=', 'sbatch: error: Invalid --begin specification [255]'],
    [
      '--begin=now+2hour --deadline=now+1hour',
      'sbatch: error: Incompatible begin and deadline time specification [1]',
    ],
    ['--deadline=2020-01-01', 'refused: Requested time limit is invalid (missing or exceeds some limit)'],
    [
      '--deadline=now+10minutes --time-min=20',
      "refused: Invalid time-min specification (exceeds job's time or other limits)",
    ],
  ])('%s is refused', (line, expected) => expect(complaint(line)).toBe(expected));
});

describe('the rest', () => {
  it('finds its place in the job', () => {
    expect(spec('-H').held).toBe(true);
    expect(spec('--priority=0').held).toBe(true);
    expect(spec('--priority=5').priority).toBe(5);
    expect(spec('--priority=TOP').priority).toBeGreaterThan(1e9);
    expect([spec('--nice'), spec('--nice=-5')].map(({ nice }) => nice)).toEqual([100, -5]);
    expect(spec('--requeue --no-requeue').requeue).toBe(false);
    expect(spec('--no-requeue --requeue').requeue).toBe(true);
    expect(spec('--open-mode=append').streams.openMode).toBe('append');
    expect(spec('-o a -e a').streams).toMatchObject({ stdout: 'a', stderr: null });
    expect(spec('-o none -e %x.err -i in').streams).toEqual({
      stdin: 'in',
      stdout: '/dev/null',
      stderr: '%x.err',
      openMode: 'truncateAlways',
      makeDirectories: false,
    });
    expect(spec('-a 1-4%2')).toMatchObject({
      array: { indices: [[1, 4, 1]], throttle: 2 },
      streams: { stdout: 'slurm-%A_%a.out' },
    });
    expect(spec('-D sub/../x').workDir).toBe('/home/ada/work/x');
    expect(spec('--mail-type=BEGIN --mail-type=END --mail-user=me@x').mail).toEqual({
      to: 'me@x',
      on: ['begin', 'end'],
    });
    expect(spec('--mail-type=FAIL').mail?.to).toBe('ada');
    const { remarks } = requested('--mail-type=FAIL', { sendsMail: false });
    expect(remarks).toEqual(['warning: there is no mail program here, so no mail is sent']);
    expect(spec('--signal=B:USR1@10').warning).toEqual({ signal: 10, beforeMs: 10_000, scope: 'main' });
    expect(spec('--propagate=NONE').program.ulimits).toEqual({});
    expect(spec('-A lab -q high --comment=hey')).toMatchObject({
      account: 'lab',
      qos: 'high',
      comment: 'hey',
    });
    expect(spec('--exclusive').resources.exclusive).toBe(true);
    expect(spec('--exclusive -s')).toMatchObject({
      resources: { exclusive: false },
      origin: { words: { oversubscribe: '' } },
    });
  });

  it('that has no effect says so once, and is kept where it can be said back', () => {
    const { spec, remarks } = requested('-L matlab:1 -L matlab:2 --cpu-freq=high --no-kill=off --wckey=x');
    expect(remarks).toEqual([
      'warning: --licenses has no effect here: licenses are not counted',
      'warning: --cpu-freq has no effect here: frequencies are not changed',
    ]);
    expect(spec.origin.words).toMatchObject({ licenses: 'matlab:2', wckey: 'x' });
  });

  it.each([
    ['-n x', 'sbatch: error: Invalid numeric value "x" for --ntasks. [1]'],
    ['-c 0', 'sbatch: error: Invalid numeric value "0" for --cpus-per-task. [1]'],
    ['-N x', 'sbatch: error: "x" is not a valid node count [255]'],
    ['--mem=1X', 'sbatch: error: Invalid --mem specification [255]'],
    ['-a x', 'refused: Invalid job array specification'],
    ['-a 1-99999999', 'refused: Invalid job array specification'],
    ['-d after:xyz:9', 'refused: Job dependency problem'],
    ['-d expand:5', 'refused: Requested operation not supported on this system'],
    ['--signal=x', 'sbatch: error: Invalid --signal specification [255]'],
    ['--mail-type=x', 'sbatch: error: Invalid --mail-type specification [255]'],
    ['--open-mode=x', 'sbatch: error: Invalid --open-mode specification [255]'],
    ['--exclusive=x', 'sbatch: error: Invalid --exclusive specification [255]'],
    ['--nice=2147483646', 'sbatch: error: Invalid --nice value, out of range (+/- 2147483645) [255]'],
    ['--priority=-1', 'sbatch: error: Priority must be >= 0 [255]'],
    ['--propagate=x', 'sbatch: error: Bad rlimit name: x\nsbatch: error: --propagate=x is not valid. [1]'],
  ])('%s is refused', (line, expected) => expect(complaint(line)).toBe(expected));
});
