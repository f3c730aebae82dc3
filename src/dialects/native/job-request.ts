/** From the options of `submit` to a JobSpec. What the job executes is decided elsewhere and handed in. */

import { printable } from '../../model/bytes.ts';
import type { ArraySpec, JobSpec, Program, Streams, Warning } from '../../model/job-spec.ts';
import { absolutePath } from '../../model/paths.ts';
import { countOf, parseRanges } from '../../model/ranges.ts';
import { parseSignal } from '../../model/signals.ts';
import { parseDuration } from '../../model/units.ts';
import { keepVariables, variableNames, withVariables } from '../environment.ts';
import { allValues, type GivenOption, isGiven, lastGiven } from '../options.ts';
import type { Invocation } from '../program.ts';
import { parseMoment } from '../text/moments.ts';
import { quoted } from '../text/words.ts';
import { dependenciesFrom } from './dependency-words.ts';
import { badValue, refusalError, usageError } from './failure.ts';
import { integerFrom, resourcesFrom, textFrom } from './resource-words.ts';

const MOST_TEXT = 1024;
const DEFAULT_WARNING_MS = 60_000;
const KEPT_WITHOUT_ENV = /^(HOME|USER|LOGNAME|SHELL|PATH|LANG|LC_\w+|TZ|TMPDIR)$/;

export interface Requested {
  readonly given: readonly GivenOption[];
  /** Without its blobs, which are kept once everything else is found to be right. */
  readonly program: Program;
  readonly isScript: boolean;
  readonly defaultName: string;
  /** The script's path, where there is one. */
  readonly scriptPath: string | null;
}

export function jobSpecFrom(requested: Requested, invocation: Invocation, now: number): JobSpec {
  const { given, program } = requested;
  const array = arrayFrom(given);
  const resources = resourcesFrom(given);
  const spread = resources.ranks > 1 && !requested.isScript ? 'everyRank' : program.spread;
  return {
    name: shortText(textFrom(given, 'name') ?? requested.defaultName, 'a name'),
    user: invocation.user,
    account: optionalText(given, 'account', 'an account'),
    qos: null,
    queue: textFrom(given, 'queue') ?? '',
    program: { ...program, spread },
    workDir: absolutePath(invocation.workDir, textFrom(given, 'workdir') ?? '.'),
    streams: streamsFrom(given, array !== null),
    resources,
    limitMs: limitFrom(given),
    warning: warningFrom(given),
    array,
    dependencies: dependenciesFrom(given),
    beginAt: momentFrom(given, 'begin', now, invocation.timeZone),
    deadlineAt: deadlineFrom(given, now, invocation.timeZone),
    held: isGiven(given, 'hold'),
    priority: integerFrom(given, 'priority'),
    nice: integerFrom(given, 'nice'),
    requeue: lastGiven(given, ['requeue', 'no-requeue'])?.name !== 'no-requeue',
    comment: optionalText(given, 'comment', 'a comment'),
    mail: null,
    origin: {
      dialect: 'native',
      words: requested.scriptPath === null ? {} : { script: requested.scriptPath },
    },
  };
}

/** The caller's environment with what `--env` and `--no-env` change. */
export function environmentFrom(given: readonly GivenOption[], environment: Uint8Array): Uint8Array {
  const texts = allValues(given, 'env');
  if (texts.length === 0 && !isGiven(given, 'no-env')) return environment;
  const known = variableNames(environment);
  const assignments = texts.map((text) => readAssignment(text, known));
  const named = new Set(assignments.map(({ name }) => name));
  const base = isGiven(given, 'no-env')
    ? keepVariables(environment, (name) => KEPT_WITHOUT_ENV.test(name) || named.has(name))
    : environment;
  const values = assignments.flatMap(({ name, value }) => (value === null ? [] : [[name, value] as const]));
  return withVariables(base, values);
}

function readAssignment(
  text: string,
  known: ReadonlySet<string>,
): { readonly name: string; readonly value: string | null } {
  const equals = text.indexOf('=');
  const name = equals === -1 ? text : text.slice(0, equals);
  if (name === '') throw usageError(`--env ${quoted(text)}: a name is wanted, as NAME=value`);
  if (equals !== -1) return { name, value: text.slice(equals + 1) };
  if (!known.has(name)) {
    throw usageError(
      `--env ${quoted(text)}: there is no such variable here`,
      `set it: --env ${printable(name)}=value`,
    );
  }
  return { name, value: null };
}

