/** How much memory processes use, added up. What belongs together is for the caller to say. */

import { pageBytes } from '../platform/libc.ts';
import type { ProcessInfo } from '../platform/processes.ts';

/**
 * The resident memory of all of them. Pages that several share are counted for each, so the sum errs on the
 * large side; telling them apart would take the kernel far longer.
 */
export function residentBytes(processes: readonly Pick<ProcessInfo, 'rssPages'>[]): number {
  return processes.reduce((sum, info) => sum + info.rssPages, 0) * pageBytes();
}
