/**
 * What sharing GPUs is worth, in the simulator: the same made-up day of 10,000 jobs (../tools/made-up-trace.mjs says what
 * it is made of) on the same 64 GPUs, given whole; in parts that users declare; and in parts that the yard has learnt. The
 * world is the same for all three: neighbours slow each other down where together they want more than a device can do, and
 * whoever wants memory that is not there fails. Nothing is timed here but simulated time, so one round says it all. The day
 * is more than whole GPUs can do in a day, so there most of a job's time is waiting: how many times sooner it is done depends
 * on how full the cluster is, and says less about a quiet one.
 */

import { PLAIN_POLICY } from '../../dist/model/plain.js';
import { simulateGpus } from '../../dist/sim/gpus/simulate.js';
import { ratio } from '../tools/figures.mjs';
import { declaredMillis, madeUpJobs, madeUpNodes, specOf } from '../tools/made-up-trace.mjs';

const JOBS = 10_000;
const NODES = 8;
const GPUS_PER_NODE = 8;
const HOUR_MS = 3_600_000;
const SUBMITTED_WITHIN_MS = 24 * HOUR_MS;
const SEED = 1;

const WAYS = {
  'whole GPUs': () => ({ sharing: 'whole' }),
  'declared parts': (job) => ({ shareMillis: declaredMillis(job) }),
  'learned parts': () => ({ sharing: 'auto' }),
};

export async function measureGpuPacking({ say }) {
  const nodes = madeUpNodes(NODES, GPUS_PER_NODE);
  const jobs = madeUpJobs(JOBS, SUBMITTED_WITHIN_MS, SEED);
  const reports = Object.entries(WAYS).map(([name, gpus]) => {
    const startedAt = performance.now();
    const report = simulateGpus(simulationOf(nodes, jobs, gpus));
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
    say(
      `${name}: simulated in ${seconds} s, ${JSON.stringify(report.outcomes)}, ${report.learners} first runs`,
    );
    return { name, report };
  });
  return reports.map((way) => row(way, reports[0]));
}

function row({ name, report }, { name: first, report: base }) {
  const { makespanMs, meanCompletionMs, memoryUsed, ranOut, starts } = report;
  const isFirst = report === base;
  return {
    what: `10,000 jobs on 64 GPUs, ${name}`,
    figure: `all done after ${hours(makespanMs)}, a job after ${hours(meanCompletionMs)}`,
    against: `memory used ${(100 * memoryUsed).toFixed(0)} %, ${ranOut} of ${starts.toLocaleString('en')} runs ran out`,
    ratio: isFirst
      ? ''
      : `${ratio(base.makespanMs / makespanMs)} and ${ratio(base.meanCompletionMs / meanCompletionMs)} × as fast as ${first}`,
  };
}

const hours = (ms) => `${(ms / HOUR_MS).toFixed(1)} h`;

function simulationOf(nodes, jobs, gpus) {
  return {
    seed: SEED,
    name: '--gpus',
    nodes,
    policy: PLAIN_POLICY,
    submissions: jobs.map((job) => ({
      atMs: job.atMs,
      spec: specOf(job, gpus(job)),
      behaviour: () => job.behaviour,
      killedAfterMs: null,
      cancelledAfterMs: null,
    })),
    timing: {
      startDelayMs: () => 1000,
      reportDelayMs: () => 5000,
      sampleEveryMs: 2000,
      learnAfterMs: PLAIN_POLICY.gpu.learnAfterMs,
    },
    faults: { crash: 0, strangerEveryMs: null, nodeLostEveryMs: null, secondThoughtEveryMs: null },
    turnEveryMs: 1000,
    watch: null,
  };
}
