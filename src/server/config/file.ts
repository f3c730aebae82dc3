/**
 * The text of a config file as values that know their lines. It knows TOML and files, and nothing of what the
 * settings mean.
 */

import { readFileSync, statSync } from 'node:fs';
import { type AST, ParseError, parseTOML } from 'toml-eslint-parser';
import { RefusalError, refusal } from '../../model/refusal.ts';
import { keyText, type Mistake, refuseFile } from './mistakes.ts';

export type Path = readonly (string | number)[];

export interface ConfigFile {
  /** How messages call it. */
  readonly label: string;
  readonly path: string;
  readonly root: Table;
  /** The line of a setting, or of the nearest thing around it; null when the file has neither. */
  lineOf(path: Path): number | null;
  /** The value in the file; undefined when it is not there. */
  valueAt(path: Path): unknown;
}

export interface Table {
  [key: string]: unknown;
}

const MAX_BYTES = 1024 * 1024;
/** No setting lies deeper than four. */
const MAX_DEPTH = 20;

/** Null when there is no such file and nobody asked for it by name. */
export function readConfigFile(path: string, label: string, named: boolean): ConfigFile | null {
  const text = readText(path, named);
  return text === null ? null : parseConfig(text, path, label);
}

function readText(path: string, named: boolean): string | null {
  try {
    const { size } = statSync(path);
    if (size > MAX_BYTES) {
      throw new RefusalError(refusal('tooLarge', `the config file ${path} is larger than 1M`));
    }
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path));
  } catch (error) {
    if (error instanceof RefusalError) throw error;
    if (error instanceof TypeError) {
      throw new RefusalError(refusal('badRequest', `the config file ${path} is not text in UTF-8`));
    }
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' && !named) return null;
    if (code === 'ENOENT') {
      throw new RefusalError(refusal('noSuchFile', `there is no config file ${path}`));
    }
    throw new RefusalError(
      refusal('badRequest', `the config file ${path} cannot be read: ${why(code, message)}`),
    );
  }
}

function why(code: string | undefined, message: string): string {
  if (code === 'EACCES') return 'you have no permission';
  if (code === 'EISDIR') return 'it is a directory';
  return message;
}

function parseConfig(text: string, path: string, label: string): ConfigFile {
  const program = parse(text, path, label);
  const lines = new Map<string, number>();
  const mistakes: Mistake[] = [];
  const root: Table = Object.create(null);
  const [top] = program.body;
  for (const item of top.body) {
    if (item.type === 'TOMLTable') readTable(item);
    else readPair(root, [], item);
  }
  if (mistakes.length > 0) throw refuseFile(label, path, mistakes);
  return {
    label,
    path,
    root,
    lineOf(at) {
      for (let length = at.length; length > 0; length--) {
        const line = lines.get(keyText(at.slice(0, length)));
        if (line !== undefined) return line;
      }
      return null;
    },
    valueAt: (at) =>
      at.reduce<unknown>((value, part) => (value as Table | undefined)?.[part as string], root),
  };

  function note(at: Path, line: number): void {
    const key = keyText(at);
    if (!lines.has(key)) lines.set(key, line);
    // Objects treat this one name in their own way, and nothing here is called so.
    if (at.at(-1) === '__proto__') {
      mistakes.push({ line, sentence: `${key} is not a setting`, suggestion: null, choices: [] });
    }
  }

  /** The table that a header like `[a.b]` or the front of a dotted key leads to. */
  function descend(from: Table, keys: Path, base: Path, line: number): Table {
    let table = from;
    keys.forEach((key, i) => {
      note([...base, ...keys.slice(0, i + 1)], line);
      table[key] ??= typeof keys[i + 1] === 'number' ? [] : Object.create(null);
      table = table[key] as Table;
    });
    return table;
  }

  function readTable(item: AST.TOMLTable): void {
    const table = descend(root, item.resolvedKey, [], item.loc.start.line);
    for (const pair of item.body) readPair(table, item.resolvedKey, pair);
  }

  function readPair(table: Table, base: Path, pair: AST.TOMLKeyValue): void {
    const keys = pair.key.keys.map((key) => (key.type === 'TOMLBare' ? key.name : key.value));
    const line = pair.loc.start.line;
    const last = keys.pop() as string;
    const owner = descend(table, keys, base, line);
    const at = [...base, ...keys, last];
    note(at, line);
    owner[last] = readValue(pair.value, at);
  }

  function readValue(value: AST.TOMLContentNode, at: Path): unknown {
    if (value.type === 'TOMLValue') return value.value;
    if (at.length > MAX_DEPTH) throw refuseFile(label, path, [{ ...TOO_DEEP, line: value.loc.start.line }]);
    if (value.type === 'TOMLArray') {
      return value.elements.map((element, i) => {
        note([...at, i], element.loc.start.line);
        return readValue(element, [...at, i]);
      });
    }
    const table: Table = Object.create(null);
    for (const pair of value.body) readPair(table, at, pair);
    return table;
  }
}

function parse(text: string, path: string, label: string): AST.TOMLProgram {
  try {
    return parseTOML(text);
  } catch (error) {
    throw refuseFile(label, path, [error instanceof ParseError ? mistakeOf(error, text) : TOO_DEEP]);
  }
}

const TOO_DEEP: Mistake = { line: null, sentence: 'it is nested too deeply', suggestion: null, choices: [] };

function mistakeOf(error: ParseError, text: string): Mistake {
  const lines = text.split('\n').map((line) => line.trim());
  const { lineNumber, column, message } = error;
  if (message.startsWith('Defining a key multiple times')) {
    const key = lines[lineNumber - 1]?.split('=')[0]?.trim();
    const sentence = `${key} is there for the second time`;
    return { line: lineNumber, sentence, suggestion: null, choices: [] };
  }
  // A line that stops in the middle is noticed only at the start of the next.
  const stopsInTheMiddle = column === 0 && /=$|^\[[^\]]*$|^[^[#=]+$/.test(lines[lineNumber - 2] ?? '');
  const line = lineNumber - (stopsInTheMiddle ? 1 : 0);
  const problem = message.charAt(0).toLowerCase() + message.slice(1);
  return {
    line,
    sentence: `this is not TOML: ${problem}`,
    suggestion: withQuotes(lines[line - 1] ?? ''),
    choices: [],
  };
}

/** `grace = 30s` is what people write first. */
function withQuotes(line: string): string | null {
  const parts = /^([\w.-]+)\s*=\s*([\w.:-]+)\s*(?:#.*)?$/.exec(line);
  return parts === null ? null : `texts stand in quotes: ${parts[1]} = "${parts[2]}"`;
}
