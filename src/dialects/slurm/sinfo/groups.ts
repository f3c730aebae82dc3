/**
 * The lines of `sinfo`: nodes that are alike in everything that the line tells are told of together. Which fields
 * keep nodes apart is the fields' business.
 */

import type { Queue } from '../../../model/policy.ts';
import type { Column } from '../listing/layout.ts';
import { compareHosts } from '../listing/sort.ts';
import type { NodeSight } from './node-sights.ts';

/** A node as a member of a partition. */
export interface Place {
  readonly queue: Queue;
  readonly node: NodeSight;
}

export interface Group {
  readonly scene: Scene;
  /** The first of the partitions that it is about, and its place in the config. */
  readonly queue: Queue;
  readonly queueIndex: number;
  /** By name; none where nothing of a partition was wanted. */
  readonly nodes: readonly NodeSight[];
}

/** What every line of one listing is told by. */
export interface Scene {
  readonly host: string;
}

export interface NodeField extends Column<Group> {
  /** Nodes or partitions with different answers are on different lines. */
  readonly apartBy?: (place: Place) => string | number | boolean | null;
  /** The same, but only where somebody wants it exact. */
  readonly apartIfExact?: (place: Place) => string | number | null;
  /** Whether it names the partition, so that one without nodes has a line too. */
  readonly namesPartition?: boolean;
}

export interface GroupingWishes {
  readonly fields: readonly NodeField[];
  /** A line for each node in each partition. */
  readonly eachNode: boolean;
  readonly exact: boolean;
}

export function groupsOf(
  queues: readonly Queue[],
  nodes: readonly NodeSight[],
  scene: Scene,
  { fields, eachNode, exact }: GroupingWishes,
): Group[] {
  const keys = fields.flatMap(({ apartBy, apartIfExact }) => {
    const exactly = exact ? apartIfExact : undefined;
    return [apartBy, exactly].filter((key) => key !== undefined);
  });
  const keyOf = (place: Place) => {
    const told = keys.map((key) => key(place));
    return JSON.stringify(eachNode ? [place.queue.name, place.node.name, ...told] : told);
  };
  const tellsPartitions = !eachNode && fields.some(({ namesPartition }) => namesPartition === true);
  const groups = new Map<
    string,
    { readonly queue: Queue; readonly queueIndex: number; nodes: Set<NodeSight> }
  >();
  for (const [queueIndex, queue] of queues.entries()) {
    const here = nodes.filter(({ name }) => queue.nodes === null || queue.nodes.includes(name));
    if (here.length === 0 && tellsPartitions) groups.set(queue.name, { queue, queueIndex, nodes: new Set() });
    for (const node of here) {
      const key = keyOf({ queue, node });
      const group = groups.get(key);
      if (group === undefined) groups.set(key, { queue, queueIndex, nodes: new Set([node]) });
      else group.nodes.add(node);
    }
  }
  return [...groups.values()].map((group) => ({
    ...group,
    scene,
    nodes: [...group.nodes].sort((a, b) => compareHosts(a.name, b.name)),
  }));
}
