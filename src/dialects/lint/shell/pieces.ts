/** The parts of commands that have no commands in them: patterns, tests, and the words that must follow. */

import type { Word } from './script.ts';
import { peek, type Source, startsWith, Unreadable } from './source.ts';
import { readWord, reservedHere, skipBlanks, skipLines } from './words.ts';

/** Of a branch of `case`, with the `)` that ends them. */
export function readPatterns(source: Source): readonly Word[] {
  const patterns: Word[] = [];
  for (;;) {
    skipBlanks(source);
    const pattern = readWord(source);
    if (pattern === null) throw new Unreadable('case without a pattern');
    patterns.push(pattern);
    skipBlanks(source);
    const char = peek(source);
    source.at += 1;
    if (char === ')') return patterns;
    if (char !== '|') throw new Unreadable('case without )');
  }
}

/** From behind `[[`, with the `]]` that ends it. */
export function readTest(source: Source): readonly Word[] {
  const words: Word[] = [];
  for (;;) {
    skipLines(source);
    const isRegex = words.at(-1)?.raw === '=~';
    const word = readWord(source, isRegex ? 'regex' : 'plain');
    if (word?.raw === ']]') return words;
    if (word !== null) words.push(word);
    else if (/[&|<>()!;]/.test(peek(source))) source.at += 1;
    else throw new Unreadable('[[ without an end');
  }
}

export function expectWord(source: Source, word: string): void {
  skipLines(source);
  if (reservedHere(source) !== word) throw new Unreadable(`no ${word}`);
  source.at += word.length;
}

export function expectText(source: Source, text: string): void {
  if (!startsWith(source, text)) throw new Unreadable(`no ${text}`);
  source.at += text.length;
}
