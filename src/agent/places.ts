/** Which processes an attempt consists of and where each belongs: one entry per shim. Pure. */

import type { Attempt, Job, NodeShare } from '../model/job.ts';
import { fillPattern } from '../model/pattern.ts';

export interface Place {
  readonly rank: number;
  /** Its number among the ranks of the same node. */
  readonly localRank: number;
  readonly node: NodeShare;
  readonly nodeNumber: number;
  readonly streams: PlaceStreams;
}

export interface PlaceStreams {
  readonly stdin: string;
  readonly stdout: string;
  /** Equal to stdout when both go to one file. */
  readonly stderr: string;
}

export function placesOf(job: Job, attempt: Attempt): readonly Place[] {
  const places: Place[] = [];
  attempt.placement.nodes.forEach((node, nodeNumber) => {
    const ranks = job.spec.program.spread === 'everyRank' ? node.ranks : nodeNumber === 0 ? 1 : 0;
    for (let localRank = 0; localRank < ranks; localRank++) {
      const rank = places.length;
      const streams = streamsOf(job, attempt, node, nodeNumber, rank);
      places.push({ rank, localRank, node, nodeNumber, streams });
    }
  });
  return places;
}

/** How many ranks the job has, whether or not each has a shim of its own. */
export function rankCount(attempt: Attempt): number {
  return attempt.placement.nodes.reduce((sum, node) => sum + node.ranks, 0);
}

function streamsOf(
  job: Job,
  attempt: Attempt,
  node: NodeShare,
  nodeNumber: number,
  rank: number,
): PlaceStreams {
  const { stdin, stdout, stderr } = job.spec.streams;
  const fill = (pattern: string) =>
    fillPattern(pattern, job, attempt, { name: node.node, number: nodeNumber }, rank);
  const out = fill(stdout);
  return {
    stdin: stdin === null ? '/dev/null' : fill(stdin),
    stdout: out,
    stderr: stderr === null ? out : fill(stderr),
  };
}
