/**
 * What `qstat` has to know to list jobs: asked for once, for however many jobs. Everybody's jobs are looked at, since
 * priorities are told in comparison with all of them and queue instances are shared by all. Prints nothing.
 */

import type { JobId } from '../../../model/ids.ts';
import {
  ANY_JOB,
  type JobFilter,
  type JobView,
  type NodeView,
  type QueueView,
} from '../../../model/query.ts';
import { eachPage, liveJobs, waitingPriorities } from '../../job-pages.ts';
import { type Asking, clock, query } from '../../program.ts';
import { type JobFacts, jobFacts } from '../job-facts.ts';
import { listedMoment, remembering, xmlMoment } from '../moments.ts';
import { type Breakdowns, inOrder, type Priority, prioritiesOf } from '../priorities.ts';
import { type QueueInstance, queueInstances } from '../queue-instances.ts';

export interface Scene {
  readonly now: number;
  readonly zone: string;
  readonly listed: (at: number) => string;
  readonly xml: (at: number) => string;
  /** By number; everything that has not ended. */
  readonly views: ReadonlyMap<JobId, JobView>;
  /** The same, in the order of a listing. */
  readonly facts: readonly JobFacts[];
  readonly priority: (facts: JobFacts) => Priority;
  readonly isLive: (id: JobId) => boolean;
}

/** Finished jobs that Grid Engine remembers, and records among which they are looked for: tasks have their own. */
const MOST_FINISHED = 100;
const MOST_FINISHED_RECORDS = 1000;

export function* lookAtJobs(zone: string): Asking<Scene> {
  const now = yield* clock();
  return yield* sceneOf(yield* liveJobs(ANY_JOB), now, zone);
}

function* sceneOf(views: readonly JobView[], now: number, zone: string): Asking<Scene> {
  const priority = prioritiesOf(views);
  const byId = new Map(views.map((view) => [view.job.id, view]));
  return {
    now,
    zone,
    listed: remembering(listedMoment, zone),
    xml: remembering(xmlMoment, zone),
    views: byId,
    facts: yield* inOrder(yield* jobFacts(views), priority),
    priority,
    isLive: (id) => byId.has(id),
  };
}

/** The last ones that ended, by number. */
export function* lookAtFinished(): Asking<readonly JobFacts[]> {
  const ended: JobView[] = [];
  const filter: JobFilter = { ...ANY_JOB, phases: ['ended'] };
  yield* eachPage({ filter, order: { by: 'newest' } }, (records) => {
    for (const { view } of records) if (view.job.phase === 'ended') ended.push(view);
    return ended.length >= MOST_FINISHED_RECORDS ? 'enough' : undefined;
  });
  return [...(yield* jobFacts(ended))]
    .sort((a, b) => (b.job.endedAt ?? 0) - (a.job.endedAt ?? 0))
    .slice(0, MOST_FINISHED)
    .sort((a, b) => a.number - b.number);
}

export interface Hosts {
  readonly queues: readonly QueueView[];
  readonly nodes: readonly NodeView[];
  readonly instances: readonly QueueInstance[];
}

export function* lookAtHosts(facts: readonly JobFacts[]): Asking<Hosts> {
  const queues = yield* query('queues', {});
  const nodes = yield* query('nodes', { names: null });
  return { queues, nodes, instances: queueInstances(queues, nodes, facts) };
}

/** What the priority of each waiting job is made of. */
export function* lookAtPriorities(): Asking<Breakdowns> {
  const found = yield* waitingPriorities();
  return new Map(found.map(({ view, priority }) => [view.job.id, priority]));
}
