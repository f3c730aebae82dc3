/** What a running attempt uses at this moment, its steps apart from the rest. */

import type { LiveUsage } from '../model/query.ts';
import { residentBytes, usageOfProcesses } from '../telemetry/processes.ts';
import { readCgroup } from './cgroups.ts';
import { type LiveAttempt, targetOf } from './live.ts';
import { takeSnapshot } from './members.ts';

export function measureAttempt(live: LiveAttempt, yardId: string): LiveUsage {
  const byStep = takeSnapshot(yardId).membersByStep(targetOf(live));
  const parts = [...byStep].map(([step, members]) => ({ step, ...usageOfProcesses(members) }));
  const now = residentBytes([...byStep.values()].flat());
  const peaks = live.cgroups.flatMap((directory) => readCgroup(directory)?.peakBytes ?? []);
  const known = [live.measuredPeakBytes, ...peaks].filter((bytes) => bytes !== null);
  return {
    parts: parts.sort((a, b) => (a.step ?? -1) - (b.step ?? -1)),
    peakMemoryBytes: known.length === 0 ? null : Math.max(now, ...known),
  };
}
