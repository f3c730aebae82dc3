/**
 * From the flags of a submission to a JobSpec. What is executed is handed in without its blobs, which are kept once
 * everything else is found to be right; what there is in the yard comes as plain facts.
 */

import type { ArraySpec, JobSpec, Program, ResourceRequest } from '../../../model/job-spec.ts';
import { absolutePath } from '../../../model/paths.ts';
import { PLAIN_RESOURCES } from '../../../model/plain.ts';
import { countOf, rangeOf } from '../../../model/ranges.ts';
import { SIGKILL } from '../../../model/signals.ts';
import type { Asking, Invocation } from '../../program.ts';
import { hasFlag, lastWord } from '../flags.ts';
import { GRID_ENGINE, type GridEngineWords } from '../words.ts';
import { readMoment } from '../written-moments.ts';
import { askedAttributes } from './attributes.ts';
import { complaint, complaintFailure, EXIT_VALUE, rejected } from './complaints.ts';
import type { Submitter } from './flag-table.ts';
import { dependenciesFrom } from './hold-jobs.ts';
import type { AskedFlag } from './layers.ts';
import { mailFrom } from './mail.ts';
import { checkJobName, checkObjectName } from './names.ts';
import { outputsFrom } from './output-names.ts';
import { type ParallelRequest, parallelFrom, slotsAlone } from './parallel.ts';
import { chosenQueues, queueWishOf } from './queue-lists.ts';
import { type ResourceWish, resourcesFrom } from './resources.ts';
import type { SubmitterFacts } from './submitter.ts';
import { isLenient, type Surroundings } from './surroundings.ts';
import { parseTaskRange, parseYesNo } from './values.ts';
import type { JobVariables } from './variables.ts';
import { flagWarnings } from './without-effect.ts';
import { wordsFrom } from './words-from.ts';

export interface Wanted {
  readonly command: Submitter;
  readonly given: readonly AskedFlag[];
  readonly invocation: Invocation;
  readonly submitter: SubmitterFacts;
  readonly program: Program;
  readonly defaultName: string;
  readonly variables: JobVariables;
  /** What the command itself has to say about the job. */
  readonly words: GridEngineWords;
}

export interface JobRequest {
  readonly spec: JobSpec;
  /** Sentences, without the name of the command. */
  readonly warnings: readonly string[];
}

/** Priorities of Grid Engine outweigh all that the yard finds out by itself. */
export const PRIORITY_WEIGHT = 10_000;
/** `-notify`: SIGUSR2 ahead of being killed, SIGUSR1 ahead of being suspended. */
export const NOTICE = { stopSignal: 12, suspendSignal: 10 } as const;
/** Exit codes by which a script asks to be run again, or to be looked at. */
const AFTERMATH = { againExitCodes: [99], errorExitCodes: [100], faultsAreErrors: true } as const;

/** Asks for the jobs that it waits for and the directories of its output; throws what is wrong with it. */
export function* jobRequest(wanted: Wanted, surroundings: Surroundings): Asking<JobRequest> {
  const { given, invocation, submitter, command } = wanted;
  const warnings = [...flagWarnings(command, given, surroundings)];
  const name = lastWord(given, '-N') ?? wanted.defaultName;
  checkJobName(name);
  const account = lastWord(given, '-A');
  if (account !== null) checkObjectName(account);
  const array = arrayFrom(given, surroundings);
  const wish = resourcesFrom(askedAttributes(given, 'hard'), surroundings);
  const parallel = parallelOf(given, surroundings);
  const queues = queuesFrom(given, wish, surroundings);
  const workDir = workDirFrom(given, invocation, submitter);
  const outputs = yield* outputsFrom(
    { given, home: submitter.HOME, user: invocation.user, workDir, isArray: array !== null },
    surroundings,
  );
  const taskRange = array === null ? null : taskRangeText(given);
  const dependencies = yield* dependenciesFrom(given, { user: invocation.user, array, taskRange });
  warnings.push(...wish.warnings, ...(parallel?.warnings ?? []), ...queues.warnings, ...outputs.warnings);
  const mail = mailFrom(given, invocation.user, array !== null);
  if (mail !== null && !surroundings.sendsMail) {
    warnings.push('there is no mail program here, so no mail is sent');
  }
  const isNotified = hasFlag(given, '-notify');
  const beginAt = momentFrom(wanted, '-a', surroundings);
  const deadlineAt = momentFrom(wanted, '-dl', surroundings);
  const spec: JobSpec = {
    name,
    user: invocation.user,
    account: projectFrom(given, surroundings),
    qos: null,
    queue: queues.queues[0] ?? '',
    ...(queues.queues.length > 1 ? { queueChoices: queues.queues } : {}),
    program: { ...wanted.program, ulimits: { ...wanted.program.ulimits, ...wish.ulimits } },
    workDir,
    streams: outputs.streams,
    resources: {
      ...PLAIN_RESOURCES,
      ...ranksOf(given, parallel, wish),
      memory: wish.memory,
      gpus: wish.gpus,
      onlyNodes: nodesOf(queues.onlyNodes, wish.onlyNodes),
    },
    limitMs: wish.limitMs,
    warning: wish.warning,
    array,
    dependencies,
    beginAt: beginAt !== null && beginAt > surroundings.now ? beginAt : null,
    deadlineAt: null,
    held: hasFlag(given, '-h'),
    priority: Number(lastWord(given, '-p') ?? 0) * PRIORITY_WEIGHT,
    nice: 0,
    requeue: isYes(given, '-r'),
    aftermath: AFTERMATH,
    stopSignal: SIGKILL,
    ...(isNotified ? NOTICE : {}),
    comment: null,
    mail,
    origin: {
      dialect: GRID_ENGINE,
      words: {
        by: command,
        submitter: JSON.stringify(submitter),
        ...wanted.words,
        ...wordsFrom(given, wanted.variables),
        ...(taskRange === null ? {} : { taskRange }),
        ...(deadlineAt === null ? {} : { deadlineAt: `${deadlineAt}` }),
        ...(parallel === null ? {} : { pe: parallel.name }),
      },
    },
  };
  return { spec, warnings };
}

