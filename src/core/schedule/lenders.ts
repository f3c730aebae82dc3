/**
 * Jobs that were suspended to make room and have lent their CPUs. They go on once their own are free again, before
 * anybody of the same or a lower tier starts on them; until then, what is free of them is kept for them, so that they
 * wait for those who made them wait and for nobody else.
 */

import type { JobId, NodeName } from '../../model/ids.ts';
import type { Attempt, Job, NodeShare } from '../../model/job.ts';
import { tierOf } from '../precedence.ts';
import { jobOf } from '../state.ts';
import { type Lender, type Pass, takenCpuIdsOn } from './pass.ts';

export function enterLenders(pass: Pass): void {
  for (const id of pass.state.lenders) {
    const job = jobOf(pass.state, id);
    if (job.attempt !== null) enter(pass, job, job.attempt);
  }
}

function enter(pass: Pass, job: Job, attempt: Attempt): void {
  pass.lenders.push({ job, attempt, tier: tierOf(pass.policy, job.spec) });
  pass.lenders.sort(byTurn);
  for (const { node, cpuIds } of attempt.placement.nodes)
    for (const cpu of cpuIds) lentCpuIdsOn(pass, node).add(cpu);
}

/** The first last: those who have waited the longest, of the highest tier. */
function byTurn(a: Lender, b: Lender): number {
  const since = ({ attempt }: Lender) => attempt.cpusLentAt ?? Number.POSITIVE_INFINITY;
  if (a.tier !== b.tier) return a.tier - b.tier;
  return since(a) === since(b) ? b.job.id - a.job.id : since(b) - since(a);
}

/** For the rest of this pass: it is suspended at once, and its CPUs are free. */
export function lend(pass: Pass, job: Job, attempt: Attempt): void {
  for (const { node, cpus, cpuIds } of attempt.placement.nodes) {
    changeFree(pass, node, cpus);
    for (const cpu of cpuIds) takenCpuIdsOn(pass, node).delete(cpu);
  }
  enter(pass, job, attempt);
}

/** It did not help. */
export function lendNot(pass: Pass, job: Job, attempt: Attempt): void {
  for (const { node, cpus, cpuIds } of attempt.placement.nodes) {
    changeFree(pass, node, -cpus);
    for (const cpu of cpuIds) {
      takenCpuIdsOn(pass, node).add(cpu);
      lentCpuIdsOn(pass, node).delete(cpu);
    }
  }
  leaveLenders(pass, job.id);
}

/** It is to end, and will not have its CPUs back. */
export function leaveLenders({ lenders }: Pass, id: JobId): void {
  const at = lenders.findIndex(({ job }) => job.id === id);
  if (at >= 0) lenders.splice(at, 1);
}

/** Those of this tier or a higher one have their turn, before anybody starts who is of this tier. */
export function settleLenders(pass: Pass, tier: number): void {
  for (let next = pass.lenders.at(-1); next !== undefined && next.tier >= tier; next = pass.lenders.at(-1)) {
    pass.lenders.pop();
    const { job, attempt } = next;
    const isFree = attempt.placement.nodes.every((share) => isFreeAgain(pass, share));
    if (isFree && !pass.expected.has(attempt.makesRoomFor ?? 0)) pass.returns.push(job.id);
    else pass.waiting.add(job.id);
    for (const share of attempt.placement.nodes) keep(pass, share);
  }
}

/** A node that came back smaller gives it what there is. */
function isFreeAgain(pass: Pass, { node: name, cpus, cpuIds }: NodeShare): boolean {
  const node = pass.state.nodes.get(name);
  const free = pass.free.get(name);
  if (node === undefined || free === undefined) return true;
  const taken = takenCpuIdsOn(pass, name);
  return free.cpus >= Math.min(cpus, node.cpus) && !cpuIds.some((cpu) => taken.has(cpu));
}

/** Where CPUs have no numbers, what others have yet to give back makes less than nothing free. */
function keep(pass: Pass, { node, cpus, cpuIds }: NodeShare): void {
  const taken = takenCpuIdsOn(pass, node);
  const count = cpuIds.length === 0 ? cpus : cpuIds.filter((cpu) => !taken.has(cpu)).length;
  changeFree(pass, node, -count);
  for (const cpu of cpuIds) taken.add(cpu);
}

function changeFree(pass: Pass, node: NodeName, cpus: number): void {
  const free = pass.free.get(node);
  if (free !== undefined) free.cpus += cpus;
}

function lentCpuIdsOn({ lentCpuIds }: Pass, node: NodeName): Set<number> {
  const ids = lentCpuIds.get(node) ?? new Set();
  lentCpuIds.set(node, ids);
  return ids;
}
