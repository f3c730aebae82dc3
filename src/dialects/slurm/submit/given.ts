/** Looking up options among those that were given, with the original's complaints where a value makes no sense. */

import { type GivenOption, lastValue } from '../../options.ts';
import { badNumber, invalid } from './complaints.ts';
import type { Submitter } from './options.ts';
import { parseCount, parseSizeBytes } from './values.ts';

export interface Asked {
  readonly command: Submitter;
  /** From script, environment and command line, in that order: the last one counts. */
  readonly given: readonly GivenOption[];
}

export function textAsked({ given }: Asked, name: string): string | null {
  return lastValue(given, name);
}

export function countAsked(asked: Asked, name: string, least = 1): number | null {
  const text = textAsked(asked, name);
  if (text === null) return null;
  const count = parseCount(text, least);
  if (count === null) throw badNumber(asked.command, name, text);
  return count;
}

export function sizeAsked(asked: Asked, name: string): number | null {
  const text = textAsked(asked, name);
  if (text === null) return null;
  const bytes = parseSizeBytes(text);
  if (bytes === null) throw invalid(asked.command, name);
  return bytes;
}
