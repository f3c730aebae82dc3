/** Answers to questions about the yard. Reads the state and the store, changes neither. */

import { groupKey } from '../core/backlog.ts';
import { trial } from '../core/decide/trial.ts';
import { type FairShares, fairShares, priorityOf, sharesOf, usageOf, usersOf } from '../core/priority.ts';
import { explain, reasonOf } from '../core/schedule/explain.ts';
import { orderOf } from '../core/schedule/order.ts';
import type { YardState } from '../core/state.ts';
import { textFromBytes } from '../model/bytes.ts';
import type { JobId, JobRef } from '../model/ids.ts';
import { type Attempt, isLive, type Job } from '../model/job.ts';
import { fillPattern } from '../model/pattern.ts';
import type {
  Answer,
  Ask,
  JobDetail,
  JobFilter,
  JobRecord,
  JobView,
  QueryName,
  UserShare,
} from '../model/query.ts';
import { hasIndex } from '../model/ranges.ts';
import type { Reason } from '../model/reason.ts';
import type { Store } from '../store/store.ts';
import { footprintViews, gpusView } from './gpu-views.ts';
import type { Sources } from './query-sources.ts';
import { nodeViews, queueViews, yardView } from './yard-views.ts';

type Answers = { readonly [Q in QueryName]: (sources: Sources, ask: Ask<Q>) => Answer<Q> };

const ANSWERS: Answers = {
  jobs: (sources, filter) => liveJobs(sources, filter),
  liveJobs: ({ state }) => numbersOfUnended(state),
  jobPage: (sources, ask) => {
    const { jobs, next } = sources.store.page(ask);
    return { records: recordsOf(sources, jobs), next };
  },
  records: (sources, { jobs, filter }) => {
    const known = jobs.flatMap((job) => sources.find({ job, index: null }) ?? []);
    return recordsOf(
      sources,
      known.filter((job) => matches(job, filter)),
    );
  },
  job: (sources, { ref }) => jobDetail(sources, ref),
  explain: (sources, { ref }) => {
    const job = sources.find(ref);
    if (job === null) return null;
    return {
      view: viewOf(sources, job),
      explanation: explain(sources.state, sources.policy, sources.now, job),
    };
  },
  trial: ({ state, policy, now }, { spec }) => trial({ state, policy, now }, spec),
  nodes: (sources, { names }) => nodeViews(sources, names),
  queues: (sources) => queueViews(sources),
  gpus: (sources, { nodes }) => gpusView(sources, nodes, inOrder(sources)),
  footprints: (sources, { match }) => footprintViews(sources, match),
  events: (sources, filter) => sources.store.events(filter),
  yard: (sources) => yardView(sources),
  config: (sources) => sources.surroundings.config,
  accounting: (sources, filter) => accounting(sources, filter),
  usage: (sources, { ref }) => {
    const attempt = sources.find(ref)?.attempt ?? null;
    return isLive(attempt) ? sources.measure(attempt.id) : null;
  },
  priorities: (sources, filter) => priorities(sources, filter),
  shares: (sources) => userShares(sources),
  activity: ({ activity }) => activity,
  policy: ({ policy }) => policy,
  users: ({ surroundings }, { names }) => names.map((name) => surroundings.userNamed(name)),
};

export function answer<Q extends QueryName>(sources: Sources, name: Q, ask: Ask<Q>): Answer<Q> {
  return ANSWERS[name](sources, ask);
}

/** Those that wait for their turn, in the order in which they are looked at. */
function inOrder(sources: Sources): readonly JobView[] {
  const { state, policy, now } = sources;
  const order = orderOf(state, policy, fairShares(state, policy, now), now);
  const lens = newLens(sources);
  const views: JobView[] = [];
  for (
    let next = order.next();
    next !== undefined && views.length < MOST_WAITING_SHOWN;
    next = order.next()
  ) {
    const job = state.jobs.get(next.job);
    if (job?.spec.resources.gpus != null) views.push(viewOf(sources, job, lens));
    order.passOn(next);
  }
  return views;
}

/** Jobs that have not ended; where jobs are named, those, whatever became of them. */
function liveJobs(sources: Sources, filter: JobFilter): readonly JobView[] {
  const jobs = filter.refs === null ? [...unended(sources.state)] : named(sources, filter.refs);
  const lens = newLens(sources);
  const views: JobView[] = [];
  for (const job of jobs) {
    if (!matches(job, filter)) continue;
    views.push(viewOf(sources, job, lens));
    if (views.length >= filter.limit) break;
  }
  return views;
}

function* unended({ jobs }: YardState): Generator<Job> {
  for (const job of jobs.values()) if (job.phase !== 'ended') yield job;
}

function numbersOfUnended(state: YardState): JobId[] {
  const ids: JobId[] = [];
  for (const job of state.jobs.values()) if (job.phase !== 'ended') ids.push(job.id);
  return ids;
}

function named(sources: Sources, refs: readonly JobRef[]): Job[] {
  return refs.flatMap((ref) => sources.find(ref) ?? []);
}

