/** A keeper that copies nothing: it notes what it is asked, and answers as the test says. */

import type { CheckpointNote, CheckpointsAnswer, CheckpointsAsk } from '../../src/model/keeping.ts';
import type {
  Flushed,
  KeepEnding,
  Keeper,
  KeeperEvents,
  KeepOrder,
  Prepared,
} from '../../src/storage/keeper.ts';

export type Asked =
  | { readonly what: 'prepare'; readonly order: KeepOrder }
  | { readonly what: 'watch'; readonly order: KeepOrder }
  | { readonly what: 'flush'; readonly order: KeepOrder; readonly ending: KeepEnding }
  | { readonly what: 'letGo'; readonly attempt: string }
  | { readonly what: 'ask'; readonly order: KeepOrder; readonly ask: CheckpointsAsk };

export const NOTHING_PREPARED: Prepared = { resumeFrom: null, checkpoint: null, remarks: [] };
export const ALL_SAFE: Flushed = { trouble: null, checkpoint: null };

export const A_CHECKPOINT: CheckpointNote = {
  name: 'step-3.pt',
  step: 3,
  bytes: 1024,
  writtenAt: 1000,
  keptAt: 2000,
};

export type FakeKeeper = ReturnType<typeof createFakeKeeper>;

export function createFakeKeeper() {
  const asked: Asked[] = [];
  const waiting = new Set<() => void>();
  const note = (one: Asked) => {
    asked.push(one);
    for (const look of waiting) look();
  };
  const fake = {
    asked,
    events: null as KeeperEvents | null,
    /** What it answers; a test may let it wait. */
    prepare: async (_order: KeepOrder): Promise<Prepared> => NOTHING_PREPARED,
    flush: async (_order: KeepOrder): Promise<Flushed> => ALL_SAFE,
    answer: async (order: KeepOrder, _ask: CheckpointsAsk): Promise<CheckpointsAnswer> => ({
      from: order.from,
      to: order.to,
      checkpoints: [],
      done: [],
      trouble: null,
    }),
    /** What was asked so far, in short. */
    story: () => asked.map((one) => one.what),
    /** Resolves when it has been asked for this. */
    next<W extends Asked['what']>(what: W): Promise<Extract<Asked, { readonly what: W }>> {
      return new Promise((resolve) => {
        const look = () => {
          const found = asked.find((one) => one.what === what);
          if (found === undefined) return;
          waiting.delete(look);
          resolve(found as Extract<Asked, { readonly what: W }>);
        };
        waiting.add(look);
        look();
      });
    },
    create(events: KeeperEvents): Keeper {
      fake.events = events;
      return {
        prepare(order) {
          note({ what: 'prepare', order });
          return fake.prepare(order);
        },
        watch: (order) => note({ what: 'watch', order }),
        flush(order, ending) {
          note({ what: 'flush', order, ending });
          return fake.flush(order);
        },
        letGo: (attempt) => note({ what: 'letGo', attempt }),
        ask(order, ask) {
          note({ what: 'ask', order, ask });
          return fake.answer(order, ask);
        },
        close: async () => {},
      };
    },
  };
  return fake;
}

/** Something to wait for, and the word that ends the waiting. */
export function gate<T>(): { readonly opens: Promise<T>; readonly open: (value: T) => void } {
  let open: (value: T) => void = () => {};
  const opens = new Promise<T>((resolve) => {
    open = resolve;
  });
  return { opens, open };
}
