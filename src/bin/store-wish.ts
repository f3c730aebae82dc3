/**
 * What `up` may be told about a store that cannot be used: put a backup back, or start with an empty one. It holds for
 * one start alone, so it is not among the options that are kept for later ones. The daemon carries it out, because only
 * whoever holds the yard's lock may touch the database.
 */

import { usageError } from '../dialects/native/failure.ts';
import { type GivenOption, isGiven, lastValue } from '../dialects/options.ts';
import { checkDatabaseIsThere, utc } from '../store/sqlite/place.ts';
import { restoreBackup, setAside } from '../store/sqlite/replace.ts';

export type StoreWish =
  /** Null: the newest that is good. */
  { readonly kind: 'restore'; readonly name: string | null } | { readonly kind: 'new' };

const RESTORE = '--restore-backup';
const NEW = '--new-store';

export function storeWishOf(given: readonly GivenOption[]): StoreWish | null {
  const restores = isGiven(given, 'restore-backup');
  if (restores && isGiven(given, 'new-store'))
    throw usageError(`${RESTORE} and ${NEW} exclude each other: choose one`);
  if (restores) return { kind: 'restore', name: lastValue(given, 'restore-backup') };
  return isGiven(given, 'new-store') ? { kind: 'new' } : null;
}

export function formatStoreWish(wish: StoreWish | null): readonly string[] {
  if (wish === null) return [];
  if (wish.kind === 'new') return [NEW];
  return [wish.name === null ? RESTORE : `${RESTORE}=${wish.name}`];
}

/** Takes what formatStoreWish wrote out of a daemon's words. */
export function takeStoreWish(words: readonly string[]): {
  readonly wish: StoreWish | null;
  readonly rest: readonly string[];
} {
  const isWish = (word: string) => word === NEW || word === RESTORE || word.startsWith(`${RESTORE}=`);
  const found = words.find(isWish) ?? null;
  const rest = words.filter((word) => !isWish(word));
  if (found === null) return { wish: null, rest };
  if (found === NEW) return { wish: { kind: 'new' }, rest };
  return {
    wish: { kind: 'restore', name: found === RESTORE ? null : found.slice(RESTORE.length + 1) },
    rest,
  };
}

/** Makes ready what the store is opened from. Throws a Fault, with what to do, when it is not to be opened. */
export async function prepareStore(
  directory: string,
  wish: StoreWish | null,
  log: (line: string) => void,
): Promise<void> {
  if (wish === null) return checkDatabaseIsThere(directory);
  if (wish.kind === 'new') {
    const aside = setAside(directory, Date.now());
    log(`a new store was asked for${whereOld(aside)}`);
    return;
  }
  const { backup, aside } = await restoreBackup(directory, wish.name, Date.now());
  log(`the backup ${backup.name} of ${utc(backup.at)} was put back${whereOld(aside)}`);
}

function whereOld(aside: string | null): string {
  return aside === null ? '' : `; what was there before is in ${aside}`;
}
