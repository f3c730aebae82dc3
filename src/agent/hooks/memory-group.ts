/** A control group on each node for jobs that asked for memory: the limit, and afterwards the peak. */

import { Fault } from '../../model/refusal.ts';
import { errorWords } from '../../platform/files.ts';
import { type Cgroups, createCgroup, readCgroup, removeCgroup } from '../cgroups.ts';
import { hasMemoryLimit } from '../memory-limit.ts';
import type { Hook } from './hook.ts';

/** Groups that could not be removed at once go to `leftover`. */
export function memoryGroup(cgroups: Cgroups | null, leftover: (directory: string) => void): Hook {
  return {
    name: 'memory group',
    before(staging) {
      if (cgroups === null || !hasMemoryLimit(staging.job)) return;
      // On each of its nodes, whether or not a shim is there: steps may come.
      for (const [nodeNumber, { memoryBytes }] of staging.attempt.placement.nodes.entries()) {
        const name = `${staging.attempt.id}.${nodeNumber}`;
        try {
          staging.cgroups.set(nodeNumber, createCgroup(cgroups, name, memoryBytes));
        } catch (error) {
          throw new Fault(`cannot limit its memory: ${errorWords(error)}`, true, { cause: error });
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
