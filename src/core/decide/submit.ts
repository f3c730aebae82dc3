/** A new job: filled in from its queue, checked against what is possible at all, and given a number. */

import type { JobId } from '../../model/ids.ts';
import type { GpuRequest, JobSpec, MemoryRequest, ResourceRequest } from '../../model/job-spec.ts';
import type { GpuShare, Policy, Queue } from '../../model/policy.ts';
import { countOf } from '../../model/ranges.ts';
import { overLimit, type Refusal, refusal } from '../../model/refusal.ts';
import { formatDuration } from '../../model/units.ts';
import { dependencyStanding } from '../dependencies.ts';
import { WHOLE_DEVICE_MILLIS } from '../ledger.ts';
import { queueNamed } from '../priority.ts';
import { allowsTimeOf } from '../queues.ts';
import { impossible, whyImpossible } from '../schedule/possible.ts';
import { jobOf } from '../state.ts';
import { record, type Turn } from '../turn.ts';
import { malformedKeeping } from './malformed-keeping.ts';
import { servicesFor, whyNoAccount, whyNoQos, whyTooManyInQos } from './services.ts';
import { settleWaiting } from './waiting.ts';

export function submit(turn: Turn, wish: JobSpec): JobId | Refusal {
  const { state, now } = turn;
  const admitted = admit(turn, wish);
  if ('code' in admitted) return admitted;
  const { spec } = admitted;
  const id = state.nextJobId;
  const phase = spec.held ? 'held' : mustWait(spec, now) ? 'waiting' : 'pending';
  record(turn, { type: 'jobSubmitted', job: id, spec, phase });
  if (phase === 'waiting') settleWaiting(turn, id);
  return id;
}

/** What can be seen without changing anything. */
export type Look = Pick<Turn, 'state' | 'policy' | 'now'>;

export interface Admitted {
  readonly spec: JobSpec;
  readonly queue: Queue;
}

/** The job as it would be submitted, with all that its queue fills in; nothing is changed by asking. */
export function admit(turn: Look, wish: JobSpec): Admitted | Refusal {
  const choices = choicesOf(turn.policy, wish);
  if ('code' in choices) return choices;
  let refused: Refusal | null = null;
  for (const queue of choices) {
    const admitted = admitTo(turn, wish, queue, choices);
    if (!('code' in admitted)) return admitted;
    refused ??= admitted;
  }
  return refused ?? noSuchQueue(wish.queue, turn.policy);
}

/** The queues that were asked for, each once; a refusal when one of them is not there. */
function choicesOf(
  policy: Policy,
  { queue: preferred, queueChoices = [preferred] }: JobSpec,
): Queue[] | Refusal {
  const queues = new Set<Queue>();
  for (const name of queueChoices) {
    const queue = queueFor(policy, name);
    if (queue === null) return noSuchQueue(name, policy);
    queues.add(queue);
  }
  return [...queues];
}

function admitTo(turn: Look, wish: JobSpec, queue: Queue, choices: readonly Queue[]): Admitted | Refusal {
  const { state, policy } = turn;
  const spec = withDefaults(wish, queue, choices, policy);
  const refused =
    malformed(spec) ??
    whyNoQos(policy, spec) ??
    whyNoAccount(policy, spec) ??
    overLimits(turn, spec, queue) ??
    whyTooManyInQos(turn, spec) ??
    missingTargets(turn, spec);
  if (refused !== null) return refused;
  const reason = whyImpossible(state, queue, spec);
  return reason === null ? { spec, queue } : impossible(reason);
}

function queueFor(policy: Policy, name: string): Queue | null {
  if (name === '') return defaultQueue(policy);
  return queueNamed(policy, name) ?? (policy.unknownQueue === 'useDefault' ? defaultQueue(policy) : null);
}

function defaultQueue(policy: Policy): Queue | null {
  return policy.queues.find((queue) => queue.isDefault) ?? policy.queues[0] ?? null;
}

