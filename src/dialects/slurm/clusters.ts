/** `-M`: a yard is the one cluster that it knows. */

import type { Asking } from '../program.ts';
import { query } from '../program.ts';
import { SlurmFailure } from './failure.ts';

export interface ClusterChoice {
  /** What the yard is called. */
  readonly name: string;
  /** Whether somebody asked for it by name, so that a listing says whose it is. */
  readonly named: boolean;
}

/** Refuses every cluster but this one; `all` is this one. */
export function* chooseCluster(
  command: string,
  option: string | null,
  variable: string | null,
): Asking<ClusterChoice> {
  const asked = option ?? variable;
  const { name } = yield* query('yard', {});
  if (asked === null) return { name, named: false };
  const unknown = asked === 'all' ? undefined : asked.split(',').find((cluster) => cluster !== name);
  if (unknown === undefined) return { name, named: true };
  const entry = option === null ? 'SLURM_CLUSTERS' : '--cluster';
  throw new SlurmFailure(
    [
      `${command}: error: No cluster '${unknown}' known by database.`,
      `${command}: error: '${asked}' can't be reached now, or it is an invalid entry for ${entry}.  Use 'sacctmgr list clusters' to see available clusters.`,
    ],
    1,
  );
}
