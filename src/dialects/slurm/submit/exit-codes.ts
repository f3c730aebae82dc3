/** Exit codes that a caller may choose, to tell those of its own programs from Slurm's. */

import { variableOf } from '../../environment.ts';
import type { Invocation } from '../../program.ts';

/** When something is refused or goes wrong. */
export function exitOnError(invocation: Invocation): number {
  return chosenCode(invocation, 'SLURM_EXIT_ERROR');
}

/** When there is no place at once and the caller does not wait. */
export function exitOnBusy(invocation: Invocation): number {
  return chosenCode(invocation, 'SLURM_EXIT_IMMEDIATE');
}

function chosenCode({ environment }: Invocation, variable: string): number {
  const text = variableOf(environment, variable) ?? '';
  return /^\d{1,3}$/.test(text) && Number(text) !== 0 ? Number(text) % 256 : 1;
}
