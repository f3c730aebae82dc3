/**
 * From the options of `sbatch`, `srun` and `salloc` to a JobSpec. What is executed is handed in, files that options
 * name have been read, and what there is in the yard comes as plain facts.
 */

import type { JobSpec, MailRequest, Program, Streams } from '../../../model/job-spec.ts';
import { absolutePath } from '../../../model/paths.ts';
import type { Policy, Queue } from '../../../model/policy.ts';
import { isGiven, lastGiven } from '../../options.ts';
import type { Invocation } from '../../program.ts';
import { SlurmFailure } from '../failure.ts';
import type { SlurmWord } from '../words.ts';
import { parseArray } from './array-values.ts';
import { complaint, EXIT_OPTION, invalid, SubmissionRefused } from './complaints.ts';
import { parseDependencies } from './dependency-values.ts';
import { type Asked, textAsked } from './given.ts';
import { parseMailTypes } from './mail-values.ts';
import { optionWarnings, optionWords } from './option-fates.ts';
import { defaultOutput, modelPattern } from './output-names.ts';
import { partitionFor } from './partition.ts';
import { type NodeFacts, resourcesFrom } from './resources.ts';
import { propagatedLimits } from './rlimit-values.ts';
import { parseWarning } from './signal-values.ts';
import { deadlineFrom, limitFrom, momentFrom, unlimitedWarning } from './when.ts';

export interface Wanted extends Asked {
  readonly invocation: Invocation;
  /** Without its blobs, which are kept once everything else is found to be right. */
  readonly program: Program;
  readonly defaultName: string;
  /** What the command itself has to say about the job. */
  readonly words: Readonly<Partial<Record<SlurmWord, string>>>;
}

export interface Surroundings extends NodeFacts {
  readonly now: number;
  readonly policy: Policy;
  readonly sendsMail: boolean;
}

export interface JobRequest {
  readonly spec: JobSpec;
  /** Whole lines for stderr but for the command's name. */
  readonly remarks: readonly string[];
}

export function jobRequest(wanted: Wanted, surroundings: Surroundings): JobRequest {
  const { given, invocation, command } = wanted;
  const { now, policy } = surroundings;
  const warnings = [...optionWarnings(wanted)];
  const { resources, ntasks, remarks, ...more } = resourcesFrom(wanted, surroundings);
  const partition = partitionFor(textAsked(wanted, 'partition'), policy);
  const array = arrayFrom(wanted, policy.maxArraySize);
  const limitMs = limitFrom(wanted);
  warnings.push(...more.warnings, ...partition.warnings);
  const mail = mailFrom(wanted);
  if (mail !== null && !surroundings.sendsMail)
    warnings.push('there is no mail program here, so no mail is sent');
  checkUser(wanted);
  const noLimit = unlimitedWarning(wanted, queueOf(partition.queue, policy));
  if (noLimit !== null) warnings.push(noLimit);
  const priority = priorityFrom(wanted);
  const beginAt = momentFrom(wanted, 'begin', now, invocation.timeZone);
  const spec: JobSpec = {
    name: textAsked(wanted, 'job-name') ?? wanted.defaultName,
    user: invocation.user,
    account: textAsked(wanted, 'account') || null,
    qos: textAsked(wanted, 'qos') || null,
    queue: partition.queue,
    ...partition.choices,
    program: { ...wanted.program, ulimits: limitsFrom(wanted) },
    workDir: absolutePath(invocation.workDir, textAsked(wanted, 'chdir') || '.'),
    streams: streamsFrom(wanted, array !== null),
    resources,
    limitMs,
    warning: warningFrom(wanted),
    array,
    dependencies: dependenciesFrom(wanted),
    beginAt: beginAt !== null && beginAt > now ? beginAt : null,
    deadlineAt: deadlineFrom(wanted, now, invocation.timeZone, beginAt),
    held: isGiven(given, 'hold') || priority === 0,
    priority: priority ?? 0,
    nice: niceFrom(wanted),
    requeue: lastGiven(given, ['requeue', 'no-requeue'])?.name !== 'no-requeue',
    comment: textAsked(wanted, 'comment') || null,
    mail,
    origin: {
      dialect: 'slurm',
      words: {
        by: command,
        submitDir: invocation.workDir,
        ...wanted.words,
        ...optionWords(wanted),
        // Tasks that share CPUs are more than the ranks that the job has CPUs for.
        ...(ntasks === resources.ranks ? {} : { ntasks: `${ntasks}` }),
      },
    },
  };
  return { spec, remarks: [...remarks, ...warnings.map((text) => `warning: ${text}`)] };
}

function queueOf(name: string, { queues }: Policy): Queue | null {
  const isMeant = (queue: Queue) => (name === '' ? queue.isDefault : queue.name === name);
  return queues.find(isMeant) ?? null;
}

