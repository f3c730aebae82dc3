/**
 * What `up` is told for one start alone: what the yard's directory is (arrival-option.ts), and what becomes of its store
 * (store-wish.ts). None of it is kept for later starts.
 */

import type { GivenOption } from '../dialects/options.ts';
import type { Said } from '../server/arrival.ts';
import { formatSaid, saidInOptions, takeSaid } from './arrival-option.ts';
import { formatStoreWish, type StoreWish, storeWishOf, takeStoreWish } from './store-wish.ts';

export interface StartOrders {
  readonly said: Said;
  readonly wish: StoreWish | null;
}

export const NO_ORDERS: StartOrders = { said: null, wish: null };

/** Throws a UsageError. */
export function startOrdersOf(given: readonly GivenOption[]): StartOrders {
  return { said: saidInOptions(given), wish: storeWishOf(given) };
}

export function hasOrders({ said, wish }: StartOrders): boolean {
  return said !== null || wish !== null;
}

export function formatStartOrders({ said, wish }: StartOrders): readonly string[] {
  return [...formatSaid(said), ...formatStoreWish(wish)];
}

/** Takes what formatStartOrders wrote out of a daemon's words. */
export function takeStartOrders(words: readonly string[]): {
  readonly orders: StartOrders;
  readonly rest: readonly string[];
} {
  const { said, rest: others } = takeSaid(words);
  const { wish, rest } = takeStoreWish(others);
  return { orders: { said, wish }, rest };
}
