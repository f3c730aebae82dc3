/** Orders of `sinfo -S`. Letters that there are not are passed over, as the original does. */

import {
  byNumber,
  byText,
  compareHosts,
  type Order,
  type Orders,
  readSortKeys,
  sortedBy,
} from '../listing/sort.ts';
import { NODE_COLUMNS } from './columns.ts';
import type { Group } from './groups.ts';

export const USUAL_ORDER = '#P,-t';
export const NODE_ORDER = 'N';

const byRank = byNumber<Group>(({ nodes }) => nodes[0]?.state.rank ?? 0);
const byPartition = byText<Group>(({ queue }) => queue.name);
/** As the config has them. */
const byPlaceInConfig = byNumber<Group>(({ queueIndex }) => queueIndex);
const NEVER = Number.MAX_SAFE_INTEGER;

function firstName({ nodes }: Group): string {
  return nodes[0]?.name ?? '';
}

/** The smallest, as the column tells it. */
function leading(letter: string): Order<Group> {
  return byNumber((group) => Number.parseInt(NODE_COLUMNS[letter]?.text(group) ?? '', 10) || 0);
}

const ORDERS: Orders<Group> = {
  ...Object.fromEntries(
    ['c', 'd', 'e', 'm', 'p', 'w', 'A', 'C', 'D', 'F', 'I', 'O', 'X', 'Y', 'Z', 'z'].map((letter) => [
      letter,
      leading(letter),
    ]),
  ),
  ...Object.fromEntries(
    ['a', 'b', 'f', 'g', 'h', 'r', 's', 'u', 'v', 'B', 'E', 'G', 'H', 'M', 'S', 'U', 'V'].map((letter) => [
      letter,
      byText<Group>((group) => NODE_COLUMNS[letter]?.text(group) ?? ''),
    ]),
  ),
  l: byNumber(({ queue }) => queue.maxLimitMs ?? NEVER),
  L: byNumber(({ queue }) => queue.defaultLimitMs ?? NEVER),
  n: (a, b) => compareHosts(firstName(a), firstName(b)),
  N: (a, b) => compareHosts(firstName(a), firstName(b)),
  o: (a, b) => compareHosts(firstName(a), firstName(b)),
  P: byPartition,
  R: byPartition,
  t: byRank,
  T: byRank,
};

export function sortedGroups(groups: readonly Group[], text: string): Group[] {
  const keys = readSortKeys(text).flatMap(({ letter, descending, marked }) => {
    if (letter === 'P' && marked) return [{ order: byPlaceInConfig, descending }];
    return Object.hasOwn(ORDERS, letter) ? [{ order: ORDERS[letter] as Order<Group>, descending }] : [];
  });
  return sortedBy(groups, keys);
}
