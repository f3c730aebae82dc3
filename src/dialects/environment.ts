/**
 * An environment as the kernel has it: `NAME=value` pairs, each ended by a NUL. What is not changed stays byte
 * for byte, whatever it holds.
 */

import { bytesFromText, textFromBytes } from '../model/bytes.ts';

export function variableOf(environment: Uint8Array, name: string): string | null {
  const entry = entriesOf(environment).find((candidate) => nameOf(candidate) === name);
  return entry === undefined ? null : textFromBytes(entry.subarray(entry.indexOf(EQUALS) + 1));
}

export function withVariable(environment: Uint8Array, name: string, value: string): Uint8Array {
  const others = entriesOf(environment).filter((entry) => nameOf(entry) !== name);
  return joined([...others, bytesFromText(`${name}=${value}`)]);
}

/** The variables whose name passes, as text; of one that is there twice the first, as `getenv` finds it. */
export function variablesNamed(
  environment: Uint8Array,
  passes: (name: string) => boolean,
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const entry of entriesOf(environment)) {
    const name = nameOf(entry);
    if (found.has(name) || !passes(name)) continue;
    found.set(name, textFromBytes(entry.subarray(entry.indexOf(EQUALS) + 1)));
  }
  return found;
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
    const nul = environment.indexOf(0, start);
    const end = nul === -1 ? environment.length : nul;
    if (end > start) entries.push(environment.subarray(start, end));
    start = end + 1;
  }
  return entries;
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
