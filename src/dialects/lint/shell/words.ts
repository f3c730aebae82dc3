/** One word of a script, the blanks and comments before it, and the here-documents after its line. */

import {
  readBackquotes,
  readDollar,
  readDoubleQuotes,
  readExpansions,
  readUntilQuote,
} from './expansions.ts';
import { endsInEquals, type Word } from './script.ts';
import { deeper, type Found, match, peek, type Source, startsWith, Unreadable, wordOf } from './source.ts';

const META = /[\s;&|<>()]/;

/** Blanks, continued lines and a comment. */
export function skipBlanks(source: Source): void {
  for (;;) {
    const char = peek(source);
    if (char === ' ' || char === '\t' || char === '\r') source.at += 1;
    else if (startsWith(source, '\\\n')) source.at += 2;
    else if (startsWith(source, '\\\r\n')) source.at += 3;
    else if (char === '#') {
      source.commentLines.add(source.lineOf(source.at));
      const newline = source.text.indexOf('\n', source.at);
      source.at = newline === -1 ? source.text.length : newline;
    } else return;
  }
}

export function skipLines(source: Source): void {
  for (skipBlanks(source); peek(source) === '\n'; skipBlanks(source)) readNewline(source);
}

/** The end of a line, and the here-documents that were begun in it. */
export function readNewline(source: Source): void {
  source.at += 1;
  for (const { delimiter, stripsTabs, isLiteral, found } of source.documents.splice(0)) {
    const start = source.at;
    let end = start;
    while (end < source.text.length) {
      const newline = source.text.indexOf('\n', end);
      const lineEnd = newline === -1 ? source.text.length : newline;
      const line = source.text.slice(end, lineEnd).replace(/\r$/, '');
      if ((stripsTabs ? line.replace(/^\t+/, '') : line) === delimiter) {
        if (!isLiteral) readExpansions(source, found, end);
        source.at = lineEnd;
        break;
      }
      end = lineEnd + 1;
    }
    if (end >= source.text.length) {
      if (!isLiteral) readExpansions(source, found, source.text.length);
      source.at = source.text.length;
      return;
    }
    if (peek(source) === '\n') source.at += 1;
  }
}

/** Null when no word begins here. `regex`: what stands behind `=~`, where parentheses belong to the word. */
export function readWord(source: Source, manner: 'plain' | 'regex' = 'plain'): Word | null {
  const start = source.at;
  const found: Found = { uses: [], substitutions: [] };
  let text = '';
  let isLiteral = true;
  let isQuoted = false;
  let open = 0;
  for (;;) {
    const char = peek(source);
    if (char === '') break;
    if (char === '\\') {
      if (peek(source, 1) !== '\n') {
        text += peek(source, 1);
        isQuoted = true;
      }
      source.at = Math.min(source.at + 2, source.text.length);
    } else if (char === "'") {
      text += readUntilQuote(source, false);
      isQuoted = true;
    } else if (char === '"') {
      const inside = readDoubleQuotes(source, found);
      text += inside.text;
      isLiteral &&= inside.isLiteral;
      isQuoted = true;
    } else if (char === '$') {
      if (readDollar(source, found, false)) isLiteral = false;
      else text += '$';
    } else if (char === '`') {
      readBackquotes(source, found);
      isLiteral = false;
    } else if ((char === '<' || char === '>') && peek(source, 1) === '(' && manner === 'plain') {
      source.at += 2;
      found.substitutions.push(source.readNested(source));
      isLiteral = false;
    } else if (manner === 'regex' && (open > 0 || !/\s/.test(char))) {
      if (char === '(') open += 1;
      else if (char === ')') open -= 1;
      if (open < 0 || (char === '\n' && open > 0)) break;
      text += char;
      source.at += 1;
    } else if (char === '(' && source.at > start) {
      const before = source.text.slice(start, source.at);
      if (endsInEquals(before)) readArray(source, found);
      else if (/[?*+@!]$/.test(before)) readGlob(source, found);
      else break;
      isLiteral = false;
    } else if (META.test(char)) break;
    else {
      text += char;
      source.at += 1;
    }
  }
  if (source.at === start) return null;
  return wordOf(source, start, found, { text: isLiteral ? text : null, isQuoted });
}

/** `(a b c)` behind an assignment's equals sign. */
function readArray(source: Source, found: Found): void {
  source.at += 1;
  deeper(source, () => {
    for (;;) {
      skipLines(source);
      if (peek(source) === ')') break;
      const word = readWord(source);
      if (word === null) throw new Unreadable('an array without an end');
      found.uses.push(...word.uses);
      found.substitutions.push(...word.substitutions);
    }
  });
  source.at += 1;
}

/** `@(a|b)`. */
function readGlob(source: Source, found: Found): void {
  source.at += 1;
  deeper(source, () => {
    while (peek(source) !== ')') {
      if (peek(source) === '|') source.at += 1;
      else if (peek(source) === '(') readGlob(source, found);
      else {
        const word = readWord(source);
        if (word === null) throw new Unreadable('a pattern without an end');
        found.uses.push(...word.uses);
      }
    }
  });
  source.at += 1;
}

const RESERVED =
  /(?:if|then|elif|else|fi|for|select|while|until|do|done|case|esac|function|time|coproc|\{|\}|!|\[\[)(?=[\s;&|<>()]|$)/y;

/** The reserved word here, where a command may begin. */
export function reservedHere(source: Source): string | null {
  return match(source, RESERVED)?.[0] ?? null;
}
