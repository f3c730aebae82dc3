/**
 * What is told to nobody before it is safe: a commit survives the death of this process at once, and a power cut
 * once the disk has been waited for. One wait serves every commit made meanwhile, and where nobody waits for an
 * answer it is put off a little, so that it serves more.
 */

import type { Store } from '../store/store.ts';

export interface WhenSafe {
  /** `tell` is called, in order, once all that was committed so far is safe; `fail` if it never will be. */
  add(somebodyWaits: boolean, tell: () => void, fail: (error: unknown) => void): void;
  /** Waits for the disk now. */
  flush(): void;
}

const PUT_OFF_MS = 10;

export function whenSafe(store: Store): WhenSafe {
  let waiting: { readonly tell: () => void; readonly fail: (error: unknown) => void }[] = [];
  let timer: NodeJS.Timeout | null = null;

  function flush(): void {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    const now = waiting;
    waiting = [];
    store.flush().then(
      () => {
        for (const { tell } of now) tell();
      },
      (error: unknown) => {
        for (const { fail } of now) fail(error);
        // A disk that does not keep what was written leaves nothing to build on: the daemon ends, jobs go on.
        throw error;
      },
    );
  }

  return {
    add(somebodyWaits, tell, fail) {
      waiting.push({ tell, fail });
      if (somebodyWaits) flush();
      else timer ??= setTimeout(flush, PUT_OFF_MS);
    },
    flush,
  };
}
