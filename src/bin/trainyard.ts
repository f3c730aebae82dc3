/**
 * The command as Node runs it, where there is no perl, no yard yet, or more to do than to carry a command to one.
 * A command for a yard that runs takes the short way; everything else is loaded only when it is needed, since
 * loading it takes longer than the command itself.
 */

import { type Caller, callerOfThisProcess, dismiss } from '../client/caller.ts';
import { type CommandEnd, runCommand } from '../client/command-client.ts';
import { findYard } from '../client/connect.ts';
import { placesOfThisProcess } from '../client/places.ts';
import { textFromBytes } from '../model/bytes.ts';
import { Fault } from '../model/refusal.ts';
import { unsupportedPlatform } from '../platform/install.ts';
import { loadOneByOne } from '../platform/load-modules.ts';

/** What Trainyard's own command does at this end. */
const DONE_HERE: readonly string[] = ['up', 'down', 'top'];

/** Commands of which nothing is done in a yard. */
const DONE_HERE_BY_NAME: readonly string[] = ['glb-start', 'glb-run'];

async function main(): Promise<void> {
  const unsupported = unsupportedPlatform();
  if (unsupported !== null) {
    dismiss(Number(process.argv[2]));
    process.stderr.write(`${unsupported}\n`);
    process.exitCode = 1;
    return;
  }
  const caller = callerOfThisProcess();
  try {
    const how = (await inRunningYard(caller)) ?? (await (await localCommand()).runHere(caller));
    end(how.kind === 'yardGone' ? await (await localCommand()).goOn(caller, how.ticket) : how);
  } catch (error) {
    process.exitCode = (await localCommand()).explain(error, caller);
  }
}

function localCommand() {
  return loadOneByOne(import.meta.filename, './local-command', () => import('./local-command.ts'));
}

/** Null: there is no yard, or the command is not for it. */
async function inRunningYard(caller: Caller): Promise<CommandEnd | null> {
  if (DONE_HERE_BY_NAME.includes(textFromBytes(caller.argv[0] ?? new Uint8Array()))) return null;
  if (caller.argv.some((word) => DONE_HERE.includes(textFromBytes(word)))) return null;
  const yard = await findYard(placesOfThisProcess());
  const how = yard === null ? null : await runCommand(yard, caller, process);
  return how?.kind === 'notServed' ? null : how;
}

function end(how: CommandEnd): void {
  switch (how.kind) {
    case 'exit':
      process.exitCode = how.code;
      return;
    case 'signal':
      process.kill(process.pid, how.signal);
      return;
    case 'failed':
      throw new Fault(how.sentence, false);
    case 'yardGone':
    case 'notServed':
      throw new Fault('the yard does not answer', true);
  }
}

await main();
