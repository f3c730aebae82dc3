/** Prints the rows of a listing, and prints it again and again. */

import { printPieces } from '../../print-pieces.ts';
import { type Asking, awaitChange, clock, type Program, printOut } from '../../program.ts';
import { headingText } from '../moments.ts';
import { type Layout, rowLine } from './layout.ts';

export function* printRows<Row>(layout: Layout<Row>, rows: Iterable<Row>): Asking<void> {
  yield* printPieces(lines(layout, rows));
}

function* lines<Row>(layout: Layout<Row>, rows: Iterable<Row>): Generator<string> {
  for (const row of rows) yield rowLine(layout, row);
}

export interface Repetition {
  /** Null: once. */
  readonly everyMs: number | null;
  /** Whether the time is told above each listing. */
  readonly tellsTime: boolean;
  readonly zone: string;
}

/** With an interval it goes on until whoever asked for it goes away. */
export function* repeated({ everyMs, tellsTime, zone }: Repetition, once: () => Program): Program {
  for (;;) {
    if (tellsTime) yield* printOut(`${headingText(yield* clock(), zone)}\n`);
    const code = yield* once();
    if (everyMs === null) return code;
    yield* printOut('\n');
    yield* awaitChange([], everyMs);
  }
}
