/** Failures that nobody hears of: the job's exit status is the last command's, and that one went well. */

import { baseName } from '../../../model/paths.ts';
import { type Finding, findingOf } from '../finding.ts';
import { BUILTINS, PLAIN_TOOLS } from '../known-words.ts';
import { type Command, type Pipeline, programOf } from '../shell/script.ts';
import type { Rule, Subject } from '../subject.ts';

const finding = findingOf('lost-status');

/** What people put last, and what never fails. */
const CLOSING = new Set(['echo', 'printf', 'date', 'true', ':']);
/** What only passes on what it reads; of others the status may be the point. */
const FILTERS = new Set(['tee', 'cat', 'ts']);

export const lostStatus: Rule = (subject) => {
  if (subject.shell === null || subject.shell.list.length === 0) return [];
  const options = shellOptions(subject);
  return [...inPipes(subject, options), ...inTheMiddle(subject, options)];
};

interface ShellOptions {
  readonly stopsOnError: boolean;
  readonly minds: boolean;
}

function shellOptions({ commands, interpreter, text }: Subject): ShellOptions {
  const words = commands.flatMap(({ command }) =>
    programOf(command) === 'set' ? command.words.slice(1).map((word) => word.text ?? '') : [],
  );
  const all = [...words, ...(interpreter?.argument ?? '').split(/\s+/)];
  return {
    stopsOnError: all.some((word) => /^-\w*e/.test(word) || word === 'errexit'),
    minds: all.includes('pipefail') || /PIPESTATUS|pipestatus/.test(text),
  };
}

function inPipes({ shell, interpreter }: Subject, { stopsOnError, minds }: ShellOptions): readonly Finding[] {
  if (minds) return [];
  const list = shell?.list ?? [];
  const last = list.at(-1);
  return list.flatMap((pipeline) => {
    const [first] = pipeline.stages;
    const filter = pipeline.stages.at(-1);
    if (first === undefined || filter === undefined || pipeline.stages.length < 2) return [];
    const counts = pipeline === last || (stopsOnError && pipeline.after === ';');
    if (!counts || pipeline.isNegated || !isProgram(first) || !FILTERS.has(programOf(filter) ?? ''))
      return [];
    const program = first.words[0]?.raw ?? '';
    const sentence = `If ${program} fails nobody hears of it: the status of a pipe is that of ${programOf(filter)}`;
    const isBash = interpreter?.program === 'bash';
    const advice = isBash ? 'add set -o pipefail before it' : 'use #!/bin/bash and set -o pipefail';
    return [finding('warning', pipeline.line, sentence, advice)];
  });
}

/** `python train.py` and then `echo done`: the job counts as completed however the program ended. */
function inTheMiddle({ shell, text }: Subject, { stopsOnError }: ShellOptions): readonly Finding[] {
  const list = shell?.list ?? [];
  let at = list.length - 1;
  while (at >= 0 && isClosing(list[at] as Pipeline)) at -= 1;
  const program = list[at];
  if (stopsOnError || at < 0 || at === list.length - 1 || program === undefined) return [];
  const [command] = program.stages;
  if (command === undefined || program.stages.length > 1 || program.after !== ';' || !isProgram(command))
    return [];
  // Somebody who looks at the status knows about it.
  if (/\$\?|\$\{\?\}|\btrap\b/.test(text)) return [];
  const closing = list.at(-1)?.stages[0];
  const sentence = `If ${command.words[0]?.raw ?? ''} fails the job counts as completed: its exit status is that of ${programOf(closing as Command)} in line ${closing?.line}`;
  return [finding('hint', command.line, sentence, 'add set -e at the top, or end with exit and the status')];
}

function isClosing({ stages, after }: Pipeline): boolean {
  const [command] = stages;
  return (
    command !== undefined && stages.length === 1 && after === ';' && CLOSING.has(programOf(command) ?? '')
  );
}

function isProgram(command: Command): boolean {
  const program = programOf(command);
  if (command.kind !== 'simple' || command.words.length === 0) return false;
  return program === null || (!BUILTINS.has(program) && !PLAIN_TOOLS.has(baseName(program)));
}
