/**
 * What kinds of jobs do to devices in truth, which is not what the yard has learnt of them: some grow, some are different
 * every time, and some say nothing worth knowing. The same kind and seed always give the same run.
 */

import type { Random } from '../random.ts';

/** One run: what it does when nobody disturbs it. */
export interface Behaviour {
  /** How long it takes on devices that it has for itself. */
  readonly workMs: number;
  /** How busy it keeps each of its devices. */
  readonly loadMillis: number;
  /** What it has of each device from that point of its work on, the earliest first. */
  readonly memory: readonly MemoryStep[];
  readonly exitCode: number;
}

export interface MemoryStep {
  readonly atWorkMs: number;
  readonly bytes: number;
}

export type Manner = (typeof MANNERS)[number];

export const MANNERS = [
  /** Nearly the same every time, all of it soon. */
  'steady',
  /** More and more until its end. */
  'growing',
  /** Much for a moment, now and then. */
  'spiky',
  /** Mostly little, and sometimes two to five times as much. */
  'lying',
  /** Holds a device and does nothing on it. */
  'idle',
  /** Fails before it has got anywhere. */
  'failing',
  /** Wants more than half of the largest device, or more than there is. */
  'huge',
  /** Over before anybody has looked twice. */
  'brief',
] as const;

export interface Kind {
  readonly name: string;
  readonly manner: Manner;
  /** What its runs mostly come to. */
  readonly usualBytes: number;
  readonly usualLoadMillis: number;
  readonly usualWorkMs: number;
}

const GIB = 1024 ** 3;
const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;

export function someKind(random: Random, n: number, largestBytes: number): Kind {
  const manner = MANNERS[n % MANNERS.length] as Manner;
  return {
    name: `kind${n}`,
    manner,
    usualBytes:
      manner === 'huge'
        ? Math.round(largestBytes * random.pick([0.6, 0.8, 1.2]))
        : Math.round((0.5 + 7 * random.next() ** 2) * GIB),
    usualLoadMillis: random.between(50, 700),
    usualWorkMs: random.between(1, 20) * MINUTE_MS,
  };
}

/** Longer than this no run takes, if it is not disturbed. */
export const LONGEST_WORK_MS = 40 * MINUTE_MS;

export function behaviourOf(kind: Kind, random: Random): Behaviour {
  const { manner, usualBytes, usualLoadMillis } = kind;
  const workMs = Math.min(LONGEST_WORK_MS, random.waitMs(kind.usualWorkMs) + 20 * SECOND_MS);
  const bytes = Math.round(usualBytes * (0.95 + 0.1 * random.next()));
  const loadMillis = Math.round(usualLoadMillis * (0.8 + 0.4 * random.next()));
  const plain = { workMs, loadMillis, exitCode: random.chance(0.05) ? 1 : 0 };
  const atOnce = [{ atWorkMs: 2 * SECOND_MS, bytes }];
  switch (manner) {
    case 'steady':
    case 'huge':
      return { ...plain, memory: atOnce };
    case 'growing':
      return {
        ...plain,
        memory: [0.02, 0.3, 0.6, 0.9].map((part) => stepAt(workMs, part, bytes * part * 1.1)),
      };
    case 'spiky':
      return {
        ...plain,
        memory: [
          stepAt(workMs, 0.02, bytes / 3),
          stepAt(workMs, 0.5, bytes),
          stepAt(workMs, 0.52, bytes / 3),
        ],
      };
    case 'lying': {
      const times = random.chance(0.25) ? 2 + 3 * random.next() : 1;
      return { ...plain, memory: [stepAt(workMs, 0.02, bytes), stepAt(workMs, 0.4, bytes * times)] };
    }
    case 'idle':
      return { ...plain, loadMillis: 0, memory: [] };
    case 'failing':
      return { workMs: random.between(1, 20) * SECOND_MS, loadMillis, exitCode: 1, memory: atOnce };
    case 'brief':
      return {
        workMs: random.between(200, 4000),
        loadMillis,
        exitCode: 0,
        memory: [{ atWorkMs: 100, bytes }],
      };
  }
}

function stepAt(workMs: number, part: number, bytes: number): MemoryStep {
  return { atWorkMs: Math.round(workMs * part), bytes: Math.round(bytes) };
}

export function mostBytes({ memory }: Behaviour): number {
  return memory.reduce((most, { bytes }) => Math.max(most, bytes), 0);
}
