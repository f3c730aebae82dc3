/**
 * A made-up day of a GPU cluster, in the style of published traces but taken from none of them: some hundred kinds of jobs
 * of twenty users, a few of them much more popular than the rest; most on one GPU, of which they use a fraction of the memory
 * and of the load; durations with a heavy tail. The same seed gives the same day.
 *
 * Of a kind: peak memory log-normal around 4 GiB (σ 0.9), load log-normal around 25 % (σ 0.7, at most 100 %), duration
 * log-normal around 10 minutes (σ 1.1). Of its runs: memory within 5 %, but one in fifty takes 1.3 to 2 times as much;
 * duration log-normal around the kind's (σ 0.5, at most 12 hours). 95 % want one GPU, 4 % two and 1 % four.
 */

import { PLAIN_RESOURCES, PLAIN_SPEC } from '../../dist/model/plain.js';
import { seededRandom } from '../../dist/sim/random.js';

export const GIB = 1024 ** 3;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const KINDS = 250;
const USERS = 20;
const SMALL = { kind: 'small', memoryBytes: 16 * GIB };
const LARGE = { kind: 'large', memoryBytes: 40 * GIB };

/** Half of the nodes have the small model, half the large one. */
export function madeUpNodes(count, gpusPerNode) {
  return Array.from({ length: count }, (_, n) => ({
    name: `node${n}`,
    cpus: 16 * gpusPerNode,
    cpuIds: [],
    memoryBytes: 1024 * GIB,
    devices: Array.from({ length: gpusPerNode }, (_, index) => ({
      index,
      ...(n % 2 === 0 ? SMALL : LARGE),
      simulated: true,
    })),
    features: [],
    state: 'up',
    reason: null,
  }));
}

/** Each with what its run does in truth, and without a word yet on how it is given GPUs. */
export function madeUpJobs(count, withinMs, seed) {
  const random = seededRandom(seed);
  const kinds = Array.from({ length: KINDS }, (_, n) => madeUpKind(random, n));
  return Array.from({ length: count }, (_, n) => {
    // The square of a number below one is mostly small: the first kinds are the popular ones.
    const kind = kinds[Math.floor(random.next() ** 2 * KINDS)];
    return { n, kind, atMs: Math.floor(random.next() * withinMs), behaviour: madeUpRun(random, kind) };
  });
}

function madeUpKind(random, n) {
  const peakBytes = Math.min(36 * GIB, 4 * GIB * Math.exp(0.9 * normal(random)));
  const roll = random.next();
  return {
    n,
    user: `user${random.below(USERS)}`,
    peakBytes,
    loadMillis: Math.min(1000, Math.round(250 * Math.exp(0.7 * normal(random)))),
    workMs: 10 * MINUTE_MS * Math.exp(1.1 * normal(random)),
    gpus: roll < 0.95 ? 1 : roll < 0.99 ? 2 : 4,
    // Whoever might not fit on the small ones says so, however the GPUs are given.
    onlyLarge: peakBytes * 2 > SMALL.memoryBytes,
    /** What its user would declare: from one and a half to three times what it takes. */
    caution: 1.5 + 1.5 * random.next(),
  };
}

function madeUpRun(random, { peakBytes, loadMillis, workMs: usualMs }) {
  const factor = random.chance(0.02) ? 1.3 + 0.7 * random.next() : 0.95 + 0.1 * random.next();
  const bytes = Math.round(Math.min(39 * GIB, peakBytes * factor));
  const workMs = Math.round(Math.min(12 * HOUR_MS, usualMs * Math.exp(0.5 * normal(random)))) + 1000;
  const soon = { atWorkMs: Math.min(10_000, Math.round(workMs / 10)), bytes: Math.round(bytes * 0.7) };
  return {
    workMs,
    loadMillis,
    memory: [soon, { atWorkMs: Math.round(workMs * 0.3), bytes }],
    exitCode: 0,
  };
}

/** Box and Muller's: around 0, two thirds of them within 1 of it. */
function normal(random) {
  return Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
}

export function specOf({ n, kind }, gpus) {
  return {
    ...PLAIN_SPEC,
    name: `kind${kind.n}`,
    user: kind.user,
    comment: String(n),
    program: { ...PLAIN_SPEC.program, argv: ['python', `kind${kind.n}.py`] },
    resources: {
      ...PLAIN_RESOURCES,
      cpusPerRank: 2,
      gpus: {
        count: kind.gpus,
        per: 'job',
        kind: kind.onlyLarge ? LARGE.kind : null,
        shareMillis: 1000,
        ...gpus,
      },
    },
    limitMs: 48 * HOUR_MS,
  };
}

/** The peak of its kind with its user's caution, in eighths of the smallest device that it may have. */
export function declaredMillis({ kind }) {
  const { memoryBytes } = kind.onlyLarge ? LARGE : SMALL;
  return Math.min(1000, Math.ceil((8 * kind.peakBytes * kind.caution) / memoryBytes) * 125);
}
