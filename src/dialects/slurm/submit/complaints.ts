/** The ways in which Slurm's submitting commands say no, with the exit code that goes with each. */

import { SlurmFailure } from '../failure.ts';
import type { Submitter } from './options.ts';

/** What the original gives up with when an option makes no sense: exit(-1). */
export const EXIT_OPTION = 255;

export function invalid(command: Submitter, option: string): SlurmFailure {
  return complaint(command, `Invalid --${option} specification`, EXIT_OPTION);
}

export function badNumber(command: Submitter, option: string, value: string): SlurmFailure {
  return complaint(command, `Invalid numeric value "${value}" for --${option}.`, 1);
}

export function complaint(command: Submitter, message: string, exitCode: number): SlurmFailure {
  return new SlurmFailure([`${command}: error: ${message}`], exitCode);
}

export function fatal(command: Submitter, message: string): SlurmFailure {
  return new SlurmFailure([`${command}: fatal: ${message}`], 1);
}

/** What the original's controller says, rather than the command itself. */
export class SubmissionRefused extends Error {
  /** Lines that come before the sentence, complete but for the command's name. */
  readonly before: readonly string[];
  constructor(sentence: string, before: readonly string[] = []) {
    super(sentence);
    this.before = before;
  }
}

const INTRODUCTIONS: Readonly<Record<Submitter, string>> = {
  sbatch: 'Batch job submission failed',
  srun: 'Unable to allocate resources',
  salloc: 'Job submit/allocate failed',
};

export interface RefusalStyle {
  readonly command: Submitter;
  /** With `--test-only` nothing was submitted, and the sentence begins otherwise. */
  readonly testOnly: boolean;
  /** `SLURM_EXIT_ERROR`, or 1. */
  readonly exitCode: number;
}

export function refusedFailure(
  { message, before }: SubmissionRefused,
  { command, testOnly, exitCode }: RefusalStyle,
): SlurmFailure {
  const lines = before.map((line) => `${command}: error: ${line}`);
  const last = testOnly
    ? `allocation failure: ${message}`
    : `${command}: error: ${INTRODUCTIONS[command]}: ${message}`;
  return new SlurmFailure([...lines, last], exitCode);
}
