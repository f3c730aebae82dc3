/** `--export`: which variables of the submitter a job gets. What is kept is kept byte for byte. */

import { keepVariables, variableNames, withVariables } from '../../environment.ts';

/** What a login would set, and what a shell needs to find programs: there even when nothing is exported. */
const OF_A_LOGIN = /^(?:HOME|LOGNAME|MAIL|PATH|SHELL|USER)$/;

interface Exported {
  readonly all: boolean;
  readonly names: ReadonlySet<string>;
  readonly values: readonly (readonly [name: string, value: string])[];
}

/** The environment of the job; `text` is null when nobody said anything, which means all of it. */
export function exportedEnvironment(environment: Uint8Array, text: string | null, user: string): Uint8Array {
  if (text === null || /^all$/i.test(text)) return environment;
  const isNone = /^none$/i.test(text);
  const { all, names, values } = isNone ? NOTHING : readExport(text);
  const isKept = (name: string) =>
    OF_A_LOGIN.test(name) || name.startsWith(isNone ? 'SLURM' : 'SLURM_') || names.has(name);
  const kept = withVariables(all ? environment : keepVariables(environment, isKept), values);
  const known = variableNames(kept);
  const missing = ['USER', 'LOGNAME'].filter((name) => !known.has(name));
  return withVariables(kept, [
    ...missing.map((name) => [name, user] as const),
    // By these the steps of the job know what was asked for.
    ['SLURM_EXPORT_ENV', text],
    ['SLURM_GET_USER_ENV', '1'],
  ]);
}

/** With the variables of a file, each ended by a NUL. */
export function withVariablesOf(environment: Uint8Array, file: Uint8Array): Uint8Array {
  if (file.length === 0) return environment;
  const names = variableNames(file);
  const others = keepVariables(environment, (name) => !names.has(name));
  const joined = new Uint8Array(others.length + file.length + 1);
  joined.set(others);
  joined.set(file, others.length);
  return file.at(-1) === 0 ? joined.subarray(0, -1) : joined;
}

const NOTHING: Exported = { all: false, names: new Set(), values: [] };

/** `ALL`, `NAME` and `NAME=value`, with commas between; quotes keep a comma. */
function readExport(text: string): Exported {
  const names = new Set<string>();
  const values: [string, string][] = [];
  let all = false;
  for (const written of splitOutsideQuotes(text)) {
    const part = withoutQuotes(written.trimStart());
    const equals = part.indexOf('=');
    if (/^all$/i.test(part)) all = true;
    else if (equals > 0) values.push([part.slice(0, equals), part.slice(equals + 1)]);
    else if (equals === -1 && part !== '') names.add(part);
  }
  return { all, names, values };
}

function splitOutsideQuotes(text: string): readonly string[] {
  return text.match(/(?:"[^"]*"|'[^']*'|[^,])+/g) ?? [];
}

function withoutQuotes(text: string): string {
  return /^(["'])(.*)\1$/s.exec(text)?.[2] ?? text;
}
