/** Programs in the background that nothing waits for: when the script ends the job ends, and they with it. */

import { baseName } from '../../../model/paths.ts';
import { findingOf } from '../finding.ts';
import { BUILTINS, PLAIN_TOOLS } from '../known-words.ts';
import { programOf } from '../shell/script.ts';
import type { Placed } from '../shell/walk.ts';
import type { Rule } from '../subject.ts';

const finding = findingOf('background');

/** Tools that go on for as long as somebody wants them to. */
const LASTING = new Set(['sleep', 'tail', 'top', 'watch', 'rsync', 'cp', 'tar', 'read', 'exec', 'scp']);

export const background: Rule = ({ commands, text }) => {
  // Wherever it is said, by a trap or through a variable, something waits.
  if (/\bwait\b|\bkill -0\b|\/proc\/\$|--pid|\bfg\b/.test(withoutComments(text))) return [];
  const started = commands.filter(isStarted);
  const first = started[0];
  const last = started.at(-1);
  if (first === undefined || last === undefined) return [];
  const end = last.command.at;
  const goesOn = commands.some(
    (each) => each.command.at > end && !each.around.within.includes(last.command) && takesLong(each),
  );
  if (goesOn || isKilledLater(commands, first.command.at)) return [];
  const program = last.command.words[0]?.raw ?? 'It';
  const sentence = `${program} is started in the background and nothing waits for it: the job ends at once, and ends it`;
  return [
    finding('warning', last.command.line, sentence, 'put a line with wait at the end, or leave out the &'),
  ];
};

/** The program that a `&` is about, or the first of several that are connected. */
function isStarted({ command, around }: Placed): boolean {
  if (around.isSubstituted || around.pipeline.after !== '&' || around.stage > 0) return false;
  const program = programOf(command);
  if (command.kind !== 'simple' || command.words.length === 0) return false;
  return program === null || (!BUILTINS.has(program) && !PLAIN_TOOLS.has(baseName(program)));
}

function takesLong({ command, around }: Placed): boolean {
  if (command.kind === 'while') return true;
  if (command.kind !== 'simple' || command.words.length === 0 || around.pipeline.after === '&') return false;
  if (around.isSubstituted) return false;
  const program = programOf(command);
  if (program === null) return true;
  const isInLoop = around.within.some(({ kind }) => kind === 'for');
  if (LASTING.has(program)) return !isInLoop;
  return !BUILTINS.has(program) && !PLAIN_TOOLS.has(baseName(program));
}

/** A number kept for `kill` is one that somebody minds. */
function isKilledLater(commands: readonly Placed[], at: number): boolean {
  return commands.some(({ command }) => command.at > at && programOf(command) === 'kill');
}

function withoutComments(text: string): string {
  return text.replaceAll(/^[ \t]*#.*$/gm, '');
}
