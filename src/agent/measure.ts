/** What a running attempt uses at this moment, rank by rank, its steps apart from the rest; and how far it has come. */

import type { LiveUsage } from '../model/query.ts';
import { residentBytes, usageOfProcesses } from '../telemetry/processes.ts';
import { readCgroup } from './cgroups.ts';
import { type LiveAttempt, targetOf } from './live.ts';
import { takeSnapshot } from './members.ts';
import { hasMemoryLimit } from './memory-limit.ts';
import type { AgentParts } from './parts.ts';

export function measureAttempt(
  live: LiveAttempt,
  { yardId, ownDirs, devices: watch }: AgentParts,
): LiveUsage {
  const devices = watch.usesOf(live.attempt.id);
  const progress = ownDirs.progress(live.attempt.id);
  const parts = takeSnapshot(yardId).membersByPart(targetOf(live));
  const now = residentBytes(parts.flatMap(({ members }) => members));
  // Where its memory is measured from time to time, this was one of the times.
  if (hasMemoryLimit(live.job) && live.cgroups.length === 0) {
    live.measuredPeakBytes = Math.max(live.measuredPeakBytes ?? 0, now);
  }
  const peaks = live.cgroups.flatMap((directory) => readCgroup(directory)?.peakBytes ?? []);
  const known = [live.measuredPeakBytes, ...peaks].filter((bytes) => bytes !== null);
  return {
    parts: parts.map(({ step, rank, members }) => ({ step, rank, ...usageOfProcesses(members) })),
    peakMemoryBytes: known.length === 0 ? null : Math.max(now, ...known),
    ...(progress === null ? {} : { progress }),
    ...(devices === null || devices.length === 0 ? {} : { devices }),
  };
}
