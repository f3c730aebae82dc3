/** Which of the valid words somebody may have meant. */

const MOST_SUGGESTIONS = 3;
/** Longer input is no slip of the finger, and comparing it costs the square of its length. */
const LONGEST_COMPARED = 64;

/** The closest words, best first; empty when none is close. */
export function nearest(word: string, choices: readonly string[]): readonly string[] {
  if (word === '' || word.length > LONGEST_COMPARED) return [];
  const wanted = word.toLowerCase();
  const slips = Math.max(1, Math.floor(wanted.length / 3));
  return choices
    .map((choice) => ({ choice, distance: editDistance(wanted, choice.toLowerCase()) }))
    .filter(({ choice, distance }) => distance <= slips || isPrefix(wanted, choice))
    .sort((a, b) => a.distance - b.distance || (a.choice < b.choice ? -1 : 1))
    .slice(0, MOST_SUGGESTIONS)
    .map(({ choice }) => choice);
}

function isPrefix(word: string, choice: string): boolean {
  return word.length >= 2 && choice.startsWith(word);
}

/** Letters added, left out, changed, or swapped with their neighbour. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let best = Math.min(
        (last[j] as number) + 1,
        (row[j - 1] as number) + 1,
        (last[j - 1] as number) + (same ? 0 : 1),
      );
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        best = Math.min(best, (beforeLast[j - 2] as number) + 1);
      }
      row.push(best);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] as number;
}
