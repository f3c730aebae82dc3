/**
 * Who goes before whom whatever else counts, and who may have to leave for whom. Both follow one order, since a job
 * that was asked to make room could otherwise come back and take that room itself, again and again: first the queue,
 * where queues preempt each other, then the QOS, where those do.
 */

import type { JobSpec } from '../model/job-spec.ts';
import type { Policy, PreemptMode, Qos, Queue } from '../model/policy.ts';
import { qosNamed, queueNamed } from './priority.ts';

type Standing = Pick<JobSpec, 'queue' | 'qos'>;

interface Precedence {
  readonly byQueue: boolean;
  /** QOS → how many others there are below it, each preempting the next; only those above some other. */
  readonly levels: ReadonlyMap<string, number>;
  /** QOS whose jobs may have to leave for those of another. */
  readonly preempted: ReadonlySet<string>;
  readonly highest: number;
}

const known = new WeakMap<Policy, Precedence>();

function precedenceOf(policy: Policy): Precedence {
  let precedence = known.get(policy);
  if (precedence === undefined) {
    const levels = levelsOf(policy.qos);
    precedence = {
      byQueue: policy.queues.some(({ preempt }) => preempt !== 'off'),
      levels,
      preempted: new Set(policy.qos.flatMap(({ preempts = [] }) => preempts)),
      highest: Math.max(0, ...levels.values()),
    };
    known.set(policy, precedence);
  }
  return precedence;
}

function levelsOf(all: readonly Qos[]): Map<string, number> {
  const levels = new Map<string, number>();
  const levelOf = (name: string, above: readonly string[]): number => {
    const found = levels.get(name);
    if (found !== undefined) return found;
    const preempts = all.find((qos) => qos.name === name)?.preempts ?? [];
    const below = preempts.filter((other) => other !== name && !above.includes(other));
    if (below.length === 0) return 0;
    const level = 1 + Math.max(...below.map((other) => levelOf(other, [...above, name])));
    levels.set(name, level);
    return level;
  };
  for (const { name } of all) levelOf(name, []);
  return levels;
}

/** Where nobody preempts anybody, all are in the same one. */
export function tierOf(policy: Policy, { queue, qos }: Standing): number {
  const { byQueue, levels, highest } = precedenceOf(policy);
  const priority = byQueue ? (queueNamed(policy, queue)?.priority ?? 0) : 0;
  const level = levels.get(qosNamed(policy, qos)?.name ?? '') ?? 0;
  return priority * (highest + 1) + level;
}

export function anyPreempts(policy: Policy): boolean {
  const { byQueue, preempted } = precedenceOf(policy);
  return byQueue || preempted.size > 0;
}

/** Whether anybody at all might have to leave for it, if it starts in this queue. */
export function mayPreempt(policy: Policy, spec: Standing, queue: Queue): boolean {
  const preempts = qosNamed(policy, spec.qos)?.preempts ?? [];
  if (preempts.length > 0) return true;
  return (
    mayUseRankOf(policy, spec, queue) &&
    policy.queues.some((other) => other.priority < queue.priority && other.preempt !== 'off')
  );
}

/** Whether it might have to leave for somebody. */
export function mayBePreempted(policy: Policy, spec: Standing): boolean {
  const { preempted } = precedenceOf(policy);
  if ((queueNamed(policy, spec.queue)?.preempt ?? 'off') !== 'off') return true;
  return preempted.size > 0 && preempted.has(qosNamed(policy, spec.qos)?.name ?? '');
}

/** Whether this one may have to leave for that one, if that starts in this queue. */
export function mustMakeRoom(policy: Policy, spec: Standing, queue: Queue, victim: Standing): boolean {
  const own = queueNamed(policy, victim.queue);
  if (own !== null && own.preempt !== 'off' && own.priority < queue.priority)
    if (mayUseRankOf(policy, spec, queue)) return true;
  const preempts = qosNamed(policy, spec.qos)?.preempts ?? [];
  if (preempts.length === 0 || !preempts.includes(qosNamed(policy, victim.qos)?.name ?? '')) return false;
  return tierOf(policy, spec) > tierOf(policy, victim);
}

/** Not that of a queue above the one that it is in, by which its turn comes: those it drove out would come back first. */
function mayUseRankOf(policy: Policy, { queue: name }: Standing, queue: Queue): boolean {
  const own = queue.name === name ? queue : queueNamed(policy, name);
  return own !== null && queue.priority <= own.priority;
}

/** What becomes of it when it has to leave. */
export function preemptModeOf(policy: Policy, spec: Standing): PreemptMode {
  const ofQueue = queueNamed(policy, spec.queue)?.preempt ?? 'off';
  return qosNamed(policy, spec.qos)?.preempt ?? (ofQueue === 'off' ? 'requeue' : ofQueue);
}
