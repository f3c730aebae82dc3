/**
 * Puts many ended jobs into the store of a yard that is not running, as copies of jobs that it has really run: half of
 * them by themselves, half as elements of arrays. For measuring what listings cost without running so many jobs.
 *
 *   node bench/tools/fill-store.mjs DIRECTORY COUNT
 */

import { openSqliteStore } from '../../dist/store/sqlite/open.js';

const BATCH = 1000;
const NOTHING_ELSE = {
  events: [],
  steps: [],
  nodes: [],
  goneNodes: [],
  usage: [],
  queues: [],
  footprints: [],
  goneFootprints: [],
  blobs: [],
};

const [directory, count] = process.argv.slice(2);
const store = await openSqliteStore({ directory, safeMode: false });
fill(store, Number(count));
store.close();

function fill(store, count) {
  const jobs = store.jobs({ ...anyJob(), phases: ['ended'], limit: 1000 });
  const single = jobs.find((job) => job.array === null && job.element === null);
  const array = jobs.find((job) => job.array !== null);
  const element = jobs.find((job) => job.element !== null);
  let id = store.load().nextJobId;
  const last = id + count;
  while (id < last) {
    const size = Math.min(BATCH, last - id);
    const batch =
      Math.floor(id / BATCH) % 2 === 0
        ? Array.from({ length: size }, (_, at) => copyOf(single, id + at))
        : arrayOf(array, element, id, size);
    id += size;
    const attempts = batch.flatMap((job) =>
      job.attempt === null ? [] : [{ job: job.id, attempt: job.attempt }],
    );
    store.append({ ...NOTHING_ELSE, jobs: batch, attempts, nextJobId: id });
  }
}

function arrayOf(array, element, id, size) {
  const elements = Array.from({ length: size - 1 }, (_, index) => ({
    ...copyOf(element, id + 1 + index),
    spec: array.spec,
    element: { array: id, index },
  }));
  return [{ ...array, id }, ...elements];
}

function copyOf(job, id) {
  return { ...job, id, attempt: { ...job.attempt, id: `${id}.1` } };
}

function anyJob() {
  const names = ['refs', 'phases', 'outcomes', 'users', 'queues', 'names'];
  const times = ['endedAfter', 'submittedAfter', 'submittedBefore'];
  return Object.fromEntries([...names, ...times].map((name) => [name, null]));
}
