/**
 * Binding ranks to their CPUs, for jobs that asked for CPUs, on nodes that know theirs. Others run wherever
 * the kernel puts them. A kernel that refuses is no reason for a job to fail.
 */

import type { Place } from '../places.ts';
import type { Hook } from './hook.ts';

export const cpuPinning: Hook = {
  name: 'cpu pinning',
  before(staging) {
    if (!staging.job.spec.resources.cpusAsked) return;
    const onePerRank = staging.job.spec.program.spread === 'everyRank';
    for (const place of staging.places) {
      const ids = onePerRank ? idsOfRank(place, staging.job.spec.resources.cpusPerRank) : place.node.cpuIds;
      if (ids.length > 0) staging.cpuIds.set(place.rank, ids);
    }
  },
};

/** Its part of the node's share; the whole share when that cannot be divided. */
function idsOfRank(place: Place, cpusPerRank: number): readonly number[] {
  const first = place.localRank * cpusPerRank;
  const ids = place.node.cpuIds.slice(first, first + cpusPerRank);
  return ids.length === cpusPerRank ? ids : place.node.cpuIds;
}
