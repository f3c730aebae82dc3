/** Mistakes in a config file: each with its line, all of them told at once. */

import { RefusalError, refusal } from '../../model/refusal.ts';
import type { ConfigFile, Path } from './file.ts';

export interface Mistake {
  /** Where in the file; null when it is about no line of it. */
  readonly line: number | null;
  /** What is wrong, without the place. */
  readonly sentence: string;
  readonly suggestion: string | null;
  readonly choices: readonly string[];
}

export function mistakeAt(
  file: ConfigFile,
  path: Path,
  sentence: string,
  suggestion: string | null = null,
  choices: readonly string[] = [],
): Mistake {
  return { line: file.lineOf(path), sentence, suggestion, choices };
}

/** The first mistake is the message; the others follow in the hint, a line each. */
export function refuseFile(label: string, path: string, mistakes: readonly Mistake[]): RefusalError {
  const sorted = [...mistakes].sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
  const [first, ...others] = sorted as [Mistake, ...Mistake[]];
  const hints = others.map((mistake) => `also ${told(label, mistake)}${inBrackets(mistake.suggestion)}`);
  if (first.suggestion !== null) hints.unshift(first.suggestion);
  if (label !== path) hints.push(`the file is ${path}`);
  return new RefusalError(
    refusal('badRequest', told(label, first), hints.length === 0 ? null : hints.join('\n'), first.choices),
  );
}

function told(label: string, { line, sentence }: Mistake): string {
  return line === null ? `${label}: ${sentence}` : `${label}:${line}: ${sentence}`;
}

function inBrackets(suggestion: string | null): string {
  return suggestion === null ? '' : ` (${suggestion})`;
}

/** `queues.gpu.preempt`, `node.features[2]`, `priority.shares."a b"`. */
export function keyText(path: Path): string {
  return path
    .map((part, i) => {
      if (typeof part === 'number') return `[${part}]`;
      const text = /^[A-Za-z0-9_-]+$/.test(part) ? part : JSON.stringify(part);
      return i === 0 ? text : `.${text}`;
    })
    .join('');
}

/** The name of a table that stands for one of several things: `what` says of which kind. */
export function badName(file: ConfigFile, path: Path, what: string): Mistake[] {
  const name = String(path.at(-1));
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)) return [];
  const sentence = `${JSON.stringify(name)} is not a name for ${what}; use letters, digits, ".", "_" and "-"`;
  return [mistakeAt(file, path, sentence)];
}

/** A value as the file has it, short enough for a sentence. */
export function valueText(value: unknown): string {
  if (typeof value === 'string') {
    const quoted = JSON.stringify(value);
    return quoted.length > 60 ? `${quoted.slice(0, 56)}…"` : quoted;
  }
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return 'a list';
  if (value instanceof Date) return 'a date';
  return 'a table';
}
