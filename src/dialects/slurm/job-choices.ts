/**
 * Jobs and steps as `sacct`, `sstat` and `seff` are given them: `17`, `17.batch`, `17.0`, `4_1`, `4_1.0`. Elements are
 * named one by one here, as in the original.
 */

import { SlurmFailure } from './failure.ts';

export interface JobChoice {
  readonly job: number;
  readonly index: number | null;
  /** Null: the job with all of its steps. */
  readonly step: 'batch' | number | 'other' | null;
}

/** What cannot be read is refused in the name of the command. */
export function readJobChoice(word: string, command: string): JobChoice {
  const refuse = (message: string) => new SlurmFailure([`${command}: fatal: ${message}`], 1);
  const [jobText = ''] = word.split('.', 1);
  const match = /^(\d{1,15})(?:([_+])(.*))?$/s.exec(jobText);
  if (match === null) throw refuse(`Bad job/step specified: ${word}`);
  const [, id = '', separator, element = ''] = match;
  if (separator === '_' && !/^\d{1,9}$/.test(element)) throw refuse(`Bad job array element specified: ${id}`);
  const step = readStep(word.slice(jobText.length));
  if (step === undefined) throw refuse(`Bad step specified: ${jobText}`);
  // The parts of a heterogeneous job have numbers too, but there are none here.
  const index = separator === undefined ? null : separator === '_' ? Number(element) : -1;
  return { job: Number(id), index, step };
}

/** Undefined when there is no such step. */
function readStep(text: string): JobChoice['step'] | undefined {
  const name = text.slice(1).toLowerCase();
  if (text === '') return null;
  if (/^\d{1,9}$/.test(name)) return Number(name);
  if (name === 'batch') return 'batch';
  return name === 'extern' || name === 'interactive' ? 'other' : undefined;
}
