/** Lists of hosts in Slurm's short form: `n[1-3,7]` for n1, n2, n3 and n7. */

/** More than any yard has, and few enough to hold. */
const MOST_HOSTS = 65_536;
/** Of all their names together. */
const MOST_CHARACTERS = 4 * 1024 * 1024;
/** In one name: `rack[1-4]node[1-8]` has two. */
const MOST_BRACKETS = 8;

/** Null when it is no host list, or one too long. */
export function expandHosts(text: string): readonly string[] | null {
  const hosts: string[] = [];
  let characters = 0;
  for (const term of splitOutsideBrackets(text)) {
    const expanded = expandTerm(term, MOST_HOSTS - hosts.length);
    if (expanded === null) return null;
    for (const host of expanded) {
      characters += host.length;
      hosts.push(host);
    }
    if (characters > MOST_CHARACTERS) return null;
  }
  return hosts;
}

/** At commas, but not at those inside brackets; without what is empty. */
export function splitOutsideBrackets(text: string): readonly string[] {
  const terms: string[] = [];
  let start = 0;
  let inBrackets = false;
  for (let at = 0; at <= text.length; at++) {
    const character = text[at];
    if (character === '[') inBrackets = true;
    else if (character === ']') inBrackets = false;
    if (at < text.length && (character !== ',' || inBrackets)) continue;
    if (at > start) terms.push(text.slice(start, at));
    start = at + 1;
  }
  return terms;
}

/** Null as well when there are more than `most`. */
function expandTerm(term: string, most: number): readonly string[] | null {
  if (!/[[\]]/.test(term)) return most > 0 ? [term] : null;
  // Text and what is in brackets take turns, and text is first and last.
  const parts = term.split(/\[([^[\]]+)\]/);
  if (parts.length > 2 * MOST_BRACKETS + 1) return null;
  let names = [''];
  for (const [at, part] of parts.entries()) {
    const isText = at % 2 === 0;
    if (isText && /[[\]]/.test(part)) return null;
    const choices = isText ? [part] : expandRanges(part, most);
    if (choices === null || names.length * choices.length > most) return null;
    names = names.flatMap((name) => choices.map((choice) => `${name}${choice}`));
  }
  return names;
}

function expandRanges(ranges: string, most: number): readonly string[] | null {
  const numbers: string[] = [];
  for (const range of ranges.split(',')) {
    const match = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(range);
    if (match === null) return null;
    const first = match[1] as string;
    const last = match[2] ?? first;
    const count = Number(last) - Number(first) + 1;
    if (count < 1 || numbers.length + count > most) return null;
    for (let n = Number(first); n <= Number(last); n++) numbers.push(`${n}`.padStart(first.length, '0'));
  }
  return numbers;
}

/** A name, and the number at its end: empty when it has none. */
export function splitHost(host: string): readonly [prefix: string, number: string] {
  let end = host.length;
  while (end > 0 && isDigit(host.charCodeAt(end - 1))) end -= 1;
  return [host.slice(0, end), host.slice(end)];
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** In the order given; neighbours that differ only in their last number are folded. */
export function foldHosts(hosts: readonly string[]): string {
  const groups: { readonly prefix: string; readonly numbers: string[] }[] = [];
  for (const host of hosts) {
    const [prefix, number] = splitHost(host);
    const last = groups.at(-1);
    if (last !== undefined && last.prefix === prefix && number !== '' && last.numbers[0] !== '')
      last.numbers.push(number);
    else groups.push({ prefix, numbers: [number] });
  }
  return groups.map(({ prefix, numbers }) => `${prefix}${foldNumbers(numbers)}`).join(',');
}

function foldNumbers(numbers: readonly string[]): string {
  const runs: { readonly first: string; last: string }[] = [];
  for (const number of numbers) {
    const run = runs.at(-1);
    if (run !== undefined && isNext(run.last, number)) run.last = number;
    else runs.push({ first: number, last: number });
  }
  const text = runs.map(({ first, last }) => (first === last ? first : `${first}-${last}`)).join(',');
  return numbers.length === 1 ? text : `[${text}]`;
}

function isNext(before: string, after: string): boolean {
  if (Number(after) !== Number(before) + 1) return false;
  const padded = before.startsWith('0') || after.startsWith('0');
  return !padded || before.length === after.length;
}
