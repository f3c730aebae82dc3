/** What one simulation is made of: how large the yard is, how much is asked of it, and what goes wrong. */

export interface SimulationOptions {
  readonly seed: number;
  /** How many submissions; an array counts as one. */
  readonly jobs: number;
  readonly nodes: number;
  /** Submissions and faults happen within this time; then calm returns, and everything must come to an end. */
  readonly unrestMs: number;
  readonly faults: Faults;
  /** How many jobs in a thousand only ever fail at once, with the exit code that asks for another run. */
  readonly hastyMillis: number;
}

/** Probabilities are per occasion; times are averages between two of the kind, null for never. */
export interface Faults {
  /** A report of the engine never arrives. It is found again by the engine's own rescans. */
  readonly reportLost: number;
  readonly reportRepeated: number;
  /** It arrives late, after others that were sent later. */
  readonly reportLate: number;
  /** The disk is full: nothing of the turn may be left. */
  readonly commitFails: number;
  /** The yard dies in a turn: before the commit, after it, or among its effects. */
  readonly crash: number;
  readonly nodeLostEveryMs: number | null;
  readonly clockJumpEveryMs: number | null;
  readonly drainEveryMs: number | null;
}

export const NO_FAULTS: Faults = {
  reportLost: 0,
  reportRepeated: 0,
  reportLate: 0,
  commitFails: 0,
  crash: 0,
  nodeLostEveryMs: null,
  clockJumpEveryMs: null,
  drainEveryMs: null,
};

const MINUTE_MS = 60_000;

const EVERY_FAULT: Faults = {
  reportLost: 0.1,
  reportRepeated: 0.1,
  reportLate: 0.15,
  commitFails: 0.03,
  crash: 0.04,
  nodeLostEveryMs: 12 * MINUTE_MS,
  clockJumpEveryMs: 10 * MINUTE_MS,
  drainEveryMs: 30 * MINUTE_MS,
};

export function simulationOptions(given: Partial<SimulationOptions> = {}): SimulationOptions {
  return {
    seed: 1,
    jobs: 40,
    nodes: 4,
    unrestMs: 60 * MINUTE_MS,
    faults: EVERY_FAULT,
    hastyMillis: 0,
    ...given,
  };
}
