/** That no CPU of a simulated machine is used twice, in truth and not only in the records. Throws when one is. */

import type { YardState } from '../core/state.ts';
import { invariant } from '../model/refusal.ts';
import type { Run } from './run.ts';

/** No CPU has two programs that really run, except for those who are leaving after having lent theirs. */
export function nothingRunsTwice(state: YardState, runs: Iterable<Run>): void {
  const busy = new Map<string, { cpus: number; ids: Set<number> }>();
  for (const { phase, goesOnAtMs, isLeaving, placement, attempt } of runs) {
    if (phase !== 'running' || goesOnAtMs === null || isLeaving) continue;
    for (const { node, cpus, cpuIds } of placement.nodes) {
      const here = busy.get(node) ?? { cpus: 0, ids: new Set() };
      busy.set(node, here);
      here.cpus += cpus;
      for (const id of cpuIds) {
        invariant(!here.ids.has(id), `CPU ${id} of ${node} runs ${attempt} and another attempt`);
        here.ids.add(id);
      }
    }
  }
  for (const [name, { cpus }] of busy) {
    const most = state.nodes.get(name)?.cpus ?? Number.POSITIVE_INFINITY;
    invariant(cpus <= most, `${cpus} of the ${most} CPUs of ${name} are in use`);
  }
}
