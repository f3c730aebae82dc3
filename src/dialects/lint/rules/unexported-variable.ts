/** What is said of a variable that was set for a program and not exported. */

import { findingOf } from '../finding.ts';
import type { Rule } from '../subject.ts';
import { unexportedIn } from '../unexported.ts';

const finding = findingOf('not-exported');

export const unexportedVariable: Rule = ({ commands, interpreter, text, isGiven }) => {
  if (/(?:^| )-\w*a/.test(interpreter?.argument ?? '')) return [];
  return unexportedIn(commands, text, isGiven).map(({ name, line, program, programLine }) => {
    const sentence = `${name} is set but not exported: ${program} in line ${programLine} does not see it`;
    return finding('warning', line, sentence, `write export ${name}=…`);
  });
};
