/**
 * Why jobs wait, in Grid Engine's sentences: what keeps queue instances from taking any, and what keeps one job from
 * starting. Where it has no sentence for what the yard knows, the yard says it in a few words of its own.
 */

import type { JobId } from '../../model/ids.ts';
import type { Reason, Shortage } from '../../model/reason.ts';
import { memoryText } from './host-values.ts';
import type { JobFacts } from './job-facts.ts';
import type { QueueInstance } from './queue-instances.ts';
import { askedEnvironment, askedQueues, hardResources } from './requested.ts';
import { isHeld, isInError } from './states.ts';
import { GRID_ENGINE } from './words.ts';

export interface Message {
  /** Grid Engine's own number for what is the matter. */
  readonly number: number;
  readonly text: string;
}

/** What is the matter with several jobs. */
export interface JobsMessage extends Message {
  readonly jobs: readonly JobId[];
}

/** By number: what is said of several jobs at once. */
const OF_MANY: ReadonlyMap<number, string> = new Map([
  [6, 'Jobs can not run because queue instance is not contained in its hard queue list'],
  [17, 'Jobs can not run because the resource requirements can not be satisfied'],
  [24, 'Jobs can not run because available slots combined under PE are not in range of job'],
  [29, 'Jobs wait for those that go before them'],
  [30, 'Job Filter: Jobs can not run because the resource requirements cannot be satisfied.'],
  [31, 'Jobs can not run because execution time not reached'],
  [32, 'Jobs dropped because of error state'],
  [33, 'Jobs dropped because of hold state'],
  [34, 'Job dropped because of user limitations'],
  [35, 'Job dropped because of job dependencies'],
  [45, "Not all array tasks may be started due to 'max_aj_instances'"],
  [46, 'Jobs cannot run because they exceed limit(s) in resource quota sets'],
]);

const said = (number: number, text: string): Message => ({ number, text });

/** What keeps queue instances from taking jobs, whichever they are. */
export function instanceMessages(instances: readonly QueueInstance[]): readonly Message[] {
  const messages = instances.flatMap((instance) => droppedBecause(instance) ?? []);
  if (instances.length > 0 && messages.length === instances.length) {
    messages.push(said(28, 'All queues dropped because of overload or full'));
  }
  return messages;
}

function droppedBecause({ name, states, free }: QueueInstance): Message | null {
  const dropped = (number: number, why: string) =>
    said(number, `queue instance "${name}" dropped because it is ${why}`);
  if (/[uos]/.test(states)) return dropped(40, 'temporarily not available');
  if (states.includes('d')) return dropped(39, 'disabled');
  return free === 0 ? dropped(37, 'full') : null;
}

/** What keeps this one from starting. */
export function jobMessages(facts: JobFacts, instances: readonly QueueInstance[]): readonly Message[] {
  const { job, section, view } = facts;
  if (section !== 'pending') return [];
  if (isInError(job)) return [said(32, 'Job is in error state')];
  if (job.phase === 'held') return [said(33, 'Job is in hold state')];
  if (isHeld(job)) return [said(35, 'job dropped because of job dependencies')];
  const { reason } = view;
  // Only what was really tried says where it could not be.
  const elsewhere = reason?.kind === 'resources' ? notContained(facts, instances) : [];
  return [...elsewhere, ...reasonMessages(facts, reason)];
}

/** What is the matter with all of them, by what it is. */
export function overallMessages(
  all: readonly JobFacts[],
  instances: readonly QueueInstance[],
): readonly JobsMessage[] {
  const byNumber = new Map<number, Set<JobId>>();
  for (const facts of all) {
    for (const { number } of jobMessages(facts, instances)) {
      const jobs = byNumber.get(number) ?? new Set();
      byNumber.set(number, jobs.add(facts.number));
    }
  }
  return [...byNumber]
    .sort(([a], [b]) => a - b)
    .map(([number, jobs]) => ({
      number,
      text: OF_MANY.get(number) ?? '',
      jobs: [...jobs].sort((a, b) => a - b),
    }));
}

/** Queues that it did not ask for; one that asked for none could go anywhere. */
function notContained({ job }: JobFacts, instances: readonly QueueInstance[]): readonly Message[] {
  if (job.spec.origin.dialect !== GRID_ENGINE || askedQueues(job, 'queues').length === 0) return [];
  const choices = job.spec.queueChoices ?? [job.spec.queue];
  const others = [...new Set(instances.map(({ queue }) => queue))].filter((name) => !choices.includes(name));
  return others.map((name) =>
    said(6, `cannot run in queue "${name}" because it is not contained in its hard queue list (-q)`),
  );
}

function reasonMessages(facts: JobFacts, reason: Reason | null): readonly Message[] {
  if (reason === null) return [];
  switch (reason.kind) {
    case 'held':
      return [said(33, 'Job is in hold state')];
    case 'dependency':
      return [said(35, 'job dropped because of job dependencies')];
    case 'begin':
      return [said(31, 'execution time not reached')];
    case 'throttle':
      return [said(45, "not all array tasks may be started due to 'max_aj_instances'")];
    case 'resources':
      return reason.short.flatMap((shortage) => shortageMessage(facts, shortage) ?? []);
    case 'limit':
      return [limitMessage(reason)];
    case 'neverPossible':
      return [said(30, `cannot run because ${reason.why}`)];
    case 'place':
      return [
        said(30, `cannot run because job ${reason.job} keeps its checkpoints in "${reason.directory}"`),
      ];
    case 'learning':
      return [said(30, `cannot run because job ${reason.job} of the same kind shows first what it uses`)];
    case 'notLookedAt':
      return [said(30, IGNORED)];
    case 'priority':
      return [said(29, 'job waits for those that go before it')];
    // What is the matter with the queue instances says it.
    case 'queueClosed':
    case 'nodesUnavailable':
      return [];
  }
}

const IGNORED =
  'Job Filter: this job got ignored in the last scheduling run, because too many other jobs with the same resource ' +
  'request are in the pending list before this one.';

function limitMessage({ of, limit, allowed, used }: Extract<Reason, { kind: 'limit' }>): Message {
  if (of.kind === 'user') return said(34, 'job dropped because of user limitations');
  if (of.kind === 'layout')
    return said(24, `cannot run in PE "${of.layout}" because it only offers ${allowed - used} slots`);
  const whose = of.kind === 'userInQos' ? of.qos : of.queue;
  return said(46, `cannot run because it exceeds limit "${whose}" in rule "${limit}=${allowed}"`);
}

/** Null: that a queue instance is full says it. */
function shortageMessage({ job }: JobFacts, { resource, free, wanted }: Shortage): Message | null {
  const environment = askedEnvironment(job);
  if (resource === 'cpus' || resource === 'nodes') {
    if (environment === null) return null;
    const slots = Math.max(0, Math.floor(free));
    return said(24, `cannot run in PE "${environment.name}" because it only offers ${slots} slots`);
  }
  const [names, left] =
    resource === 'gpus'
      ? [['gpu'], `hc:gpu=${free.toFixed(6)}`]
      : [['h_vmem', 'h_rss', 'mem_free', 'virtual_free'], `hc:mem_free=${memoryText(free, 3)}`];
  const asked = hardResources(job).find(({ name }) => names.includes(name));
  const request = asked === undefined ? `${names[0]}=${wanted}` : `${asked.name}=${asked.value}`;
  return said(17, `(-l ${request}) cannot run globally because it offers only ${left}`);
}
