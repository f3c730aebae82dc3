/**
 * Ranges of numbers as people write them: `3`, `1-5`, `1-9:2`, and lists of them. What is wrong with one is data, in the
 * original's sentences; whose numbers they are, and who complains, is known elsewhere.
 */

export interface NumberRange {
  readonly first: number;
  /** Null: without end. */
  readonly last: number | null;
  readonly step: number;
}

export type WholeRange = NumberRange & { readonly last: number };

export type ReadRange<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly lines: readonly string[] };

/** More are not looked at one by one. */
const MOST_MEMBERS = 1_000_000;

/** One range; the other way round it is put right. An end may be missing only where ranges may be without end. */
export function readRange(text: string, { endless }: { readonly endless: boolean }): ReadRange<NumberRange> {
  const [start] = /^\d+/.exec(text) ?? [];
  if (start === undefined) {
    if (!/^-./.test(text)) return noNumber(text);
    return /^-\d/.test(text) ? trailer(text, 1) : noNumber(text.slice(1));
  }
  const first = Number(start);
  if (text.length === start.length) return { ok: true, value: { first, last: first, step: 1 } };
  if (!/^[-:]/.test(text.slice(start.length))) return trailer(text, start.length);
  const rest = text.slice(start.length + 1);
  if (rest === '') return endless ? { ok: true, value: { first, last: null, step: 1 } } : noNumber('');
  const [end] = /^\d+/.exec(rest) ?? [];
  if (end === undefined) return noNumber(rest);
  const step = stepAfter(rest, end.length);
  if (!step.ok) return step;
  const [low, high] = [first, Number(end)].sort((a, b) => a - b) as [number, number];
  return { ok: true, value: { first: low, last: high, step: step.value } };
}

/** Ranges with commas between them that are one range together: `1,3,5-9:2`. */
export function readOneRange(text: string): ReadRange<WholeRange> {
  const ranges: WholeRange[] = [];
  for (const part of text.split(',')) {
    if (part === '' && text !== '') continue;
    const range = readRange(part, { endless: false });
    if (!range.ok) return range;
    ranges.push({ ...range.value, last: range.value.last ?? range.value.first });
  }
  const [only] = ranges;
  if (only === undefined) return noNumber('');
  const value = ranges.length === 1 ? only : together(ranges);
  return value === null ? wrong('-t option only allows one range specification') : { ok: true, value };
}

/** Null: they are more than one. */
function together(ranges: readonly WholeRange[]): WholeRange | null {
  const members = new Set<number>();
  for (const { first, last, step } of ranges) {
    for (let at = first; at <= last; at += step) {
      if (members.size >= MOST_MEMBERS) return null;
      members.add(at);
    }
  }
  const sorted = [...members].sort((a, b) => a - b);
  const [first = 0, second = first + 1] = sorted;
  const step = second - first;
  const isOne = sorted.every((member, at) => member === first + at * step);
  return isOne ? { first, last: sorted.at(-1) ?? first, step } : null;
}

function stepAfter(text: string, at: number): ReadRange<number> {
  if (at === text.length) return { ok: true, value: 1 };
  if (text[at] !== ':') return trailer(text, at);
  const written = text.slice(at + 1);
  const [digits] = /^-?\d+/.exec(written) ?? [];
  if (digits === undefined) return noNumber(written);
  if (digits.length < written.length) return trailer(written, digits.length);
  if (Number(digits) <= 0) return wrong('Negative or zero step in range is not allowed');
  return { ok: true, value: Number(digits) };
}

type Wrong = { readonly ok: false; readonly lines: readonly string[] };

function trailer(text: string, at: number): Wrong {
  return wrong(`Range specifier "${text}" has unknown trailer "${text.slice(at)}"`);
}

function noNumber(text: string): Wrong {
  return wrong(
    'Numerical value invalid!',
    `The initial portion of string "${text}" contains no decimal number`,
  );
}

function wrong(...lines: readonly string[]): Wrong {
  return { ok: false, lines };
}
