/** Appends batches of two until it is killed, and says after each that it was told it is durable. */

import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { aBatch, aJob, aSpec } from './builders.ts';

const [directory, mode] = process.argv.slice(2) as [string, string];
const store = await openSqliteStore({ directory, safeMode: mode === 'safe' });
let { nextJobId, lastSeq } = store.load();
for (;;) {
  const jobs = [aJob(nextJobId), aJob(nextJobId + 1)].map((job) => ({ ...job, spec: aSpec() }));
  nextJobId += 2;
  store.append(
    aBatch({
      jobs,
      events: jobs.map((job) => ({
        seq: ++lastSeq,
        event: { at: lastSeq, type: 'jobSubmitted', job: job.id, spec: job.spec, phase: 'pending' },
      })),
      nextJobId,
    }),
  );
  process.stdout.write(`${nextJobId}\n`);
}
