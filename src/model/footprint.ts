/**
 * What runs of one kind of job were seen to use of a GPU, and what that is taken to mean for the next one. A kind is
 * found by the most exact of its keys that is known; models of device have footprints of their own.
 */

/** From the most exact to the least: what somebody called it, the command and its arguments, its script, its name. */
export const FOOTPRINT_LEVELS = ['kind', 'command', 'script', 'name'] as const;

export type FootprintLevel = (typeof FOOTPRINT_LEVELS)[number];

/** One of the names under which a job's footprint may be known. */
export interface FootprintKey {
  readonly level: FootprintLevel;
  /** Unique among all keys of a yard; short however long the command is. */
  readonly text: string;
  /** For people: `train.py --lr 0.1`. */
  readonly label: string;
}

/** Numbers seen one after another, summed up. */
export interface Spread {
  readonly count: number;
  readonly mean: number;
  /** The sum of the squared differences from the mean. */
  readonly squares: number;
  readonly max: number;
}

/** Of one kind on one model of device, for each device that a run holds. */
export interface Footprint {
  readonly key: FootprintKey;
  /** The model of device: `v100-sxm2-16gb`. */
  readonly device: string;
  /** The peaks of its runs, in bytes. */
  readonly memory: Spread;
  /** Their typical loads, in thousandths of the device; count 0: nobody could tell. */
  readonly load: Spread;
  /** The most host memory of each run, in bytes; count 0: nobody looked. */
  readonly hostMemory: Spread;
  /** How long they ran. */
  readonly durationMs: Spread;
  readonly firstSeenAt: number;
  readonly lastSeenAt: number;
  /** What was seen is of a run that has not ended: it may be yet to grow. */
  readonly isProvisional: boolean;
  /** A run with less than this ran out of memory; absent: none did. */
  readonly atLeastBytes?: number;
  /** What somebody says that it uses, whatever was seen; absent: nobody does. */
  readonly setBytes?: number;
  readonly setLoadMillis?: number;
}

/**
 * Whether it says how much such jobs use. One that does not is of runs that ended well before anybody could see it: those
 * like them need not wait for each other, but nobody can share with them.
 */
export function saysHowMuch({ memory, setBytes }: Footprint): boolean {
  return memory.count > 0 || setBytes !== undefined;
}

/** Under which the footprint of one kind on one model of device is kept. */
export function pageOf(key: string, device: string): string {
  return `${key}\n${device}`;
}

/** What a job of a known kind is given of a device, and why so much. */
export interface Estimate {
  readonly key: FootprintKey;
  readonly device: string;
  readonly runs: number;
  /** The most that a run was seen to use. */
  readonly seenBytes: number;
  /** That with its margin. */
  readonly memoryBytes: number;
  /** The margin in thousandths of what was seen; 0 where somebody said how much it uses. */
  readonly marginMillis: number;
  readonly loadMillis: number;
  readonly basis: 'seen' | 'provisional' | 'ranOut' | 'set';
}

export const NO_SPREAD: Spread = { count: 0, mean: 0, squares: 0, max: 0 };

/** With one more number in it. */
export function spreadWith({ count, mean, squares, max }: Spread, value: number): Spread {
  const difference = value - mean;
  const next = mean + difference / (count + 1);
  return {
    count: count + 1,
    mean: next,
    squares: squares + difference * (value - next),
    max: count === 0 ? value : Math.max(max, value),
  };
}

/** How far its numbers are apart: the standard deviation of those that were seen. */
export function deviationOf({ count, squares }: Spread): number {
  return count < 2 ? 0 : Math.sqrt(squares / (count - 1));
}
