/** Every command of a script, wherever it stands, and what is around it. */

import type { Command, List, Pipeline, Use, Word } from './script.ts';

export interface Surroundings {
  readonly pipeline: Pipeline;
  /** Which stage of the pipeline it is. */
  readonly stage: number;
  /** The list it stands in, and where. */
  readonly list: List;
  readonly index: number;
  /** The commands it is a part of, outermost first. */
  readonly within: readonly Command[];
  /** It runs in a shell of its own: `(…)`, `$(…)`, a pipeline, the background. */
  readonly isApart: boolean;
  /** Its output is what the script makes of it: `$(…)`. */
  readonly isSubstituted: boolean;
}

export interface Placed {
  readonly command: Command;
  readonly around: Surroundings;
}

/** In the order of the text, a group before what is in it. */
export function allCommands(list: List): readonly Placed[] {
  const found: Placed[] = [];
  collect(list, { within: [], isApart: false, isSubstituted: false }, found);
  return found;
}

type Outside = Pick<Surroundings, 'within' | 'isApart' | 'isSubstituted'>;

function collect(list: List, outside: Outside, found: Placed[]): void {
  for (const [index, pipeline] of list.entries()) {
    for (const [stage, command] of pipeline.stages.entries()) {
      const isApart = outside.isApart || pipeline.stages.length > 1 || pipeline.after === '&';
      const { within, isSubstituted } = outside;
      const around = { pipeline, stage, list, index, within, isApart, isSubstituted };
      found.push({ command, around });
      const inside = {
        within: [...within, command],
        isApart: isApart || command.kind === 'subshell',
        isSubstituted,
      };
      for (const word of ownWords(command)) {
        for (const nested of word.substitutions) {
          collect(nested, { ...inside, isApart: true, isSubstituted: true }, found);
        }
      }
      for (const nested of command.lists) collect(nested, inside, found);
    }
  }
}

/** Arguments, assignments and where streams lead; not what is in its lists. */
export function ownWords(command: Command): readonly Word[] {
  return [
    ...command.assignments.map(({ word }) => word),
    ...command.words,
    ...command.redirects.map(({ target }) => target),
  ];
}

export function usesOf(placed: readonly Placed[]): readonly Use[] {
  return placed.flatMap(({ command }) => ownWords(command).flatMap(({ uses }) => uses));
}
