/** For tests of the API: a device that everything is known of, and what is known of one kind of job. */

import { aFootprint } from '../../src/dialects/fake-yard.ts';
import type { Estimate } from '../../src/model/footprint.ts';
import type { GpusView, JobView } from '../../src/model/query.ts';

const GIB = 2 ** 30;

export const FOOTPRINT = aFootprint({ setBytes: 3 * GIB, setLoadMillis: 200, atLeastBytes: GIB });

export const ESTIMATE: Estimate = {
  key: FOOTPRINT.key,
  device: FOOTPRINT.device,
  runs: 2,
  seenBytes: 3 * GIB,
  memoryBytes: 3 * GIB,
  marginMillis: 0,
  loadMillis: 200,
  basis: 'set',
};

/** All of the jobs wait for it. */
export function gpusOf(waiting: readonly JobView[], at: number): GpusView {
  const reading = {
    node: 'here',
    index: 0,
    usedBytes: 5 * GIB,
    totalBytes: 16 * GIB,
    loadMillis: 450,
    temperatureC: 48.5,
    powerW: null,
    processes: [{ pid: 4711, memoryBytes: GIB, loadMillis: null }],
  };
  return {
    source: 'simulated',
    gpus: [
      {
        node: 'here',
        device: { index: 0, kind: 'a100', memoryBytes: 16 * GIB, simulated: true, foreignBytes: GIB },
        isUp: true,
        now: { reading, at, foreign: [{ pid: 4711, memoryBytes: GIB, command: 'python3', user: 'bob' }] },
        reservedBytes: 4 * GIB,
        freeBytes: 11 * GIB,
        reservedLoadMillis: 200,
        tenants: [
          {
            job: 9,
            displayId: '8_3',
            name: 'train',
            user: 'alice',
            manner: 'auto',
            isLease: false,
            reservedBytes: 4 * GIB,
            now: { memoryBytes: 4 * GIB, loadMillis: null, idleSince: at },
          },
        ],
        waiting: waiting.map(({ job }) => job.id),
      },
    ],
    waiting: waiting.map((view) => ({
      view,
      wants: {
        manner: 'auto',
        estimates: [ESTIMATE],
        holds: [
          {
            node: 'here',
            index: 0,
            device: 'a100',
            totalBytes: 16 * GIB,
            millis: 250,
            loadMillis: null,
            isLearning: false,
            neighbours: [9],
          },
        ],
      },
    })),
  };
}
