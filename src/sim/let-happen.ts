/** The order of a simulation: what the world does and what the yard has due, one after another in true time. */

import { invariant } from '../model/refusal.ts';
import type { World } from './world.ts';

export interface Happening {
  readonly world: World;
  /** When the yard has something to do by itself, by its own clock; null: it has not. */
  readonly dueAt: () => number | null;
  /** The yard has been told something, and its turn is among what the world will do. */
  readonly isTurnArranged: () => boolean;
  readonly turn: () => void;
  readonly isFinished: () => boolean;
  /** Asked after each step; throws when something is wrong. */
  readonly look: () => void;
}

export function letHappen({ world, dueAt, isTurnArranged, turn, isFinished, look }: Happening): void {
  while (!isFinished()) {
    const due = dueAt();
    const dueMs = due === null ? null : Math.max(world.nowMs, Math.ceil(world.whenWallSays(due)));
    const next = world.nextAt();
    if (dueMs !== null && !isTurnArranged() && (next === null || dueMs < next)) {
      world.moveTo(dueMs);
      turn();
    } else {
      invariant(next !== null, 'nothing will ever happen again, and not every job has ended');
      world.step();
    }
    look();
  }
}
