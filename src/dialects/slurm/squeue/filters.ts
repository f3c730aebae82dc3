/** Which jobs `squeue` lists: the words of its options, read against what the yard has. */

import type { Job } from '../../../model/job.ts';
import type { NodeView, YardView } from '../../../model/query.ts';
import { fromIndices, indicesOf, type RangeSet } from '../../../model/ranges.ts';
import { type Asking, printErr, query } from '../../program.ts';
import { failure, SlurmFailure } from '../failure.ts';
import { expandHosts, splitOutsideBrackets } from '../host-list.ts';
import { accountOf, qosOf } from '../job-facts.ts';
import { parseJobWord } from '../job-words.ts';
import { partitionsOf } from '../partitions.ts';
import { FILTER_STATES, type SlurmState, stateNamed } from '../states.ts';
import { wordOf } from '../words.ts';
import type { SqueueFilterWords } from './options.ts';
import type { AskedJobs, JobRow } from './rows.ts';

export interface Filters {
  readonly asked: AskedJobs | null;
  /** The one job asked for, where it is one; it must be there. */
  readonly onlyJob: number | null;
  /** Null: whatever has not ended. */
  readonly states: ReadonlySet<string> | 'all' | null;
  /** Null: everybody. */
  readonly users: ReadonlySet<string> | null;
  readonly notUser: string | null;
  readonly names: ReadonlySet<string> | null;
  readonly partitions: ReadonlySet<string> | null;
  readonly accounts: ReadonlySet<string> | null;
  readonly qos: ReadonlySet<string> | null;
  readonly licenses: ReadonlySet<string> | null;
  readonly reservation: string | null;
  readonly nodes: ReadonlySet<string> | null;
}

export function* readFilters(words: SqueueFilterWords): Asking<Filters> {
  const { asked, onlyJob } = askedJobs(words.jobs);
  return {
    asked,
    onlyJob,
    states: askedStates(words.states),
    users: yield* askedUsers(words.users, words.self),
    notUser: words.notUser,
    names: lowerCaseSet(words.names),
    partitions: exactSet(words.partitions),
    accounts: lowerCaseSet(words.accounts),
    qos: lowerCaseSet(words.qos),
    licenses: exactSet(words.licenses),
    reservation: words.reservation,
    nodes: yield* askedNodes(words.nodes),
  };
}

/** What can be said of a job before it is looked at closer. */
export function isWanted(job: Job, filters: Filters): boolean {
  const { spec } = job;
  const { users, notUser, names, partitions, accounts, licenses, reservation } = filters;
  return (
    (users === null || users.has(spec.user)) &&
    spec.user !== notUser &&
    (names === null || names.has(spec.name.toLowerCase())) &&
    (partitions === null || partitionsOf(job).some((name) => partitions.has(name))) &&
    (accounts === null || accounts.has(accountOf(job).toLowerCase())) &&
    (licenses === null || licenseNames(job).some((license) => licenses.has(license))) &&
    (reservation === null || wordOf(job, 'reservation') === reservation)
  );
}

export function isWantedRow({ facts, job, scene }: JobRow, { states, qos, nodes }: Filters): boolean {
  return (
    isInStates(facts.state, job, states) &&
    (qos === null || qos.has((qosOf(job, scene.policy) ?? '').toLowerCase())) &&
    (nodes === null || facts.nodes.some((node) => nodes.has(node)))
  );
}

/** Whether jobs that have ended can be among those listed. */
export function wantsEnded({ states }: Filters): boolean {
  if (states === null) return false;
  return states === 'all' || [...states].some((name) => !UNENDED_STATES.has(name));
}

const UNENDED_STATES: ReadonlySet<string> = new Set([
  'PENDING',
  'RUNNING',
  'SUSPENDED',
  'COMPLETING',
  'CONFIGURING',
]);

function isInStates({ name }: SlurmState, { phase }: Job, states: Filters['states']): boolean {
  if (states === 'all') return true;
  if (states === null) return phase !== 'ended';
  // Being made ready is a way of running.
  return states.has(name) || (name === 'CONFIGURING' && states.has('RUNNING'));
}

function askedStates(text: string | null): Filters['states'] {
  if (text === null) return null;
  if (text.toLowerCase() === 'all') return 'all';
  const names = new Set<string>();
  for (const word of text.split(',')) {
    if (word === '') continue;
    const state = stateNamed(word);
    if (state === null) {
      const valid = FILTER_STATES.map(({ name }) => name).join(',');
      throw new SlurmFailure(
        [
          `squeue: error: Invalid job state specified: ${word}`,
          `squeue: error: Valid job states include: ${valid}`,
          '',
        ],
        1,
      );
    }
    names.add(state.name);
  }
  return names;
}

/** A number is taken for a job whatever follows it. */
function askedJobs(text: string | null): Pick<Filters, 'asked' | 'onlyJob'> {
  if (text === null) return { asked: null, onlyJob: null };
  const whole = new Set<number>();
  const elements = new Map<number, RangeSet>();
  for (const word of splitOutsideBrackets(text)) {
    const named = parseJobWord(word) ?? parseJobWord(/^\d{1,15}/.exec(word)?.[0] ?? '');
    if (named === null) throw failure('squeue', `Invalid job id: ${word}`);
    if (named.indices === null) whole.add(named.job);
    else {
      const before = elements.get(named.job) ?? [];
      elements.set(named.job, fromIndices([...indicesOf(before), ...indicesOf(named.indices)]));
    }
  }
  const ids = [...whole, ...elements.keys()];
  return { asked: { whole, elements }, onlyJob: ids.length === 1 ? (ids[0] as number) : null };
}

/** Who is not there is told of, and left out; whoever asks is there, with or without a name in the system. */
function* askedUsers(text: string | null, self: string): Asking<ReadonlySet<string> | null> {
  if (text === null) return null;
  const words = text.split(',').filter((word) => word !== '');
  const found = yield* query('users', { names: words });
  const names = new Set<string>();
  for (const [at, word] of words.entries()) {
    const name = found[at]?.name ?? (word === self ? self : undefined);
    if (name === undefined) yield* printErr(`squeue: error: Invalid user: ${word}\n\n`);
    else names.add(name);
  }
  return names;
}

function* askedNodes(text: string | null): Asking<ReadonlySet<string> | null> {
  if (text === null) return null;
  const hosts = expandHosts(text);
  if (hosts === null) throw failure('squeue', `'${text}' invalid entry for --nodelist`);
  const yard = yield* query('yard', {});
  const known = yield* query('nodes', { names: null });
  return new Set(hosts.flatMap((host) => nodesOf(host, known, yard)));
}

/** By its own name, or all of them by the name of the machine that they are on. */
function nodesOf(host: string, known: readonly NodeView[], yard: YardView): readonly string[] {
  const names = known.map(({ node }) => node.name);
  if (names.includes(host)) return [host];
  if (host === 'localhost' || host === yard.host || host === yard.host.split('.')[0]) return names;
  throw failure('squeue', `Invalid node name ${host}`);
}

function licenseNames(job: Job): readonly string[] {
  return (wordOf(job, 'licenses') ?? '').split(/[,|]/).map((license) => license.split(/[:@*]/)[0] as string);
}

function exactSet(text: string | null): ReadonlySet<string> | null {
  return text === null ? null : new Set(text.split(',').filter((word) => word !== ''));
}

function lowerCaseSet(text: string | null): ReadonlySet<string> | null {
  return exactSet(text?.toLowerCase() ?? null);
}
