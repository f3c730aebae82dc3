/** Who the users of a listing are, each asked for once however many parts the listing has. */

import type { UserView } from '../model/query.ts';
import { type Asking, query } from './program.ts';

export interface KnownUsers {
  readonly byName: ReadonlyMap<string, UserView>;
  /** Asks for those that were not asked for yet. */
  readonly learn: (names: Iterable<string>) => Asking<void>;
}

export function knownUsers(): KnownUsers {
  const asked = new Set<string>();
  const byName = new Map<string, UserView>();
  return {
    byName,
    *learn(names) {
      const fresh = [...new Set(names)].filter((name) => !asked.has(name));
      if (fresh.length === 0) return;
      for (const name of fresh) asked.add(name);
      const found = yield* query('users', { names: fresh });
      for (const user of found) if (user !== null) byName.set(user.name, user);
    },
  };
}
