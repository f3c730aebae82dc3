/** Expressions over the features of a node: `a&b`, `a|b`, `!a`, parentheses; `,` means and. */

export type Constraint = (features: readonly string[]) => boolean;

/** Null when the text is not an expression. */
export function parseConstraint(text: string): Constraint | null {
  const tokens = text.match(/[A-Za-z0-9_.:@+-]+|[&|!(),]|\S/g) ?? [];
  let at = 0;
  let depth = 0;

  function either(): Constraint | null {
    const first = both();
    if (first === null) return null;
    const all = [first];
    while (tokens[at] === '|') {
      at++;
      const next = both();
      if (next === null) return null;
      all.push(next);
    }
    return (features) => all.some((one) => one(features));
  }

  function both(): Constraint | null {
    const first = single();
    if (first === null) return null;
    const all = [first];
    while (tokens[at] === '&' || tokens[at] === ',') {
      at++;
      const next = single();
      if (next === null) return null;
      all.push(next);
    }
    return (features) => all.every((one) => one(features));
  }

  function single(): Constraint | null {
    const token = tokens[at++];
    if (token === undefined || ++depth > 1000) return null;
    if (token === '!') {
      const inner = single();
      return inner && ((features) => !inner(features));
    }
    if (token === '(') {
      const inner = either();
      return tokens[at++] === ')' ? inner : null;
    }
    return /^[A-Za-z0-9_.:@+-]+$/.test(token) ? (features) => features.includes(token) : null;
  }

  const whole = either();
  return at === tokens.length ? whole : null;
}
