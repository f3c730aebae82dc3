/**
 * What goes wrong in a native command, and how it is said. Commands throw; the entry catches, prints and
 * chooses the exit code: 1 for what the yard refuses, 2 for what was typed wrongly.
 */

import { jsonText, printable } from '../../model/bytes.ts';
import { type Refusal, type RefusalCode, RefusalError, refusal } from '../../model/refusal.ts';
import type { OptionError } from '../options.ts';
import { type Asking, printErr, printOut } from '../program.ts';
import type { Paint } from '../text/colour.ts';
import { listed, quoted } from '../text/words.ts';

export const EXIT_OK = 0;
export const EXIT_REFUSED = 1;
export const EXIT_USAGE = 2;

/** The command line itself is wrong. */
export class UsageError extends Error {
  readonly refusal: Refusal;
  constructor(reason: Refusal) {
    super(reason.message);
    this.refusal = reason;
  }
}

export function usageError(
  message: string,
  hint: string | null = null,
  choices: readonly string[] = [],
): UsageError {
  return new UsageError(refusal('badRequest', message, hint, choices));
}

export function refusalError(
  code: RefusalCode,
  message: string,
  hint: string | null = null,
  choices: readonly string[] = [],
): RefusalError {
  return new RefusalError(refusal(code, message, hint, choices));
}

/** The native words for what the option parser found wrong. */
export function optionMistake(error: OptionError, helpCommand: string): UsageError {
  const written = printable(error.written);
  const seeHelp = `see \`${helpCommand}\``;
  switch (error.kind) {
    case 'unknown': {
      const meant = error.nearest.length === 0 ? seeHelp : `did you mean ${listed(error.nearest, 3, 'or')}?`;
      return usageError(`unknown option ${written}`, meant, error.nearest);
    }
    case 'ambiguous':
      return usageError(
        `${written} could be ${listed(error.choices, 5, 'or')}`,
        'write more of it',
        error.choices,
      );
    case 'missingValue':
      return usageError(`${written} needs a value`, seeHelp);
    case 'unexpectedValue':
      return usageError(`${written} takes no value`, seeHelp);
  }
}

/** A value that an option cannot take. */
export function badValue(
  option: string,
  value: string,
  wanted: string,
  hint: string | null = null,
): UsageError {
  return usageError(`${option} ${quoted(value)}: ${wanted}`, hint);
}

export interface ErrorStyle {
  readonly json: boolean;
  readonly paint: Paint;
}

/** With --json the error is the one value on stdout. */
export function* printFailure(reason: Refusal, style: ErrorStyle): Asking<void> {
  if (style.json) {
    yield* printOut(`${jsonText({ error: reason })}\n`);
    return;
  }
  yield* printErr(failureText(reason, style.paint));
}

export function failureText(reason: Refusal, paint: Paint): string {
  const lines = [`${paint('red', 'trainyard:')} ${printable(reason.message)}`];
  for (const hint of reason.hint?.split('\n') ?? [])
    lines.push(`  ${paint('cyan', 'hint:')} ${printable(hint)}`);
  const unsaid = reason.choices.filter((choice) => !(reason.hint ?? '').includes(choice));
  if (unsaid.length > 0)
    lines.push(`  ${paint('cyan', 'choices:')} ${printable(listed(reason.choices, 20))}`);
  return `${lines.join('\n')}\n`;
}

/** Something worth knowing that stops nothing. */
export function* printNote(text: string, paint: Paint): Asking<void> {
  yield* printErr(`${paint('yellow', 'trainyard: note:')} ${printable(text)}\n`);
}
