/** The text that is being read, and where in it the reader stands. */

import type { List, Use, Word } from './script.ts';

export interface Source {
  readonly text: string;
  at: number;
  /** How deep the reader is in commands within commands. */
  depth: number;
  /** Here-documents whose text begins after this line. */
  readonly documents: HereDocument[];
  /** Lines on which comments were found. */
  readonly commentLines: Set<number>;
  readonly lineOf: (at: number) => number;
  /** Added to positions, for a piece of another text. */
  readonly offset: number;
  /** Reads the commands up to the `)` that ends them, which words cannot do by themselves. */
  readonly readNested: (source: Source) => List;
  readonly readPiece: (text: string, within: Source, at: number) => List;
}

/** What expansions leave behind while a word is read. */
export interface Found {
  readonly uses: Use[];
  readonly substitutions: List[];
}

export interface HereDocument {
  readonly delimiter: string;
  readonly stripsTabs: boolean;
  readonly isLiteral: boolean;
  readonly found: Found;
}

/** The text is no shell script, or one that is beyond this reader. */
export class Unreadable extends Error {}

/** Deeper than anybody nests, and far from the end of the stack. */
const DEEPEST = 60;

export function deeper<T>(source: Source, read: () => T): T {
  source.depth += 1;
  if (source.depth > DEEPEST) throw new Unreadable('nested too deeply');
  const result = read();
  source.depth -= 1;
  return result;
}

export function lineCounter(text: string, firstLine: number): (at: number) => number {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return (at) => {
    let [low, high] = [0, starts.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((starts[middle] as number) <= at) low = middle;
      else high = middle - 1;
    }
    return firstLine + low;
  };
}

export function peek(source: Source, ahead = 0): string {
  return source.text.charAt(source.at + ahead);
}

export function startsWith(source: Source, text: string): boolean {
  return source.text.startsWith(text, source.at);
}

/** What a sticky pattern matches here; null when it does not. */
export function match(source: Source, pattern: RegExp): RegExpExecArray | null {
  pattern.lastIndex = source.at;
  return pattern.exec(source.text);
}

export function placeOf(source: Source, at: number): { readonly line: number; readonly at: number } {
  return { line: source.lineOf(at), at: source.offset + at };
}

export function wordOf(
  source: Source,
  start: number,
  found: Found,
  { text, isQuoted }: { readonly text: string | null; readonly isQuoted: boolean },
): Word {
  // Every word of a script passes here: written out, since spreading takes several times as long.
  return {
    line: source.lineOf(start),
    at: source.offset + start,
    raw: source.text.slice(start, source.at),
    text,
    isQuoted,
    uses: found.uses,
    substitutions: found.substitutions,
  };
}
