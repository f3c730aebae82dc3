/**
 * Reads a shell script into commands: enough of sh and bash to see what is assigned, used, run, waited for and piped,
 * and no more. What it cannot read it says so, rather than to guess: whoever asks then has nothing to say either.
 */

import { readArithmetic } from './expansions.ts';
import { expectText, expectWord, readPatterns, readTest } from './pieces.ts';
import {
  type Command,
  type CommandKind,
  type List,
  type Pipeline,
  programOf,
  type Redirect,
  type Separator,
  type ShellScript,
  type Word,
} from './script.ts';
import { readRedirects, readSimple } from './simple.ts';
import {
  deeper,
  type Found,
  lineCounter,
  match,
  peek,
  placeOf,
  type Source,
  startsWith,
  Unreadable,
  wordOf,
} from './source.ts';
import { readNewline, readWord, reservedHere, skipBlanks, skipLines } from './words.ts';

/** Larger ones are programs of their own, or carry an archive; and whoever asks does not want to wait. */
const LONGEST = 256 * 1024;

/** Null when it is no shell script, or one beyond this reader. */
export function readShell(text: string): ShellScript | null {
  if (text.length > LONGEST) return null;
  try {
    const source = sourceOf(text, { lineOf: lineCounter(text, 1), offset: 0, depth: 0 });
    const list = readList(source, [], isLast);
    if (source.at < text.length) throw new Unreadable('more than commands');
    return { list, commentLines: source.commentLines };
  } catch (error) {
    if (error instanceof Unreadable) return null;
    throw error;
  }
}

function sourceOf(text: string, place: Pick<Source, 'lineOf' | 'offset' | 'depth'>): Source {
  return { text, at: 0, documents: [], commentLines: new Set(), ...place, readNested, readPiece };
}

function readNested(source: Source): List {
  const list = deeper(source, () => readList(source, []));
  expectText(source, ')');
  return list;
}

function readPiece(text: string, within: Source, at: number): List {
  return deeper(within, () => {
    const lineOf = lineCounter(text, within.lineOf(at));
    const source = sourceOf(text, { lineOf, offset: within.offset + at, depth: within.depth });
    const list = readList(source, []);
    if (source.at < text.length) throw new Unreadable('more than commands in backquotes');
    return list;
  });
}

/** A shell reads no further, and what follows may be anything: another program, an archive. */
function isLast({ stages, after }: Pipeline): boolean {
  const [command] = stages;
  if (command === undefined || stages.length > 1 || after !== ';') return false;
  const program = programOf(command);
  return program === 'exit' || (program === 'exec' && command.words.length > 1);
}

/** Up to one of the words, a `)`, a `;;` or the end, none of which is taken; or up to a command that `isLast`. */
function readList(
  source: Source,
  ends: readonly string[],
  isLast: (pipeline: Pipeline) => boolean = () => false,
): List {
  const list: Pipeline[] = [];
  for (;;) {
    skipLines(source);
    if (source.at >= source.text.length || peek(source) === ')' || match(source, /;[;&]/y) !== null) break;
    const reserved = reservedHere(source);
    if (reserved !== null && ends.includes(reserved)) break;
    const pipeline = readPipeline(source);
    list.push(pipeline);
    if (!isLast(pipeline)) continue;
    source.at = source.text.length;
    break;
  }
  return list;
}

function readPipeline(source: Source): Pipeline {
  const { line } = placeOf(source, source.at);
  let isNegated = false;
  for (let word = reservedHere(source); word === '!' || word === 'time'; word = reservedHere(source)) {
    source.at += word.length;
    if (word === '!') isNegated = !isNegated;
    skipBlanks(source);
    if (word === 'time' && match(source, /-p(?=\s)/y) !== null) source.at += 2;
    skipBlanks(source);
  }
  const stages = [readCommand(source)];
  for (;;) {
    skipBlanks(source);
    if (peek(source) !== '|' || peek(source, 1) === '|') break;
    source.at += peek(source, 1) === '&' ? 2 : 1;
    skipLines(source);
    stages.push(readCommand(source));
  }
  return { line, stages, isNegated, after: readSeparator(source) };
}

function readSeparator(source: Source): Separator {
  if (startsWith(source, '&&') || startsWith(source, '||')) {
    const separator = source.text.slice(source.at, source.at + 2) as Separator;
    source.at += 2;
    return separator;
  }
  if (peek(source) === '&') {
    source.at += 1;
    return '&';
  }
  if (peek(source) === ';' && !/[;&]/.test(peek(source, 1))) source.at += 1;
  else if (peek(source) === '\n') readNewline(source);
  else if (source.at < source.text.length && !/[);]/.test(peek(source))) throw new Unreadable('no separator');
  return ';';
}

function readCommand(source: Source): Command {
  return deeper(source, () => {
    const start = source.at;
    const compound = readCompound(source);
    if (compound !== null) {
      const { kind, name = null, words = [], lists = [] } = compound;
      const redirects: readonly Redirect[] = readRedirects(source);
      return { kind, ...placeOf(source, start), name, assignments: [], words, redirects, lists };
    }
    const simple = readSimple(source);
    if (simple === null) throw new Unreadable('no command');
    if (peek(source) !== '(') return simple;
    return readFunction(source, start, simple.words[0]?.text ?? null);
  });
}