function matches({ spec, phase, outcome, endedAt, submittedAt }: Job, filter: JobFilter): boolean {
  return (
    (filter.phases === null || filter.phases.includes(phase)) &&
    (filter.outcomes === null || (outcome !== null && filter.outcomes.includes(outcome))) &&
    (filter.users === null || filter.users.includes(spec.user)) &&
    (filter.queues === null || filter.queues.includes(spec.queue)) &&
    (filter.names === null || filter.names.includes(spec.name)) &&
    (filter.endedAfter === null || endedAt === null || endedAt >= filter.endedAfter) &&
    (filter.submittedAfter === null || submittedAt >= filter.submittedAfter) &&
    (filter.submittedBefore === null || submittedAt < filter.submittedBefore)
  );
}

/** What is the same for every job of one answer, worked out once. */
interface Lens {
  readonly fair: FairShares;
  readonly reasons: Map<string, Reason | null>;
}

function newLens({ state, policy, now }: Sources): Lens {
  return { fair: fairShares(state, policy, now), reasons: new Map() };
}

function viewOf(sources: Sources, job: Job, lens: Lens = newLens(sources)): JobView {
  const { policy, now } = sources;
  const { streams } = job.spec;
  const first = job.attempt?.placement.nodes[0];
  const node = first === undefined ? null : { name: first.node, number: 0 };
  const path = (pattern: string) => fillPattern(pattern, job, job.attempt, node, 0);
  return {
    job,
    priority:
      job.phase === 'pending'
        ? priorityOf(job.spec, job.eligibleAt ?? now, policy, lens.fair, now).total
        : null,
    reason: reasonFor(sources, job, lens),
    // Most lists show no paths, and to fill in patterns costs more than all the rest.
    get stdoutPath() {
      return path(streams.stdout);
    },
    get stderrPath() {
      return streams.stderr === null ? null : path(streams.stderr);
    },
  };
}

/** Pending jobs that are alike wait for the same reason. */
function reasonFor({ state, policy, now }: Sources, job: Job, { reasons }: Lens): Reason | null {
  if (job.phase !== 'pending' || job.spec.array !== null) return reasonOf(state, policy, job, now);
  const key = groupKey(job.spec);
  let reason = reasons.get(key);
  if (reason === undefined) {
    reason = reasonOf(state, policy, job, now);
    reasons.set(key, reason);
  }
  return reason;
}

function jobDetail(sources: Sources, ref: JobRef): JobDetail | null {
  const { state, store } = sources;
  const job = sources.find(ref);
  if (job === null) return null;
  const script = job.spec.program.script === null ? null : store.blob(job.spec.program.script);
  const elements = job.array === null ? [] : store.elements(job.id, MOST_ELEMENTS_SHOWN);
  const lens = newLens(sources);
  return {
    view: viewOf(sources, job, lens),
    attempts: store.attempts(job.id),
    steps: store.steps(job.id),
    script: script === null ? null : textFromBytes(script),
    elements: elements.map((stored) => viewOf(sources, state.jobs.get(stored.id) ?? stored, lens)),
  };
}

/** Everything that the store has of these jobs; what is decided is written, so it has the live ones too. */
function accounting(sources: Sources, filter: JobFilter): readonly JobRecord[] {
  const jobs = [...sources.store.jobs(filter), ...arraysOfUnstarted(sources, filter)];
  return recordsOf(
    sources,
    jobs.sort((a, b) => a.id - b.id),
  );
}

function recordsOf(sources: Sources, jobs: readonly Job[]): readonly JobRecord[] {
  const { store, state } = sources;
  const lens = newLens(sources);
  return jobs.map((stored) => {
    const job = state.jobs.get(stored.id) ?? stored;
    const attempts = attemptsOf(store, job);
    const steps = attempts.some(({ stepCount }) => stepCount > 0) ? store.steps(job.id) : [];
    return { view: viewOf(sources, job, lens), attempts, steps };
  });
}

/** An element that has not started has no record but its array's. */
function arraysOfUnstarted(sources: Sources, filter: JobFilter): readonly Job[] {
  const arrays = new Map<JobId, Job>();
  const named = new Set(filter.refs?.flatMap(({ job, index }) => (index === null ? [job] : [])));
  for (const { job: id, index } of filter.refs ?? []) {
    const array = index === null || named.has(id) ? null : sources.find({ job: id, index: null });
    if (array === null || index === null || !hasIndex(array.array?.unstarted ?? [], index)) continue;
    if (matches(array, filter)) arrays.set(id, array);
  }
  return [...arrays.values()];
}

/** Most jobs have had one, and carry it with them. */
function attemptsOf(store: Store, { id, attempt }: Job): readonly Attempt[] {
  if (attempt === null) return [];
  return attempt.n === 1 ? [attempt] : store.attempts(id);
}

const MOST_ELEMENTS_SHOWN = 1000;
const MOST_WAITING_SHOWN = 1000;

function priorities(sources: Sources, filter: JobFilter): Answer<'priorities'> {
  const { policy, now } = sources;
  const { fair } = newLens(sources);
  return liveJobs(sources, { ...filter, phases: ['pending'] }).map((view) => {
    const { spec, eligibleAt } = view.job;
    return { view, priority: priorityOf(spec, eligibleAt ?? now, policy, fair, now) };
  });
}

function userShares({ state, policy, now }: Sources): readonly UserShare[] {
  const fair = fairShares(state, policy, now);
  const users = new Set([...usersOf(state), ...Object.keys(policy.shares)]);
  return [...users].sort().map((user) => ({
    user,
    shares: sharesOf(policy, user),
    usedSeconds: usageOf(state, policy, user, now),
    factor: fair.of(user),
  }));
}
