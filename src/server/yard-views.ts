/** The yard, its nodes and its queues as they are shown. */

import { jobsAndShares } from '../core/occupancy.ts';
import { queueState } from '../core/state.ts';
import type { NodeView, QueueView, YardView } from '../model/query.ts';
import type { Sources } from './query-sources.ts';

export function nodeViews(
  { state, surroundings }: Sources,
  names: readonly string[] | null,
): readonly NodeView[] {
  const occupancy = jobsAndShares(state);
  const machine = surroundings.machine();
  return [...state.nodes.values()]
    .filter(({ name }) => names === null || names.includes(name))
    .map((node) => {
      const here = occupancy.get(node.name) ?? [];
      const free = state.ledgers.get(node.name)?.free;
      return {
        node,
        machine,
        cpusUsed: node.cpus - (free?.cpus ?? 0),
        memoryUsedBytes: node.memoryBytes - (free?.memoryBytes ?? 0),
        devices: node.devices.map(({ index }) => {
          const tenants = here.filter(({ share }) => share.devices.some((device) => device.index === index));
          const usedMillis = tenants.reduce(
            (sum, { share }) => sum + (share.devices.find((device) => device.index === index)?.millis ?? 0),
            0,
          );
          return { index, usedMillis, jobs: tenants.map(({ job }) => job) };
        }),
        jobs: here.map(({ job }) => job),
      };
    });
}

export function queueViews({ state, policy }: Sources): readonly QueueView[] {
  return policy.queues.map((queue) => {
    const running = state.tallies.byQueue.get(queue.name)?.running ?? 0;
    return {
      queue,
      state: queueState(state, queue.name),
      running,
      waiting: (state.tallies.unendedByQueue.get(queue.name) ?? 0) - running,
    };
  });
}

export function yardView({ state, surroundings, lastSeq, trouble }: Sources): YardView {
  const { version, name, host, mail, directory, socket, startedAt, user } = surroundings;
  const { held, waiting, pending, active } = state.counts;
  return {
    version,
    name,
    host,
    mail,
    pid: process.pid,
    directory,
    socket,
    startedAt,
    user,
    counts: { held, waiting, pending, active },
    remarks: [
      ...(trouble === null ? [] : [`nothing can be written now: ${trouble}`]),
      ...surroundings.remarks(),
    ],
    lastSeq,
  };
}
