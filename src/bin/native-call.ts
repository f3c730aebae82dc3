/** A caller of Trainyard's own command: as an invocation for the dialect, and how to be told what went wrong. */

import { type Caller, variablesOf } from '../client/caller.ts';
import { ownUid } from '../client/places.ts';
import { failureText } from '../dialects/native/failure.ts';
import type { Invocation } from '../dialects/program.ts';
import { painter } from '../dialects/text/colour.ts';
import { jsonText, printable, textFromBytes } from '../model/bytes.ts';
import type { Refusal } from '../model/refusal.ts';
import { wantsColour } from '../server/http/colour.ts';

const NATIVE_NAMES: readonly string[] = ['trainyard', 'yard'];
const DEFAULT_COLUMNS = 80;

/** The command's word, `up` in `trainyard --json up`; null when it is another program's name. */
export function nativeWord(invocation: Invocation): string | null {
  const [name, ...words] = invocation.argv;
  if (!NATIVE_NAMES.includes(name ?? '')) return null;
  return words.find((word) => !word.startsWith('-')) ?? '';
}

/** All words but the command's. */
export function wordsAround(invocation: Invocation, word: string): string[] {
  const words = invocation.argv.slice(1);
  return words.toSpliced(words.indexOf(word), 1);
}

export function invocationOf(caller: Caller): Invocation {
  const variables = variablesOf(caller.environment);
  const isTerminal = (fd: number) => caller.terminals.includes(`${fd}`);
  return {
    argv: caller.argv.map(textFromBytes),
    workDir: textFromBytes(caller.workDir),
    environment: caller.environment,
    umask: caller.umask,
    ulimits: caller.ulimits,
    user: variables.USER ?? '',
    uid: ownUid(),
    process: null,
    ticket: null,
    timeZone: caller.zone ?? 'UTC',
    terminal: {
      stdin: isTerminal(0),
      stdout: isTerminal(1),
      stderr: isTerminal(2),
      columns: caller.columns ?? DEFAULT_COLUMNS,
      colour: wantsColour(isTerminal(1), (name) => variables[name]),
    },
  };
}

export function tellRefusal(reason: Refusal, invocation: Invocation): void {
  if (nativeWord(invocation) === null) {
    process.stderr.write(`${invocation.argv[0]}: error: ${printable(reason.message)}\n`);
    if (reason.code === 'unavailable' && reason.hint !== null)
      process.stderr.write(`${invocation.argv[0]}: ${printable(reason.hint)}\n`);
    return;
  }
  const dashes = invocation.argv.indexOf('--');
  const ours = dashes === -1 ? invocation.argv : invocation.argv.slice(0, dashes);
  if (ours.includes('--json')) {
    process.stdout.write(`${jsonText({ error: reason })}\n`);
  } else {
    process.stderr.write(
      failureText(reason, painter(invocation.terminal.colour && invocation.terminal.stderr)),
    );
  }
}
