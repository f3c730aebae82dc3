/** Jobs as people name them to Slurm's commands: `17`, `4_1`, `4_[1-3,7]`, lists of these, and steps, `17.0`. */

import type { JobId, JobRef } from '../../model/ids.ts';
import { indicesOf, parseRanges, type RangeSet } from '../../model/ranges.ts';

export interface JobWord {
  /** As it was written. */
  readonly text: string;
  readonly job: JobId;
  /** Null: the whole job. */
  readonly indices: RangeSet | null;
}

export interface StepWord extends JobWord {
  /** Null: the job, not one of its steps. */
  readonly step: number | null;
}

/** More than anybody writes, and few enough to go through. */
const MOST_ELEMENTS = 10_000;

/** Null when it is no job. */
export function parseJobWord(text: string): JobWord | null {
  const match = /^(\d{1,15})(?:_(?:(\d{1,9})|\[([\d,:-]{1,4096})(?:%\d{1,9})?\]))?$/.exec(text);
  if (match === null || Number(match[1]) === 0) return null;
  const [, job, index, ranges] = match;
  const written = index ?? ranges;
  if (written === undefined) return { text, job: Number(job), indices: null };
  const indices = parseRanges(written, MOST_ELEMENTS);
  return indices === null ? null : { text, job: Number(job), indices };
}

/** `17.0`, `4_1.0`; null when it is neither a job nor a step. */
export function parseStepWord(text: string): StepWord | null {
  const match = /^(.*?)(?:\.(\d{1,9}))?$/s.exec(text) as RegExpExecArray;
  const word = parseJobWord(match[1] as string);
  if (word === null) return null;
  return { ...word, text, step: match[2] === undefined ? null : Number(match[2]) };
}

/** Each element becomes a reference of its own. */
export function refsOf({ job, indices }: JobWord): readonly JobRef[] {
  if (indices === null) return [{ job, index: null }];
  return [...indicesOf(indices)].map((index) => ({ job, index }));
}

export function refText({ job, index }: JobRef): string {
  return index === null ? `${job}` : `${job}_${index}`;
}
