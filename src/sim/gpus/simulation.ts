/** What one simulation of shared devices is made of, what it came to, and what is said when something did not hold. */

import type { Node } from '../../model/node.ts';
import type { Policy } from '../../model/policy.ts';
import type { EngineTiming } from './engine.ts';
import type { Counted } from './tally.ts';
import type { Submission } from './workload.ts';

export interface GpuSimulation {
  readonly seed: number;
  /** By which words it is seen again. */
  readonly name: string;
  readonly nodes: readonly Node[];
  readonly policy: Policy;
  readonly submissions: readonly Submission[];
  readonly timing: EngineTiming;
  readonly faults: GpuFaults;
  /** Commands that come within this time share a turn. */
  readonly turnEveryMs: number;
  /** Whether all that must hold is looked at after every turn; null: nothing is. */
  readonly watch: { readonly longestLimitMs: number } | null;
}

/** Times are averages between two of the kind; null: never. Faults end with the last submission. */
export interface GpuFaults {
  /** That the yard dies, at each of several places in a turn. */
  readonly crash: number;
  readonly strangerEveryMs: number | null;
  readonly nodeLostEveryMs: number | null;
  readonly secondThoughtEveryMs: number | null;
}

export interface GpuReport extends Counted {
  readonly seed: number;
  readonly rerun: number;
  readonly killedClients: number;
  readonly crashes: number;
  readonly strangers: number;
  readonly lostNodes: number;
  readonly secondThoughts: number;
  readonly footprints: number;
  readonly events: number;
  readonly turns: number;
  /** The longest that the oldest job waited after all that were before it had gone. */
  readonly longestWaitMs: number;
  /** Part of the memory of all devices that was really in use, from the first submission to the last end. */
  readonly memoryUsed: number;
}

/** Says what was broken, what led to it, and how to see it again. */
export class GpuSimulationFailed extends Error {
  constructor({ seed, name }: GpuSimulation, cause: unknown, recent: readonly string[]) {
    const what = cause instanceof Error ? cause.message : String(cause);
    const again = `  npm run sim -- ${name} --seed ${seed}`;
    super([`seed ${seed}: ${what}`, again, 'the last events:', ...recent].join('\n'), { cause });
  }
}
