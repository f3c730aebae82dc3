/** A control group on each node for jobs that asked for memory: the limit, and afterwards the peak. */

import { Fault } from '../../model/refusal.ts';
import { errorWords } from '../../platform/files.ts';
import { type Cgroups, createCgroup, readCgroup, removeCgroup } from '../cgroups.ts';
import type { Hook } from './hook.ts';

/** Groups that could not be removed at once go to `leftover`. */
export function memoryGroup(cgroups: Cgroups | null, leftover: (directory: string) => void): Hook {
  return {
    name: 'memory group',
    before(staging) {
      if (cgroups === null || staging.job.spec.resources.memory === null) return;
      for (const place of staging.places) {
        if (staging.cgroups.has(place.nodeNumber)) continue;
        const name = `${staging.attempt.id}.${place.nodeNumber}`;
        try {
          staging.cgroups.set(place.nodeNumber, createCgroup(cgroups, name, place.node.memoryBytes));
        } catch (error) {
          throw new Fault(`cannot limit its memory: ${errorWords(error)}`, true);
        }
      }
    },
    after({ remains, findings }) {
      for (const directory of remains.cgroups) {
        const reading = readCgroup(directory);
        if (reading === null) continue;
        findings.oomKills += reading.oomKills;
        if (reading.peakBytes !== null) {
          findings.peakBytes = Math.max(findings.peakBytes ?? 0, reading.peakBytes);
        }
        if (!removeCgroup(directory)) leftover(directory);
      }
    },
  };
}
