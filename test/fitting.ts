/** For tests of where jobs fit: nodes with nothing on them, and what a place looks like. */

import { allFree } from '../src/core/ledger.ts';
import { type Candidate, findPlace } from '../src/core/schedule/fit.ts';
import { aJob, type NodeBuilder, type Wants } from './builders.ts';

export function candidates(...nodes: NodeBuilder[]): Candidate[] {
  return nodes.map(({ node }) => ({ node, free: allFree(node) }));
}

export function place(wants: Wants, among: Candidate[]) {
  return findPlace(aJob().wanting(wants).spec.resources, among)?.nodes ?? null;
}

/** [node, ranks, cpus, devices] of each share. */
export function summary(wants: Wants, among: Candidate[]) {
  return place(wants, among)?.map(({ node, ranks, cpus, devices }) => [
    node,
    ranks,
    cpus,
    devices.map(({ index }) => index).join(','),
  ]);
}
