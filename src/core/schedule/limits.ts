/** How much a user or a queue may have running at once. */

import type { Job } from '../../model/job.ts';
import type { JobSpec, ResourceRequest } from '../../model/job-spec.ts';
import type { Policy, Queue } from '../../model/policy.ts';
import type { Reason } from '../../model/reason.ts';
import type { YardState } from '../state.ts';
import { NOTHING, queueUser, type Tallies, type Tally } from '../tally.ts';

/** How many elements of the job's array may run at once; an element's own record has what was once said. */
export function throttleOf(state: YardState, job: Job): number | null {
  const array = job.element === null ? job : state.jobs.get(job.element.array);
  return array?.spec.array?.throttle ?? null;
}

/** What starts in a pass adds to what runs already. */
export interface Running {
  byUser(user: string): Tally;
  byQueue(queue: string): Tally;
  byQueueUser(queue: string, user: string): Tally;
}

export function runningNow(tallies: Tallies): Running {
  return {
    byUser: (user) => tallies.byUser.get(user) ?? NOTHING,
    byQueue: (queue) => tallies.byQueue.get(queue) ?? NOTHING,
    byQueueUser: (queue, user) => tallies.byQueueUser.get(queueUser(queue, user)) ?? NOTHING,
  };
}

/** The first limit that one more job of this kind would exceed. */
export function limitReached(policy: Policy, queue: Queue, spec: JobSpec, running: Running): Reason | null {
  const wants = wanted(spec.resources);
  const { user } = spec;
  const ofUser = running.byUser(user);
  const ofQueue = running.byQueue(queue.name);
  const ofBoth = running.byQueueUser(queue.name, user);
  const { perUser } = policy;
  const { limits } = queue;
  return (
    over(perUser, ofUser, wants, user) ??
    over(limits, ofQueue, wants, `queue ${queue.name}`) ??
    over(
      {
        maxRunning: limits.maxRunningPerUser,
        maxCpus: limits.maxCpusPerUser,
        maxGpus: limits.maxGpusPerUser,
      },
      ofBoth,
      wants,
      `${user} in queue ${queue.name}`,
    )
  );
}

export function wanted({ ranks, cpusPerRank, nodes, gpus }: ResourceRequest): {
  cpus: number;
  gpuMillis: number;
} {
  const times = gpus === null ? 0 : gpus.per === 'rank' ? ranks : gpus.per === 'node' ? nodes.min : 1;
  return { cpus: ranks * cpusPerRank, gpuMillis: gpus === null ? 0 : gpus.count * gpus.shareMillis * times };
}

interface Caps {
  readonly maxRunning: number | null;
  readonly maxCpus: number | null;
  readonly maxGpus: number | null;
}

function over(
  caps: Caps,
  tally: Tally,
  wants: { cpus: number; gpuMillis: number },
  of: string,
): Reason | null {
  if (caps.maxRunning !== null && tally.running + 1 > caps.maxRunning) {
    return { kind: 'limit', limit: 'running', of, allowed: caps.maxRunning, used: tally.running };
  }
  if (caps.maxCpus !== null && tally.cpus + wants.cpus > caps.maxCpus) {
    return { kind: 'limit', limit: 'cpus', of, allowed: caps.maxCpus, used: tally.cpus };
  }
  if (
    caps.maxGpus !== null &&
    wants.gpuMillis > 0 &&
    tally.gpuMillis + wants.gpuMillis > caps.maxGpus * 1000
  ) {
    return { kind: 'limit', limit: 'gpus', of, allowed: caps.maxGpus, used: tally.gpuMillis / 1000 };
  }
  return null;
}
