/** A word of help about a script that does not do what its writer means, said when it is submitted. */

import { variableNames } from '../../environment.ts';
import { unexportedVariables } from '../../lint/unexported.ts';

/** What every job has. */
const ALWAYS = new Set([
  'HOME',
  'PATH',
  'SHELL',
  'USER',
  'LOGNAME',
  'TERM',
  'TMP',
  'TMPDIR',
  'PWD',
  'HOSTNAME',
  'QUEUE',
]);

/** `environment` is what the job gets from its submitter. */
export function adviceOn(script: Uint8Array, environment: Uint8Array): readonly string[] {
  let names: ReadonlySet<string> | null = null;
  const found = unexportedVariables(script, (name) => {
    names ??= variableNames(environment);
    return ALWAYS.has(name) || names.has(name);
  });
  return found.map(
    ({ name, line, programLine }) =>
      `line ${line} sets ${name} without exporting it, so the program in line ${programLine} will not see it`,
  );
}
