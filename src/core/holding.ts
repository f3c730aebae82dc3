/** What attempts hold, entered into the ledgers of their nodes and into the tallies, and taken out again. */

import { holdsResources, type Job, sharesHeld } from '../model/job.ts';
import type { Node } from '../model/node.ts';
import { invariant } from '../model/refusal.ts';
import { giveBack, type Ledger, newLedger, take } from './ledger.ts';
import type { YardState } from './state.ts';
import { tallyAttempt } from './tally.ts';

/** Whether nothing of that has changed between two versions of a job. */
export function holdsTheSame(before: Job | null, after: Job | null): boolean {
  const [was, is] = [before?.attempt ?? null, after?.attempt ?? null];
  return (
    holdsResources(was) &&
    holdsResources(is) &&
    was.id === is.id &&
    was.placement === is.placement &&
    (was.cpusLentAt ?? null) === (is.cpusLentAt ?? null)
  );
}

export function hold(state: YardState, job: Job): void {
  move(state, job, 1);
}

export function giveUp(state: YardState, job: Job): void {
  move(state, job, -1);
}

function move(state: YardState, job: Job, sign: 1 | -1): void {
  const { attempt } = job;
  invariant(attempt !== null, `job ${job.id} has no attempt`);
  for (const share of sharesHeld(attempt)) {
    const node = state.nodes.get(share.node);
    const ledger = state.ledgers.get(share.node);
    if (node === undefined || ledger === undefined) continue;
    if (sign === 1) take(ledger, node, share);
    else giveBack(ledger, node, share);
  }
  tallyAttempt(state.tallies, job, attempt, sign);
}

/** What is taken on a node, counted anew. */
export function ledgerOf({ live, jobs }: YardState, node: Node): Ledger {
  const ledger = newLedger(node);
  for (const id of live) {
    const attempt = jobs.get(id)?.attempt ?? null;
    if (!holdsResources(attempt)) continue;
    for (const share of sharesHeld(attempt)) if (share.node === node.name) take(ledger, node, share);
  }
  return ledger;
}
