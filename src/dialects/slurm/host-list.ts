/** Lists of hosts in Slurm's short form: `n[1-3,7]` for n1, n2, n3 and n7. */

/** More than any yard has, and few enough to hold. */
const MOST_HOSTS = 65_536;

/** Null when it is no host list, or one too long. */
export function expandHosts(text: string): readonly string[] | null {
  const hosts: string[] = [];
  for (const term of splitTerms(text)) {
    const expanded = expandTerm(term);
    if (expanded === null || hosts.length + expanded.length > MOST_HOSTS) return null;
    hosts.push(...expanded);
  }
  return hosts;
}

/** At commas, but not at those inside brackets. */
function splitTerms(text: string): readonly string[] {
  return text.split(/,(?![^[]*\])/).filter((term) => term !== '');
}

function expandTerm(term: string): readonly string[] | null {
  const match = /^([^[\]]*)\[([^[\]]+)\](.*)$/.exec(term);
  if (match === null) return /[[\]]/.test(term) ? null : [term];
  const [, prefix, ranges, rest] = match as unknown as [string, string, string, string];
  const tails = rest === '' ? [''] : expandTerm(rest);
  const numbers = expandRanges(ranges);
  if (tails === null || numbers === null || tails.length * numbers.length > MOST_HOSTS) return null;
  return numbers.flatMap((number) => tails.map((tail) => `${prefix}${number}${tail}`));
}

function expandRanges(ranges: string): readonly string[] | null {
  const numbers: string[] = [];
  for (const range of ranges.split(',')) {
    const match = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(range);
    if (match === null) return null;
    const first = match[1] as string;
    const last = match[2] ?? first;
    if (Number(last) < Number(first) || Number(last) - Number(first) >= MOST_HOSTS) return null;
    for (let n = Number(first); n <= Number(last); n++) numbers.push(`${n}`.padStart(first.length, '0'));
  }
  return numbers;
}

/** In the order given; neighbours that differ only in their last number are folded. */
export function foldHosts(hosts: readonly string[]): string {
  const groups: { readonly prefix: string; readonly numbers: string[] }[] = [];
  for (const host of hosts) {
    const [, prefix = host, number = ''] = /^(.*?)(\d*)$/s.exec(host) ?? [];
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
