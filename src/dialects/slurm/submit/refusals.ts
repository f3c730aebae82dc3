/** What the yard refuses at submission, in the sentences of Slurm's controller. */

import type { Refusal, RefusalSubject } from '../../../model/refusal.ts';
import { slurmSentence } from '../failure.ts';
import { SubmissionRefused } from './complaints.ts';

const NOT_AVAILABLE = 'Requested node configuration is not available';
const TOO_MANY = 'More processors requested than permitted';
const TOO_LONG = 'Requested time limit is invalid (missing or exceeds some limit)';

const SENTENCES: Readonly<Record<RefusalSubject, string>> = {
  cpus: TOO_MANY,
  nodes: TOO_MANY,
  memory: NOT_AVAILABLE,
  gpus: NOT_AVAILABLE,
  nodeName: 'Invalid node name specified',
  feature: 'Invalid feature specification',
  timeLimit: TOO_LONG,
  deadline: TOO_LONG,
  arraySize: 'Invalid job array specification',
  jobCount: `Job violates accounting/QOS policy (job submit limit, user's size and/or time limits)`,
};

export function submissionRefused(refusal: Refusal): SubmissionRefused {
  const { about } = refusal;
  if (about === undefined) return new SubmissionRefused(slurmSentence(refusal));
  const before = about === 'memory' ? ['Memory specification can not be satisfied'] : [];
  return new SubmissionRefused(SENTENCES[about], before);
}
