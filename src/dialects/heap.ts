/** Things that come in any order and are taken out smallest first. */

export interface Heap<T> {
  readonly first: () => T | undefined;
  readonly put: (item: T) => void;
  readonly take: () => T | undefined;
}

export function newHeap<T>(compare: (a: T, b: T) => number): Heap<T> {
  const items: T[] = [];
  const isBefore = (a: number, b: number) => compare(items[a] as T, items[b] as T) < 0;
  const swap = (a: number, b: number) => {
    const kept = items[a] as T;
    items[a] = items[b] as T;
    items[b] = kept;
  };

  function put(item: T): void {
    let at = items.push(item) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(at, parent)) return;
      swap(at, parent);
      at = parent;
    }
  }

  function take(): T | undefined {
    const first = items[0];
    const last = items.pop();
    if (items.length === 0 || last === undefined) return first;
    items[0] = last;
    let at = 0;
    for (;;) {
      let least = at;
      for (const child of [2 * at + 1, 2 * at + 2])
        if (child < items.length && isBefore(child, least)) least = child;
      if (least === at) return first;
      swap(at, least);
      at = least;
    }
  }

  return { first: () => items[0], put, take };
}
