/** Where a run of a job has what is its own: a directory for its files, and one in which it is told about itself. */

import type { Attempt, Job } from '../../../model/job.ts';
import { fillPattern } from '../../../model/pattern.ts';
import type { VoiceSurroundings } from '../../../model/voice.ts';
import { taskNumber } from '../job-facts.ts';
import { wordOf } from '../words.ts';

type Place = Pick<VoiceSurroundings, 'temporaryDir'>;

/** The number that people know it by. */
export function jobNumber({ id, element }: Pick<Job, 'id' | 'element'>): number {
  return element?.array ?? id;
}

/** What TMPDIR is on the first node of the job. */
export function ownDirectory(job: Job, { temporaryDir }: Place): string {
  return `${temporaryDir}/${jobNumber(job)}.${taskNumber(job)}.${job.spec.queue}`;
}

/** On its other nodes, which may be rehearsed on the same machine, it is another one: programs take it for the node's own. */
export function directoryOn(nodeNumber: number, ofFirstNode: string): string {
  return nodeNumber === 0 ? ofFirstNode : `${ofFirstNode}.${nodeNumber}`;
}

/** Only a parallel job is told something through files; for the others their own directory will do. */
export function spoolDirectory(job: Job, place: Place): string {
  if (wordOf(job, 'pe') === null) return ownDirectory(job, place);
  return `${place.temporaryDir}/active_jobs/${jobNumber(job)}.${taskNumber(job)}`;
}

export function hostFile(job: Job, place: Place): string {
  return `${spoolDirectory(job, place)}/pe_hostfile`;
}

/** A pattern of a path as it is for this run. */
export function filledPath(pattern: string, job: Job, attempt: Attempt): string {
  const node = attempt.placement.nodes[0];
  return fillPattern(pattern, job, attempt, node === undefined ? null : { name: node.node, number: 0 }, 0);
}
