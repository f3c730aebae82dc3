/** For tests: `scontrol` against a yard made of plain values, and the jobs that most of them are about. */

import type { Job } from '../../../model/job.ts';
import type { NodeView } from '../../../model/query.ts';
import { rangeOf } from '../../../model/ranges.ts';
import { type RefusalCode, refusal } from '../../../model/refusal.ts';
import {
  aJob,
  aView,
  endedJob,
  type FakeYard,
  fakeYard,
  type Ran,
  runDialect,
  runningJob,
} from '../../fake-yard.ts';
import type { Invocation } from '../../program.ts';
import { slurmProgram } from '../run.ts';
import { scontrol } from './scontrol.ts';

/** Quotes keep words together. */
export function run(yard: FakeYard, line: string, changes: Partial<Invocation> = {}): Ran {
  const words = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
  return runDialect(slurmProgram(scontrol), yard, ['scontrol', ...words], changes);
}

export function withJobs(...jobs: readonly Job[]): FakeYard {
  return fakeYard({ views: jobs.map((job) => aView(job)), nodes: [node('node1'), node('node2')] });
}

function node(name: string, changes: Partial<NodeView['node']> = {}): NodeView {
  return {
    node: {
      name,
      cpus: 4,
      cpuIds: [],
      memoryBytes: 8 * 1024 ** 3,
      devices: [],
      features: ['fast'],
      state: 'up',
      reason: null,
      ...changes,
    },
    cpusUsed: 0,
    memoryUsedBytes: 0,
    devices: [],
    jobs: [],
  };
}

/** A yard that will not do it. */
export function refusing(yard: FakeYard, code: RefusalCode): FakeYard {
  return { ...yard, answer: () => ({ ok: false, refusal: refusal(code, 'no') }) };
}

export const said = (stderr: string) => ({ code: 1, stdout: '', stderr: `${stderr}\n` });
export const DONE = { code: 0, stdout: '', stderr: '' };

export const waiting = aJob({ id: 57 });
export const running = runningJob(58);
export const ended = endedJob(73);
export const array = aJob(
  { id: 4, array: { unstarted: rangeOf(1, 6), dropped: [], live: 0, ended: {} } },
  { array: { indices: rangeOf(1, 6), throttle: null } },
);
