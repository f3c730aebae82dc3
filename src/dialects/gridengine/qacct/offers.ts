/** `qacct -l`: whether the queue that a job ran in offers what is asked for, as it and its host are today. */

import { type Asking, query } from '../../program.ts';
import type { AccountingRecord } from '../accounting/record.ts';
import { GridEngineFailure } from '../failure.ts';
import { instanceValues } from '../host-values.ts';
import { instanceName } from '../job-facts.ts';
import { queueInstances } from '../queue-instances.ts';
import { meetsWishes, readWishes } from '../resource-match.ts';

/** Null: there is no such queue any more. */
export type Verdict = (record: AccountingRecord) => boolean | null;

export function* findOffers(resources: string): Asking<Verdict> {
  const read = readWishes(resources);
  if (!read.ok) throw new GridEngineFailure([`error: ${read.complaint}`], 1);
  const queues = yield* query('queues', {});
  const nodes = yield* query('nodes', { names: null });
  const verdicts = new Map(
    queueInstances(queues, nodes, []).map((instance) => [
      instance.name,
      meetsWishes(instanceValues(instance), read.wishes),
    ]),
  );
  return ({ qname, hostname }) => verdicts.get(instanceName({ queue: qname, node: hostname })) ?? null;
}
