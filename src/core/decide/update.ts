/** What can still be changed about a job, and what follows from the change for it and for others. */

import type { JobChanges } from '../../model/command.ts';
import type { JobId, JobRef } from '../../model/ids.ts';
import { displayId, type Job } from '../../model/job.ts';
import type { JobSpec, ResourceRequest } from '../../model/job-spec.ts';
import { keepingPaths } from '../../model/keeping-paths.ts';
import { type Refusal, refusal } from '../../model/refusal.ts';
import { familyOf, waitsFor } from '../dependencies.ts';
import { WHOLE_DEVICE_MILLIS } from '../ledger.ts';
import { queueNamed } from '../priority.ts';
import { queuesFor } from '../queues.ts';
import { impossible, whyImpossible } from '../schedule/possible.ts';
import { jobOf, namesakeKey } from '../state.ts';
import { record, type Turn } from '../turn.ts';
import { alreadyEnded, find, isRefusal, mayControl, notYours, onlyItsCaller, settle } from './find.ts';
import { malformedKeeping } from './malformed-keeping.ts';
import { servicesFor, whyNoAccount, whyNoQos } from './services.ts';
import { longerThanAllowed, malformed, noSuchQueue, phaseWhenFree } from './submit.ts';
import { settleWaiting, wakeSingletons } from './waiting.ts';

export function update(turn: Turn, target: JobRef, by: string, changes: JobChanges): JobId | Refusal {
  const found = find(turn, target);
  if (isRefusal(found)) return found;
  if (!mayControl(found.job, by)) return notYours(found.job);
  if (found.job.phase === 'ended') return alreadyEnded(found.job, 'changed');
  const refused = unfit(turn, found.job, changes);
  if (refused !== null) return refused;
  const job = settle(turn, found);
  record(turn, { type: 'jobUpdated', job: job.id, changes: settled(turn, job, changes), by });
  if (changes.beginAt !== undefined || changes.dependencies !== undefined || changes.name !== undefined)
    settleAgain(turn, job.id);
  // Those that waited to be the only one of the old name have one namesake less.
  if (changes.name !== undefined) wakeSingletons(turn, namesakeKey(job));
  return job.id;
}

/** The queues, the QOS and the account that hold now, where they were changed. */
function settled(turn: Turn, job: Job, changes: JobChanges): JobChanges {
  const { qos, account } = specAfter(turn, job, changes);
  return {
    ...changes,
    ...(changes.qos === undefined ? {} : { qos }),
    ...(changes.account === undefined ? {} : { account }),
    ...queuesAfter(job, changes),
    ...(changes.resources === undefined ? {} : { resources: sharedAsBefore(job, changes.resources) }),
  };
}

/** Whoever asks for other GPUs and says nothing of sharing them does not change its mind about that. */
function sharedAsBefore({ spec }: Job, resources: ResourceRequest): ResourceRequest {
  const before = spec.resources.gpus;
  const { gpus } = resources;
  if (gpus === null || before?.sharing === undefined || gpus.sharing !== undefined) return resources;
  if (gpus.shareMillis < WHOLE_DEVICE_MILLIS) return resources;
  const { sharing, isLimited } = before;
  return { ...resources, gpus: { ...gpus, sharing, ...(isLimited === undefined ? {} : { isLimited }) } };
}

/** Whoever names one queue no longer wants others; whoever names several is in the first of them. */
function queuesAfter(
  { spec }: Job,
  { queue, queueChoices }: JobChanges,
): Pick<JobChanges, 'queue' | 'queueChoices'> {
  if (queueChoices !== undefined) return { queue: queue ?? queueChoices[0] ?? spec.queue, queueChoices };
  if (queue === undefined) return {};
  return spec.queueChoices === undefined ? { queue } : { queue, queueChoices: [queue] };
}

function unfit(turn: Turn, job: Job, changes: JobChanges): Refusal | null {
  return (
    changedTooLate(job, changes) ??
    unfitKeeping(job, changes) ??
    unfitQueue(turn, job, changes) ??
    unfitResources(turn, job, changes) ??
    unfitLimit(turn, job, changes) ??
    unfitServices(turn, job, changes) ??
    unfitRequeue(job, changes) ??
    unfitThrottle(job, changes) ??
    unfitDependencies(turn, job, changes)
  );
}

/** What its place was chosen by cannot change once it has one. */
function changedTooLate(job: Job, changes: JobChanges): Refusal | null {
  if (job.phase !== 'active') return null;
  const late = BEFORE_IT_RUNS.find(([key]) => changes[key] !== undefined)?.[1];
  const what = late ?? (movesWhatIsKept(job, changes) ? 'where its checkpoints are kept' : undefined);
  return what === undefined
    ? null
    : refusal('wrongState', `job ${displayId(job)} is running and cannot change ${what}`);
}

/** A new name may be part of their path. */
function movesWhatIsKept(job: Job, { name }: JobChanges): boolean {
  if (name === undefined || job.spec.keeping === undefined) return false;
  const renamed = { ...job, spec: { ...job.spec, name } };
  const paths = (of: Job) => JSON.stringify(keepingPaths(of, of.attempt, null));
  return paths(renamed) !== paths(job);
}

