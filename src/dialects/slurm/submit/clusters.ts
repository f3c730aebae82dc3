/** `--clusters` of a submission. */

import type { Asking } from '../../program.ts';
import { chooseCluster } from '../clusters.ts';
import type { Submitter } from './options.ts';

/** The name of the cluster, which is said back; null when none was asked for. */
export function* clusterFor(command: Submitter, text: string | null): Asking<string | null> {
  return text === null ? null : (yield* chooseCluster(command, text, null)).name;
}