interface Compound {
  readonly kind: CommandKind;
  readonly name?: string;
  readonly words?: readonly Word[];
  readonly lists?: readonly List[];
}

function readCompound(source: Source): Compound | null {
  if (peek(source) === '(') return readParentheses(source);
  const word = reservedHere(source);
  // Behind a pipe it is a program like any other.
  if (word === null || word === 'time') return null;
  const start = source.at;
  source.at += word.length;
  switch (word) {
    case '{': {
      const list = readList(source, ['}']);
      expectWord(source, '}');
      return { kind: 'group', lists: [list] };
    }
    case '[[':
      return { kind: 'test', words: readTest(source) };
    case 'if':
      return { kind: 'if', lists: readIf(source) };
    case 'while':
    case 'until': {
      const condition = readList(source, ['do']);
      return { kind: 'while', lists: [condition, readBody(source)] };
    }
    case 'for':
    case 'select':
      return readFor(source);
    case 'case':
      return readCase(source);
    case 'function': {
      skipBlanks(source);
      const name = readWord(source)?.text ?? null;
      const body = readFunction(source, start, name);
      return { kind: 'function', lists: body.lists, ...(name === null ? {} : { name }) };
    }
    default:
      throw new Unreadable(`${word} where a command should be`);
  }
}

function readParentheses(source: Source): Compound {
  const start = source.at;
  const found: Found = { uses: [], substitutions: [] };
  if (peek(source, 1) === '(' && readArithmetic(source, found, 0)) {
    return { kind: 'arithmetic', words: [wordOf(source, start, found, { text: null, isQuoted: false })] };
  }
  source.at += 1;
  return { kind: 'subshell', lists: [readNested(source)] };
}

/** Conditions and what follows each, and what is done otherwise. */
function readIf(source: Source): readonly List[] {
  const lists = [readList(source, ['then'])];
  expectWord(source, 'then');
  for (;;) {
    lists.push(readList(source, ['elif', 'else', 'fi']));
    const word = reservedHere(source);
    source.at += word?.length ?? 0;
    if (word === 'fi') return lists;
    if (word === 'elif') {
      lists.push(readList(source, ['then']));
      expectWord(source, 'then');
    } else if (word !== 'else') throw new Unreadable('if without an end');
  }
}

function readBody(source: Source): List {
  expectWord(source, 'do');
  const list = readList(source, ['done']);
  expectWord(source, 'done');
  return list;
}

function readFor(source: Source): Compound {
  skipBlanks(source);
  const found: Found = { uses: [], substitutions: [] };
  const words: Word[] = [];
  let name: string | null = null;
  const start = source.at;
  if (startsWith(source, '((') && readArithmetic(source, found, 0)) {
    words.push(wordOf(source, start, found, { text: null, isQuoted: false }));
  } else {
    name = readWord(source)?.text ?? null;
    if (name === null) throw new Unreadable('for without a variable');
    skipLines(source);
    if (match(source, /in(?=[\s;])/y) !== null) {
      source.at += 2;
      for (;;) {
        skipBlanks(source);
        const word = readWord(source);
        if (word === null) break;
        words.push(word);
      }
    }
  }
  skipBlanks(source);
  if (peek(source) === ';') source.at += 1;
  skipLines(source);
  return { kind: 'for', words, lists: [readBody(source)], ...(name === null ? {} : { name }) };
}

function readCase(source: Source): Compound {
  skipBlanks(source);
  const subject = readWord(source);
  skipLines(source);
  if (subject === null || match(source, /in(?=[\s;]|$)/y) === null) throw new Unreadable('case without in');
  source.at += 2;
  const words = [subject];
  const lists: List[] = [];
  for (;;) {
    skipLines(source);
    if (reservedHere(source) === 'esac') break;
    if (peek(source) === '(') source.at += 1;
    words.push(...readPatterns(source));
    lists.push(readList(source, ['esac']));
    const ending = match(source, /;;&|;;|;&/y)?.[0];
    if (ending !== undefined) source.at += ending.length;
    else if (reservedHere(source) !== 'esac') throw new Unreadable('case without an end');
  }
  source.at += 'esac'.length;
  return { kind: 'case', words, lists };
}

/** From the `()` behind its name, or from its body. */
function readFunction(source: Source, start: number, name: string | null): Command {
  skipBlanks(source);
  if (peek(source) === '(') {
    source.at += 1;
    skipBlanks(source);
    expectText(source, ')');
  }
  skipLines(source);
  const body = readCommand(source);
  const list: List = [{ line: body.line, stages: [body], isNegated: false, after: ';' }];
  const none = { assignments: [], words: [], redirects: [] };
  return { kind: 'function', ...placeOf(source, start), name, ...none, lists: [list] };
}
