/** How much a user or a queue may have running at once, a user in a QOS, and all with a layout. */

import type { Job } from '../../model/job.ts';
import type { JobSpec, ResourceRequest } from '../../model/job-spec.ts';
import type { Policy, Qos, Queue } from '../../model/policy.ts';
import type { LimitOf, Reason } from '../../model/reason.ts';
import { qosNamed } from '../priority.ts';
import type { YardState } from '../state.ts';
import { NOTHING, qosUser, queueUser, type Tallies, type Tally } from '../tally.ts';

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
  byQosUser(qos: string | null, user: string): Tally;
  ranksOf(layout: string): number;
}

export function runningNow(tallies: Tallies): Running {
  return {
    byUser: (user) => tallies.byUser.get(user) ?? NOTHING,
    byQueue: (queue) => tallies.byQueue.get(queue) ?? NOTHING,
    byQueueUser: (queue, user) => tallies.byQueueUser.get(queueUser(queue, user)) ?? NOTHING,
    byQosUser: (qos, user) => tallies.byQosUser.get(qosUser(qos, user)) ?? NOTHING,
    ranksOf: (layout) => tallies.ranksByLayout.get(layout) ?? 0,
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
    over(perUser, ofUser, wants, { kind: 'user', user }) ??
    over(limits, ofQueue, wants, { kind: 'queue', queue: queue.name }) ??
    over(perUserOf(limits), ofBoth, wants, { kind: 'userInQueue', user, queue: queue.name }) ??
    overQos(policy, spec, running, wants) ??
    overLayout(policy, spec, running)
  );
}

function overQos(
  policy: Policy,
  { user, qos: name }: JobSpec,
  running: Running,
  wants: Wants,
): Reason | null {
  const qos = qosNamed(policy, name);
  if (qos === null) return null;
  const of = { kind: 'userInQos', user, qos: qos.name } as const;
  return over(perUserOf(qos), running.byQosUser(name, user), wants, of);
}

function overLayout({ layouts }: Policy, { resources }: JobSpec, running: Running): Reason | null {
  const { layout: name, ranks } = resources;
  if (name === undefined) return null;
  const allowed = layouts.find((layout) => layout.name === name)?.maxRanks ?? null;
  const used = running.ranksOf(name);
  if (allowed === null || used + ranks <= allowed) return null;
  return { kind: 'limit', limit: 'ranks', of: { kind: 'layout', layout: name }, allowed, used };
}

function perUserOf(limits: PerUser): Caps {
  return {
    maxRunning: limits.maxRunningPerUser,
    maxCpus: limits.maxCpusPerUser,
    maxGpus: limits.maxGpusPerUser,
  };
}

type PerUser = Pick<Qos, 'maxRunningPerUser' | 'maxCpusPerUser' | 'maxGpusPerUser'>;

interface Wants {
  readonly cpus: number;
  readonly gpuMillis: number;
}

export function wanted({ ranks, cpusPerRank, nodes, gpus }: ResourceRequest): Wants {
  const times = gpus === null ? 0 : gpus.per === 'rank' ? ranks : gpus.per === 'node' ? nodes.min : 1;
  return { cpus: ranks * cpusPerRank, gpuMillis: gpus === null ? 0 : gpus.count * gpus.shareMillis * times };
}

interface Caps {
  readonly maxRunning: number | null;
  readonly maxCpus: number | null;
  readonly maxGpus: number | null;
}

function over(caps: Caps, tally: Tally, wants: Wants, of: LimitOf): Reason | null {
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
