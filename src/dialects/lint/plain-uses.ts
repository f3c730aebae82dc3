/** Which variables a script needs from outside: used without a value to fall back on, and never set by it. */

import { assignmentIn, programOf, type Use } from './shell/script.ts';
import type { Placed } from './shell/walk.ts';
import type { Subject } from './subject.ts';

const DECLARE = new Set(['export', 'declare', 'typeset', 'local', 'readonly']);
const READ = new Set(['read', 'mapfile', 'readarray', 'getopts', 'printf', 'let', 'unset']);

export function plainUses({ commands, uses }: Pick<Subject, 'commands' | 'uses'>): readonly Use[] {
  const set = namesSet(commands);
  const guarded = uses.filter(({ operator }) => /^:?[-=+?]$/.test(operator)).map(({ name }) => name);
  const cared = new Set([...guarded, ...namesTested(commands)]);
  return uses.filter(
    ({ name, operator }) => /^$|^[#%/^,:]/.test(operator) && !set.has(name) && !cared.has(name),
  );
}

/** Every name once, where it is used first. */
export function firstOfEach(uses: readonly Use[]): readonly Use[] {
  const first = new Map<string, Use>();
  for (const use of uses) {
    const known = first.get(use.name);
    if (known === undefined || use.at < known.at) first.set(use.name, use);
  }
  return [...first.values()].sort((a, b) => a.at - b.at);
}

function namesSet(commands: readonly Placed[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { command } of commands) {
    for (const { name } of command.assignments) names.add(name);
    if (command.kind === 'for' && command.name !== null) names.add(command.name);
    const program = programOf(command);
    if (program !== null && DECLARE.has(program)) {
      for (const word of command.words.slice(1)) names.add(assignmentIn(word)?.name ?? '');
    }
    if (program !== null && READ.has(program)) {
      for (const { text } of command.words.slice(1)) names.add((text ?? '').replace(/\W.*$/s, ''));
    }
    if (command.kind === 'arithmetic') {
      for (const { name } of command.words.flatMap(({ uses }) => uses)) names.add(name);
    }
  }
  return names;
}

/** A script that asks whether a variable is set knows what to do when it is not. */
function namesTested(commands: readonly Placed[]): readonly string[] {
  return commands.flatMap(({ command }) => {
    const isTest = command.kind === 'test' || /^(?:\[|test)$/.test(programOf(command) ?? '');
    return isTest ? command.words.flatMap(({ uses }) => uses.map(({ name }) => name)) : [];
  });
}
