/** The elements of an array as Slurm lists them: runs and single numbers, cut to a length with dots at the end. */

import type { RangeSet } from '../../model/ranges.ts';

/** How long the list may get when nobody says otherwise, counted with the end of a C string. */
export const USUAL_TASK_LIST_LENGTH = 64;

/** What SLURM_BITSTR_LEN asks for; 0 is a list of any length. */
export function taskListLength(asked: string | null): number {
  if (asked === null) return USUAL_TASK_LIST_LENGTH;
  const length = Number.parseInt(asked, 10);
  if (Number.isNaN(length)) return 0;
  return length < 0 ? USUAL_TASK_LIST_LENGTH : length;
}

/** `1-4,7,9`; numbers with a gap between them are listed one by one. */
export function taskListText(tasks: RangeSet, length = USUAL_TASK_LIST_LENGTH): string {
  const most = length === 0 ? Number.POSITIVE_INFINITY : length - 1;
  let text = '';
  for (const part of parts(tasks)) {
    text += text === '' ? part : `,${part}`;
    if (text.length > most) {
      const dots = Math.min(most, DOTS.length);
      return text.slice(0, most - dots) + DOTS.slice(0, dots);
    }
  }
  return text;
}

const DOTS = '...';

/** One by one, so that of a long list only what is printed is made. */
function* parts(tasks: RangeSet): Generator<string> {
  let run: { readonly first: number; last: number } | null = null;
  for (const [first, last, step] of tasks) {
    for (const [from, to] of step === 1 ? [[first, last] as const] : singles(first, last, step)) {
      if (run !== null && run.last + 1 === from) run.last = to;
      else {
        if (run !== null) yield runText(run);
        run = { first: from, last: to };
      }
    }
  }
  if (run !== null) yield runText(run);
}

function* singles(first: number, last: number, step: number): Generator<readonly [number, number]> {
  for (let index = first; index <= last; index += step) yield [index, index];
}

function runText({ first, last }: { readonly first: number; readonly last: number }): string {
  return first === last ? `${first}` : `${first}-${last}`;
}
