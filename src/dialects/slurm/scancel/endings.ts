/** What came of one request, in Slurm's words and with its numbers: an exit code is the low byte of an error's number. */

import type { Refusal } from '../../../model/refusal.ts';
import { slurmSentence } from '../failure.ts';

export interface Ending {
  readonly sentence: string;
  readonly exitCode: number;
  /** Nothing was left to do: no reason to fail, nor to say it unasked. */
  readonly harmless: boolean;
}

export const NO_SUCH_JOB: Ending = {
  sentence: 'Invalid job id specified',
  exitCode: 2017 % 256,
  harmless: true,
};

export const COMPLETED: Ending = {
  sentence: 'Job/step already completing or completed',
  exitCode: 2021 % 256,
  harmless: true,
};

export const NOT_FEDERATED: Ending = {
  sentence: 'Not a valid federated job',
  exitCode: 191,
  harmless: false,
};

const DENIED: Ending = { sentence: 'Access/permission denied', exitCode: 2002 % 256, harmless: false };

export const NOT_NOW: Ending = {
  sentence: 'Job can not be altered now, try again later',
  exitCode: 2020 % 256,
  harmless: false,
};

export function endingOf(refusal: Refusal): Ending {
  switch (refusal.code) {
    case 'noSuchJob':
    case 'noSuchStep':
      return NO_SUCH_JOB;
    case 'notAllowed':
      return DENIED;
    case 'wrongState':
      return NOT_NOW;
    default:
      return { sentence: slurmSentence(refusal), exitCode: 1, harmless: false };
  }
}
