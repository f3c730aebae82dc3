/**
 * One pattern as in a shell: `*`, `?` and `[a-c]`. Matched by hand, going back to the last star only: a regular
 * expression tries every way to share a name out among the stars, and a short pattern could keep a yard busy for hours.
 */

type Token = { readonly kind: 'any' } | { readonly kind: 'one'; readonly fits: (letter: string) => boolean };

/** Nothing that has a name has a longer one; more is compared as it is. */
export const LONGEST_PATTERN = 4096;

export function matchesGlob(pattern: string, name: string): boolean {
  const tokens = tokensOf(pattern);
  const letters = Array.from(name);
  let [token, letter] = [0, 0];
  /** Where the last star is, and the first letter that it has not taken yet. */
  let [star, taken] = [-1, 0];
  while (letter < letters.length) {
    const wanted = tokens[token];
    if (wanted?.kind === 'any') {
      [star, taken] = [token, letter];
      token += 1;
    } else if (wanted?.fits(letters[letter] as string) === true) {
      token += 1;
      letter += 1;
    } else if (star >= 0) {
      taken += 1;
      [token, letter] = [star + 1, taken];
    } else return false;
  }
  while (tokens[token]?.kind === 'any') token += 1;
  return token === tokens.length;
}

function tokensOf(pattern: string): readonly Token[] {
  const letters = Array.from(pattern);
  const lastClosing = letters.lastIndexOf(']');
  const tokens: Token[] = [];
  for (let at = 0; at < letters.length; at++) {
    const letter = letters[at] as string;
    if (letter === '*') {
      if (tokens.at(-1)?.kind !== 'any') tokens.push({ kind: 'any' });
    } else if (letter === '?') tokens.push({ kind: 'one', fits: () => true });
    else if (letter === '[' && at < lastClosing) at = addSet(tokens, letters, at);
    else tokens.push({ kind: 'one', fits: (other) => other === letter });
  }
  return tokens;
}

/** Gives the place of the bracket that ends it; one that nothing ends is a letter like any other. */
function addSet(tokens: Token[], letters: readonly string[], start: number): number {
  const isTurned = letters[start + 1] === '!' || letters[start + 1] === '^';
  const first = start + (isTurned ? 2 : 1);
  // A bracket at the beginning is a member.
  const end = letters.indexOf(']', first + 1);
  if (end === -1) {
    tokens.push({ kind: 'one', fits: (other) => other === '[' });
    return start;
  }
  const has = memberTest(letters.slice(first, end));
  tokens.push({ kind: 'one', fits: (letter) => has(letter) !== isTurned });
  return end;
}

function memberTest(members: readonly string[]): (letter: string) => boolean {
  const single = new Set<string>();
  const ranges: (readonly [from: string, to: string])[] = [];
  for (let at = 0; at < members.length; at++) {
    const [from, dash, to] = [members[at] as string, members[at + 1], members[at + 2]];
    if (dash === '-' && to !== undefined) {
      ranges.push([from, to]);
      at += 2;
    } else single.add(from);
  }
  return (letter) => single.has(letter) || ranges.some(([from, to]) => letter >= from && letter <= to);
}
