/** For tests: every command of every dialect, and the options that it documents, read from its own help. */

import { dialects } from '../src/bin/dialects.ts';
import { fakeYard, runDialect } from '../src/dialects/fake-yard.ts';
import { GRID_ENGINE_COMMANDS } from '../src/dialects/gridengine/commands.ts';
import { COMMANDS } from '../src/dialects/native/commands.ts';
import type { Invocation, Program } from '../src/dialects/program.ts';
import { SLURM_COMMANDS } from '../src/dialects/slurm/commands.ts';

export interface DocumentedCommand {
  /** `sbatch`, or `trainyard submit`. */
  readonly words: readonly string[];
  /** `--name` and `-x`, with a value or without. */
  readonly options: readonly string[];
}

export function programNamed(name: string): (invocation: Invocation) => Program {
  const found = dialects(name);
  if (found === null) throw new Error(`${name} is not a command`);
  return found;
}

export function documentedCommands(): readonly DocumentedCommand[] {
  const names = [...SLURM_COMMANDS, ...GRID_ENGINE_COMMANDS].map(({ name }) => [name]);
  const native = COMMANDS.filter(({ run }) => run !== 'client').map(({ name }) => ['trainyard', name]);
  return [...names, ...native].map((words) => ({ words, options: optionsOf(words) }));
}

function optionsOf(words: readonly string[]): readonly string[] {
  const program = programNamed(words[0] as string);
  const found = new Set<string>();
  for (const asked of ['--help', '-help', '--usage']) {
    const { stdout, stderr } = runDialect(program, fakeYard(), [...words, asked]);
    for (const [option] of `${stdout}\n${stderr}`.matchAll(/(?<![\w-])--?[A-Za-z@][\w-]*/g))
      found.add(option);
  }
  return [...found];
}

/** The option with this value, as each dialect writes it. */
export function given(option: string, value: string): readonly string[] {
  return option.startsWith('--') ? [`${option}=${value}`] : [option, value];
}
