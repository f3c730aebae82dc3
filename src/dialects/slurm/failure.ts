/**
 * How Slurm's commands say no. Clients parse these texts and exit codes, so they are the original's to the letter.
 * What the yard refuses comes here as a refusal and leaves in Slurm's words.
 */

import type { Refusal, RefusalCode } from '../../model/refusal.ts';

/** Ends a command: what it prints on stderr, whole lines, and its exit code. */
export class SlurmFailure extends Error {
  readonly lines: readonly string[];
  readonly exitCode: number;
  constructor(lines: readonly string[], exitCode: number) {
    super(lines.join('\n'));
    this.lines = lines;
    this.exitCode = exitCode;
  }
}

/** `sbatch: error: MESSAGE`. */
export function failure(command: string, message: string, exitCode = 1): SlurmFailure {
  return new SlurmFailure([`${command}: error: ${message}`], exitCode);
}

/** Slurm's own sentence for what the yard refused; where it has none, the yard's. */
export function slurmSentence({ code, message }: Refusal): string {
  return SENTENCES[code] ?? message;
}

const SENTENCES: Readonly<Partial<Record<RefusalCode, string>>> = {
  noSuchJob: 'Invalid job id specified',
  noSuchQueue: 'Invalid partition name specified',
  noSuchNode: 'Invalid node name specified',
  noSuchQos: 'Invalid qos specification',
  noSuchAccount: 'Invalid account or account/partition combination specified',
  notAllowed: 'Access/permission denied',
  neverPossible: 'Requested node configuration is not available',
};
