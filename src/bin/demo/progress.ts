/**
 * A training run as it is seen while it goes on: reads the trainer's lines and draws the one line that stands
 * for all of them. It knows nothing of jobs or of who runs them.
 */

import { curve } from '../../dialects/text/curve.ts';

export interface Epoch {
  readonly epoch: number;
  readonly of: number;
  readonly loss: number;
  /** Null when the job has no such thing. */
  readonly accuracy: number | null;
}

/** Reads `epoch 3/20 loss 0.1947 accuracy 0.9387 seconds 0.26`; null when the line is something else. */
export function parseEpoch(line: string): Epoch | null {
  const match = /^epoch (\d+)\/(\d+) loss ([\d.]+)(?: accuracy ([\d.]+))?/.exec(line);
  if (match === null) return null;
  return {
    epoch: Number(match[1]),
    of: Number(match[2]),
    loss: Number(match[3]),
    accuracy: match[4] === undefined ? null : Number(match[4]),
  };
}

/** `epoch 12/20 ████████████░░░░░░░░ loss 0.0592 █▃▂▁▁▁▁▁▁▁▁▁ accuracy 96.1 %`, cut to the terminal's width. */
export function progressLine(epochs: readonly Epoch[], columns: number): string {
  const last = epochs.at(-1);
  if (last === undefined) return '';
  const count = `epoch ${`${last.epoch}`.padStart(`${last.of}`.length)}/${last.of}`;
  const parts = [count, `loss ${last.loss.toFixed(4)}`];
  if (last.accuracy !== null) parts.push(`accuracy ${(last.accuracy * 100).toFixed(1)} %`);
  const room = columns - 1 - parts.join('  ').length;
  // The bar gives way first, then the curve: the figures say the most.
  const losses = epochs.map(({ loss }) => loss).slice(-MOST_CELLS);
  const barCells = Math.min(last.of, MOST_CELLS);
  if (room > losses.length) parts[1] += ` ${curve(losses)}`;
  if (room > losses.length + barCells + 2) parts.splice(1, 0, bar(last.epoch / last.of, barCells));
  return parts.join('  ').slice(0, columns - 1);
}

const MOST_CELLS = 20;

function bar(share: number, cells: number): string {
  const full = Math.round(share * cells);
  return '█'.repeat(full) + '░'.repeat(cells - full);
}
