/** For tests of `qmod`: a yard with two queues on one machine, and calls of it. */

import type { JobView } from '../../../model/query.ts';
import { type FakeYard, fakeYard, runDialect } from '../../fake-yard.ts';
import { aNodeView, aQueueView } from '../fake-hosts.ts';
import { gridEngineProgram } from '../run.ts';
import { qmod } from './qmod.ts';

export function yardOf(...views: readonly (JobView | readonly JobView[])[]): FakeYard {
  return fakeYard({
    views: views.flat(),
    nodes: [aNodeView('vm')],
    queues: [aQueueView('cpu'), aQueueView('gpu')],
  });
}

/** `ada` runs the yard of these tests; `eve` only uses it. */
export function ran(yard: FakeYard, line: string, user = 'ada') {
  const argv = line.split(' ').filter((word) => word !== '');
  return runDialect(gridEngineProgram(qmod), yard, ['qmod', ...argv], { user });
}
