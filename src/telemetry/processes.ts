/** How much memory and CPU time processes use, added up. What belongs together is for the caller to say. */

import type { PartUsage } from '../model/query.ts';
import { pageBytes } from '../platform/libc.ts';
import type { ProcessInfo } from '../platform/processes.ts';

/**
 * The resident memory of all of them. Pages that several share are counted for each, so the sum errs on the
 * large side; telling them apart would take the kernel far longer.
 */
export function residentBytes(processes: readonly Pick<ProcessInfo, 'rssPages'>[]): number {
  return processes.reduce((sum, info) => sum + info.rssPages, 0) * pageBytes();
}

export function usageOfProcesses(processes: readonly ProcessInfo[]): Omit<PartUsage, 'step' | 'rank'> {
  const sum = (of: (info: ProcessInfo) => number) => processes.reduce((total, info) => total + of(info), 0);
  return {
    pids: processes.map(({ pid }) => pid),
    memoryBytes: residentBytes(processes),
    virtualBytes: sum((info) => info.virtualBytes),
    userCpuMs: sum((info) => info.userCpuMs),
    systemCpuMs: sum((info) => info.systemCpuMs),
  };
}
