/**
 * The entry of the Grid Engine dialect: finds the command by the name it was called by, runs it, and turns what goes
 * wrong into Grid Engine's words and exit code.
 */

import { printable } from '../../model/bytes.ts';
import { Fault, RefusalError } from '../../model/refusal.ts';
import { type Invocation, type Program, printErr, printOut } from '../program.ts';
import type { GridEngineCommand } from './command.ts';
import { GridEngineFailure } from './failure.ts';

export function gridEngineProgram(command: GridEngineCommand): (invocation: Invocation) => Program {
  return function* (invocation) {
    try {
      return yield* command.run(invocation);
    } catch (error) {
      const failed = failureOf(error);
      if (failed === null) throw error;
      const text = failed.lines.map((line) => `${printable(line)}\n`).join('');
      yield* failed.stream === 'stdout' ? printOut(text) : printErr(text);
      return failed.exitCode;
    }
  };
}

/** Null for a defect, which is not the caller's. */
function failureOf(error: unknown): GridEngineFailure | null {
  if (error instanceof GridEngineFailure) return error;
  if (error instanceof RefusalError) return new GridEngineFailure([`error: ${error.refusal.message}`], 1);
  if (error instanceof Fault) return new GridEngineFailure([`error: ${error.message}`], 1);
  return null;
}
