/**
 * `trainyard env`: lines for a shell's `eval` that put the commands of Slurm, of Grid Engine and of the GPU load balancer on
 * its PATH. Where a real one of them is there, it goes first unless somebody says otherwise.
 */

import { textFromBytes } from '../../model/bytes.ts';
import { CELL, cellRoot } from '../gridengine/cell.ts';
import { isGiven } from '../options.ts';
import { type Asking, findProgram, type Program, printErr, printOut, query } from '../program.ts';
import { quotedForShell } from '../text/shell-quotes.ts';
import { quoted } from '../text/words.ts';
import type { Call, NativeCommand } from './call.ts';
import { usageError } from './failure.ts';
import { printJson } from './json.ts';

export const env: NativeCommand = {
  name: 'env',
  aliases: [],
  group: 'yard',
  summary: 'put sbatch, qsub, glb-run and the other commands of other systems on the PATH of this shell',
  usage: ['[slurm|gridengine|glb] [--first]'],
  about: [
    'Prints lines for the shell to read. A Slurm or Grid Engine that is installed here stays in front.',
    'Jobs have the commands on their PATH without this.',
  ],
  examples: [
    { line: 'eval "$(trainyard env)"', says: 'in the shell you are in, or in its profile' },
    { line: 'eval "$(trainyard env gridengine)"', says: "Grid Engine's commands alone" },
    { line: 'eval "$(trainyard env --first)"', says: 'rather than the installed ones' },
  ],
  options: [{ name: 'first', value: 'none', help: 'in front of what is installed here' }],
  positionals: 'anywhere',
  arguments: 'some',
  run: runEnv,
};

/** The systems whose commands there are, and the command by which an installed one is found. */
const SYSTEMS = [
  { name: 'slurm', witness: 'sbatch' },
  { name: 'gridengine', witness: 'qsub' },
  { name: 'glb', witness: 'glb-start' },
] as const;

/** What an installation of Trainyard has its commands lead to. */
const LAUNCHER = '/bin/trainyard';

interface System {
  readonly name: string;
  /** Where the yard has its commands. */
  readonly commands: string;
  /** The one that is installed and stays in front. */
  readonly installed: string | null;
}

function* runEnv(call: Call): Program {
  const wanted = wantedSystems(call.positionals);
  const { directory } = yield* query('yard', {});
  const commandsOf = (name: string) => `${directory}/commands/${name}`;
  const ours = wanted.map(({ name }) => commandsOf(name));
  const before = pathOf(call.invocation.environment).filter((each) => !ours.includes(each));
  const systems: System[] = [];
  for (const { name, witness } of wanted) {
    const installed = isGiven(call.options, 'first') ? null : yield* installedOne(witness, before);
    systems.push({ name, commands: commandsOf(name), installed });
  }
  const path = pathWith(systems, before);
  const variables = variablesFor(systems, directory);
  const [first] = systems;
  if (call.json)
    yield* printJson({ path, commands: first?.commands, installed: first?.installed, systems, variables });
  else yield* printOut([['PATH', path] as const, ...Object.entries(variables)].map(exportLine).join(''));
  for (const { installed } of systems) {
    if (installed === null || call.quiet || call.json) continue;
    yield* printErr(`# ${installed} is there: it stays in front (trainyard env --first changes that)\n`);
  }
  return 0;
}

function wantedSystems(names: readonly string[]): readonly (typeof SYSTEMS)[number][] {
  for (const name of names) {
    if (SYSTEMS.some((system) => system.name === name)) continue;
    const choices = SYSTEMS.map((system) => system.name);
    throw usageError(
      `there are no commands of ${quoted(name)}`,
      'of slurm, gridengine or glb, or of all of them',
      choices,
    );
  }
  return SYSTEMS.filter(({ name }) => names.length === 0 || names.includes(name));
}

/** The command of this name that is found today, if it is not Trainyard's own. */
function* installedOne(witness: string, directories: readonly string[]): Asking<string | null> {
  const found = yield* findProgram(witness, directories.join(':'));
  return found === null || found.realPath.endsWith(LAUNCHER) ? null : found.path;
}

function pathWith(systems: readonly System[], before: readonly string[]): string {
  const inFront = systems.filter(({ installed }) => installed === null);
  const behind = systems.filter(({ installed }) => installed !== null);
  return [
    ...inFront.map(({ commands }) => commands),
    ...before,
    ...behind.map(({ commands }) => commands),
  ].join(':');
}

/** Programs that speak to a Grid Engine look for it where SGE_ROOT says. */
function variablesFor(systems: readonly System[], directory: string): Readonly<Record<string, string>> {
  const isOurs = systems.some(({ name, installed }) => name === 'gridengine' && installed === null);
  return isOurs ? { SGE_ROOT: cellRoot(directory), SGE_CELL: CELL } : {};
}

function exportLine([name, value]: readonly [string, string]): string {
  return `export ${name}=${quotedForShell(value)}\n`;
}

function pathOf(environment: Uint8Array): readonly string[] {
  const variable = textFromBytes(environment)
    .split('\0')
    .find((entry) => entry.startsWith('PATH='));
  const path = variable?.slice('PATH='.length) ?? '';
  return path === '' ? [] : path.split(':');
}
