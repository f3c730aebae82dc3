/** The file of `--multi-prog`: which task runs which program. */

import { indicesOf, lastOf, parseRanges, type RangeSet } from '../../../model/ranges.ts';

export type Programs =
  | { readonly ok: true; readonly programs: readonly (readonly string[])[] }
  /** Sentences, one after the other. */
  | { readonly ok: false; readonly complaints: readonly string[] };

export interface ProgramsFile {
  /** As it was named, for complaints. */
  readonly called: string;
  readonly text: string;
}

/** The command line of each task. What was said beyond the file comes after what its line says. */
export function programsOf(
  { called, text }: ProgramsFile,
  ntasks: number,
  more: readonly string[],
): Programs {
  const programs: (readonly string[])[] = Array.from({ length: ntasks });
  const wrong = (...complaints: string[]): Programs => ({ ok: false, complaints });
  for (const [at, line] of text.replace(/\\\n/g, '').split('\n').entries()) {
    if (line.startsWith('#') || line.trim() === '') continue;
    const invalid = `Line ${at + 1} of configuration file ${called} invalid`;
    const [rankText = '', ...words] = splitWords(line);
    const ranks = rankText === '*' ? withoutProgram(programs) : parseRanks(rankText);
    if (ranks === null || words.length === 0) return wrong(invalid);
    for (const [offset, rank] of ranks.entries()) {
      if (rank >= ntasks) return wrong(`Invalid task id, ${ranks.at(-1)} >= ntasks`, invalid);
      if (programs[rank] !== undefined) return wrong(`Duplicate record for task ${rank}`, invalid);
      const place = { rank, offset: rankText === '*' ? rank : offset };
      programs[rank] = [...words.map((word) => filledIn(word, place)), ...more];
    }
  }
  const [missing] = withoutProgram(programs);
  if (missing === undefined) return { ok: true, programs };
  return wrong(`Configuration file ${called} invalid, no record for task id ${missing}`);
}

function parseRanks(text: string): readonly number[] | null {
  const ranks: RangeSet | null = parseRanges(text);
  return ranks === null || lastOf(ranks) === null ? null : [...indicesOf(ranks)];
}

function withoutProgram(programs: readonly (readonly string[] | undefined)[]): readonly number[] {
  return [...programs.keys()].filter((rank) => programs[rank] === undefined);
}

/** Pieces of a word; what stood in single quotes is taken as it is. */
type Word = readonly { readonly text: string; readonly isQuoted: boolean }[];

function splitWords(line: string): readonly [string, ...Word[]] {
  const [first = '', ...others] = line.match(/(?:'[^']*'|\\.|[^\s'\\])+/g) ?? [];
  return [first, ...others.map(piecesOf)];
}

function piecesOf(word: string): Word {
  return (word.match(/'[^']*'|\\.|[^'\\]+/g) ?? []).map((piece) =>
    piece.startsWith("'")
      ? { text: piece.slice(1, -1), isQuoted: true }
      : { text: piece.replace(/^\\/, ''), isQuoted: piece.startsWith('\\') },
  );
}

/** %t is the task, %o its place among those of its line. */
function filledIn(word: Word, { rank, offset }: { readonly rank: number; readonly offset: number }): string {
  return word
    .map(({ text, isQuoted }) =>
      isQuoted ? text : text.replace(/%([to])/g, (_, letter) => `${letter === 't' ? rank : offset}`),
    )
    .join('');
}