export function noSuchQueue(name: string, policy: Policy): Refusal {
  const names = policy.queues.map((queue) => queue.name);
  return refusal('noSuchQueue', `there is no queue '${name}'`, `choose one of ${names.join(', ')}`, names);
}

function withDefaults(wish: JobSpec, queue: Queue, choices: readonly Queue[], policy: Policy): JobSpec {
  const resources = withQueueDefaults(wish, queue, policy);
  const { queueChoices: _asked, chain = false, ...plain } = wish;
  // Only whoever asked for the place could run something in it again.
  const mayRunAgain = wish.program.spread !== 'caller';
  return {
    ...plain,
    ...(choices.length > 1 ? { queueChoices: choices.map(({ name }) => name) } : {}),
    ...servicesFor(policy, wish),
    queue: queue.name,
    limitMs: wish.limitMs ?? queue.defaultLimitMs ?? queue.maxLimitMs,
    resources,
    requeue: wish.requeue && mayRunAgain,
    ...(chain && mayRunAgain ? { chain } : {}),
  };
}

function withQueueDefaults({ resources }: JobSpec, queue: Queue, policy: Policy): ResourceRequest {
  // Whoever runs elsewhere and only holds a device here has no memory of ours.
  const memory = resources.memory ?? (resources.cpusPerRank === 0 ? null : defaultMemory(queue));
  const gpus = withSharing(resources.gpus, queue.gpuShare ?? policy.gpu.share);
  if (memory === resources.memory && gpus === resources.gpus) return resources;
  return { ...resources, memory, gpus };
}

/** A request for whole devices is taken for as much of them as it uses, where that is the custom and it does not object. */
function withSharing(gpus: GpuRequest | null, custom: GpuShare): GpuRequest | null {
  if (gpus === null || gpus.sharing !== undefined || custom !== 'auto') return gpus;
  return gpus.shareMillis < WHOLE_DEVICE_MILLIS ? gpus : { ...gpus, sharing: 'auto' };
}

function defaultMemory({ defaultMemoryBytes, defaultMemoryPerCpuBytes }: Queue): MemoryRequest | null {
  if (defaultMemoryPerCpuBytes !== null) return { bytes: defaultMemoryPerCpuBytes, per: 'cpu' };
  return defaultMemoryBytes === null ? null : { bytes: defaultMemoryBytes, per: 'node' };
}

/** Whoever translated the wish should have seen to this; the core does not rely on it. */
export function malformed({ resources, limitMs, array, keeping, name, program }: JobSpec): Refusal | null {
  const { nodes, ranks, ranksMax = ranks, ranksPerNode, cpusPerRank, memory, gpus } = resources;
  const whole = (n: number) => Number.isSafeInteger(n) && n >= 1;
  if (!whole(nodes.min) || !whole(nodes.max) || nodes.min > nodes.max)
    return refusal('badRequest', `a job cannot have ${nodes.min} to ${nodes.max} nodes`);
  if (!whole(ranks)) return refusal('badRequest', `a job cannot have ${ranks} ranks`);
  if (!whole(ranksMax) || ranksMax < ranks)
    return refusal('badRequest', `a job cannot have ${ranks} to ${ranksMax} ranks`);
  if (ranks < nodes.min)
    return refusal(
      'badRequest',
      `${ranks} ranks cannot be on ${nodes.min} nodes`,
      'ask for at least one rank per node',
    );
  if (ranksPerNode !== null && !whole(ranksPerNode))
    return refusal('badRequest', `a node cannot have ${ranksPerNode} ranks`);
  const needsNoCpu = cpusPerRank === 0 && program.spread === 'caller';
  if (!whole(cpusPerRank) && !needsNoCpu)
    return refusal('badRequest', `a rank cannot have ${cpusPerRank} CPUs`);
  if (memory !== null && memory.bytes !== 0 && !whole(memory.bytes))
    return refusal('badRequest', `a job cannot have ${memory.bytes} bytes of memory`);
  if (gpus !== null && (!whole(gpus.count) || !whole(gpus.shareMillis) || gpus.shareMillis > 1000))
    return refusal('badRequest', 'a job has a whole number of GPUs, or a share between 0.001 and 1 of one');
  if (limitMs !== null && !(limitMs > 0))
    return refusal('badRequest', 'a time limit must be more than nothing');
  if (array !== null && countOf(array.indices) === 0)
    return refusal('badRequest', 'an array needs at least one index');
  if (array !== null && array.throttle !== null && !whole(array.throttle))
    return refusal('badRequest', `an array cannot run ${array.throttle} elements at once`);
  return malformedKeeping({ keeping, name });
}

