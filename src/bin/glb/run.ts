/** The commands of the GPU load balancer, up to the point where they differ: their words, their help, what goes wrong. */

import type { Caller } from '../../client/caller.ts';
import { type GlbCommand, glbRun as runCommand } from '../../dialects/glb/commands.ts';
import { optionMistake, UsageError, usageError } from '../../dialects/native/failure.ts';
import { isGiven, lastValue, type ParsedArguments, parseOptions } from '../../dialects/options.ts';
import type { Invocation } from '../../dialects/program.ts';
import { printable } from '../../model/bytes.ts';
import { Fault, type Refusal, RefusalError, refusal } from '../../model/refusal.ts';
import { reap } from '../../platform/libc.ts';
import { simulatedDevices } from '../daemon-options.ts';

const EXIT_REFUSED = 1;
const EXIT_USAGE = 2;

/** Gives the exit code. The witness has been read and dismissed by now; a command that lasts takes it off the process table. */
export async function runGlb(command: GlbCommand, caller: Caller, { argv }: Invocation): Promise<number> {
  // There may be something to put away, so a reader that has gone ends nothing by itself.
  process.stdout.on('error', () => {});
  const witness = Number(process.argv[2]);
  if (witness > 1) reap(witness);
  try {
    const given = read(command, argv.slice(1));
    if (isGiven(given.options, 'help')) {
      process.stdout.write(command.help);
      return 0;
    }
    const simulateGpus = lastValue(given.options, 'simulate-gpus');
    // A mistake in it is said before anything is started.
    if (simulateGpus !== null) simulatedDevices(simulateGpus);
    if (command.name === runCommand.name) {
      const commands = commandsIn(given);
      const parallel = isGiven(given.options, 'parallel');
      return await (await import('./glb-run.ts')).glbRun({ caller, simulateGpus, commands, parallel });
    }
    if (given.positionals.length > 0 || given.afterDashes !== null)
      throw usageError('glb-start takes no arguments', 'glb-run runs a command');
    const debug = isGiven(given.options, 'debug');
    const banner = !isGiven(given.options, 'no-banner');
    return await (await import('./glb-start.ts')).glbStart({ caller, simulateGpus, debug, banner });
  } catch (error) {
    return explained(command, error);
  }
}

function read({ name, options }: GlbCommand, words: readonly string[]): ParsedArguments {
  const outcome = parseOptions(options, words, 'anywhere');
  if (!outcome.ok) throw optionMistake(outcome.error, `${name} --help`);
  return outcome.arguments;
}

/** A line for the shell, or a program with its arguments. */
export type RunnableCommand = string | readonly string[];

function commandsIn({ positionals, afterDashes }: ParsedArguments): readonly RunnableCommand[] {
  const commands = [...positionals, ...(afterDashes?.length ? [afterDashes] : [])];
  if (commands.length === 0) throw usageError('there is no command to run', 'glb-run "python train.py"');
  return commands;
}

function explained({ name }: GlbCommand, error: unknown): number {
  const isUsage = error instanceof UsageError;
  if (isUsage || error instanceof RefusalError) complain(name, error.refusal);
  else if (error instanceof Fault) complain(name, refusal('unavailable', error.message));
  else throw error;
  return isUsage ? EXIT_USAGE : EXIT_REFUSED;
}

function complain(name: string, { message, hint }: Refusal): void {
  const lines = [`${name}: ${printable(message)}`];
  if (hint !== null) lines.push(`  hint: ${printable(hint)}`);
  process.stderr.write(`${lines.join('\n')}\n`);
}
