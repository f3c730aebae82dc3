/**
 * Names as Grid Engine matches them: `*`, `?` and `[a-c]` as in a shell, joined by `|` and `&`, turned round by `!`, with
 * parentheses. Queues also by the host they are on: `cpu@n1`, `*@@allhosts`.
 */

import { LONGEST_PATTERN, matchesGlob } from './glob.ts';

/** The group that every host is in. */
export const ALL_HOSTS = '@allhosts';

export function isPattern(text: string): boolean {
  return /[*?[|&!()]/.test(text);
}

/** An expression of patterns. What cannot be read as one is taken as a plain name. */
export function matchesExpression(expression: string, name: string): boolean {
  if (!/[|&!()]/.test(expression)) return matchesPattern(expression, name);
  if (expression.length > LONGEST_PATTERN) return expression === name;
  const tokens = expression.match(/[|&!()]|(?:\[[^\]]*\]|[^|&!()])+/g) ?? [];
  const reading = { tokens, at: 0, name, depth: 0 };
  const value = readAny(reading);
  return reading.at === tokens.length && value !== null ? value : expression === name;
}

/** One pattern, with no operators. */
export function matchesPattern(pattern: string, name: string): boolean {
  if (!/[*?[]/.test(pattern)) return pattern === name;
  return pattern.length > LONGEST_PATTERN ? pattern === name : matchesGlob(pattern, name);
}

/** `cpu`, `c*`, `cpu@n1`, `*@n[12]`, `cpu@@allhosts`, `@n1`: whether that is the queue on that host. */
export function matchesInstance(word: string, queue: string, node: string): boolean {
  const at = word.indexOf('@');
  if (at < 0) return matchesExpression(word, queue);
  const [ofQueue, ofHost] = [word.slice(0, at), word.slice(at + 1)];
  if (ofQueue !== '' && !matchesExpression(ofQueue, queue)) return false;
  if (ofHost.startsWith('@')) return matchesPattern(ofHost, ALL_HOSTS);
  return matchesExpression(ofHost.toLowerCase(), node.toLowerCase());
}

interface Reading {
  readonly tokens: readonly string[];
  at: number;
  readonly name: string;
  depth: number;
}

/** Of parentheses and of `!` in front of `!`. */
const DEEPEST = 100;

function readAny(reading: Reading): boolean | null {
  let value = readAll(reading);
  while (reading.tokens[reading.at] === '|') {
    reading.at += 1;
    const other = readAll(reading);
    value = value === null || other === null ? null : value || other;
  }
  return value;
}

function readAll(reading: Reading): boolean | null {
  let value = readOne(reading);
  while (reading.tokens[reading.at] === '&') {
    reading.at += 1;
    const other = readOne(reading);
    value = value === null || other === null ? null : value && other;
  }
  return value;
}

function readOne(reading: Reading): boolean | null {
  const token = reading.tokens[reading.at];
  reading.at += 1;
  if (token === '!' || token === '(') {
    if (reading.depth === DEEPEST) return null;
    reading.depth += 1;
    const value = token === '!' ? readOne(reading) : readAny(reading);
    reading.depth -= 1;
    if (token === '!') return value === null ? null : !value;
    if (reading.tokens[reading.at] !== ')') return null;
    reading.at += 1;
    return value;
  }
  if (token === undefined || /^[|&)]$/.test(token)) return null;
  return matchesPattern(token, reading.name);
}
