/** What sentences about one job need to know of what is around it. */

import type { JobId } from '../../model/ids.ts';

export interface Surroundings {
  readonly now: number;
  readonly zone: string;
  /** Who asks: "you". */
  readonly caller: string;
  /** By job: how people call it, and when it must have ended (null: nothing says so). */
  readonly others: ReadonlyMap<JobId, OtherJob>;
}

export interface OtherJob {
  readonly called: string;
  readonly endsBy: number | null;
}
