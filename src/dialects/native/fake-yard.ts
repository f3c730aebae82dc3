/** For tests: the native commands against a yard made of plain values. */

import { type FakeYard, type Ran, runDialect } from '../fake-yard.ts';
import type { Invocation } from '../program.ts';
import { runNative } from './run.ts';

/** Runs one command line, without the program's name, until it ends. */
export function run(yard: FakeYard, argv: readonly string[], changes: Partial<Invocation> = {}): Ran {
  return runDialect(runNative, yard, ['trainyard', ...argv], changes);
}