function streamsFrom(given: readonly GivenOption[], isArray: boolean): Streams {
  const stdout = textFrom(given, 'output') ?? (isArray ? 'trainyard-%A_%a.out' : 'trainyard-%j.out');
  const stderr = textFrom(given, 'error');
  const mode = lastGiven(given, ['append', 'truncate'])?.name;
  return {
    stdin: textFrom(given, 'input'),
    stdout,
    // Two openings of one file would write over each other.
    stderr: stderr === stdout ? null : stderr,
    openMode: mode === 'append' ? 'append' : mode === 'truncate' ? 'truncateAlways' : 'truncate',
    makeDirectories: true,
  };
}

function limitFrom(given: readonly GivenOption[]): number | null {
  const option = lastGiven(given, ['time']);
  if (option === null || option.value === null) return null;
  const limitMs = parseDuration(option.value);
  if (limitMs === null || limitMs <= 0) {
    throw badValue(option.written, option.value, 'a duration is wanted, as 90s, 1h30m, 2d or 1:30:00');
  }
  return limitMs;
}

/** Who is warned: `B` is how Slurm says it. */
const WARNED: Readonly<Record<string, Warning['scope']>> = {
  all: 'all',
  main: 'main',
  B: 'main',
  steps: 'steps',
};

/** `USR1@2m`, `main:TERM@90s`, `10`. */
function warningFrom(given: readonly GivenOption[]): Warning | null {
  const option = lastGiven(given, ['signal']);
  if (option === null || option.value === null) return null;
  const match = /^(?:(\w+):)?([A-Za-z0-9+]+)(?:@(.+))?$/.exec(option.value);
  const who = match?.[1] ?? 'all';
  if (!Object.hasOwn(WARNED, who)) {
    throw usageError(
      `${option.written} ${quoted(option.value)}: ${quoted(who)} is nobody to be warned`,
      null,
      [...Object.keys(WARNED)],
    );
  }
  const signal = parseSignal(match?.[2] ?? '');
  if (match === null || signal === null) {
    throw badValue(option.written, option.value, 'a signal and a time are wanted, as USR1@2m');
  }
  const ahead = match[3];
  if (ahead !== undefined && /^\d+$/.test(ahead)) {
    throw badValue(option.written, option.value, `the time needs a unit, as ${ahead}s or ${ahead}m`);
  }
  const beforeMs = ahead === undefined ? DEFAULT_WARNING_MS : parseDuration(ahead);
  if (beforeMs === null || beforeMs <= 0) {
    throw badValue(option.written, option.value, 'the time before the limit is wanted as 90s or 2m');
  }
  return { signal, beforeMs, scope: WARNED[who] as Warning['scope'] };
}

/** `0-99%8`. */
function arrayFrom(given: readonly GivenOption[]): ArraySpec | null {
  const option = lastGiven(given, ['array']);
  if (option === null || option.value === null) return null;
  const match = /^([^%]+)(?:%(\d{1,7}))?$/.exec(option.value);
  const indices = parseRanges(match?.[1] ?? '');
  if (match === null || indices === null || countOf(indices) === 0) {
    throw badValue(
      option.written,
      option.value,
      'indices are wanted, as 0-99, 1-9:2 or 1,5,7, with %8 for 8 at once',
    );
  }
  const throttle = match[2] === undefined ? null : Number(match[2]);
  if (throttle === 0)
    throw badValue(option.written, option.value, 'at least one element must be allowed at once');
  return { indices, throttle };
}

function momentFrom(given: readonly GivenOption[], name: string, now: number, zone: string): number | null {
  const option = lastGiven(given, [name]);
  if (option === null || option.value === null) return null;
  const at = parseMoment(option.value, now, zone, 'ahead');
  if (at === null) {
    throw badValue(
      option.written,
      option.value,
      'a time is wanted, as 16:00, tomorrow 08:00, +2h or 2026-11-16T08:00',
    );
  }
  return at;
}

function deadlineFrom(given: readonly GivenOption[], now: number, zone: string): number | null {
  const at = momentFrom(given, 'deadline', now, zone);
  if (at !== null && at <= now) throw refusalError('badRequest', 'the deadline has passed already');
  return at;
}

function optionalText(given: readonly GivenOption[], name: string, what: string): string | null {
  const text = textFrom(given, name);
  return text === null ? null : shortText(text, what);
}

function shortText(text: string, what: string): string {
  if (text.length <= MOST_TEXT) return text;
  throw refusalError('tooLarge', `${what} may have ${MOST_TEXT} characters, and this one has ${text.length}`);
}
