/** Whether a yard printed what Slurm printed, and if not, where the two part. */

import type { Said } from '../../end-to-end/yard-at-hand.ts';
import { CAPTURED_IN, comparable, type Surroundings } from './aside.ts';

const MOST_LINES = 20;

/** Null when they are alike; otherwise the differences, for a person to read. */
export function difference(
  capture: Said,
  printed: Said,
  here: Surroundings,
  by: 'letter' | 'lines' | 'fields',
): string | null {
  if (capture.code !== printed.code)
    return `exit code ${printed.code}, not ${capture.code}: ${printed.stderr}`;
  const parts = [
    ['stdout', capture.stdout, printed.stdout],
    ['stderr', capture.stderr, printed.stderr],
  ] as const;
  for (const [stream, theirs, ours] of parts) {
    const found =
      by === 'fields' ? missingFields(theirs, ours) : differentLines(theirs, ours, here, by === 'lines');
    if (found !== null) return `${stream}: ${found}`;
  }
  return null;
}

function differentLines(theirs: string, ours: string, here: Surroundings, anyOrder: boolean): string | null {
  const wanted = linesOf(comparable(theirs, CAPTURED_IN), anyOrder);
  const given = linesOf(comparable(ours, here), anyOrder);
  const found: string[] = [];
  for (let at = 0; at < Math.max(wanted.length, given.length) && found.length < MOST_LINES; at++) {
    if (wanted[at] === given[at]) continue;
    found.push(
      `line ${at + 1} is ${JSON.stringify(given[at] ?? null)}, not ${JSON.stringify(wanted[at] ?? null)}`,
    );
  }
  return found.length === 0 ? null : found.join('\n');
}

function linesOf(text: string, anyOrder: boolean): readonly string[] {
  const lines = text.split('\n');
  return anyOrder ? lines.sort() : lines;
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
