/** Whether a yard printed what the real system printed, and if not, where the two part. */

import type { Said } from '../end-to-end/yard-at-hand.ts';

/** To the letter, with lines in any order, or only by the names of fields. */
export type Comparison = 'letter' | 'lines' | 'fields';

export interface Sides {
  readonly theirs: Said;
  readonly ours: Said;
  /** What is not to be compared is set aside, on each side. */
  readonly comparable: { readonly theirs: (text: string) => string; readonly ours: (text: string) => string };
}

const MOST_LINES = 20;

/** Null when they are alike; otherwise the differences, for a person to read. */
export function difference({ theirs, ours, comparable }: Sides, by: Comparison): string | null {
  if (theirs.code !== ours.code)
    return `exit code ${ours.code}, not ${theirs.code}: ${ours.stdout}${ours.stderr}`;
  for (const stream of ['stdout', 'stderr'] as const) {
    const found =
      by === 'fields'
        ? missingFields(theirs[stream], ours[stream])
        : differentLines(
            linesOf(comparable.theirs(theirs[stream]), by),
            linesOf(comparable.ours(ours[stream]), by),
          );
    if (found !== null) return `${stream}: ${found}`;
  }
  return null;
}

function differentLines(wanted: readonly string[], given: readonly string[]): string | null {
  const found: string[] = [];
  for (let at = 0; at < Math.max(wanted.length, given.length) && found.length < MOST_LINES; at++) {
    if (wanted[at] === given[at]) continue;
    found.push(
      `line ${at + 1} is ${JSON.stringify(given[at] ?? null)}, not ${JSON.stringify(wanted[at] ?? null)}`,
    );
  }
  return found.length === 0 ? null : found.join('\n');
}

function linesOf(text: string, by: Comparison): readonly string[] {
  const lines = text.split('\n');
  return by === 'lines' ? lines.sort() : lines;
}

/** The names of fields, `"name":` or `Name =` or `Name:`; the values are of another day. */
function missingFields(theirs: string, ours: string): string | null {
  const given = new Set(fieldsOf(ours));
  const missing = [...new Set(fieldsOf(theirs))].filter((field) => !given.has(field));
  return missing.length === 0 ? null : `without ${missing.join(', ')}`;
}

function fieldsOf(text: string): readonly string[] {
  return [...text.matchAll(/"([\w/ -]+)": |^[\t ]*-? ?([\w/()][\w/() -]*?) *[:=](?: |$)/gm)].map(
    ([, quoted, plain]) => (quoted ?? plain) as string,
  );
}
