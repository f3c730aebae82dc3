/** The options of `sacct`, and what their values mean. What is wrong with one is said as `sacct` says it. */

import type { Policy } from '../../../model/policy.ts';
import { allValues, type GivenOption, isGiven, lastValue, type OptionSpec } from '../../options.ts';
import { parseSpan } from '../durations.ts';
import { failure, SlurmFailure } from '../failure.ts';
import { expandHosts } from '../host-list.ts';
import { type JobChoice, readJobChoice } from '../job-choices.ts';
import { momentText } from '../moments.ts';
import { stateNamed } from '../states.ts';
import { TABLE_OPTIONS } from '../table-options.ts';
import { readMoment } from '../written-moments.ts';
import type { Range, Selection, Window } from './filters.ts';

const flag = (name: string, short?: string): OptionSpec => ({
  name,
  value: 'none',
  ...(short === undefined ? {} : { short }),
});
const valued = (name: string, short?: string, ...aliases: string[]): OptionSpec => ({
  name,
  value: 'required',
  aliases,
  ...(short === undefined ? {} : { short }),
});

export const OPTIONS: readonly OptionSpec[] = [
  valued('accounts', 'A'),
  flag('allclusters', 'L'),
  flag('allocations', 'X'),
  flag('allusers', 'a'),
  valued('associations', 'x'),
  flag('batch-script', 'B'),
  flag('brief', 'b'),
  valued('clusters', 'M', 'cluster'),
  flag('completion', 'c'),
  valued('constraints', 'C'),
  valued('delimiter'),
  flag('duplicates', 'D'),
  valued('endtime', 'E'),
  flag('env-vars'),
  flag('federation'),
  valued('file', 'f'),
  valued('flags', 'F'),
  valued('format', 'o'),
  valued('gid', 'g', 'group'),
  flag('help', 'h'),
  flag('helpformat', 'e'),
  valued('jobs', 'j'),
  flag('json'),
  flag('local'),
  flag('long', 'l'),
  valued('name'),
  valued('ncpus', 'I'),
  valued('nnodes', 'i'),
  flag('noconvert'),
  valued('nodelist', 'N'),
  valued('partition', 'r'),
  valued('qos', 'q'),
  valued('reason'),
  valued('starttime', 'S'),
  valued('state', 's'),
  valued('timelimit-max', 'K'),
  valued('timelimit-min', 'k'),
  flag('truncate', 'T'),
  valued('uid', 'u', 'user'),
  valued('units'),
  flag('usage'),
  flag('use-local-uid'),
  flag('verbose', 'v'),
  flag('version', 'V'),
  valued('wckeys', 'W'),
  { name: 'whole-hetjob', value: 'optional' },
  flag('yaml'),
  ...TABLE_OPTIONS,
];

export function fatal(message: string): SlurmFailure {
  return new SlurmFailure([`sacct: fatal: ${message}`], 1);
}

function error(message: string): SlurmFailure {
  return failure('sacct', message);
}

/** What to look for; `me` is whose jobs are meant when nobody says. */
export function readSelection(
  given: readonly GivenOption[],
  me: { readonly name: string; readonly uid: number },
  policy: Policy,
  now: number,
  zone: string,
): Selection {
  const jobs = readJobs(given);
  const states = readStates(given);
  return {
    jobs,
    states,
    window: readWindow(given, jobs !== null, states !== null, now, zone),
    users: readUsers(given, me),
    groups: listOf(given, 'gid'),
    accounts: listOf(given, 'accounts'),
    names: listOf(given, 'name'),
    partitions: listOf(given, 'partition'),
    qos: readQos(given, policy),
    nodes: readNodes(given),
    wckeys: listOf(given, 'wckeys'),
    features: listOf(given, 'constraints'),
    schedulers: readFlags(given),
    reasons: listOf(given, 'reason'),
    associations: listOf(given, 'associations'),
    nodeCount: readRange(given, 'nnodes', 'node'),
    cpuCount: readRange(given, 'ncpus', 'cpu'),
    limitMinutes: readLimits(given),
  };
}

/** Null when it was not given; several times count together. */
function listOf(given: readonly GivenOption[], name: string): readonly string[] | null {
  if (!isGiven(given, name)) return null;
  return allValues(given, name).flatMap((value) => value.split(','));
}

