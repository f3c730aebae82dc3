/** The simulations of shared devices that are run from a seed: how large they are, and what goes wrong in them. */

import { PLAIN_GPU_POLICY, PLAIN_POLICY } from '../../model/plain.ts';
import type { Policy } from '../../model/policy.ts';
import { seededRandom } from '../random.ts';
import { simulateGpus } from './simulate.ts';
import type { GpuReport, GpuSimulation } from './simulation.ts';
import { aCrowd, CROWDED_LIMIT_MS, LONGEST_LIMIT_MS, someNodes, someWorkload } from './workload.ts';

export interface SeededOptions {
  readonly seed: number;
  /** Submissions; an array counts as one. */
  readonly jobs: number;
  /** Within so long. */
  readonly unrestMs: number;
  /** Nothing goes wrong in the world around the jobs. */
  readonly isCalm: boolean;
  /** Hours of small leases and jobs on few devices, and some that want whole ones. */
  readonly isCrowded: boolean;
}

const MINUTE_MS = 60_000;

/** What makes a crowd of them. */
export const CROWDED = { jobs: 400, unrestMs: 160 * MINUTE_MS, isCalm: true, isCrowded: true } as const;

const LEARN_AFTER_MS = 3 * MINUTE_MS;

export function simulateSeed(given: Partial<SeededOptions> & { readonly seed: number }): GpuReport {
  return simulateGpus(seededSimulation(given));
}

export function seededSimulation(given: Partial<SeededOptions> & { readonly seed: number }): GpuSimulation {
  const { seed, jobs = 150, unrestMs = 45 * MINUTE_MS, isCalm = false, isCrowded = false } = given;
  const random = seededRandom(seed * 31 + 7);
  const nodes = isCrowded ? someNodes(random).slice(0, 1) : someNodes(random);
  return {
    seed,
    name: `--gpus${isCrowded ? ' --crowded' : ''}`,
    nodes,
    policy: policyOf(random.chance(0.7) ? 'pack' : 'spread', random.pick([700, 1000, 1500])),
    submissions: isCrowded ? aCrowd(seed, jobs, unrestMs) : someWorkload(seed, jobs, unrestMs, nodes),
    timing: {
      startDelayMs: () => random.between(50, 3000),
      reportDelayMs: () => random.between(100, 15_000),
      sampleEveryMs: 2000,
      learnAfterMs: LEARN_AFTER_MS,
    },
    faults: isCalm
      ? { crash: 0, strangerEveryMs: null, nodeLostEveryMs: null, secondThoughtEveryMs: null }
      : {
          crash: 0.004,
          strangerEveryMs: 12 * MINUTE_MS,
          nodeLostEveryMs: random.chance(0.4) ? 40 * MINUTE_MS : null,
          secondThoughtEveryMs: 4 * MINUTE_MS,
        },
    turnEveryMs: 10,
    watch: { longestLimitMs: isCrowded ? CROWDED_LIMIT_MS : LONGEST_LIMIT_MS },
  };
}

/** Places go by age alone. */
function policyOf(arrange: 'pack' | 'spread', maxLoadMillis: number): Policy {
  return {
    ...PLAIN_POLICY,
    weights: { age: 1000, qos: 0, fairShare: 0, queue: 0, size: 0 },
    ageFullMs: 365 * 86_400_000,
    graceMs: 10_000,
    maxRestarts: 1000,
    gpu: { ...PLAIN_GPU_POLICY, arrange, maxLoadMillis, learnAfterMs: LEARN_AFTER_MS },
  };
}
