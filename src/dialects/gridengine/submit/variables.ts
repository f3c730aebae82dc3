/**
 * What a job gets of its submitter's environment: nothing by itself, all of it with `-V`, and what `-v` names. What a
 * job is told beyond that when it starts is in environment/.
 */

import { bytesFromText, textFromBytes } from '../../../model/bytes.ts';
import { keepVariables, variablesNamed } from '../../environment.ts';
import { hasFlag } from '../flags.ts';
import type { AskedFlag } from './layers.ts';
import { splitList } from './values.ts';

export interface JobVariables {
  readonly environment: Uint8Array;
  /** Names and values as written, where a value names what is known only when the job starts. */
  readonly late: Readonly<Record<string, string>>;
  /** `A=1,B`: for those who say it back. */
  readonly listed: string;
}

export interface VariableSources {
  readonly given: readonly AskedFlag[];
  readonly environment: Uint8Array;
  readonly home: string;
  readonly user: string;
}

export function jobVariables({ given, environment, home, user }: VariableSources): JobVariables {
  const asked = askedVariables(given, environment);
  const late = new Map<string, string>();
  const early: string[] = [];
  for (const [name, value] of asked) {
    const filled = value?.replace(EARLY, (_written, ...names: (string | undefined)[]) =>
      (names[0] ?? names[1]) === 'HOME' ? home : user,
    );
    // The directory of the job comes first in its PATH, wherever that is.
    if (filled !== undefined && (name === 'PATH' || LATE.test(filled))) late.set(name, filled);
    early.push(`${name}=${filled ?? ''}\0`);
  }
  const all = hasFlag(given, '-V') ? keepVariables(environment, (name) => !asked.has(name)) : EMPTY;
  const own = bytesFromText(early.join(''));
  const whole = new Uint8Array(all.length + own.length);
  whole.set(all);
  whole.set(own, all.length);
  const listed = [...asked].map(([name, value]) => (value === null ? name : `${name}=${value}`)).join(',');
  return { environment: whole, late: Object.fromEntries(late), listed };
}

/** The pairs of an environment, as text. */
export function variablesIn(environment: Uint8Array): readonly (readonly [string, string])[] {
  return textFromBytes(environment)
    .split('\0')
    .filter((entry) => entry.includes('='))
    .map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]);
}

const EMPTY = new Uint8Array(0);
/** The two that are known when a job is submitted. */
const EARLY = /\$(?:(HOME|USER)\b|\{(HOME|USER)\})/g;
const LATE = /\$(?:(?:JOB_ID|JOB_NAME|HOSTNAME|TASK_ID)\b|\{(?:JOB_ID|JOB_NAME|HOSTNAME|TASK_ID)\})/;

/** All of `-v`, the last value of each; without a value it is the submitter's. Null: the submitter has none. */
function askedVariables(
  given: readonly AskedFlag[],
  environment: Uint8Array,
): ReadonlyMap<string, string | null> {
  const asked = new Map<string, string | undefined>();
  for (const { flag, words } of given) {
    if (flag !== '-v') continue;
    // A script may hold what an environment cannot.
    for (const part of splitList((words[0] ?? '').replaceAll('\0', ''))) {
      const equals = part.indexOf('=');
      if (equals < 0) asked.set(part, undefined);
      else asked.set(part.slice(0, equals), part.slice(equals + 1));
    }
  }
  const inherited = new Set([...asked].flatMap(([name, value]) => (value === undefined ? [name] : [])));
  const own = inherited.size === 0 ? null : variablesNamed(environment, inherited);
  return new Map([...asked].map(([name, value]) => [name, value ?? own?.get(name) ?? null]));
}
