/** Which nodes a job may use at all, whatever is free on them. */

import type { NodeName } from '../../model/ids.ts';
import type { JobSpec, ResourceRequest } from '../../model/job-spec.ts';
import type { Node } from '../../model/node.ts';
import type { Queue } from '../../model/policy.ts';
import { parseConstraint } from './constraint.ts';

export function eligibleNodes(nodes: Iterable<Node>, queue: Queue, { resources }: JobSpec): Node[] {
  const allowed = nodeTest(queue, resources);
  return [...nodes].filter(allowed);
}

/** A test for many nodes: what does not depend on the node is worked out once. */
function nodeTest(
  queue: Queue,
  { constraint, onlyNodes, exceptNodes }: ResourceRequest,
): (node: Node) => boolean {
  const inQueue = queue.nodes === null ? null : new Set<NodeName>(queue.nodes);
  const only = onlyNodes.length === 0 ? null : new Set(onlyNodes);
  const except = new Set(exceptNodes);
  const features = constraint === null ? null : parseConstraint(constraint);
  return (node) =>
    (inQueue === null || inQueue.has(node.name)) &&
    (only === null || only.has(node.name)) &&
    !except.has(node.name) &&
    (constraint === null || (features?.(node.features) ?? false));
}
