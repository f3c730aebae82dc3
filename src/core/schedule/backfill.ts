/**
 * A place kept for the job that goes first and cannot start yet: the earliest time at which it certainly
 * fits, found by letting what runs come to its end. Those behind it may then start now if they are gone by
 * that time or fit beside it, so that it is never delayed.
 */

import type { NodeName } from '../../model/ids.ts';
import type { Job } from '../../model/job.ts';
import type { Queue } from '../../model/policy.ts';
import { add, addCpus, allFree, copyFree, type Free, subtract } from '../ledger.ts';
import { type Candidate, fewestRanks, findPlace } from './fit.ts';
import { nodesFor, type Pass, type Reservation } from './pass.ts';
import { type Release, releasesOf } from './releases.ts';
import { requestIn } from './seat.ts';

/** Null when it does not fit on these nodes even once everything else has ended. */
export function reserve(pass: Pass, job: Job, queue: Queue): Reservation | null {
  const candidates = new Map<NodeName, Candidate>();
  for (const node of nodesFor(pass, queue, job.spec))
    candidates.set(node.name, { node, free: copyFree(pass.free.get(node.name) as Free) });
  const oneNode = job.spec.resources.nodes.max === 1;
  const request = fewestRanks(requestIn(pass, queue, job.spec));
  // Nor can it where another of its kind is to show first what such jobs use.
  const empty = [...candidates.values()].map(({ node }) => ({ node, free: allFree(node) }));
  if (findPlace(request, empty) === null) return null;
  const releases = releasesOf(pass);
  for (let at = 0; at < releases.length; ) {
    const time = (releases[at] as Release).at;
    const touched = new Map<NodeName, Candidate>();
    for (; at < releases.length && (releases[at] as Release).at === time; at++) {
      const { shares, cpusOnly } = releases[at] as Release;
      for (const share of shares) {
        const candidate = candidates.get(share.node);
        if (candidate === undefined) continue;
        if (cpusOnly) addCpus(candidate.free, share);
        else add(candidate.free, candidate.node, share);
        touched.set(share.node, candidate);
      }
    }
    // A job for one node can only have begun to fit where something was given back.
    const placement = findPlace(request, [...(oneNode ? touched : candidates).values()]);
    if (placement === null) continue;
    const spare = new Map<NodeName, Free>();
    for (const share of placement.nodes) {
      const { node, free } = candidates.get(share.node) as Candidate;
      subtract(free, node, share);
      spare.set(share.node, free);
    }
    return { job: job.id, queue: queue.name, startAt: time, placement, spare };
  }
  return null;
}
