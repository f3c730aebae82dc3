/** What follows `update`, `create` and `delete`: `Name=value`, `Name+=value`, or `Name value`. Knows no name. */

export interface Assignment {
  /** As it was written, for complaints: `TimeLimit=5`. */
  readonly text: string;
  readonly name: string;
  readonly sign: '+' | '-' | null;
  /** Null: there was only the name. */
  readonly value: string | null;
}

export function readSpecification(
  words: readonly string[],
  isName: (word: string) => boolean,
): readonly Assignment[] {
  const assignments: Assignment[] = [];
  for (let at = 0; at < words.length; at++) {
    const text = words[at] as string;
    const match = /^([^=]*?)([+-]?)=(.*)$/s.exec(text);
    if (match !== null) {
      const [, name = '', sign, value = ''] = match;
      assignments.push({ text, name, sign: sign === '+' || sign === '-' ? sign : null, value });
      continue;
    }
    const next = words[at + 1];
    const hasValue = isName(text) && next !== undefined && !next.includes('=') && !isName(next);
    assignments.push({ text, name: text, sign: null, value: hasValue ? next : null });
    if (hasValue) at += 1;
  }
  return assignments;
}

/** The whole name, or a beginning of it that no other name has; in any case. */
export function nameMeant(written: string, names: readonly string[]): string | null {
  const wanted = written.toLowerCase();
  const exact = names.find((name) => name.toLowerCase() === wanted);
  if (exact !== undefined) return exact;
  const matches = names.filter((name) => name.toLowerCase().startsWith(wanted));
  return wanted.length >= LEAST_LETTERS && matches.length === 1 ? (matches[0] as string) : null;
}

const LEAST_LETTERS = 3;
