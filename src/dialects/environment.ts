/**
 * An environment as the kernel has it: `NAME=value` pairs, each ended by a NUL. What is not changed stays byte
 * for byte, whatever it holds.
 */

import { bytesFromText, textFromBytes } from '../model/bytes.ts';

export function variableOf(environment: Uint8Array, name: string): string | null {
  const start = startOfVariable(environment, bytesFromText(name));
  if (start === -1) return null;
  return textFromBytes(
    environment.subarray(start + bytesFromText(name).length + 1, endOf(environment, start)),
  );
}

/** Whether the caller's terminal shows more than ASCII: by its own variables, since the launcher's LC_ALL is C. */
export function speaksUtf8(environment: Uint8Array): boolean {
  const [all, ctype, lang] = ['LC_ALL', 'LC_CTYPE', 'LANG'].map((name) => variableOf(environment, name));
  return /utf-?8/i.test(all || ctype || lang || '');
}

export function withVariable(environment: Uint8Array, name: string, value: string): Uint8Array {
  return withVariables(environment, [[name, value]]);
}

/** Set one after the other, as a shell would: of a name that comes twice the last value counts. */
export function withVariables(
  environment: Uint8Array,
  variables: readonly (readonly [name: string, value: string])[],
): Uint8Array {
  if (variables.length === 0) return environment;
  const values = new Map<string, string>();
  for (const [name, value] of variables) {
    // Deleted first, so that it stands where its last value was given.
    values.delete(name);
    values.set(name, value);
  }
  const others = entriesOf(environment).filter((entry) => !values.has(nameOf(entry)));
  return joined([...others, ...Array.from(values, ([name, value]) => bytesFromText(`${name}=${value}`))]);
}

/** Those of the names that are there, as text; of one that is there twice the first, as `getenv` finds it. */
export function variablesNamed(
  environment: Uint8Array,
  names: ReadonlySet<string>,
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const letters = new Set(Array.from(names, (name) => name.charCodeAt(0)));
  for (let start = 0; start < environment.length; start = endOf(environment, start) + 1) {
    // An environment is long, and most of it is none of these: only what begins like one is looked at.
    if (!letters.has(environment[start] as number)) continue;
    const entry = environment.subarray(start, endOf(environment, start));
    const name = nameOf(entry);
    if (names.has(name) && !found.has(name)) {
      found.set(name, textFromBytes(entry.subarray(entry.indexOf(EQUALS) + 1)));
    }
  }
  return found;
}

export function variableNames(environment: Uint8Array): ReadonlySet<string> {
  return new Set(entriesOf(environment).map(nameOf));
}

/** Only the variables whose name passes. */
export function keepVariables(environment: Uint8Array, keep: (name: string) => boolean): Uint8Array {
  return joined(entriesOf(environment).filter((entry) => keep(nameOf(entry))));
}

const EQUALS = 0x3d;

function entriesOf(environment: Uint8Array): readonly Uint8Array[] {
  const entries: Uint8Array[] = [];
  let start = 0;
  while (start < environment.length) {
    const end = endOf(environment, start);
    if (end > start) entries.push(environment.subarray(start, end));
    start = end + 1;
  }
  return entries;
}

function endOf(environment: Uint8Array, start: number): number {
  const nul = environment.indexOf(0, start);
  return nul === -1 ? environment.length : nul;
}

/** -1 when there is no such variable. */
function startOfVariable(environment: Uint8Array, name: Uint8Array): number {
  for (let start = 0; start < environment.length; start = endOf(environment, start) + 1) {
    let at = 0;
    while (at < name.length && environment[start + at] === name[at]) at += 1;
    if (at === name.length && environment[start + at] === EQUALS) return start;
  }
  return -1;
}

function nameOf(entry: Uint8Array): string {
  const equals = entry.indexOf(EQUALS);
  return textFromBytes(equals === -1 ? entry : entry.subarray(0, equals));
}

function joined(entries: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(entries.reduce((size, entry) => size + entry.length + 1, 0));
  let at = 0;
  for (const entry of entries) {
    out.set(entry, at);
    at += entry.length + 1;
  }
  return out;
}
