/**
 * Flags in text: the lines of a script that begin with `#$` (or what `-C` says), wherever they are in it, and the lines
 * of a request file. Only their words; which flags there are is not known here.
 */

import { MOST_DIRECTIVE_BYTES } from '../../../model/bounds.ts';
import { textFromBytes } from '../../../model/bytes.ts';
import { rejected } from './complaints.ts';

export const PLAIN_PREFIX = '#$';

/** The words of all lines that begin with the prefix, in order; none without a prefix. */
export function directiveWords(script: Uint8Array, prefix: string): readonly string[] {
  if (prefix === '') return [];
  const words: string[] = [];
  let characters = 0;
  for (const line of linesBeginningWith(script, prefix)) {
    characters += line.length;
    if (characters > MOST_DIRECTIVE_BYTES)
      throw rejected(
        `job rejected: the ${prefix} lines have more than ${MOST_DIRECTIVE_BYTES} bytes together`,
      );
    for (const word of splitWords(line.slice(prefix.length))) words.push(word);
  }
  return words;
}

/** The words of a request file: lines that begin with `#` are comments. */
export function requestWords(file: Uint8Array): readonly string[] {
  return textFromBytes(file)
    .split('\n')
    .flatMap((line) => splitWords(line));
}

/** Most scripts are much longer than their directives, so that only those lines become text. */
function* linesBeginningWith(script: Uint8Array, prefix: string): Generator<string> {
  const first = prefix.charCodeAt(0);
  for (let start = 0; start < script.length; ) {
    const newline = script.indexOf(NEWLINE, start);
    const end = newline === -1 ? script.length : newline;
    if (script[start] === first || first > 0x7f) {
      const line = textFromBytes(script.subarray(start, end));
      if (line.startsWith(prefix)) yield line;
    }
    start = end + 1;
  }
}

const NEWLINE = 0x0a;

/** Quotes keep a word together, and may be within one; a `#` outside of them begins a comment. */
export function splitWords(line: string): readonly string[] {
  const words: string[] = [];
  let word: string | null = null;
  let quote = '';
  for (const char of line) {
    if (quote !== '') {
      if (char === quote) quote = '';
      else word = `${word ?? ''}${char}`;
    } else if (char === '"' || char === "'") {
      quote = char;
      word ??= '';
    } else if (/\s/.test(char)) {
      if (word !== null) words.push(word);
      word = null;
    } else if (char === '#') break;
    else word = `${word ?? ''}${char}`;
  }
  if (word !== null) words.push(word);
  return words;
}