/** Nobody named is nobody left out. */
function readJobs(given: readonly GivenOption[]): readonly JobChoice[] | null {
  const words = listOf(given, 'jobs')?.filter((word) => word !== '') ?? [];
  const choices = words.map((word) => readJobChoice(word, 'sacct')).filter(({ job }) => job > 0);
  return choices.length === 0 ? null : choices;
}

function readStates(given: readonly GivenOption[]): readonly string[] | null {
  return (
    listOf(given, 'state')?.map((word) => {
      const state = stateNamed(word);
      if (state === null) throw fatal(`unrecognized job state value '${word}'`);
      return state.name;
    }) ?? null
  );
}

/** Whole seconds. Jobs that are named are looked for in all of the past, states at this moment. */
function readWindow(
  given: readonly GivenOption[],
  byJobs: boolean,
  byStates: boolean,
  now: number,
  zone: string,
): Window {
  const read = (name: string) => {
    const text = lastValue(given, name);
    return text === null ? null : readTime(text, now, zone);
  };
  const start = read('starttime');
  const midnight = readTime('midnight', now, zone);
  const from = start ?? (byJobs ? 0 : byStates ? now : midnight);
  const until = read('endtime') ?? (byStates && start !== null ? start : now);
  if (from > until) {
    const [first, last] = [from, until].map((at) => momentText(at, zone));
    throw error(`Start time (${first}) requested is after end time (${last}).`);
  }
  return { from: wholeSecond(from), until: wholeSecond(until) + 999 };
}

function readTime(text: string, now: number, zone: string): number {
  const moment = readMoment(text, now, zone, 'behind');
  if (moment.ok) return moment.at;
  throw new SlurmFailure([`Invalid time specification (pos=${moment.position}): ${text}`], 1);
}

function wholeSecond(at: number): number {
  return Math.floor(at / 1000) * 1000;
}

function readUsers(
  given: readonly GivenOption[],
  me: { readonly name: string; readonly uid: number },
): readonly string[] | null {
  if (isGiven(given, 'uid')) return listOf(given, 'uid');
  return isGiven(given, 'allusers') || me.uid === 0 ? null : [me.name];
}

function readQos(given: readonly GivenOption[], policy: Policy): readonly string[] | null {
  const asked = listOf(given, 'qos')?.filter((name) => name !== '') ?? [];
  const known = policy.qos.map((qos) => qos.name);
  for (const name of asked) {
    if (known.includes(name)) continue;
    throw new SlurmFailure(
      [
        `sacct: error: You gave a bad qos '${name}'. Valid QOS's are ${known.join(',')}`,
        'sacct: fatal: problem processing qos list',
      ],
      1,
    );
  }
  return asked.length === 0 ? null : asked;
}

/** A list that nobody can read names nobody. */
function readNodes(given: readonly GivenOption[]): readonly string[] | null {
  const text = lastValue(given, 'nodelist');
  return text === null ? null : (expandHosts(text) ?? []);
}

const SCHEDULERS = ['schedsubmit', 'schedmain', 'schedbackfill'];

function readFlags(given: readonly GivenOption[]): readonly string[] | null {
  return (
    listOf(given, 'flags')?.map((word) => {
      const name = word.toLowerCase();
      if (!SCHEDULERS.includes(name)) throw error(`str_2_job_flags: Invalid job flag ${word}`);
      return name;
    }) ?? null
  );
}

function readRange(given: readonly GivenOption[], name: string, of: string): Range | null {
  const text = lastValue(given, name);
  if (text === null) return null;
  const match = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(text);
  if (match === null) throw error(`Invalid numeric value "${text}" for requested ${of} range.`);
  const min = Number(match[1]);
  return { min, max: match[2] === undefined ? min : Number(match[2]) };
}

/** A largest limit alone means nothing. */
function readLimits(given: readonly GivenOption[]): Range | null {
  const [min, max] = ['timelimit-min', 'timelimit-max'].map((name) => {
    const text = lastValue(given, name);
    if (text === null) return null;
    const ms = parseSpan(text);
    if (ms === null) throw fatal('Invalid time limit specification');
    return Math.ceil(ms / 60_000);
  });
  return min == null ? null : { min, max: max ?? min };
}
