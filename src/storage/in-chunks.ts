/** Work on many files, some of them at a time: enough to keep the threads busy, and no more than that. */

const AT_ONCE = 64;

/** In the order in which they were given. */
export async function inChunks<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result> | Result,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let from = 0; from < items.length; from += AT_ONCE)
    results.push(...(await Promise.all(items.slice(from, from + AT_ONCE).map(work))));
  return results;
}
