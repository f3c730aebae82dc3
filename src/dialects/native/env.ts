/**
 * `trainyard env`: a line for a shell's `eval` that puts Slurm's commands on its PATH. Where a real Slurm is there,
 * it goes first unless somebody says otherwise.
 */

import { textFromBytes } from '../../model/bytes.ts';
import { isGiven } from '../options.ts';
import { type Asking, findProgram, type Program, printErr, printOut, query } from '../program.ts';
import { quotedForShell } from '../text/shell-quotes.ts';
import type { Call, NativeCommand } from './call.ts';
import { printJson } from './json.ts';

export const env: NativeCommand = {
  name: 'env',
  aliases: [],
  group: 'yard',
  summary: "put sbatch, squeue and Slurm's other commands on the PATH of this shell",
  usage: ['[--first]'],
  about: [
    'Prints a line for the shell to read. A Slurm that is installed here stays in front.',
    'Jobs have the commands at the end of their PATH without this.',
  ],
  examples: [
    { line: 'eval "$(trainyard env)"', says: 'in the shell you are in, or in its profile' },
    { line: 'eval "$(trainyard env --first)"', says: "rather than the installed Slurm's" },
  ],
  options: [{ name: 'first', value: 'none', help: 'in front of a Slurm that is installed here' }],
  positionals: 'anywhere',
  arguments: 'none',
  run: runEnv,
};

/** What an installation of Trainyard has its commands lead to. */
const LAUNCHER = '/bin/trainyard';

function* runEnv(call: Call): Program {
  const { directory } = yield* query('yard', {});
  const commands = `${directory}/commands/slurm`;
  const before = pathOf(call.invocation.environment).filter((each) => each !== commands);
  const installed = isGiven(call.options, 'first') ? null : yield* installedSlurm(before);
  const path = (installed === null ? [commands, ...before] : [...before, commands]).join(':');
  if (call.json) yield* printJson({ path, commands, installed });
  else yield* printOut(`export PATH=${quotedForShell(path)}\n`);
  if (installed !== null && !call.quiet && !call.json) {
    yield* printErr(`# ${installed} is there: it stays in front (trainyard env --first changes that)\n`);
  }
  return 0;
}

/** The `sbatch` that is found today, if it is not Trainyard's own. */
function* installedSlurm(directories: readonly string[]): Asking<string | null> {
  const found = yield* findProgram('sbatch', directories.join(':'));
  return found === null || found.realPath.endsWith(LAUNCHER) ? null : found.path;
}

function pathOf(environment: Uint8Array): readonly string[] {
  const variable = textFromBytes(environment)
    .split('\0')
    .find((entry) => entry.startsWith('PATH='));
  const path = variable?.slice('PATH='.length) ?? '';
  return path === '' ? [] : path.split(':');
}
