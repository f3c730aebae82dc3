/**
 * Who may charge what to which account, as the tree that Slurm makes of it: a root, the accounts of the config below
 * it, and in each its users. Without accounts in the config everybody is right below the root. Shares and usage belong
 * to users here, whatever account they charge.
 */

import type { Account, Policy } from '../../model/policy.ts';
import type { UserShare } from '../../model/query.ts';
import { type Asking, query } from '../program.ts';

export const ROOT = 'root';

export interface Association {
  readonly account: string;
  /** The account above; null for the root. */
  readonly parent: string | null;
  /** Null: the account itself. */
  readonly user: string | null;
  /** How far below the root. */
  readonly depth: number;
}

/** Depth first: an account, its users, then the accounts below it, each by name. */
export function associationsOf({ accounts }: Policy, users: readonly string[]): readonly Association[] {
  const root: Association = { account: ROOT, parent: null, user: null, depth: 0 };
  if (accounts === null) return [root, ...usersBelow(root, users)];
  return [root, ...accountsBelow(accounts, null, ROOT, 1, users)];
}

function accountsBelow(
  accounts: readonly Account[],
  parent: string | null,
  parentName: string,
  depth: number,
  users: readonly string[],
): readonly Association[] {
  return accounts
    .filter((account) => account.parent === parent)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((account) => {
      const own: Association = { account: account.name, parent: parentName, user: null, depth };
      const below = accountsBelow(accounts, account.name, account.name, depth + 1, users);
      return [own, ...usersBelow(own, account.users ?? users), ...below];
    });
}

function usersBelow(
  { account, parent, depth }: Association,
  users: readonly string[],
): readonly Association[] {
  return [...new Set(users)].sort().map((user) => ({ account, parent, user, depth: depth + 1 }));
}

/** The first in the config of those whose user somebody is: what jobs are charged to that name none. */
export function defaultAccountOf({ accounts }: Policy, user: string): string | null {
  if (accounts === null) return ROOT;
  return accounts.find((account) => account.users === null || account.users.includes(user))?.name ?? null;
}

export interface Membership {
  readonly policy: Policy;
  readonly associations: readonly Association[];
  readonly shares: ReadonlyMap<string, UserShare>;
  /** Everybody who has used the yard, has a share, is in an account, or asks. */
  readonly users: readonly string[];
}

/** `others` are counted in as well: who asks, and who is asked about. */
export function* findMembership(others: readonly string[]): Asking<Membership> {
  const policy = yield* query('policy', {});
  const shares = yield* query('shares', {});
  const inAccounts = policy.accounts?.flatMap((account) => account.users ?? []) ?? [];
  const users = [...new Set([...shares.map(({ user }) => user), ...inAccounts, ...others])].sort();
  return {
    policy,
    users,
    associations: associationsOf(policy, users),
    shares: new Map(shares.map((share) => [share.user, share])),
  };
}

/** 1 for everybody who has none of their own. */
export function sharesOfUser({ policy, shares }: Membership, user: string): number {
  return shares.get(user)?.shares ?? policy.shares[user] ?? 1;
}
