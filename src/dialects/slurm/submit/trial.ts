/** `--test-only`: when and where a job would start, without submitting it. */

import type { JobSpec } from '../../../model/job-spec.ts';
import { type Asking, printErr, query } from '../../program.ts';
import { foldHosts } from '../host-list.ts';
import { momentText } from '../moments.ts';
import type { Submitter } from './options.ts';
import { submissionRefused } from './refusals.ts';

export function* printTrial(command: Submitter, spec: JobSpec, zone: string): Asking<number> {
  // What it waits for has no date, and may not be there at all.
  const trial = yield* query('trial', { spec: { ...spec, dependencies: null } });
  if (!trial.ok) throw submissionRefused(trial.refusal);
  const { job, startAt, placement, queue } = trial;
  const shares = placement?.nodes ?? [];
  const cpus = shares.reduce((total, share) => total + share.cpus, 0);
  const start = startAt === null ? 'Unknown' : momentText(startAt, zone);
  const nodes = foldHosts(shares.map(({ node }) => node));
  yield* printErr(
    `${command}: Job ${job} to start at ${start} using ${cpus} processors on nodes ${nodes} in partition ${queue}\n`,
  );
  return 0;
}