function overLimits(turn: Look, spec: JobSpec, queue: Queue): Refusal | null {
  const { policy, state, now } = turn;
  const count = spec.array === null ? 1 : countOf(spec.array.indices);
  const { tallies } = state;
  const ofUser = tallies.unendedByUser.get(spec.user) ?? 0;
  const ofQueue = tallies.unendedByQueue.get(queue.name) ?? 0;
  if (count > policy.maxArraySize)
    return overLimit(
      'arraySize',
      `an array may have ${policy.maxArraySize} elements here, not ${count}`,
      'split it, or raise limits.max_array_size',
    );
  let total = 0;
  for (const n of tallies.unendedByQueue.values()) total += n;
  if (total + count > policy.maxQueuedJobs)
    return overLimit(
      'jobCount',
      `this yard holds ${policy.maxQueuedJobs} jobs at most and has ${total}`,
      'wait for some to end, or raise limits.max_queued_jobs',
    );
  if (policy.perUser.maxQueued !== null && ofUser + count > policy.perUser.maxQueued)
    return overLimit(
      'jobCount',
      `${spec.user} may have ${policy.perUser.maxQueued} jobs queued and has ${ofUser}`,
      'wait for some to end, or raise limits.max_queued',
    );
  if (queue.limits.maxQueued !== null && ofQueue + count > queue.limits.maxQueued)
    return overLimit(
      'jobCount',
      `queue ${queue.name} takes ${queue.limits.maxQueued} jobs and has ${ofQueue}`,
      'choose another queue, or wait for some to end',
    );
  const tooLong = longerThanAllowed(queue, spec.limitMs);
  if (tooLong !== null) return tooLong;
  if (spec.deadlineAt !== null && spec.deadlineAt <= now)
    return { ...refusal('neverPossible', 'the deadline has already passed'), about: 'deadline' };
  if (spec.deadlineAt !== null && spec.beginAt !== null && spec.beginAt >= spec.deadlineAt)
    return { ...refusal('neverPossible', 'the job would begin after its deadline'), about: 'deadline' };
  return null;
}

export function longerThanAllowed(queue: Queue, limitMs: number | null): Refusal | null {
  const { name, maxLimitMs } = queue;
  if (maxLimitMs === null || allowsTimeOf(queue, { limitMs })) return null;
  const asked = limitMs === null ? 'a job without a time limit' : formatDuration(limitMs);
  return overLimit(
    'timeLimit',
    `queue ${name} allows ${formatDuration(maxLimitMs)} at most, not ${asked}`,
    'ask for less time, or choose another queue',
  );
}

function missingTargets(turn: Look, spec: JobSpec): Refusal | null {
  for (const term of spec.dependencies?.terms ?? []) {
    if (term.kind === 'singleton' || turn.state.jobs.has(term.job)) continue;
    return refusal(
      'noSuchJob',
      `there is no job ${term.job} to depend on`,
      'see `trainyard queue` and `trainyard history`',
    );
  }
  return null;
}

function mustWait(spec: JobSpec, now: number): boolean {
  return spec.dependencies !== null || (spec.beginAt !== null && spec.beginAt > now);
}

/** Whether a job that is not held may go: used after release and update too. */
export function phaseWhenFree(turn: Turn, id: JobId): 'waiting' | 'pending' {
  const job = jobOf(turn.state, id);
  if (job.spec.beginAt !== null && job.spec.beginAt > turn.now) return 'waiting';
  return dependencyStanding(turn.state, job, null, turn.now) === 'met' ? 'pending' : 'waiting';
}
