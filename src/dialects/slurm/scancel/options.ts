/** What somebody wants of `scancel`: its options, the variables that stand for them, and the jobs that are named. */

import { parseSignal } from '../../../model/signals.ts';
import { variableOf } from '../../environment.ts';
import { type GivenOption, isGiven, lastValue, type OptionSpec } from '../../options.ts';
import type { Invocation } from '../../program.ts';
import { readCommandLine } from '../command-line.ts';
import { failure, SlurmFailure } from '../failure.ts';
import { splitOutsideBrackets } from '../host-list.ts';
import { parseStepWord, type StepWord } from '../job-words.ts';
import { type SlurmState, stateNamed } from '../states.ts';

export const EXIT_USAGE = 1;

const OPTIONS: readonly OptionSpec[] = [
  { name: 'account', short: 'A', value: 'required' },
  { name: 'batch', short: 'b', value: 'none' },
  { name: 'clusters', aliases: ['cluster'], short: 'M', value: 'required' },
  { name: 'cron', short: 'c', value: 'none' },
  { name: 'ctld', value: 'none' },
  { name: 'full', short: 'f', value: 'none' },
  { name: 'help', value: 'none' },
  { name: 'hurry', short: 'H', value: 'none' },
  { name: 'interactive', short: 'i', value: 'none' },
  { name: 'jobname', aliases: ['name'], short: 'n', value: 'required' },
  { name: 'me', value: 'none' },
  { name: 'nodelist', short: 'w', value: 'required' },
  { name: 'partition', short: 'p', value: 'required' },
  { name: 'qos', short: 'q', value: 'required' },
  { name: 'quiet', short: 'Q', value: 'none' },
  { name: 'reservation', short: 'R', value: 'required' },
  { name: 'sibling', value: 'required' },
  { name: 'signal', short: 's', value: 'required' },
  { name: 'state', short: 't', value: 'required' },
  { name: 'usage', value: 'none' },
  { name: 'user', short: 'u', value: 'required' },
  { name: 'verbose', short: 'v', value: 'none' },
  { name: 'version', short: 'V', value: 'none' },
  { name: 'wckey', value: 'required' },
];

/** Filters by name, as they were written; each that is there must fit. */
export interface FilterTexts {
  readonly account: string | null;
  readonly jobname: string | null;
  readonly nodelist: string | null;
  readonly partition: string | null;
  readonly qos: string | null;
  readonly reservation: string | null;
  readonly state: SlurmState | null;
  readonly user: string | null;
  readonly wckey: string | null;
}

/** A job or step that was named; the batch script has no number. */
export interface Named extends Omit<StepWord, 'step'> {
  readonly step: number | 'batch' | null;
}

export interface ScancelCall {
  readonly invocation: Invocation;
  readonly named: readonly Named[];
  readonly filters: FilterTexts;
  /** Null: they are to end. */
  readonly signal: number | null;
  readonly batch: boolean;
  readonly full: boolean;
  readonly interactive: boolean;
  readonly verbose: boolean;
  readonly quiet: boolean;
  readonly sibling: string | null;
  readonly clusters: string | null;
  /** Said on stderr before anything is done. */
  readonly remarks: readonly string[];
}

export type Wanted = 'help' | 'usage' | 'version' | ScancelCall;

export function readScancelCall(invocation: Invocation): Wanted {
  const style = { command: 'scancel', positionals: 'anywhere', exitCode: EXIT_USAGE } as const;
  const { options, positionals, afterDashes } = readCommandLine(OPTIONS, invocation.argv.slice(1), style);
  for (const name of ['help', 'usage', 'version'] as const) if (isGiven(options, name)) return name;
  const variables = variablesIn(invocation.environment);
  const given = [...variables.options, ...options];
  const quiet = isGiven(given, 'quiet');
  return {
    invocation,
    named: [...positionals, ...(afterDashes ?? [])].flatMap(namedIn),
    filters: filtersIn(given, invocation),
    signal: signalIn(given),
    batch: isGiven(given, 'batch') && !isGiven(given, 'full'),
    full: isGiven(given, 'full'),
    interactive: isGiven(given, 'interactive'),
    verbose: isGiven(given, 'verbose') && !quiet,
    quiet,
    sibling: lastValue(given, 'sibling'),
    clusters: lastValue(options, 'clusters'),
    remarks: [...variables.remarks, ...withoutEffect(given)],
  };
}