/** Nobody submits in another's name here. */
function checkUser(wanted: Wanted): void {
  const { user, uid } = wanted.invocation;
  const text = textAsked(wanted, 'uid');
  if (text !== null && text !== user && text !== `${uid}`) throw invalid(wanted.command, 'uid');
}

function streamsFrom(wanted: Wanted, isArray: boolean): Streams {
  const use = { isArray, step: 'batch' };
  const pathOf = (name: string) => {
    const text = textAsked(wanted, name);
    if (text === null) return null;
    return text === 'none' ? '/dev/null' : modelPattern(text, use);
  };
  const stdout = pathOf('output') ?? modelPattern(defaultOutput(isArray), use);
  const stderr = pathOf('error');
  return {
    stdin: pathOf('input'),
    stdout,
    // Two openings of one file would write over each other.
    stderr: stderr === stdout ? null : stderr,
    openMode: openModeFrom(wanted),
    makeDirectories: false,
  };
}

/** A job that is started again begins its output anew, unless it was told to append. */
function openModeFrom(wanted: Wanted): Streams['openMode'] {
  const text = textAsked(wanted, 'open-mode');
  if (text === null) return 'truncateAlways';
  const mode = { a: 'append', t: 'truncateAlways' } as const;
  const letter = text.charAt(0).toLowerCase();
  if (letter !== 'a' && letter !== 't') throw invalid(wanted.command, 'open-mode');
  return mode[letter];
}

function limitsFrom(wanted: Wanted): Program['ulimits'] {
  const { command, given, program } = wanted;
  const option = lastGiven(given, ['propagate']);
  if (option === null) return program.ulimits;
  const propagated = propagatedLimits(program.ulimits, option.value);
  if (propagated.ok) return propagated.ulimits;
  throw new SlurmFailure(
    [
      `${command}: error: Bad rlimit name: ${propagated.unknownName}`,
      `${command}: error: --propagate=${option.value} is not valid.`,
    ],
    1,
  );
}

function arrayFrom(wanted: Wanted, lastIndex: number): JobSpec['array'] {
  const text = textAsked(wanted, 'array');
  if (text === null) return null;
  const array = parseArray(text, lastIndex);
  if (array === undefined) throw new SubmissionRefused('Invalid job array specification');
  return array;
}

function warningFrom(wanted: Wanted): JobSpec['warning'] {
  const text = textAsked(wanted, 'signal');
  if (text === null) return null;
  const warning = parseWarning(text);
  if (warning === null) throw invalid(wanted.command, 'signal');
  return warning;
}

function dependenciesFrom(wanted: Wanted): JobSpec['dependencies'] {
  const text = textAsked(wanted, 'dependency');
  if (text === null) return null;
  if (/(?:^|[,?])expand:/i.test(text)) {
    throw new SubmissionRefused('Requested operation not supported on this system');
  }
  const dependencies = parseDependencies(text);
  if (dependencies === undefined) throw new SubmissionRefused('Job dependency problem');
  return dependencies;
}

/** Types add up over all the times they were given. */
function mailFrom(wanted: Wanted): MailRequest | null {
  const on = wanted.given.flatMap(({ name, value }) => {
    if (name !== 'mail-type' || value === null) return [];
    const occasions = parseMailTypes(value);
    if (occasions === null) throw invalid(wanted.command, 'mail-type');
    return occasions;
  });
  if (on.length === 0) return null;
  return { to: textAsked(wanted, 'mail-user') || wanted.invocation.user, on: [...new Set(on)] };
}

const NICE_UNSAID = 100;
const MOST_NICE = 2_147_483_645;

function niceFrom(wanted: Wanted): number {
  const option = lastGiven(wanted.given, ['nice']);
  if (option === null) return 0;
  if (option.value === null) return NICE_UNSAID;
  const nice = /^[+-]?\d{1,12}$/.test(option.value) ? Number(option.value) : Number.NaN;
  if (Math.abs(nice) <= MOST_NICE) return nice;
  const message = `Invalid --nice value, out of range (+/- ${MOST_NICE})`;
  throw complaint(wanted.command, message, EXIT_OPTION);
}

const TOP_PRIORITY = 2 ** 31;

/** Null when nobody said; 0 holds the job. */
function priorityFrom(wanted: Wanted): number | null {
  const text = textAsked(wanted, 'priority');
  if (text === null) return null;
  if (/^top$/i.test(text)) return TOP_PRIORITY;
  if (/^-\d+$/.test(text)) throw complaint(wanted.command, 'Priority must be >= 0', EXIT_OPTION);
  if (!/^\d{1,10}$/.test(text)) throw invalid(wanted.command, 'priority');
  return Math.min(Number(text), TOP_PRIORITY);
}
