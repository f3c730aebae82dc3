import { expect, test } from 'vitest';
import { capturedVariables, sorted, withoutNames } from '../../../../test/golden/slurm/captured-variables.ts';
import { aShare, placingYard, shares, withRunningJob } from '../../../../test/placing-yard.ts';
import { bytesFromText } from '../../../model/bytes.ts';
import type { NodeShare } from '../../../model/job.ts';
import { PLAIN_POLICY, PLAIN_RESOURCES } from '../../../model/plain.ts';
import type { HereRank } from '../../../model/run-here.ts';
import type { Variables, VoiceSurroundings } from '../../../model/voice.ts';
import { aQueue, type FakeYard, NOW, runDialect } from '../../fake-yard.ts';
import { slurmVoice } from '../environment/voice.ts';
import { slurmProgram } from '../run.ts';
import { srun } from './srun.ts';

/** Of root on the machine called vm, whose cluster is called lab: where the captures come from. */
function run(
  yard: FakeYard,
  argv: readonly string[],
  environment: Variables = new Map(),
): readonly HereRank[] {
  const text = [...environment].map(([name, value]) => `${name}=${value}\0`).join('');
  const ran = runDialect(slurmProgram(srun), yard, ['srun', ...argv], {
    user: 'root',
    uid: 0,
    workDir: '/home/user/work',
    environment: bytesFromText(text),
  });
  if (ran.code !== 0) throw new Error(ran.stderr);
  return yard.runs[0]?.ranks ?? [];
}

const LAB: Partial<FakeYard> = {
  users: [{ name: 'root', uid: 0, gid: 0, group: 'root' }],
  policy: { ...PLAIN_POLICY, queues: [aQueue({ name: 'cpu' }), aQueue({ name: 'gpu', isDefault: false })] },
};
/** Told since 23.02, told to everybody who has no TMPDIR, and told by srun of itself: beyond what the captures list. */
const MORE = ['SLURM_JOB_START_TIME', 'SLURM_JOB_END_TIME', 'TMPDIR', 'SRUN_DEBUG'];
/** What the made-up yard is called, and on which machine it is. */
const ELSEWHERE = { SLURM_CLUSTER_NAME: 'lab', SLURM_SUBMIT_HOST: 'vm' };

function told(rank: HereRank | undefined, inherited: Variables = new Map()) {
  const all = new Map([...inherited, ...Object.entries({ ...rank?.variables, ...ELSEWHERE })]);
  return sorted(withoutNames(all, MORE));
}

function alone(argv: readonly string[], nodes: readonly NodeShare[], id: number): readonly HereRank[] {
  const yard = placingYard({ nodes }, LAB);
  const ranks = run(yard, argv);
  return ranks.map((rank) => ({
    ...rank,
    variables: { ...rank.variables, SLURM_JOB_ID: `${id}`, SLURM_JOBID: `${id}`, SLURM_JOB_ACCOUNT: 'root' },
  }));
}

test.each([
  ['slurm-env-srun-2tasks.txt', ['-N1', '-n2', '-l'], [aShare({ ranks: 2, cpus: 2 })], 32],
  ['slurm-env-srun-2nodes.txt', ['-N2', '-n2', '-l'], shares(2), 33],
] as const)('the tasks of %s are told what Slurm tells them', (file, argv, nodes, id) => {
  const ranks = alone(['-p', 'cpu', '-t', '1', ...argv, 'sh', '-c', 'env'], nodes, id);
  const captured = capturedVariables(file);
  for (const rank of [0, 1]) {
    expect(told(ranks[rank])).toEqual(sorted(captured[rank] as Variables));
  }
});

test('a task with GPUs is told which', () => {
  const devices = [0, 1].map((index) => ({ index, millis: 1000 }));
  const [rank] = alone(['-p', 'gpu', '-t', '1', '--gres=gpu:2', 'sh'], [aShare({ devices })], 34);
  const [captured] = capturedVariables('slurm-env-gpu.txt');
  expect(told(rank)).toEqual(sorted(captured as Variables));
});

test('a step in a batch script is told of its job and of itself', () => {
  const yard = placingYard({}, LAB);
  const nodes = shares(2, { ranks: 2, cpus: 2 });
  const job = withRunningJob(yard, 35, nodes, {
    name: 'step.sh',
    user: 'root',
    account: 'root',
    queue: 'cpu',
    limitMs: 60_000,
    resources: { ...PLAIN_RESOURCES, ranks: 4, memory: { bytes: 200 * 1024 ** 2, per: 'cpu' } },
    origin: { dialect: 'slurm', words: { submitDir: '/home/user/work', ntasks: '4' } },
  });
  const node = nodes[0] as NodeShare;
  const surroundings: VoiceSurroundings = {
    yardName: 'lab',
    directory: '/yard',
    temporaryDir: '/tmp/yard',
    host: 'vm',
    uid: 0,
    gid: 0,
    defaultQos: 'normal',
    submitterHas: () => false,
    zone: 'UTC',
    now: NOW,
  };
  const place = { rank: 0, localRank: 0, nodeNumber: 0, node };
  const script = slurmVoice.variables(job, job.attempt as never, place, surroundings);
  const ranks = run(yard, ['-n2', '-l', 'sh', '-c', 'env'], script);
  const captured = capturedVariables('slurm-env-step-in-batch.txt');
  expect(ranks).toHaveLength(2);
  for (const rank of [0, 1]) {
    // The capture looked only for what begins with SLURM_.
    const seen = Object.fromEntries(
      Object.entries(told(ranks[rank], script)).filter(([name]) => name.startsWith('SLURM_')),
    );
    expect(seen).toEqual(sorted(captured[rank] as Variables));
  }
});

test('each of several tasks with GPUs of their own sees only those', () => {
  const devices = [0, 1].map((index) => ({ index, millis: 1000 }));
  const ranks = alone(['-n2', '--gpus-per-task=1', 'true'], [aShare({ ranks: 2, cpus: 2, devices })], 17);
  expect(ranks.map(({ variables }) => variables.CUDA_VISIBLE_DEVICES)).toEqual(['0', '1']);
  expect(ranks.map(({ variables }) => variables.SLURM_STEP_GPUS)).toEqual(['0', '1']);
  expect(ranks.map(({ variables }) => variables.SLURM_GPUS_ON_NODE)).toEqual(['2', '2']);
});
