/** Assignments as other languages write them, which a shell takes for a program to run. */

import { findingOf } from '../finding.ts';
import type { Rule } from '../subject.ts';

const finding = findingOf('assignment');

export const assignments: Rule = ({ commands }) =>
  commands.flatMap(({ command }) => {
    const [first, second] = command.words;
    if (command.kind !== 'simple' || first === undefined) return [];
    if (second?.raw === '=' && /^[A-Za-z_]\w*$/.test(first.raw) && command.words.length > 2) {
      const sentence = `With spaces around the =, ${first.raw} is a program to run and not a variable`;
      return [finding('error', first.line, sentence, `write ${first.raw}=…`)];
    }
    const dollar = /^\$([A-Za-z_]\w*)=/.exec(first.raw);
    if (dollar === null) return [];
    const sentence = `A variable is set without the $: this runs a program called by what ${dollar[1]} holds`;
    return [finding('error', first.line, sentence, `write ${dollar[1]}=…`)];
  });
