/** `--signal=[R][B:]SIGNAL[@SECONDS]`: a warning ahead of the time limit. */

import type { Warning } from '../../../model/job-spec.ts';
import { parseSignal } from '../../../model/signals.ts';

const DEFAULT_SECONDS = 60;
const MOST_SECONDS = 65_535;

/** Without `B` it goes to the steps and not to the batch script; `R` is about reservations, and there are none. */
export function parseWarning(text: string): Warning | null {
  const match = /^(?:([RB]{1,2}):)?([A-Za-z0-9+]+)(?:@(\d{1,5}))?$/i.exec(text);
  if (match === null) return null;
  const signal = parseSignal(match[2] as string);
  const seconds = match[3] === undefined ? DEFAULT_SECONDS : Number(match[3]);
  if (signal === null || seconds > MOST_SECONDS) return null;
  const toBatchShell = (match[1] ?? '').toUpperCase().includes('B');
  return { signal, beforeMs: seconds * 1000, scope: toBatchShell ? 'main' : 'steps' };
}
