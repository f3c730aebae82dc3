/**
 * Tasks of an array as people name them: `3`, `1-5`, `1-9:2`. What went wrong is data; each command has its own words
 * around it. How such ranges are printed is in job-facts.ts.
 */

import { type RangeSet, rangeOf } from '../../model/ranges.ts';
import { readOneRange } from './number-ranges.ts';

export type TaskRange =
  | { readonly ok: true; readonly tasks: RangeSet }
  /** The original's sentence, in lines; it has none for some. */
  | { readonly ok: false; readonly lines: readonly string[] };

const MOST_DIGITS = 9;

/** The word after `-t`: one range. One that runs backwards is turned round. */
export function readTaskRange(text: string): TaskRange {
  if (text === '') return { ok: false, lines: ['-t option must have a list of task id ranges'] };
  // To these the original only says how it is called.
  if (/^(?:,*|-|\d+(?:-|[^-:,\d].*))$/.test(text)) return { ok: false, lines: [] };
  const range = readOneRange(text);
  if (!range.ok) return range;
  const { first, last, step } = range.value;
  return { ok: true, tasks: rangeOf(first, last, step) };
}

/** The same after a job's number and a dot; null when it is none. */
export function readTaskSuffix(text: string): RangeSet | null {
  const match = RANGE.exec(text);
  return match === null ? null : rangeFrom(match);
}

/** `20-22:1`: a range in full, for those who are told that there is nothing in it. */
export function rangeText([run]: RangeSet): string {
  return run === undefined ? '' : `${run[0]}-${run[1]}:${run[2]}`;
}

const RANGE = new RegExp(
  `^(\\d{1,${MOST_DIGITS}})(?:-(\\d{1,${MOST_DIGITS}}))?(?::(\\d{1,${MOST_DIGITS}}))?$`,
);

function rangeFrom([, from, to, step]: RegExpExecArray): RangeSet | null {
  if (step !== undefined && Number(step) === 0) return null;
  const first = Number(from);
  if (to === undefined) return rangeOf(first, first);
  const last = Number(to);
  return rangeOf(Math.min(first, last), Math.max(first, last), Number(step ?? 1));
}
