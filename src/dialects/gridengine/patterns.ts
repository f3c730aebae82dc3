/**
 * Names as Grid Engine matches them: `*`, `?` and `[a-c]` as in a shell, joined by `|` and `&`, turned round by `!`, with
 * parentheses. Queues also by the host they are on: `cpu@n1`, `*@@allhosts`.
 */

/** The group that every host is in. */
export const ALL_HOSTS = '@allhosts';

export function isPattern(text: string): boolean {
  return /[*?[|&!()]/.test(text);
}

/** An expression of patterns. What cannot be read as one is taken as a plain name. */
export function matchesExpression(expression: string, name: string): boolean {
  if (!/[|&!()]/.test(expression)) return matchesPattern(expression, name);
  const tokens = expression.match(/[|&!()]|(?:\[[^\]]*\]|[^|&!()])+/g) ?? [];
  const reading = { tokens, at: 0, name };
  const value = readAny(reading);
  return reading.at === tokens.length && value !== null ? value : expression === name;
}

/** One pattern, with no operators. */
export function matchesPattern(pattern: string, name: string): boolean {
  if (!/[*?[]/.test(pattern)) return pattern === name;
  return patternOf(pattern).test(name);
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
}

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
  if (token === '!') {
    const value = readOne(reading);
    return value === null ? null : !value;
  }
  if (token === '(') {
    const value = readAny(reading);
    if (reading.tokens[reading.at] !== ')') return null;
    reading.at += 1;
    return value;
  }
  if (token === undefined || /^[|&)]$/.test(token)) return null;
  return matchesPattern(token, reading.name);
}

/** Stars that follow each other are one, so that no pattern takes long. */
function patternOf(pattern: string): RegExp {
  let source = '';
  for (let at = 0; at < pattern.length; at++) {
    const letter = pattern[at] as string;
    const set = letter === '[' ? /^\[([!^]?)(\]?[^\]]*)\]/.exec(pattern.slice(at)) : null;
    if (set !== null) {
      const [whole, turned = '', members = ''] = set;
      source += `[${turned === '' ? '' : '^'}${members.replace(/[\\\]^[]/g, '\\$&')}]`;
      at += whole.length - 1;
    } else if (letter === '*') source += source.endsWith('[^]*?') ? '' : '[^]*?';
    else if (letter === '?') source += '[^]';
    else source += letter.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
  }
  try {
    return new RegExp(`^${source}$`, 'u');
  } catch {
    // A set whose range runs backwards matches nothing.
    return /[^\s\S]/;
  }
}
