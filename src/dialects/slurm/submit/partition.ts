/** Which queue a partition is. Where none were configured, scripts written for other places may name any. */

import type { JobSpec } from '../../../model/job-spec.ts';
import type { Policy } from '../../../model/policy.ts';
import { SubmissionRefused } from './complaints.ts';

export interface Partition {
  /** Empty: whichever is the default. */
  readonly queue: string;
  /** Where several would do, the preferred one first. */
  readonly choices: Pick<JobSpec, 'queueChoices'>;
  readonly warnings: readonly string[];
}

/** `text` is null when none was named; several are separated by commas. */
export function partitionFor(text: string | null, { queues, unknownQueue }: Policy): Partition {
  if (text === null) return { queue: '', choices: {}, warnings: [] };
  const names = text.split(',');
  const known = names.filter((name) => queues.some((queue) => queue.name === name));
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined && unknownQueue === 'refuse') {
    throw new SubmissionRefused('Invalid partition name specified', [
      `invalid partition specified: ${text === '' ? '(null)' : text}`,
    ]);
  }
  const [first] = known;
  if (first === undefined) {
    const standIn = queues.find((queue) => queue.isDefault) ?? queues[0];
    const instead = standIn === undefined ? '' : `; using ${standIn.name}`;
    return { queue: '', choices: {}, warnings: [`there is no partition ${text} here${instead}`] };
  }
  return { queue: first, choices: known.length > 1 ? { queueChoices: known } : {}, warnings: [] };
}
