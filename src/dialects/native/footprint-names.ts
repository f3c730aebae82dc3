/** By which names people call a kind of job: as much of its key as tells it from the others. */

import type { FootprintKey } from '../../model/footprint.ts';
import { quoted } from '../text/words.ts';
import { refusalError } from './failure.ts';

/** From the shortest to the whole key: `train.py`, `script:train.py`, `train.py#1f…`, `script:train.py#1f…`. */
function namesOf({ level, label, text }: FootprintKey): readonly string[] {
  return [label, `${level}:${label}`, text.slice(level.length + 1), text];
}

/** The shortest that no other one has; its level stands in a column of its own. */
export function shortName(key: FootprintKey, known: readonly FootprintKey[]): string {
  const { level, label, text } = key;
  const isAlone = known.every(
    (other) => other.text === text || other.level !== level || other.label !== label,
  );
  return isAlone ? label : text.slice(level.length + 1);
}

/** Throws a refusal when there is none of that name, or more than one. */
export function keyNamed(word: string, known: readonly FootprintKey[]): FootprintKey {
  const whole = known.find(({ text }) => text === word);
  const found = whole === undefined ? known.filter((key) => namesOf(key).includes(word)) : [whole];
  const [key, ...others] = found;
  if (key === undefined) {
    throw refusalError(
      'badRequest',
      `nothing is known of a kind of job called ${quoted(word)}`,
      'see `trainyard footprints`',
    );
  }
  if (others.length > 0) {
    throw refusalError(
      'badRequest',
      `${quoted(word)} may be any of ${found.length} kinds of jobs`,
      'write one of these in quotes',
      clearNames(found, known),
    );
  }
  return key;
}

function clearNames(found: readonly FootprintKey[], known: readonly FootprintKey[]): readonly string[] {
  return found.map((key) => {
    const clear = namesOf(key)
      .slice(1)
      .find((name) => known.filter((other) => namesOf(other).includes(name)).length === 1);
    return clear ?? key.text;
  });
}
