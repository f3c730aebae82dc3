/** What answers about the yard are made from. */

import type { YardState } from '../core/state.ts';
import type { DevicesNow } from '../model/device-use.ts';
import type { JobRef } from '../model/ids.ts';
import type { Job } from '../model/job.ts';
import type { Policy } from '../model/policy.ts';
import type { ConfigView, LiveUsage, MachineView, UserView, YardActivity } from '../model/query.ts';
import type { Store } from '../store/store.ts';

/** What the daemon knows of itself and its surroundings. */
export interface Surroundings {
  readonly version: string;
  /** What the yard is called. */
  readonly name: string;
  readonly host: string;
  readonly mail: string | null;
  readonly directory: string;
  readonly socket: string;
  readonly startedAt: number;
  readonly user: string;
  readonly config: ConfigView;
  userNamed(name: string): UserView | null;
  /** The machine that every node of the yard is, or plays on. */
  machine(): MachineView;
  remarks(): readonly string[];
}

export interface Sources {
  readonly state: YardState;
  readonly policy: Policy;
  readonly store: Store;
  readonly now: number;
  readonly lastSeq: number;
  /** Why nothing can be written at the moment. */
  readonly trouble: string | null;
  readonly surroundings: Surroundings;
  readonly activity: YardActivity;
  /** What an attempt uses at this moment; null when it does not run. */
  measure(attempt: string): LiveUsage | null;
  /** What is seen of the devices of the yard's nodes. */
  devicesNow(): DevicesNow;
  /** The job that is meant, from memory or from the store. */
  find(ref: JobRef): Job | null;
}
