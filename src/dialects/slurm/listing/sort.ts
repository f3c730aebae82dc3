/**
 * Orders of `-S`: letters, each with a sign before it where somebody wants it the other way round, the most
 * important first. Knows no letter.
 */

export type Order<Row> = (a: Row, b: Row) => number;
export type Orders<Row> = Readonly<Record<string, Order<Row>>>;

export interface SortKey {
  readonly letter: string;
  readonly descending: boolean;
  /** Whether a `#` stands before the letter. */
  readonly marked: boolean;
}

const SIGNS: ReadonlySet<string> = new Set(['-', '+', '#', ',']);

/** Commas between letters may be left out; what stands right before a letter belongs to it. */
export function readSortKeys(text: string): readonly SortKey[] {
  const letters = Array.from(text);
  return letters.flatMap((letter, at) => {
    if (SIGNS.has(letter)) return [];
    const sign = letters[at - 1];
    return [{ letter, descending: sign === '-', marked: sign === '#' }];
  });
}

/** What is equal by all keys keeps its place. */
export function sortedBy<Row>(
  rows: readonly Row[],
  keys: readonly { readonly order: Order<Row>; readonly descending: boolean }[],
): Row[] {
  return [...rows].sort(orderBy(keys));
}

export function orderBy<Row>(
  keys: readonly { readonly order: Order<Row>; readonly descending: boolean }[],
): Order<Row> {
  return (a, b) => {
    for (const { order, descending } of keys) {
      const difference = order(a, b);
      if (difference !== 0) return descending ? -difference : difference;
    }
    return 0;
  };
}

export function byNumber<Row>(value: (row: Row) => number): Order<Row> {
  return (a, b) => value(a) - value(b);
}

/** By the characters' numbers, not by any language. */
export function byText<Row>(value: (row: Row) => string): Order<Row> {
  return (a, b) => compareTexts(value(a), value(b));
}

export function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** `n2` before `n10`. */
export function compareHosts(a: string, b: string): number {
  const [first, second] = [hostParts(a), hostParts(b)];
  return compareTexts(first.prefix, second.prefix) || first.number - second.number || compareTexts(a, b);
}

function hostParts(host: string): { readonly prefix: string; readonly number: number } {
  const [, prefix = '', digits = ''] = /^(.*?)(\d{0,15})$/s.exec(host) ?? [];
  return { prefix, number: digits === '' ? -1 : Number(digits) };
}
