/** Processes on simulated devices that the yard did not start: they come, take what is there, and go. */

import type { Observation } from '../../model/command.ts';
import type { Random } from '../random.ts';
import type { World } from '../world.ts';
import { type Board, type Boards, usedBytes } from './boards.ts';

export interface Strangers {
  /** Somebody comes to some device, and goes after a while. */
  come(): void;
  /** What is on each node, as the agent reports it. */
  reports(): Observation[];
}

const STAYS_MS = 8 * 60_000;

export function strangersOn(
  boards: Boards,
  world: World,
  random: Random,
  tell: (report: Observation) => void,
): Strangers {
  const all = [...boards.values()];

  function set(board: Board, bytes: number): void {
    board.foreignBytes = bytes;
    board.everForeignBytes = Math.max(board.everForeignBytes, bytes);
    world.after(random.between(100, 10_000), () => tell(reportOf(board.node)));
  }

  function reportOf(node: string): Observation {
    const foreign = all
      .filter((board) => board.node === node && board.foreignBytes > 0)
      .map(({ index, foreignBytes: bytes }) => ({ index, bytes }));
    return { type: 'foreignUseSeen', node, foreign };
  }

  return {
    come() {
      const board = random.pick(all);
      if (board.foreignBytes > 0) return;
      const free = board.sizeBytes - usedBytes(board);
      const bytes = Math.floor(Math.min(free, board.sizeBytes * random.pick([0.03, 0.08, 0.3, 0.7])));
      if (bytes <= 0) return;
      set(board, bytes);
      world.after(random.waitMs(STAYS_MS), () => set(board, 0));
    },
    reports: () => [...new Set(all.map(({ node }) => node))].map(reportOf),
  };
}
