/**
 * A checkpoint whose bytes are not what they were: it is moved to `.trainyard/damaged/`, never over another one, and the
 * version before it takes its place when that one is whole.
 */

import { printable } from '../../model/bytes.ts';
import type { Books } from './books.ts';
import { apartOf, withApart, withoutEntry, withUpdated } from './changes.ts';
import { whatIsWrong } from './check.ts';
import type { Kept } from './manifest.ts';
import { topsOf } from './tops.ts';
import { areAllAsListed, freeName } from './trees.ts';

const DAMAGED = '.trainyard/damaged';

export interface Damage {
  readonly remark: string;
  /** It is in place still: somebody has written to it, and nobody knows yet whether it is whole. */
  readonly isLeft: boolean;
}

export async function setDamagedAside(
  books: Books,
  entry: Kept,
  wrong: string,
  { isInPlace, now }: { readonly isInPlace: boolean; readonly now: number },
): Promise<Damage> {
  const { ground } = books;
  const { calls, directory } = ground;
  const name = printable(entry.name);
  const tops: string[] = [];
  for (const top of topsOf(entry)) if ((await calls.look(`${directory}/${top}`)) !== null) tops.push(top);
  if (isInPlace && tops.length > 0 && !(await areAllAsListed(ground, directory, entry)))
    return { remark: `${name} has been written to since it was recorded, and is passed over`, isLeft: true };

  const previous = await wholePrevious(books, entry);
  const free = await freeName(calls, `${directory}/${DAMAGED}`, entry.name);
  const to = `${DAMAGED}/${free}`;
  const made = {
    state: 'damaged',
    path: to,
    at: now,
    // Its sources may be whole where its program has them, and are then to be copied again.
    sources: [],
    attempt: entry.attempt,
  } as const;
  const without =
    previous === null ? withoutEntry(books.manifest(), entry.name) : withUpdated(books.manifest(), previous);
  const next = tops.length === 0 ? without : withApart(without, apartOf(entry, made));
  await books.change(next, {
    what: 'setAside',
    id: entry.id,
    name: entry.name,
    tops,
    to,
    promoted: previous === null ? [] : topsOf(previous),
  });
  const instead = previous === null ? '' : '; the version before it has taken its place';
  if (tops.length === 0)
    return { remark: `${name} is no longer in ${printable(directory)}${instead}`, isLeft: false };
  return {
    remark: `${name} is damaged (${wrong}) and was moved to ${printable(to)}${instead}`,
    isLeft: false,
  };
}

async function wholePrevious({ ground }: Books, { name, previous }: Kept): Promise<Kept | null> {
  if (previous === null) return null;
  const root = `${ground.hidden}/previous/${name}`;
  return (await whatIsWrong(ground, root, previous)) === null ? previous : null;
}
