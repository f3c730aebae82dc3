/** A large yard with a long queue, made from a seed in a second or so: something to measure a pass on. */

import { apply } from '../core/apply.ts';
import { newState, type YardState } from '../core/state.ts';
import type { JobSpec } from '../model/job-spec.ts';
import type { Node } from '../model/node.ts';
import { PLAIN_RESOURCES, PLAIN_SPEC } from '../model/plain.ts';
import { type Random, seededRandom } from './random.ts';

const GIB = 1024 ** 3;
const HOUR_MS = 3_600_000;
const SUBMITTED_AT = 1_700_000_000_000;

/** The time at which its last job has been waiting for an hour. */
export const BIG_YARD_NOW = SUBMITTED_AT + HOUR_MS;

/** Waiting jobs of a few dozen shapes by twenty users, on empty nodes that are all alike. */
export function bigYard(jobs: number, nodes: number, gpusPerNode: number, seed: number): YardState {
  const random = seededRandom(seed);
  const state = newState();
  for (let at = 0; at < nodes; at++)
    apply(state, { type: 'nodeSeen', at: SUBMITTED_AT, node: nodeOf(at, gpusPerNode) });
  const shapes = Array.from({ length: 40 }, () => shapeOf(random, gpusPerNode));
  for (let job = 1; job <= jobs; job++) {
    const spec: JobSpec = { ...random.pick(shapes), user: `user${random.between(1, 20)}` };
    apply(state, { type: 'jobSubmitted', at: SUBMITTED_AT + (job % 1000), job, spec, phase: 'pending' });
  }
  state.touched.jobs.clear();
  state.touched.nodes.clear();
  return state;
}

function nodeOf(at: number, gpus: number): Node {
  const devices = Array.from({ length: gpus }, (_, index) => ({
    index,
    kind: 'a100',
    memoryBytes: 80 * GIB,
    simulated: true,
  }));
  return {
    name: `node${at + 1}`,
    cpus: 64,
    cpuIds: [],
    memoryBytes: 512 * GIB,
    devices,
    features: [],
    state: 'up',
    reason: null,
  };
}

/** Mostly small, some with a share of a device, a few over several nodes. */
function shapeOf(random: Random, gpusPerNode: number): JobSpec {
  const nodes = random.chance(0.1) ? random.pick([2, 4]) : 1;
  const gpus = random.chance(0.8) ? Math.min(gpusPerNode, random.pick([1, 1, 1, 2, 4, 8])) : 0;
  return {
    ...PLAIN_SPEC,
    name: 'train',
    user: '',
    queue: 'main',
    resources: {
      ...PLAIN_RESOURCES,
      nodes: { min: nodes, max: nodes },
      ranks: nodes,
      ranksPerNode: null,
      cpusPerRank: random.pick([1, 2, 4, 8]),
      cpusAsked: true,
      memory: random.chance(0.7) ? { bytes: random.pick([4, 16, 64]) * GIB, per: 'node' } : null,
      gpus:
        gpus === 0
          ? null
          : { count: gpus, per: 'node', kind: null, shareMillis: random.chance(0.2) ? 500 : 1000 },
    },
    limitMs: random.between(1, 24) * HOUR_MS,
  };
}
