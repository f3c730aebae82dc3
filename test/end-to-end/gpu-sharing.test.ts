/** Jobs and leases that share GPUs, from the first of a kind to the last: a real yard, real processes, simulated devices. */

import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { yardApi } from '../../src/client/api.ts';
import type { RecordedEvent } from '../../src/model/event.ts';
import type { JobId } from '../../src/model/ids.ts';
import type { DeviceShare } from '../../src/model/job.ts';
import type { FootprintView, GpusView, JobDetail } from '../../src/model/query.ts';
import { packageRoot } from '../../src/platform/install.ts';
import { type ShellYard, shellYard, until } from './shell-yard.ts';

const GIB = 2 ** 30;
const examples = join(packageRoot(), 'examples');
/** Holds so much of its GPU for so many seconds. */
const uses = (memory: string, load: number, seconds: number) =>
  `python3 -m trainyard.simulated --memory ${memory} --load ${load} --seconds ${seconds}`;

let yard: ShellYard;
const yardWith =
  (gpus: string, more = '') =>
  async () => {
    yard = await shellYard(`[node]\ncpus = 32\ngpus = "${gpus}"\n${more}`);
  };
const closeYard = () => yard.close();

const submit = async (words: string) =>
  Number(/\d+/.exec(await yard.good(`trainyard submit --quiet ${words}`))?.[0]);
const get = async <T>(path: string) => {
  const { socket } = await yard.json<{ socket: string }>('status');
  return yardApi(socket).get<T>(path);
};
const footprints = () => get<{ footprints: readonly FootprintView[] }>('/v1/footprints');
const detail = (job: JobId) => get<JobDetail>(`/v1/jobs/${job}`);
const events = async () =>
  (await get<{ events: readonly RecordedEvent[] }>('/v1/events?after=0&limit=10000')).events;

interface Stay {
  readonly job: JobId;
  readonly kind: string;
  readonly share: DeviceShare;
}

/** Goes through the log: what was promised of each device, whenever that changed. */
function promised(
  log: readonly RecordedEvent[],
  look: (device: number, there: readonly Stay[]) => void,
): void {
  const kinds = new Map<JobId, string>();
  const devices = new Map<number, Stay[]>();
  for (const { event } of log) {
    if (event.type === 'jobSubmitted') kinds.set(event.job, event.spec.kind ?? event.spec.name);
    if (event.type === 'attemptAssigned')
      for (const share of event.placement.nodes.flatMap((node) => node.devices)) {
        const there = [
          ...(devices.get(share.index) ?? []),
          { job: event.job, kind: kinds.get(event.job) ?? '', share },
        ];
        devices.set(share.index, there);
        look(share.index, there);
      }
    if (event.type === 'attemptEnded' || event.type === 'attemptLost')
      for (const [index, there] of devices)
        devices.set(
          index,
          there.filter(({ job }) => job !== event.job),
        );
  }
}

describe('the nine jobs of examples/gpu-sharing', () => {
  beforeAll(yardWith('4x16G'));
  afterAll(closeYard);

  test('three kinds: the first of each alone, all others beside each other, and nothing promised twice', async () => {
    for (const name of ['digits', 'gpu-sharing'])
      cpSync(join(examples, name), join(yard.workDir, name), { recursive: true });
    // As doit -n 9 starts them.
    writeFileSync(
      join(yard.workDir, 'gpu-sharing', 'nine.sh'),
      `pids=
for n in 1 2 3; do for kind in tf torch jax; do
  python3 "\${kind}_mnist_train.py" --epochs 3 >"$kind-$n.out" 2>&1 & pids="$pids $!"
done; done
for pid in $pids; do wait "$pid" || exit; done\n`,
    );
    await yard.good('cd gpu-sharing && glb-run "sh nine.sh"');
    for (const kind of ['tf', 'torch', 'jax'])
      for (const n of [1, 2, 3])
        expect(await yard.good(`cat gpu-sharing/${kind}-${n}.out`)).toMatch(
          /^epoch 3\/3 loss \S+ accuracy 0\.\d+$/m,
        );

    let most = 0;
    const alone = new Map<string, number>();
    promised(await events(), (_, there) => {
      expect(there.reduce((sum, { share }) => sum + share.millis, 0)).toBeLessThanOrEqual(1000);
      most = Math.max(most, there.length);
      const last = there.at(-1);
      if (last?.share.learningOn === undefined) return;
      expect(there).toHaveLength(1);
      alone.set(last.kind, (alone.get(last.kind) ?? 0) + 1);
    });
    expect(most).toBeGreaterThan(1);
    const kinds = ['jax', 'tf', 'torch'].map((name) => `${name}_mnist_train.py::train_job`);
    expect([...alone].toSorted()).toEqual(kinds.map((kind) => [kind, 1]));

    const known = (await footprints()).footprints.map(({ footprint }) => footprint);
    expect(known.map(({ key, memory }) => [key.label, memory.count]).toSorted()).toEqual(
      kinds.map((kind) => [kind, 3]),
    );
    const seen = new Map(known.map(({ key, memory }) => [key.label.split('_')[0], memory.max / GIB]));
    expect(seen.get('tf')).toBeCloseTo(3.2, 2);
    expect(seen.get('torch')).toBeCloseTo(1.6, 2);
    expect(seen.get('jax')).toBeCloseTo(2.4, 2);
  });
});

