/** A search that needs few looks, where each look is dear. */

/** The largest number for which it holds; it holds for the first, and not beyond one for which it does not. */
export function largest(first: number, last: number, holds: (n: number) => boolean): number {
  if (last > first && holds(last)) return last;
  let [low, high] = [first, last - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (holds(middle)) low = middle;
    else high = middle - 1;
  }
  return Math.max(first, low);
}
