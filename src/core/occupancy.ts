/** Who is where: the shares of every live attempt, by node. */

import type { JobId, NodeName } from '../model/ids.ts';
import { holdsResources, type NodeShare, sharesHeld } from '../model/job.ts';
import { jobOf, type YardState } from './state.ts';

export interface Tenant {
  readonly job: JobId;
  readonly share: NodeShare;
}

export function jobsAndShares(state: YardState): Map<NodeName, Tenant[]> {
  const byNode = new Map<NodeName, Tenant[]>();
  for (const id of state.live) {
    const { attempt } = jobOf(state, id);
    if (!holdsResources(attempt)) continue;
    for (const share of sharesHeld(attempt)) {
      const tenants = byNode.get(share.node) ?? [];
      tenants.push({ job: id, share });
      byNode.set(share.node, tenants);
    }
  }
  return byNode;
}
