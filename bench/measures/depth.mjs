/**
 * Does a long queue slow a yard down? A thousand small jobs are run through a yard while 1,000 jobs wait in
 * it, and through another while 100,000 wait, in turns. Two kinds of waiting: pending for a GPU that is busy,
 * which the scheduler has to look past again and again, and held, which it need not look at.
 */

import { median, megabytes, perSecond, ratio } from '../tools/figures.mjs';
import { residentBytes, submit, submitMany, withYard } from '../tools/yard.mjs';
import { timeJobs } from './throughput.mjs';

const FEW = 1_000;
const JOBS = 1_000;
/** Two for the small jobs, one for the job that keeps the GPU. */
const CPUS = 3;

const DISCARDED = { stdout: '/dev/null' };

const KINDS = [
  { name: 'pending', job: { command: ['/bin/true'], resources: { gpus: 1 }, streams: DISCARDED } },
  { name: 'held', job: { command: ['/bin/true'], held: true, streams: DISCARDED } },
];

export async function measureDepth({ rounds, queued, say }) {
  const rows = [];
  for (const kind of KINDS) rows.push(...(await measureKind(kind, rounds, queued, say)));
  return rows;
}

function measureKind(kind, rounds, queued, say) {
  const many = queued.toLocaleString('en');
  return withYard(CPUS, (shallow) =>
    withYard(CPUS, async (deep) => {
      const emptyBytes = residentBytes(deep);
      await fill(shallow, kind, FEW);
      const startedAt = performance.now();
      await fill(deep, kind, queued);
      say(`${many} ${kind.name} jobs submitted: ${perSecond(queued, performance.now() - startedAt)}`);
      const fullBytes = residentBytes(deep);
      const times = { shallow: [], deep: [] };
      for (let round = 0; round < rounds; round++) {
        times.shallow.push(await timeJobs(shallow, JOBS));
        times.deep.push(await timeJobs(deep, JOBS));
      }
      return [
        {
          what: `throughput behind ${many} ${kind.name} jobs`,
          figure: perSecond(JOBS, median(times.deep)),
          against: `behind 1,000: ${perSecond(JOBS, median(times.shallow))}`,
          ratio: ratio(median(times.shallow) / median(times.deep)),
        },
        {
          what: `daemon's memory with ${many} ${kind.name} jobs`,
          figure: megabytes(fullBytes),
          against: `with none: ${megabytes(emptyBytes)}`,
          ratio: ratio(fullBytes / emptyBytes),
        },
      ];
    }),
  );
}

/** One job keeps the only GPU until the yard ends. */
async function fill(yard, kind, count) {
  await submit(yard, { command: ['sleep', '3600'], resources: { gpus: 1 }, streams: DISCARDED });
  await submitMany(yard, count, kind.job);
}
