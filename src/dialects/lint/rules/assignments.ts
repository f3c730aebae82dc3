/** Assignments as other languages write them, which a shell takes for a program to run. */

import { type Finding, findingOf } from '../finding.ts';
import type { Command } from '../shell/script.ts';
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
    if (dollar === null) return emptyByMistake(command);
    const sentence = `A variable is set without the $: this runs a program called by what ${dollar[1]} holds`;
    return [finding('error', first.line, sentence, `write ${dollar[1]}=…`)];
  });

/** `export A= "x"` and `A= "x"`: nobody exports a text or runs one in quotes. */
function emptyByMistake({ assignments: before, words }: Command): readonly Finding[] {
  const [first] = words;
  const exported = first?.text === 'export' ? words.slice(1) : [];
  const pairs = [
    ...exported.slice(1).map((word, at) => [exported[at], word] as const),
    [before.at(-1)?.word, first] as const,
  ];
  return pairs.flatMap(([word, next]) => {
    if (word === undefined || next === undefined) return [];
    if (!/^[A-Za-z_]\w*=$/.test(word.raw) || !/^["'][^$/]*["']$/.test(next.raw)) return [];
    const sentence = `With a space behind the =, ${word.raw.slice(0, -1)} is empty`;
    return [finding('error', word.line, sentence, `write ${word.raw}${next.raw}`)];
  });
}
