/**
 * A job's environment, as bytes: the submitter's own, plus what the yard says about the job. A shell stands
 * between (the shim), and shells drop or change some variables; those are set apart here, to be handed over
 * around the shell.
 */

import { bytesFromText, textFromBytes } from '../model/bytes.ts';

export interface SubmittedEnvironment {
  readonly names: ReadonlySet<string>;
  readonly entries: readonly Entry[];
  /** `NAME=value` of what a shell would not pass on as it is, such as exported bash functions. */
  readonly aroundShell: readonly string[];
}

interface Entry {
  readonly name: string;
  /** With its NUL at the end. */
  readonly bytes: Uint8Array;
}

/** Variables that some sh sets, resets or obeys. An exported SHELLOPTS could make the shim itself give up early. */
const TAKEN_BY_SHELLS = new Set([
  'IFS',
  'OPTIND',
  'PPID',
  'UID',
  'EUID',
  'SHELLOPTS',
  'BASHOPTS',
  'BASH_VERSINFO',
  'LINENO',
  'RANDOM',
  'SECONDS',
]);

/** What the yard says of itself must never come from a submitter who happens to sit inside another job. */
const OWN_PREFIX = 'TRAINYARD_';

export function parseEnvironment(block: Uint8Array): SubmittedEnvironment {
  const names = new Set<string>();
  const entries: Entry[] = [];
  const aroundShell: string[] = [];
  let at = 0;
  while (at < block.length) {
    const nul = block.indexOf(0, at);
    const end = nul < 0 ? block.length : nul;
    const text = textFromBytes(block.subarray(at, end));
    const equals = text.indexOf('=');
    const name = text.slice(0, equals);
    if (equals > 0 && !names.has(name) && !name.startsWith(OWN_PREFIX)) {
      names.add(name);
      if (isPassedOnByShells(name)) entries.push({ name, bytes: ended(block.subarray(at, end)) });
      else aroundShell.push(text);
    }
    at = end + 1;
  }
  return { names, entries, aroundShell };
}

/** The submitter's variables with ours in place of theirs where both have a name. */
export function assembleEnvironment(
  submitted: SubmittedEnvironment,
  variables: ReadonlyMap<string, string>,
): Buffer {
  const parts: Uint8Array[] = [];
  for (const entry of submitted.entries) if (!variables.has(entry.name)) parts.push(entry.bytes);
  let own = '';
  for (const [name, value] of variables) own += `${name}=${value}\0`;
  parts.push(bytesFromText(own));
  return Buffer.concat(parts);
}

/** All of it, for those who stand behind no shell. */
export function submittedVariables({
  entries,
  aroundShell,
}: SubmittedEnvironment): readonly (readonly [string, string])[] {
  const texts = [...entries.map(({ bytes }) => textFromBytes(bytes.subarray(0, -1))), ...aroundShell];
  return texts.map((text) => {
    const equals = text.indexOf('=');
    return [text.slice(0, equals), text.slice(equals + 1)];
  });
}

/** What a variable was for the submitter; null when there was none. */
export function submittedValue({ entries }: SubmittedEnvironment, name: string): string | null {
  const entry = entries.find((each) => each.name === name);
  return entry === undefined ? null : textFromBytes(entry.bytes.subarray(name.length + 1, -1));
}

function isPassedOnByShells(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !TAKEN_BY_SHELLS.has(name);
}

function ended(bytes: Uint8Array): Uint8Array {
  const out = new Uint8Array(bytes.length + 1);
  out.set(bytes);
  return out;
}
