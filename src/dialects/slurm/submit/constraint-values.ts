/**
 * `--constraint` in the words that a job's constraint has: features joined by `&`, `|` and parentheses, which hold
 * for every node of the job. Counts of nodes and sets of alternatives say more than that; what is lost is said.
 */

export interface ConstraintWords {
  readonly constraint: string;
  /** What of it is not kept to; null: nothing. */
  readonly lost: string | null;
}

/** Null when it is no expression. */
export function parseConstraintWords(text: string, mostNodes: number): ConstraintWords | null {
  const bracketed = /^\[(.*)\]$/.exec(text);
  const inner = bracketed === null ? text : (bracketed[1] as string);
  if (/[[\]]/.test(inner) || !isExpression(inner)) return null;
  const counts = [...inner.matchAll(/\*(\d{1,9})/g)].map(([, count]) => Number(count));
  const withoutCounts = inner.replace(/\*\d{1,9}/g, '');
  if (counts.length > 1) {
    return {
      constraint: withoutCounts.replace(/&(?![^(]*\))/g, '|'),
      lost: 'how many nodes have which feature is not kept to: each node has one of them',
    };
  }
  if (counts.length === 1 && (counts[0] as number) < mostNodes) {
    return { constraint: withoutCounts, lost: 'every node must have the feature, not only some' };
  }
  const isOneOfMany = bracketed !== null && inner.includes('|') && mostNodes > 1;
  return {
    constraint: withoutCounts,
    lost: isOneOfMany ? 'different nodes may have different features of the set' : null,
  };
}

/** As in the constraints of the model. */
const FEATURE = '[A-Za-z0-9_.:@+-]+';

function isExpression(text: string): boolean {
  const depth = [...text].reduce(
    (now, char) => (now < 0 ? now : now + (char === '(' ? 1 : char === ')' ? -1 : 0)),
    0,
  );
  if (depth !== 0) return false;
  const term = `\\(*!?${FEATURE}(?:\\*\\d{1,9})?(?:\\)(?:\\*\\d{1,9})?)*`;
  return new RegExp(`^${term}(?:[&|,]${term})*$`).test(text);
}