describe('jobs', () => {
  beforeAll(yardWith('1x16G'));
  afterAll(closeYard);

  test('what is kept for a job counts before it has allocated anything, and a restart forgets nothing', async () => {
    // The first shows 6G; the next ones take it only after a while, so what is free then says nothing.
    const slowly = `sh -c 'sleep 1.5; exec ${uses('6G', 10, 2)}'`;
    const first = await submit(`--share --kind slow -- ${slowly}`);
    await yard.good(`trainyard wait ${first}`);
    process.kill(await yard.daemonPid(), 'SIGKILL');
    expect((await footprints()).footprints[0]?.footprint).toMatchObject({
      key: { label: 'slow' },
      memory: { count: 1, max: 6 * GIB },
    });

    const jobs: JobId[] = [];
    for (let n = 0; n < 3; n++) jobs.push(await submit(`--share --kind slow -- ${slowly}`));
    const phases = async () => Promise.all(jobs.map(async (job) => (await detail(job)).view.job.phase));
    await until(
      async () => (await phases()).filter((phase) => phase === 'active').length === 2,
      () => 'two of them to run',
    );
    expect(await phases()).toEqual(['active', 'active', 'pending']);
    expect((await yard.run('why', `${jobs[2]}`)).stdout).toMatch(/GPU memory/);
    expect((await yard.run('why', `${jobs[1]}`)).stdout).toMatch(
      new RegExp(`shares GPU 0 .* with job ${jobs[0]}.*seen once to use 6G at most; with a margin of 25 %`),
    );
    await yard.good(`trainyard wait ${jobs.join(' ')}`);
  });

  test('one that outgrows what is left runs again alone, and its neighbour is left in peace', async () => {
    const grows = `sh -c 'exec python3 -m trainyard.simulated --memory "$(cat size)" --load 10 --seconds 1'`;
    writeFileSync(join(yard.workDir, 'size'), '2G');
    await yard.good(`trainyard wait ${await submit(`--share --kind grows -- ${grows}`)}`);
    await yard.good(`trainyard wait ${await submit(`--share --kind steady -- ${uses('4G', 10, 1)}`)}`);

    writeFileSync(join(yard.workDir, 'size'), '13G');
    const neighbour = await submit(`--share --kind steady -- ${uses('4G', 10, 4)}`);
    await until(
      async () => (await get<GpusView>('/v1/gpus')).gpus[0]?.tenants[0]?.now?.memoryBytes === 4 * GIB,
      () => 'the neighbour to have its memory',
    );
    const job = await submit(`--share --kind grows -- ${grows}`);
    await yard.good(`trainyard wait ${job} ${neighbour}`);
    const { attempts, view } = await detail(job);
    expect(view.job.outcome).toBe('completed');
    expect(attempts.map(({ exit }) => exit?.deviceOutOfMemory ?? false)).toEqual([true, false]);
    expect(attempts.map(({ placement }) => placement.nodes[0]?.devices[0]?.millis)).toEqual([
      expect.closeTo(157, -1),
      1000,
    ]);
    expect((await detail(neighbour)).attempts).toHaveLength(1);
    const known = (await footprints()).footprints.find(({ footprint }) => footprint.key.label === 'grows');
    expect(known?.footprint.memory.max).toBe(13 * GIB);
  });

  test('one that wants more than there is ends with an outcome of its own', async () => {
    const job = await submit(`--share --kind huge -- ${uses('17G', 10, 1)}`);
    expect((await yard.run('wait', `${job}`)).code).toBe(1);
    expect((await detail(job)).view.job.outcome).toBe('deviceOutOfMemory');
  });

  test('a stranger on the device counts, and is named', async () => {
    const { stdout: node } = await yard.shell('trainyard nodes --json');
    const name = (JSON.parse(node) as { nodes: { node: { name: string } }[] }).nodes[0]?.node.name;
    const directory = join(yard.directory, 'simulated-gpus', `${name}`);
    const pid = (await yard.good('sleep 60 >/dev/null 2>&1 & echo $!')).trim();
    writeFileSync(join(directory, '0', pid), `${12 * GIB} 50\n`);
    await until(
      async () =>
        (await events()).some(
          ({ event }) => event.type === 'foreignUseSeen' && event.foreign[0]?.bytes === 12 * GIB,
        ),
      () => 'the stranger to be noticed',
    );
    const job = await submit('--gpus 1 -- true');
    expect((await yard.run('why', `${job}`)).stdout).toContain('12G');
    const { stdout } = await yard.run('gpus');
    expect(stdout).toContain(pid);
    process.kill(Number(pid), 'SIGKILL');
    await yard.good(`trainyard wait ${job}`);
  });
});
