/** A program with its arguments, the assignments before it, and where its streams lead. */

import { type Assignment, assignmentIn, type Command, type Redirect, type Word } from './script.ts';
import { match, peek, placeOf, type Source, Unreadable } from './source.ts';
import { readWord, skipBlanks } from './words.ts';

/** Null when none begins here. */
export function readSimple(source: Source): Command | null {
  const start = source.at;
  const assignments: Assignment[] = [];
  const words: Word[] = [];
  const redirects: Redirect[] = [];
  for (;;) {
    skipBlanks(source);
    const redirect = readRedirect(source);
    if (redirect !== null) {
      redirects.push(redirect);
      continue;
    }
    const word = readWord(source);
    if (word === null) break;
    const assignment = words.length === 0 ? assignmentIn(word) : null;
    if (assignment !== null) assignments.push(assignment);
    else words.push(word);
    const isName = words.length === 1 && assignments.length === 0 && redirects.length === 0;
    if (isName && match(source, /[ \t]*\([ \t]*\)/y) !== null) {
      skipBlanks(source);
      break;
    }
  }
  if (peek(source) === '(' && words.length !== 1) throw new Unreadable('( among words');
  if (assignments.length + words.length + redirects.length === 0) return null;
  return {
    kind: 'simple',
    line: source.lineOf(start),
    at: source.offset + start,
    name: null,
    assignments,
    words,
    redirects,
    lists: [],
  };
}

/** Those behind a loop, a group or a test. */
export function readRedirects(source: Source): readonly Redirect[] {
  const redirects: Redirect[] = [];
  for (;;) {
    skipBlanks(source);
    const redirect = readRedirect(source);
    if (redirect === null) return redirects;
    redirects.push(redirect);
  }
}

const OPERATOR = /(\d+|\{[A-Za-z_]\w*\})?(<<<|<<-?|<>|<&|>&|>>|>\||<(?!\()|>(?!\()|&>>|&>)/y;

function readRedirect(source: Source): Redirect | null {
  const found = match(source, OPERATOR);
  if (found === null) return null;
  const [whole, number = null, operator] = found as unknown as readonly [string, string | undefined, string];
  source.at += whole.length;
  skipBlanks(source);
  const start = source.at;
  const word = readWord(source);
  if (word === null) throw new Unreadable(`${operator} leads nowhere`);
  if (operator !== '<<' && operator !== '<<-') return { operator, number, target: word };
  const isLiteral = word.isQuoted;
  const body = { uses: [], substitutions: [] };
  const delimiter = word.text ?? word.raw;
  source.documents.push({ delimiter, stripsTabs: operator === '<<-', isLiteral, found: body });
  // What is in the text is known when the line ends, and the lists that it is put into are the word's.
  const target: Word = { ...placeOf(source, start), raw: word.raw, text: null, isQuoted: isLiteral, ...body };
  return { operator, number, target };
}