const BEFORE_IT_RUNS = [
  ['queue', 'its queue'],
  ['queueChoices', 'its queues'],
  ['program', 'what it runs'],
  ['workDir', 'its directory'],
  ['streams', 'its files'],
  ['resources', 'what it asked for'],
  ['qos', 'its QOS'],
  ['keeping', 'what it keeps'],
] as const;

/** Of a job that is renamed, also what it keeps already. */
function unfitKeeping({ spec }: Job, { keeping, name }: JobChanges): Refusal | null {
  if (keeping === undefined && name === undefined) return null;
  const kept = keeping ?? spec.keeping;
  return malformedKeeping({ name: name ?? spec.name, ...(kept === undefined ? {} : { keeping: kept }) });
}

function unfitResources(turn: Turn, job: Job, changes: JobChanges): Refusal | null {
  if (changes.resources === undefined) return null;
  const spec = specAfter(turn, job, changes);
  return malformed(spec) ?? nowhere(turn, spec);
}

/** One of its queues has to be able to run it. */
function nowhere({ state, policy }: Turn, spec: JobSpec): Refusal | null {
  const reasons = queuesFor(policy, spec).map((queue) => whyImpossible(state, queue, spec));
  const [first = null] = reasons;
  return first === null || reasons.includes(null) ? null : impossible(first);
}

/** A QOS limits the time, too. */
function unfitServices(turn: Turn, job: Job, changes: JobChanges): Refusal | null {
  const spec = specAfter(turn, job, changes);
  const asksQos = changes.qos !== undefined || changes.limitMs !== undefined;
  return (
    (asksQos ? whyNoQos(turn.policy, spec) : null) ??
    (changes.account === undefined ? null : whyNoAccount(turn.policy, spec))
  );
}

/** Where it says that something is not asked for any more, what holds for who asks for nothing. */
function specAfter({ policy }: Turn, job: Job, { throttle: _throttle, ...changes }: JobChanges): JobSpec {
  const after = { ...job.spec, ...changes, ...queuesAfter(job, changes) };
  return { ...after, ...servicesFor(policy, after) };
}

function unfitRequeue(job: Job, { requeue, chain, program }: JobChanges): Refusal | null {
  const isCallers = job.spec.program.spread === 'caller';
  if (program !== undefined && (isCallers || program.spread === 'caller')) return onlyItsCaller(job);
  if ((requeue !== true && chain !== true) || !isCallers) return null;
  return onlyItsCaller(job);
}

function unfitQueue(turn: Turn, job: Job, changes: JobChanges): Refusal | null {
  const { queue, queueChoices } = changes;
  if (queue === undefined && queueChoices === undefined) return null;
  const named = [...(queue === undefined ? [] : [queue]), ...(queueChoices ?? [])];
  const unknown = named.find((name) => queueNamed(turn.policy, name) === null);
  if (unknown !== undefined) return noSuchQueue(unknown, turn.policy);
  if (queueChoices?.length === 0) return refusal('badRequest', 'a job needs a queue');
  if (queue !== undefined && queueChoices?.includes(queue) === false)
    return refusal('badRequest', `queue ${queue} is not among ${queueChoices.join(', ')}`);
  return nowhere(turn, specAfter(turn, job, changes));
}

function unfitLimit(turn: Turn, job: Job, changes: JobChanges): Refusal | null {
  if (changes.limitMs === undefined && changes.queue === undefined && changes.queueChoices === undefined)
    return null;
  const limitMs = changes.limitMs === undefined ? job.spec.limitMs : changes.limitMs;
  if (limitMs !== null && !(limitMs > 0))
    return refusal('badRequest', 'a time limit must be more than nothing');
  const refused = queuesFor(turn.policy, specAfter(turn, job, changes)).map((queue) =>
    longerThanAllowed(queue, limitMs),
  );
  const [first = null] = refused;
  return refused.includes(null) ? null : first;
}

function unfitThrottle(job: Job, { throttle }: JobChanges): Refusal | null {
  if (throttle === undefined) return null;
  if (job.array === null) return refusal('wrongState', `job ${displayId(job)} is not an array`);
  if (throttle === null || (Number.isSafeInteger(throttle) && throttle >= 1)) return null;
  return refusal('badRequest', `an array cannot run ${throttle} elements at once`);
}

function unfitDependencies(turn: Turn, job: Job, { dependencies }: JobChanges): Refusal | null {
  for (const term of dependencies?.terms ?? []) {
    if (term.kind === 'singleton') continue;
    const target = turn.state.jobs.get(term.job);
    if (target === undefined) return refusal('noSuchJob', `there is no job ${term.job} to depend on`);
    if (familyOf(target) === familyOf(job))
      return refusal('badRequest', `job ${displayId(job)} cannot depend on itself`);
    if (waitsFor(turn.state, target, familyOf(job)))
      return refusal(
        'badRequest',
        `job ${term.job} already waits for job ${displayId(job)}, so neither would ever start`,
      );
  }
  return null;
}

/** What was changed may mean waiting again, or no longer. */
function settleAgain(turn: Turn, id: JobId): void {
  if (jobOf(turn.state, id).phase === 'pending' && phaseWhenFree(turn, id) === 'waiting')
    record(turn, { type: 'jobWaiting', job: id });
  settleWaiting(turn, id);
}
