/** Who submits, as their environment says it: kept on the job for the SGE_O_ variables and for `qstat -j`. */

import { variablesNamed } from '../../environment.ts';
import type { Invocation } from '../../program.ts';

export interface SubmitterFacts {
  readonly HOME: string;
  readonly PATH?: string;
  readonly SHELL?: string;
  readonly LOGNAME?: string;
  readonly MAIL?: string;
  readonly TZ?: string;
  readonly WORKDIR: string;
  readonly HOST: string;
}

const NAMES = new Set(['HOME', 'PATH', 'SHELL', 'LOGNAME', 'MAIL', 'TZ']);

export function submitterOf({ environment, workDir }: Invocation, host: string): SubmitterFacts {
  const found = variablesNamed(environment, NAMES);
  return { HOME: '/', ...Object.fromEntries(found), WORKDIR: workDir, HOST: host };
}

/** From the words of a job; null where it was submitted otherwise. */
export function submitterFrom(word: string | null): SubmitterFacts | null {
  if (word === null) return null;
  try {
    return JSON.parse(word) as SubmitterFacts;
  } catch {
    return null;
  }
}