/** Taken, and said to mean nothing. */
function withoutEffect(given: readonly GivenOption[]): readonly string[] {
  const remarks: string[] = [];
  if (isGiven(given, 'hurry')) remarks.push('warning: --hurry has no effect: nothing is staged out');
  if (isGiven(given, 'cron')) remarks.push('warning: --cron has no effect: there are no jobs of scrontab');
  return remarks;
}

const SWITCH_VARIABLES: Readonly<Record<string, string>> = {
  SCANCEL_BATCH: 'batch',
  SCANCEL_CTLD: 'ctld',
  SCANCEL_FULL: 'full',
  SCANCEL_HURRY: 'hurry',
  SCANCEL_INTERACTIVE: 'interactive',
  SCANCEL_VERBOSE: 'verbose',
};

const VALUE_VARIABLES: Readonly<Record<string, string>> = {
  SCANCEL_ACCOUNT: 'account',
  SCANCEL_NAME: 'jobname',
  SCANCEL_PARTITION: 'partition',
  SCANCEL_QOS: 'qos',
  SCANCEL_STATE: 'state',
  SCANCEL_USER: 'user',
  SCANCEL_WCKEY: 'wckey',
};

interface Variables {
  readonly options: readonly GivenOption[];
  readonly remarks: readonly string[];
}

function variablesIn(environment: Uint8Array): Variables {
  const options: GivenOption[] = [];
  const remarks: string[] = [];
  for (const [written, name] of Object.entries(SWITCH_VARIABLES)) {
    const value = variableOf(environment, written);
    if (value === null) continue;
    if (/^t(?:rue)?$/i.test(value)) options.push({ name, value: null, written });
    else if (!/^f(?:alse)?$/i.test(value)) remarks.push(`error: Unrecognized ${written} value: ${value}`);
  }
  for (const [written, name] of Object.entries(VALUE_VARIABLES)) {
    const value = variableOf(environment, written);
    if (value !== null) options.push({ name, value, written });
  }
  return { options, remarks };
}

function namedIn(word: string): readonly Named[] {
  const parts = splitOutsideBrackets(word);
  if (parts.length === 0) throw invalidJob(word);
  return parts.map((text) => {
    const batch = /^(.+)\.batch$/i.exec(text);
    const parsed = parseStepWord(batch === null ? text : (batch[1] as string));
    if (parsed === null || (batch !== null && parsed.step !== null)) throw invalidJob(text);
    return { ...parsed, text, step: batch === null ? parsed.step : 'batch' };
  });
}

function invalidJob(text: string): SlurmFailure {
  return failure('scancel', `Invalid job id ${text}`, EXIT_USAGE);
}

function filtersIn(given: readonly GivenOption[], { user }: Invocation): FilterTexts {
  const text = (name: string) => lastValue(given, name);
  return {
    account: text('account'),
    jobname: text('jobname'),
    nodelist: text('nodelist'),
    partition: text('partition'),
    qos: text('qos'),
    reservation: text('reservation'),
    state: stateIn(given),
    user: isGiven(given, 'me') ? user : text('user'),
    wckey: text('wckey'),
  };
}

/** Every one that was said must be a state, even when another counts. */
function stateIn(given: readonly GivenOption[]): SlurmState | null {
  let wanted: SlurmState | null = null;
  for (const { name, value, written } of given) {
    if (name !== 'state' || value === null) continue;
    wanted = stateNamed(value);
    if (wanted !== null) continue;
    const complaint = written.startsWith('SCANCEL_')
      ? `Unrecognized ${written} value: ${value}`
      : `Invalid job state specified: ${value}`;
    throw new SlurmFailure([complaint, 'Valid job states are PENDING, RUNNING, and SUSPENDED'], EXIT_USAGE);
  }
  return wanted;
}

function signalIn(given: readonly GivenOption[]): number | null {
  const text = lastValue(given, 'signal');
  if (text === null) return null;
  const signal = parseSignal(text);
  if (signal === null) throw new SlurmFailure([`Unknown job signal: ${text}`], EXIT_USAGE);
  return signal;
}
