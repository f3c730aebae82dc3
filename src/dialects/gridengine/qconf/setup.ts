/** All that `qconf` may be asked about, read once for a call. */

import type { Policy } from '../../../model/policy.ts';
import type { NodeView, QueueView, UserShare, YardView } from '../../../model/query.ts';
import { type Asking, query } from '../../program.ts';

export interface Setup {
  /** By name. */
  readonly queues: readonly QueueView[];
  readonly nodes: readonly NodeView[];
  readonly policy: Policy;
  readonly yard: YardView;
  readonly shares: readonly UserShare[];
  /** Where it is all written, or would be. */
  readonly configFile: string;
  /** Nothing that is long is broken into lines. */
  readonly isSingleLine: boolean;
}

export function* readSetup(isSingleLine: boolean): Asking<Setup> {
  const queues = yield* query('queues', {});
  const yard = yield* query('yard', {});
  const { file } = yield* query('config', {});
  return {
    queues: [...queues].sort((a, b) => (a.queue.name < b.queue.name ? -1 : 1)),
    nodes: yield* query('nodes', { names: null }),
    policy: yield* query('policy', {}),
    yard,
    shares: yield* query('shares', {}),
    configFile: file ?? `${yard.directory}/trainyard.toml`,
    isSingleLine,
  };
}
