/** Which jobs `scancel` is about when it is given more than numbers: those that all filters fit. */

import { textFromBytes } from '../../../model/bytes.ts';
import { isLive, type Job } from '../../../model/job.ts';
import type { Policy } from '../../../model/policy.ts';
import { ANY_JOB, type JobView } from '../../../model/query.ts';
import { hasIndex } from '../../../model/ranges.ts';
import { liveJobs } from '../../job-pages.ts';
import { type Asking, query, readFile } from '../../program.ts';
import { failure } from '../failure.ts';
import { expandHosts } from '../host-list.ts';
import { accountOf, isShown, qosOf } from '../job-facts.ts';
import { stateOf } from '../states.ts';
import { wordOf } from '../words.ts';
import { EXIT_USAGE, type FilterTexts, type Named, type ScancelCall } from './options.ts';

const ALL_JOBS = 1_000_000;
const MOST_LIST_BYTES = 1024 * 1024;

export function hasFilters(filters: FilterTexts): boolean {
  return Object.values(filters).some((filter) => filter !== null);
}

/** `job_name=x partition=y `: what was looked for, as it is said when there is none. */
export function filterWords(filters: FilterTexts): string {
  const { account, jobname, nodelist, partition, qos, reservation, state, user, wckey } = filters;
  const words: readonly (readonly [string, string | null])[] = [
    ['account', account],
    ['job_name', jobname],
    ['nodelist', nodelist],
    ['partition', partition],
    ['qos', qos],
    ['reservation', reservation],
    ['state', state?.name ?? null],
    ['user_name', user],
    ['wckey', wckey],
  ];
  return words.flatMap(([name, text]) => (text === null ? [] : [`${name}=${text} `])).join('');
}

/** Jobs that have not ended and that every filter fits. */
export function* jobsThatFit({ filters, invocation }: ScancelCall): Asking<readonly JobView[]> {
  const user = filters.user === null ? null : yield* userNamed(filters.user, invocation);
  const hosts = filters.nodelist === null ? null : yield* hostsIn(filters.nodelist);
  const policy = yield* query('policy', {});
  const views = yield* liveJobs({
    ...ANY_JOB,
    phases: ['held', 'waiting', 'pending', 'active'],
    users: user === null ? null : [user],
    names: filters.jobname === null ? null : [filters.jobname],
    queues: filters.partition === null ? null : [filters.partition],
    limit: ALL_JOBS,
  });
  return views.filter(
    (view) => isShown(view.job) && !isOnItsWayOut(view.job) && fits(view, filters, policy, hosts),
  );
}

/** The original does not look up what is ending; what is to run again after that it does. */
function isOnItsWayOut({ attempt }: Job): boolean {
  const cause = isLive(attempt) ? (attempt.stop?.cause ?? null) : null;
  return cause !== null && cause !== 'requeued' && cause !== 'requeuedHeld' && cause !== 'preempted';
}

function fits(
  { job }: JobView,
  { account, qos, reservation, state, wckey }: FilterTexts,
  policy: Policy,
  hosts: ReadonlySet<string> | null,
): boolean {
  const nodes = job.phase === 'active' ? (job.attempt?.placement.nodes ?? []) : [];
  return (
    (account === null || accountOf(job) === account) &&
    (qos === null || qosOf(job, policy) === qos) &&
    (reservation === null || wordOf(job, 'reservation') === reservation) &&
    (state === null || stateOf(job).name === state.name) &&
    (wckey === null || wordOf(job, 'wckey') === wckey) &&
    (hosts === null || nodes.some(({ node }) => hosts.has(node)))
  );
}

function* userNamed(text: string, { user, uid }: ScancelCall['invocation']): Asking<string> {
  if (text === user || text === `${uid}`) return user;
  const [found] = yield* query('users', { names: [text === '0' ? 'root' : text] });
  if (found == null) throw failure('scancel', `Invalid user name: ${text}`, EXIT_USAGE);
  return found.name;
}

/** A list with a slash in it is the name of a file that has the list. */
function* hostsIn(text: string): Asking<ReadonlySet<string>> {
  let list = text;
  if (text.includes('/')) {
    const read = yield* readFile(text, MOST_LIST_BYTES);
    if (!read.ok) throw failure('scancel', `Invalid node list: ${text}`, EXIT_USAGE);
    list = textFromBytes(read.bytes).trim().replace(/\s+/g, ',');
  }
  const hosts = expandHosts(list);
  if (hosts === null) throw failure('scancel', `Invalid node list: ${text}`, EXIT_USAGE);
  return new Set(hosts);
}

/** Whether the job, or an element that it stands for, is meant by the name. */
export function isNamed({ job }: JobView, { job: id, indices }: Named): boolean {
  const { element, array } = job;
  if (indices === null) return job.id === id || element?.array === id;
  if (element !== null) return element.array === id && hasIndex(indices, element.index);
  if (array === null || job.id !== id) return false;
  return indices.some(([first, last, step]) => {
    for (let index = first; index <= last; index += step) if (hasIndex(array.unstarted, index)) return true;
    return false;
  });
}
