/** What a `$` or a backquote begins, and double quotes, in which both mean the same as outside. */

import { deeper, type Found, match, peek, placeOf, type Source, Unreadable } from './source.ts';

const NAME = /[A-Za-z_]\w*/y;
const SPECIAL = /[0-9@*#?$!-]/y;
const IN_BRACES = /\$\{([#!]?)([A-Za-z_]\w*|\d+|[@*#?$!-])(:?[-=+?]|\[|##?|%%?|\/\/?|\^\^?|,,?|@|:|)/y;

/** Reads on from a `$`. False when it is just a dollar sign. */
export function readDollar(source: Source, found: Found, isInQuotes: boolean): boolean {
  const next = peek(source, 1);
  if (next === '(') {
    if (peek(source, 2) === '(' && readArithmetic(source, found, 1)) return true;
    source.at += 2;
    found.substitutions.push(source.readNested(source));
    return true;
  }
  if (next === '{') {
    deeper(source, () => readBraces(source, found, isInQuotes));
    return true;
  }
  if (next === "'" && !isInQuotes) {
    source.at += 1;
    readUntilQuote(source, true);
    return true;
  }
  if (next === '"' && !isInQuotes) {
    source.at += 1;
    return true;
  }
  const start = source.at;
  source.at += 1;
  const name = match(source, NAME)?.[0] ?? match(source, SPECIAL)?.[0];
  if (name === undefined) return false;
  source.at += name.length;
  found.uses.push({ name, ...placeOf(source, start), operator: '' });
  return true;
}

function readBraces(source: Source, found: Found, isInQuotes: boolean): void {
  const opening = match(source, IN_BRACES);
  if (opening !== null && !/^\$\{[#!]\}/.test(opening[0])) {
    const [whole, mark, name, operator] = opening as unknown as readonly [string, string, string, string];
    found.uses.push({ name, ...placeOf(source, source.at), operator: mark === '' ? operator : mark });
    source.at += whole.length;
  } else source.at += 2;
  while (source.at < source.text.length) {
    const char = peek(source);
    if (char === '}') {
      source.at += 1;
      return;
    }
    if (char === '\\') source.at += 2;
    else if (char === "'" && !isInQuotes) readUntilQuote(source, false);
    else if (char === '"') readDoubleQuotes(source, found);
    else if (char === '$') readDollar(source, found, isInQuotes);
    else if (char === '`') readBackquotes(source, found);
    else source.at += 1;
  }
  throw new Unreadable('${ without an end');
}

/** `((…))`, at `skipped` characters from here. False, and nothing read, when it is commands in two pairs of parentheses. */
export function readArithmetic(source: Source, found: Found, skipped: number): boolean {
  const start = source.at + skipped + 2;
  const end = endOfArithmetic(source.text, start);
  if (end === null) return false;
  source.at = start;
  while (source.at < end) {
    const char = peek(source);
    const name = match(source, NAME)?.[0];
    if (name !== undefined) {
      found.uses.push({ name, ...placeOf(source, source.at), operator: '((' });
      source.at += name.length;
    } else if (char === '$') readDollar(source, found, true);
    else if (char === '`') readBackquotes(source, found);
    else source.at += match(source, /\d\w*/y)?.[0].length ?? 1;
  }
  source.at = end + 2;
  return true;
}

/** Where the `))` is that ends it. */
function endOfArithmetic(text: string, start: number): number | null {
  let open = 0;
  for (let at = start; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === '(') open += 1;
    else if (char === ')' && open > 0) open -= 1;
    else if (char === ')') return text.charAt(at + 1) === ')' ? at : null;
  }
  return null;
}

/** What is inside them as far as it is literal, and whether all of it is. */
export function readDoubleQuotes(source: Source, found: Found): { text: string; isLiteral: boolean } {
  let text = '';
  let isLiteral = true;
  source.at += 1;
  while (source.at < source.text.length) {
    const char = peek(source);
    if (char === '"') {
      source.at += 1;
      return { text, isLiteral };
    }
    if (char === '\\') {
      const next = peek(source, 1);
      if (next !== '\n') text += /["\\$`]/.test(next) ? next : `\\${next}`;
      source.at += 2;
    } else if (char === '$') {
      if (readDollar(source, found, true)) isLiteral = false;
      else text += '$';
    } else if (char === '`') {
      readBackquotes(source, found);
      isLiteral = false;
    } else {
      text += char;
      source.at += 1;
    }
  }
  throw new Unreadable('" without an end');
}

/** From one single quote to the next. Gives what is between. */
export function readUntilQuote(source: Source, hasEscapes: boolean): string {
  const start = source.at + 1;
  for (let at = start; at < source.text.length; at++) {
    const char = source.text.charAt(at);
    if (char === '\\' && hasEscapes) at += 1;
    else if (char === "'") {
      source.at = at + 1;
      return source.text.slice(start, at);
    }
  }
  throw new Unreadable("' without an end");
}

export function readBackquotes(source: Source, found: Found): void {
  const start = source.at + 1;
  for (let at = start; at < source.text.length; at++) {
    const char = source.text.charAt(at);
    if (char === '\\') at += 1;
    else if (char === '`') {
      const piece = source.text.slice(start, at).replaceAll(/\\([`\\$])/g, '$1');
      found.substitutions.push(source.readPiece(piece, source, start));
      source.at = at + 1;
      return;
    }
  }
  throw new Unreadable('` without an end');
}

/** The text of a here-document, where quotes are nothing special. */
export function readExpansions(source: Source, found: Found, end: number): void {
  while (source.at < end) {
    const char = peek(source);
    if (char === '\\') source.at += 2;
    else if (char === '$') readDollar(source, found, true);
    else if (char === '`') readBackquotes(source, found);
    else source.at += 1;
  }
}
