/** What only bash understands, in a script that says `#!/bin/sh`. */

import { type Finding, findingOf } from '../finding.ts';
import { type Command, programOf } from '../shell/script.ts';
import { ownWords } from '../shell/walk.ts';
import type { Rule, Subject } from '../subject.ts';

const finding = findingOf('bash-only');

export const SH = '/bin/sh';

/** Said once for each kind, where it is first. */
export const bashisms: Rule = (subject, world) => {
  const { interpreter, shell } = subject;
  if (shell === null || interpreter?.program !== 'sh') return [];
  const first = new Map<string, Finding>();
  // Where sh is bash everything works, until the script goes elsewhere.
  const isBash = (world.programAt(SH) ?? '').endsWith('bash');
  for (const { command } of subject.commands) {
    for (const { what, line } of bashOnly(command, subject)) {
      if (first.has(what)) continue;
      const sentence = `${what} is bash's, and the first line asks for sh`;
      first.set(
        what,
        finding(isBash ? 'hint' : 'warning', line, sentence, 'begin the script with #!/bin/bash'),
      );
    }
  }
  return [...first.values()];
};

interface BashOnly {
  readonly what: string;
  readonly line: number;
}

const BUILTINS: Readonly<Record<string, string>> = {
  source: 'source',
  declare: 'declare',
  typeset: 'typeset',
  let: 'let',
  pushd: 'pushd',
  popd: 'popd',
  shopt: 'shopt',
  mapfile: 'mapfile',
  readarray: 'readarray',
};

function bashOnly(command: Command, { text }: Subject): readonly BashOnly[] {
  const { line } = command;
  const found: BashOnly[] = [];
  const say = (what: string, at = line) => found.push({ what, line: at });
  if (command.kind === 'test') say('[[ ]]');
  if (command.kind === 'arithmetic') say('(( ))');
  if (command.kind === 'for' && command.name === null) say('for (( ))');
  if (command.kind === 'function' && /^function\s/.test(text.slice(command.at, command.at + 9)))
    say('function');
  for (const { isArray, line: at } of command.assignments) if (isArray) say('an array', at);
  const program = programOf(command);
  if (program !== null && Object.hasOwn(BUILTINS, program)) say(BUILTINS[program] as string);
  if (program === '[' || program === 'test') {
    if (command.words.some(({ raw }) => raw === '==')) say('== in [ ]');
  }
  for (const { operator, target } of command.redirects) {
    if (operator === '<<<') say('<<<', target.line);
    if (operator === '&>' || operator === '&>>') say(operator, target.line);
  }
  for (const word of ownWords(command)) {
    if (/^[<>]\(/.test(word.raw)) say('<( )', word.line);
    for (const { operator, line: at } of word.uses) {
      if (operator === '[') say('an array', at);
      else if (/^(?:[/^,!]|:)$|^(?:\/\/|\^\^|,,)$/.test(operator)) say(`\${…${operator}…}`, at);
    }
  }
  return found;
}
