/**
 * Commands that need no yard: help, a version, a complaint about an option. A dialect's program does nothing
 * by itself, it only asks; so it can be tried, and when it asks for anything but printing, nothing has happened
 * and the yard runs it from the start.
 */

import type { Program } from '../dialects/program.ts';
import { bytesFromText } from '../model/bytes.ts';

export interface Printed {
  readonly stream: 'stdout' | 'stderr';
  readonly bytes: Uint8Array;
}

export interface Answered {
  readonly exitCode: number;
  readonly printed: readonly Printed[];
}

/** Null: it needs a yard. */
export function answerWithoutYard(program: Program): Answered | null {
  const printed: Printed[] = [];
  let turn = program.next();
  while (!turn.done) {
    const question = turn.value;
    if (question.kind !== 'print') return null;
    const { stream, data } = question;
    printed.push({ stream, bytes: typeof data === 'string' ? bytesFromText(data) : data });
    turn = program.next();
  }
  return { exitCode: turn.value, printed };
}
