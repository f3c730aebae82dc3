/** A binary heap: the least entry first, by the order given. */

export interface Heap<T> {
  readonly entries: T[];
  readonly before: (a: T, b: T) => boolean;
}

/** Takes the entries over and orders them in one go. */
export function newHeap<T>(before: (a: T, b: T) => boolean, entries: T[] = []): Heap<T> {
  const heap = { entries, before };
  for (let at = (entries.length >> 1) - 1; at >= 0; at--) sink(heap, at);
  return heap;
}

export function peek<T>({ entries }: Heap<T>): T | undefined {
  return entries[0];
}

export function push<T>({ entries, before }: Heap<T>, entry: T): void {
  let child = entries.length;
  entries.push(entry);
  while (child > 0) {
    const parent = (child - 1) >> 1;
    if (!before(entry, entries[parent] as T)) break;
    entries[child] = entries[parent] as T;
    child = parent;
  }
  entries[child] = entry;
}

export function pop<T>(heap: Heap<T>): T | undefined {
  const { entries } = heap;
  const first = entries[0];
  const last = entries.pop();
  if (last !== undefined && entries.length > 0) {
    entries[0] = last;
    sink(heap, 0);
  }
  return first;
}

function sink<T>({ entries, before }: Heap<T>, from: number): void {
  let parent = from;
  for (;;) {
    const left = 2 * parent + 1;
    const right = left + 1;
    let least = parent;
    if (left < entries.length && before(entries[left] as T, entries[least] as T)) least = left;
    if (right < entries.length && before(entries[right] as T, entries[least] as T)) least = right;
    if (least === parent) return;
    const kept = entries[least] as T;
    entries[least] = entries[parent] as T;
    entries[parent] = kept;
    parent = least;
  }
}
