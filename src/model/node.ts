/** Machines and what they have. */

import type { NodeName } from './ids.ts';

export interface Node {
  readonly name: NodeName;
  readonly cpus: number;
  /** The kernel's numbers of those CPUs; empty when the node is rehearsed rather than real. */
  readonly cpuIds: readonly number[];
  readonly memoryBytes: number;
  readonly devices: readonly Device[];
  readonly features: readonly string[];
  readonly state: NodeState;
  /** Why it is not up. */
  readonly reason: string | null;
}

export type NodeState = 'up' | 'draining' | 'lost';

/** What a program is told to see just this device. */
export function visibleName({ visibleAs, index }: Pick<Device, 'visibleAs' | 'index'>): string {
  return visibleAs ?? `${index}`;
}

export interface Device {
  readonly index: number;
  readonly kind: string;
  readonly memoryBytes: number;
  readonly simulated: boolean;
  /** As its driver names it, where it has such a name. */
  readonly uuid?: string;
  /** What programs must be told to see just this device; absent: its index. */
  readonly visibleAs?: string;
  /** What processes that the yard did not start were last seen to use of its memory; absent: nothing. */
  readonly foreignBytes?: number;
}
