/**
 * The dialects of a yard: which command is whose, how each speaks to its jobs, and where its commands are found as
 * links. The one list of them.
 */

import { GLB_COMMANDS } from '../dialects/glb/commands.ts';
import { GRID_ENGINE_COMMANDS } from '../dialects/gridengine/commands.ts';
import { gridEngineVoice } from '../dialects/gridengine/environment/voice.ts';
import { gridEngineProgram } from '../dialects/gridengine/run.ts';
import { GRID_ENGINE } from '../dialects/gridengine/words.ts';
import { runNative } from '../dialects/native/run.ts';
import type { Invocation, Program } from '../dialects/program.ts';
import { SLURM_COMMANDS } from '../dialects/slurm/commands.ts';
import { slurmVoice } from '../dialects/slurm/environment/voice.ts';
import { slurmProgram } from '../dialects/slurm/run.ts';
import type { Voice } from '../model/voice.ts';
import { commandsDirectory, keepCommandLinks, type Launchers } from '../server/command-links.ts';
import type { Dialects } from '../server/http/command-connection.ts';

/** By the name that a command was called by. */
const PROGRAMS: ReadonlyMap<string, (invocation: Invocation) => Program> = new Map([
  ['trainyard', runNative],
  ['yard', runNative],
  ...SLURM_COMMANDS.map((command) => [command.name, slurmProgram(command)] as const),
  ...GRID_ENGINE_COMMANDS.map((command) => [command.name, gridEngineProgram(command)] as const),
]);

const VOICES: ReadonlyMap<string, Voice> = new Map([
  ['slurm', slurmVoice],
  [GRID_ENGINE, gridEngineVoice],
]);

const COMMANDS = new Map<string, readonly { readonly name: string }[]>([
  ['slurm', SLURM_COMMANDS],
  [GRID_ENGINE, GRID_ENGINE_COMMANDS],
  ['glb', GLB_COMMANDS],
]);

export const dialects: Dialects = (name) => PROGRAMS.get(name) ?? null;

/** How a dialect speaks to the jobs that were submitted in it; null: it says nothing. */
export const voiceOf = (dialect: string): Voice | null => VOICES.get(dialect) ?? null;

/** Makes the commands of other systems, and gives the directories that they are in. */
export function keepAllCommandLinks(
  yardDirectory: string,
  launchers: Launchers,
  log: (line: string) => void,
): readonly string[] {
  return [...COMMANDS].map(([dialect, commands]) => {
    const directory = commandsDirectory(yardDirectory, dialect);
    const names = commands.map(({ name }) => name);
    keepCommandLinks(directory, names, launchers, log);
    return directory;
  });
}
