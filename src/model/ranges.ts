/**
 * A set of whole numbers kept as sorted runs, so that an array of 10,000 elements is a few numbers.
 * Values are immutable; every operation gives a new set.
 */

/** One run: first, last, and the step between its members. */
export type Run = readonly [first: number, last: number, step: number];
export type RangeSet = readonly Run[];

export const EMPTY: RangeSet = [];

export function rangeOf(first: number, last: number, step = 1): RangeSet {
  if (last < first) return EMPTY;
  return [normalRun(first, last, step)];
}

export function countOf(set: RangeSet): number {
  let count = 0;
  for (const run of set) count += runLength(run);
  return count;
}

export function firstOf(set: RangeSet): number | null {
  return set[0]?.[0] ?? null;
}

export function lastOf(set: RangeSet): number | null {
  const run = set[set.length - 1];
  return run === undefined ? null : run[1];
}

export function hasIndex(set: RangeSet, index: number): boolean {
  return set.some(([first, last, step]) => index >= first && index <= last && (index - first) % step === 0);
}

export function* indicesOf(set: RangeSet): Generator<number> {
  for (const [first, last, step] of set) for (let i = first; i <= last; i += step) yield i;
}

/** The set without one member; taking the lowest member is cheap, which is how elements start. */
export function without(set: RangeSet, index: number): RangeSet {
  const out: Run[] = [];
  for (const run of set) {
    const [first, last, step] = run;
    if (index < first || index > last || (index - first) % step !== 0) {
      out.push(run);
      continue;
    }
    if (index > first) out.push(normalRun(first, index - step, step));
    if (index < last) out.push(normalRun(index + step, last, step));
  }
  return out;
}

/** Any numbers, in any order, repeated or not. */
export function fromIndices(indices: Iterable<number>): RangeSet {
  const sorted = [...new Set(indices)].sort((a, b) => a - b);
  const out: Run[] = [];
  let at = 0;
  while (at < sorted.length) {
    const first = sorted[at] as number;
    const next = sorted[at + 1];
    if (next === undefined) {
      out.push([first, first, 1]);
      break;
    }
    const step = next - first;
    let end = at + 1;
    while (sorted[end + 1] === (sorted[end] as number) + step) end++;
    // A pair with a gap is better said as two numbers than as a stepped run, unless it goes on.
    if (end === at + 1 && step > 1) {
      out.push([first, first, 1]);
      at += 1;
    } else {
      out.push([first, sorted[end] as number, step]);
      at = end + 1;
    }
  }
  return out;
}

/** `0-9,20-30:2,40`, the way people write it. */
export function formatRanges(set: RangeSet): string {
  return set
    .map(([first, last, step]) => {
      if (first === last) return `${first}`;
      return step === 1 ? `${first}-${last}` : `${first}-${last}:${step}`;
    })
    .join(',');
}

/** Reads `0-9,20-30:2,40`; null when it is not that, or says more than `most` numbers. */
export function parseRanges(text: string, most = 4_000_000): RangeSet | null {
  const runs: Run[] = [];
  let total = 0;
  for (const part of text.split(',')) {
    const match = /^(\d{1,9})(?:-(\d{1,9})(?::(\d{1,9}))?)?$/.exec(part);
    if (match === null) return null;
    const first = Number(match[1]);
    const last = match[2] === undefined ? first : Number(match[2]);
    const step = match[3] === undefined ? 1 : Number(match[3]);
    if (last < first || step < 1) return null;
    const run = normalRun(first, last, step);
    total += runLength(run);
    if (total > most) return null;
    runs.push(run);
  }
  if (runs.every((run, i) => i === 0 || run[0] > (runs[i - 1] as Run)[1])) return runs;
  if (runs.every(([first, last, step]) => step === 1 || first === last)) return joined(runs);
  return total > MOST_SORTED_OUT ? null : fromIndices(indicesOf(runs));
}

/** Runs with steps that overlap are sorted out number by number. */
const MOST_SORTED_OUT = 100_000;

/** Runs without steps, in any order, as those that cover the same numbers. */
function joined(runs: readonly Run[]): RangeSet {
  const out: [first: number, last: number, step: number][] = [];
  for (const [first, last] of [...runs].sort((a, b) => a[0] - b[0])) {
    const before = out.at(-1);
    if (before !== undefined && first <= before[1] + 1) before[1] = Math.max(before[1], last);
    else out.push([first, last, 1]);
  }
  return out;
}

function runLength([first, last, step]: Run): number {
  return Math.floor((last - first) / step) + 1;
}

function normalRun(first: number, last: number, step: number): Run {
  const end = first + Math.floor((last - first) / step) * step;
  return end === first ? [first, first, 1] : [first, end, step];
}
