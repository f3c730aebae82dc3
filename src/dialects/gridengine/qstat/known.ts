/**
 * All that `qstat -j` knows of one job: its own record, its tasks, and what has to be looked up elsewhere. Worked out
 * once for its text and its XML.
 */

import type { JobId } from '../../../model/ids.ts';
import type { Job } from '../../../model/job.ts';
import type { JobView, UserView } from '../../../model/query.ts';
import { type Asking, query } from '../../program.ts';
import { errorReason } from '../error-reasons.ts';
import { type JobFacts, taskNumber } from '../job-facts.ts';
import { readJobWord } from '../job-list.ts';
import { matchesPattern } from '../patterns.ts';
import { type Predecessors, predecessorsOf, termsOf } from '../requested.ts';
import { instanceMessages, jobMessages, type Message } from '../scheduling-info.ts';
import { isInError } from '../states.ts';
import { type SubmitterFacts, submitterFrom } from '../submit/submitter.ts';
import { wordOf } from '../words.ts';
import type { Hosts, Scene } from './scene.ts';
import { type Measured, measure } from './usage.ts';

export interface JobInFull {
  readonly number: JobId;
  readonly view: JobView;
  readonly job: Job;
  readonly owner: UserView | null;
  /** Where mail to nobody in particular goes. */
  readonly host: string;
  readonly submitter: SubmitterFacts | null;
  /** By the number of each task: what runs, and what is in error. */
  readonly running: readonly JobFacts[];
  readonly failed: readonly FailedTask[];
  readonly measured: Measured;
  readonly predecessors: Predecessors;
  readonly arrayPredecessors: Predecessors;
  readonly successors: readonly JobId[];
  /** From 0 to 1. */
  readonly urgency: number;
  /** About the queue instances, and about this job. */
  readonly general: readonly Message[];
  readonly own: readonly Message[];
}

/** A task in error, and why, with when and whose it was. */
export interface FailedTask {
  readonly task: number;
  readonly reason: string;
}

/** Numbers of the jobs that the words mean, in order. */
export function jobsNamed(words: readonly string[], { views }: Scene): readonly JobId[] {
  const numbers = new Set<JobId>();
  for (const text of words) {
    const word = readJobWord(text);
    if (word === null) continue;
    for (const { job } of views.values()) {
      if (job.element !== null) continue;
      if (word.number === null ? matchesPattern(word.text, job.spec.name) : word.number === job.id) {
        numbers.add(job.id);
      }
    }
  }
  return [...numbers].sort((a, b) => a - b);
}

export function* inFull(numbers: readonly JobId[], scene: Scene, hosts: Hosts): Asking<readonly JobInFull[]> {
  const wanted = new Set(numbers);
  const tasks = new Map<JobId, JobView[]>();
  const successors = new Map<JobId, JobId[]>();
  for (const view of scene.views.values()) {
    const { element } = view.job;
    if (element !== null && wanted.has(element.array)) push(tasks, element.array, view);
    if (element !== null) continue;
    for (const id of [...termsOf(view.job, 'whole'), ...termsOf(view.job, 'taskByTask')]) {
      if (wanted.has(id)) push(successors, id, view.job.id);
    }
  }
  const facts = new Map<JobId, JobFacts[]>();
  for (const each of scene.facts) if (wanted.has(each.number)) push(facts, each.number, each);
  const running = [...facts.values()].flat().filter(({ section }) => section === 'running');
  const measured = yield* measure(running, scene.now);
  const owners = yield* ownersOf(numbers, scene);
  const { host } = yield* query('yard', {});
  const general = instanceMessages(hosts.instances);
  return numbers.flatMap((number) => {
    const view = scene.views.get(number);
    if (view === undefined) return [];
    const { job } = view;
    const its = facts.get(number) ?? [];
    const records = job.array === null ? [view] : (tasks.get(number) ?? []);
    const owner = owners.get(job.spec.user) ?? null;
    return {
      number,
      view,
      job,
      owner,
      host: host.split('.')[0] ?? host,
      submitter: submitterFrom(wordOf(job, 'submitter')),
      running: its.filter(({ section }) => section === 'running').sort(byTask),
      failed: records
        .filter((record) => isInError(record.job))
        .sort(byIndex)
        .map((record) => failedTask(record.job, owner?.uid ?? 0, scene)),
      measured,
      predecessors: predecessorsOf(job, 'whole', scene.isLive),
      arrayPredecessors: predecessorsOf(job, 'taskByTask', scene.isLive),
      successors: [...new Set(successors.get(number))].sort((a, b) => a - b),
      urgency: its[0] === undefined ? 0 : scene.priority(its[0]).urgency,
      general,
      own: unique(its.flatMap((each) => jobMessages(each, hosts.instances))),
    };
  });
}

function failedTask(job: Job, uid: number, { listed }: Scene): FailedTask {
  const at = job.attempt?.endedAt ?? job.submittedAt;
  const reason = errorReason(job.hold?.reason ?? job.attempt?.fault ?? job.note ?? 'unknown');
  // The original says which process it was, which nobody needs any more.
  return { task: taskNumber(job), reason: `${listed(at)} [${uid}:0]: ${reason}` };
}

function* ownersOf(numbers: readonly JobId[], { views }: Scene): Asking<ReadonlyMap<string, UserView>> {
  const names = [...new Set(numbers.flatMap((id) => views.get(id)?.job.spec.user ?? []))];
  const found = yield* query('users', { names });
  return new Map(found.flatMap((user, i) => (user === null ? [] : [[names[i] ?? user.name, user] as const])));
}

function push<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

function byTask(a: JobFacts, b: JobFacts): number {
  return (a.tasks?.[0]?.[0] ?? 1) - (b.tasks?.[0]?.[0] ?? 1);
}

function byIndex(a: JobView, b: JobView): number {
  return (a.job.element?.index ?? 1) - (b.job.element?.index ?? 1);
}

function unique(messages: readonly Message[]): readonly Message[] {
  return [...new Map(messages.map((message) => [message.text, message])).values()];
}
