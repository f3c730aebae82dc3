/**
 * One scheduling pass over a large cluster: 1,000 nodes of 8 GPUs and 100,000 waiting jobs of some thousands
 * of kinds (50 users, 1 to 32 GPUs, limits of 1 to 24 hours). It is measured filling the empty cluster, and
 * as it mostly is: full but for two nodes. A pass changes nothing, so the same one can be timed again.
 */

import { apply } from '../../dist/core/apply.js';
import { plan } from '../../dist/core/schedule/plan.js';
import { newState } from '../../dist/core/state.js';
import { PLAIN_POLICY, PLAIN_RESOURCES, PLAIN_SPEC } from '../../dist/model/plain.js';
import { median, milliseconds, ratio } from '../tools/figures.mjs';

const NODES = 1_000;
const GPUS_PER_NODE = 8;
const FREE_NODES = 2;
const MANY = 100_000;
const FEW = 1_000;
const GIB = 1024 ** 3;
const HOUR_MS = 3_600_000;
const START = Date.UTC(2030, 0, 1);
const NOW = START + HOUR_MS;

export async function measurePass({ rounds, say }) {
  const empty = newCluster(0, MANY);
  const full = newCluster(NODES - FREE_NODES, MANY);
  const fullFew = newCluster(NODES - FREE_NODES, FEW);
  say(`${MANY.toLocaleString('en')} jobs of ${full.backlog.groups.size.toLocaleString('en')} kinds`);

  const filling = timePasses([empty], rounds)[0];
  const [many, few] = timePasses([full, fullFew], rounds * 3);
  const perStart = filling.ms / filling.starts;
  return [
    {
      what: 'a pass over 100,000 jobs that fills 1,000 nodes of 8 GPUs',
      figure: milliseconds(filling.ms),
      against: `each of ${filling.starts.toLocaleString('en')} starts: ${milliseconds(perStart)}`,
    },
    {
      what: `the same, all but ${FREE_NODES} nodes busy`,
      figure: milliseconds(many.ms),
      against: `over 1,000 jobs: ${milliseconds(few.ms)}`,
      ratio: ratio(many.ms / few.ms),
    },
  ];
}

/** Median time of a pass over each state, in turns, after one that does not count. */
function timePasses(states, rounds) {
  const results = states.map((state) => ({ times: [], starts: plan(state, POLICY, NOW).starts.length }));
  for (let round = 0; round < rounds; round++) {
    for (const [at, state] of states.entries()) {
      const startedAt = performance.now();
      plan(state, POLICY, NOW);
      results[at].times.push(performance.now() - startedAt);
    }
  }
  return results.map(({ times, starts }) => ({ ms: median(times), starts }));
}

/** The first so many nodes have a running job on each of their GPUs; the other jobs wait. */
function newCluster(busyNodes, waiting) {
  const state = newState();
  for (let n = 0; n < NODES; n++) apply(state, { at: START, type: 'nodeSeen', node: newNode(n) });
  let job = 0;
  for (let n = 0; n < busyNodes; n++) {
    for (let gpu = 0; gpu < GPUS_PER_NODE; gpu++) {
      job += 1;
      submit(state, job, newSpec(job, 1, 1 + (job % 24)));
      run(state, job, n, gpu);
    }
  }
  for (let i = 0; i < waiting; i++) {
    job += 1;
    submit(state, job, newSpec(i, GPU_COUNTS[i % GPU_COUNTS.length], 1 + ((i * 7) % 24)));
  }
  return state;
}

function submit(state, job, spec) {
  apply(state, { at: START + (job % 1000), type: 'jobSubmitted', job, spec, phase: 'pending' });
}

function run(state, job, n, gpu) {
  const attempt = `${job}.1`;
  const share = {
    node: `node${n}`,
    ranks: 1,
    cpus: 8,
    cpuIds: [],
    memoryBytes: 64 * GIB,
    devices: [{ index: gpu, millis: 1000 }],
  };
  apply(state, { at: START, type: 'attemptAssigned', job, attempt, placement: { nodes: [share] } });
  apply(state, { at: START, type: 'attemptStarted', job, attempt, startedAt: START });
}

const GPU_COUNTS = [1, 1, 1, 2, 1, 4, 1, 8, 2, 1, 16, 4, 32];

/** Jobs larger than a node take whole ones. */
function newSpec(i, gpus, hours) {
  const nodes = Math.max(1, gpus / GPUS_PER_NODE);
  return {
    ...PLAIN_SPEC,
    name: 'train',
    user: `user${i % 50}`,
    queue: 'main',
    resources: {
      ...PLAIN_RESOURCES,
      nodes: { min: nodes, max: nodes },
      ranks: gpus,
      ranksPerNode: null,
      cpusPerRank: 8,
      cpusAsked: true,
      memory: { bytes: 8 * GIB, per: 'cpu' },
      gpus: { count: 1, per: 'rank', kind: null, shareMillis: 1000 },
    },
    limitMs: hours * HOUR_MS,
  };
}

function newNode(n) {
  const devices = Array.from({ length: GPUS_PER_NODE }, (_, index) => ({
    index,
    kind: 'gpu',
    memoryBytes: 80 * GIB,
    simulated: true,
  }));
  return {
    name: `node${n}`,
    cpus: 64,
    cpuIds: [],
    memoryBytes: 512 * GIB,
    devices,
    features: [],
    state: 'up',
    reason: null,
  };
}

const POLICY = {
  ...PLAIN_POLICY,
  weights: { age: 1000, qos: 0, fairShare: 1000, queue: 1000, size: 0 },
};
