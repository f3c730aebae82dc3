/**
 * The entry of the Slurm dialect: finds the command by the name it was called by, runs it, and turns what goes
 * wrong into Slurm's words and exit code.
 */

import { printable } from '../../model/bytes.ts';
import { Fault, RefusalError } from '../../model/refusal.ts';
import { type Invocation, type Program, printErr } from '../program.ts';
import type { SlurmCommand } from './command.ts';
import { SlurmFailure, slurmSentence } from './failure.ts';

export function slurmProgram(command: SlurmCommand): (invocation: Invocation) => Program {
  return function* (invocation) {
    try {
      return yield* command.run(invocation);
    } catch (error) {
      const failed = failureOf(error, command.name);
      if (failed === null) throw error;
      yield* printErr(failed.lines.map((line) => `${printable(line)}\n`).join(''));
      return failed.exitCode;
    }
  };
}

/** Null for a defect, which is not the caller's. */
function failureOf(error: unknown, name: string): SlurmFailure | null {
  if (error instanceof SlurmFailure) return error;
  if (error instanceof RefusalError) {
    return new SlurmFailure([`${name}: error: ${slurmSentence(error.refusal)}`], 1);
  }
  if (error instanceof Fault) return new SlurmFailure([`${name}: error: ${error.message}`], 1);
  return null;
}