export function isYes(given: readonly AskedFlag[], flag: string): boolean {
  return parseYesNo(lastWord(given, flag) ?? 'n') === true;
}

const MOST_TASK_NUMBER = 2_147_483_647;

/** Null when it is no array. */
export function arrayFrom(given: readonly AskedFlag[], { policy }: Surroundings): ArraySpec | null {
  const limit = Number(lastWord(given, '-tc') ?? 0);
  const text = lastWord(given, '-t');
  if (text === null) {
    if (limit > 0) throw rejected('invalid "task concurrency" value in job request');
    return null;
  }
  const range = parseTaskRange(text);
  if (!range.ok) throw rejected('The input value for an argument is invalid.');
  const { first, last, step } = range.value;
  if (first < 1) throw rejected(`job rejected: ${first} is an invalid task id`);
  if (last > MOST_TASK_NUMBER) throw rejected('The input value for an argument is invalid.');
  const indices = rangeOf(first, last, step);
  if (countOf(indices) > policy.maxArraySize) throw rejected(tooManyTasks(policy.maxArraySize));
  return { indices, throttle: limit === 0 ? null : limit };
}

export function tooManyTasks(most: number): string {
  return `job rejected: you tried to submit a job with more than ${most} tasks`;
}

/** `1-10:2`, as the job's number is followed by it. */
function taskRangeText(given: readonly AskedFlag[]): string {
  const range = parseTaskRange(lastWord(given, '-t') ?? '');
  if (!range.ok) return '';
  const { first, last, step } = range.value;
  return `${first}-${last}:${step}`;
}

function parallelOf(given: readonly AskedFlag[], surroundings: Surroundings): ParallelRequest | null {
  const words = given.findLast(({ flag }) => flag === '-pe')?.words;
  if (words !== undefined) return parallelFrom(words, surroundings);
  if (hasFlag(given, '-masterq')) {
    throw rejected('job rejected: specification of master queue is not allowed for non-parallel jobs');
  }
  return null;
}

function ranksOf(
  given: readonly AskedFlag[],
  parallel: ParallelRequest | null,
  { slots }: ResourceWish,
): Partial<ResourceRequest> {
  if (parallel === null) return slots === null ? {} : slotsAlone(slots);
  if (slots !== null && hasFlag(given, '-pe')) {
    throw rejected('"job" denied: use parallel environments instead of requesting slots explicitly');
  }
  return parallel.ranks;
}

/** `-l qname` narrows down what `-q` says. */
function queuesFrom(given: readonly AskedFlag[], { queues }: ResourceWish, surroundings: Surroundings) {
  const wish = queueWishOf(given);
  const chosen = chosenQueues({ ...wish, hard: wish.hard.length > 0 ? wish.hard : queues }, surroundings);
  if (wish.hard.length === 0 || queues.length === 0) return chosen;
  const named = new Set(chosenQueues({ hard: queues, soft: [], master: [] }, surroundings).queues);
  const both = chosen.queues.filter((name) => named.has(name));
  if (both.length === 0 && !isLenient(surroundings)) throw rejected('error: no suitable queues');
  return { ...chosen, queues: both.length === 0 ? chosen.queues : both };
}

function nodesOf(
  byQueue: readonly string[],
  byAttribute: readonly string[] | null,
): ResourceRequest['onlyNodes'] {
  if (byAttribute === null) return byQueue;
  if (byQueue.length === 0) return byAttribute;
  const both = byQueue.filter((node) => byAttribute.includes(node));
  if (both.length === 0) throw rejected('error: no suitable queues');
  return both;
}

/** Where somebody was told to go last; home otherwise. */
function workDirFrom(given: readonly AskedFlag[], { workDir }: Invocation, { HOME }: SubmitterFacts): string {
  const said = given.findLast(({ flag }) => flag === '-cwd' || flag === '-wd');
  if (said === undefined) return HOME;
  return said.flag === '-cwd' ? workDir : absolutePath(workDir, said.words[0] || '.');
}

export function projectFrom(given: readonly AskedFlag[], { policy }: Surroundings): string | null {
  const project = lastWord(given, '-P') || null;
  if (project === null || policy.accounts === null) return project;
  if (policy.accounts.some(({ name }) => name === project)) return project;
  throw rejected(`job rejected: the requested project "${project}" does not exist`);
}

/** Null when it was not given. */
export function momentFrom(
  { given, command, invocation }: Pick<Wanted, 'given' | 'command' | 'invocation'>,
  flag: string,
  { now }: Surroundings,
): number | null {
  const text = lastWord(given, flag);
  if (text === null) return null;
  const moment = readMoment(text, now, invocation.timeZone);
  if (moment.ok) return moment.at;
  const sentence = `${command}: Wrong date/time format "${text}" specified to ${flag} option`;
  // The first sentence comes from elsewhere in the original, without the command's name and after an empty line.
  throw complaintFailure(complaint(EXIT_VALUE, '', moment.complaint, sentence), command, 'file');
}
