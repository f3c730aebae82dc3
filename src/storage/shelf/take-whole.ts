/**
 * Whole checkpoints found and put back: the newest first, each checked to the last byte before anybody goes on from it.
 * A damaged one is set aside, which everybody is told, and the next one tried.
 */

import { printable } from '../../model/bytes.ts';
import type { CheckpointNote, CheckpointView } from '../../model/keeping.ts';
import { newestFirst } from '../retention.ts';
import { scanOpenDirectory } from '../scan.ts';
import type { Books } from './books.ts';
import { withSource, withUpdated } from './changes.ts';
import { whatIsWrong } from './check.ts';
import { isFull } from './faults.ts';
import { groundOf, type Manners } from './ground.ts';
import { type Kept, noteOf } from './manifest.ts';
import { pointersTo } from './pointers.ts';
import { openRepository, type Repository } from './repository.ts';
import { type RestoreResult, restoreUnit } from './restore.ts';
import type { Damage } from './set-aside.ts';
import { topsOf } from './tops.ts';
import type { Ground } from './trees.ts';
import { viewsOf } from './views.ts';

export interface FoundWhole {
  readonly entry: CheckpointView | null;
  readonly note: CheckpointNote | null;
  readonly remarks: readonly string[];
}

export interface RestoredNewest extends FoundWhole {
  /** What to resume from: a file, a directory or the stem of a group. */
  readonly path: string | null;
}

export interface Restored {
  readonly path: string;
  /** Every file and pointer that is in place now, also those that were already. */
  readonly paths: readonly string[];
  readonly remarks: readonly string[];
}

export interface Restoring {
  readonly books: Books;
  readonly repository: Repository;
  readonly manners: Manners;
  readonly isInPlace: boolean;
  readonly damage: (entry: Kept, wrong: string) => Promise<Damage>;
}

export async function newestWhole({ books, damage }: Restoring): Promise<FoundWhole> {
  const { ground } = books;
  return firstGood(books, async (entry, remarks) => {
    const wrong = await whatIsWrong(ground, ground.directory, entry);
    if (wrong !== null) return damage(entry, wrong);
    return foundWhole(books, entry, remarks);
  });
}

export async function restoreNewest(restoring: Restoring, to: string): Promise<RestoredNewest> {
  const { books, isInPlace, damage } = restoring;
  if (isInPlace && to === books.ground.directory) {
    const found = await newestWhole(restoring);
    return { ...found, path: found.entry === null ? null : `${to}/${found.entry.name}` };
  }
  const found = await firstGood<RestoredNewest>(books, async (entry, remarks) => {
    const result = await restoreTo(restoring, entry, to);
    if (result.how === 'damaged') return damage(entry, result.wrong);
    const { remarks: more } = await withPointers(restoring, entry, to, result);
    return { ...foundWhole(books, entry, [...remarks, ...more]), path: `${to}/${entry.name}` };
  });
  return { path: null, ...found };
}

export async function restoreNamed(restoring: Restoring, name: string, to: string): Promise<Restored | null> {
  const { books, isInPlace, damage } = restoring;
  const remarks: string[] = [];
  // The version before a damaged one has its name.
  for (;;) {
    const entry = books.find(name);
    if (entry === null || entry.kind === 'pointer') return null;
    if (isInPlace && to === books.ground.directory) return unmoved(books, entry, to);
    const result = await restoreTo(restoring, entry, to);
    if (result.how !== 'damaged') {
      const restored = await withPointers(restoring, entry, to, result);
      return { ...restored, remarks: [...remarks, ...restored.remarks] };
    }
    const { remark, isLeft } = await damage(entry, result.wrong);
    if (isLeft) return null;
    remarks.push(remark);
  }
}

/** What is to be said about it; nothing when it is whole. */
export async function verifyOne({ books, damage }: Restoring, name: string): Promise<readonly string[]> {
  const { ground } = books;
  const entry = books.find(name);
  if (entry === null) return [];
  const wrong = await whatIsWrong(ground, ground.directory, entry);
  return wrong === null ? [] : [(await damage(entry, wrong)).remark];
}

/** Tries them from the newest on. */
async function firstGood<Found extends FoundWhole>(
  books: Books,
  attempt: (entry: Kept, remarks: readonly string[]) => Promise<Damage | Found>,
): Promise<Found | FoundWhole> {
  const remarks: string[] = [];
  const passed = new Set<string>();
  for (;;) {
    const entry = newestFirst(books.manifest().kept).find(({ id }) => !passed.has(id));
    if (entry === undefined) return { entry: null, note: null, remarks };
    const result = await attempt(entry, remarks);
    if (!('remark' in result)) return result;
    remarks.push(result.remark);
    passed.add(entry.id);
  }
}

function foundWhole({ ground, manifest }: Books, whole: Kept, remarks: readonly string[]): FoundWhole {
  const views = viewsOf(ground.directory, manifest());
  const entry = views.find(({ name, state }) => name === whole.name && state === 'kept') ?? null;
  return { entry, note: noteOf(whole), remarks };
}

async function restoreTo(
  { books, repository, manners }: Restoring,
  entry: Kept,
  to: string,
): Promise<RestoreResult> {
  const result = await withGroundAt({ repository, manners }, to, ({ ground, near }) =>
    restoreUnit({
      shelf: books.ground,
      entry,
      to: ground,
      units: () => scanOpenDirectory(near.directory),
      isKnown: books.isKnown,
    }),
  );
  if (result.how !== 'damaged') await remember(books, entry, result.identity);
  return result;
}

/** Another directory, made where it is missing, with calls that reach the shelf as well. */
export async function withGroundAt<Result>(
  { repository, manners }: Pick<Restoring, 'repository' | 'manners'>,
  to: string,
  work: (at: { readonly ground: Ground; readonly near: Repository }) => Promise<Result>,
): Promise<Result> {
  const near = await openRepository(to, 0o777 & ~process.umask());
  try {
    const { ground, close } = await groundOf(near, manners, { others: repository.roots });
    return await work({ ground, near }).finally(close);
  } finally {
    near.close();
  }
}

/** So that what was put back is not copied again. If that cannot be recorded, it is. */
async function remember(books: Books, entry: Kept, source: string): Promise<void> {
  const next = withSource(entry, source);
  if (next === entry) return;
  try {
    await books.write(withUpdated(books.manifest(), next));
  } catch (error) {
    if (!isFull(error)) throw error;
    books.note(withUpdated(books.manifest(), next));
  }
}

async function withPointers(
  restoring: Restoring,
  entry: Kept,
  to: string,
  result: RestoreResult,
): Promise<Restored> {
  const { ground, manifest } = restoring.books;
  const paths = topsOf(entry).map((top) => `${to}/${top}`);
  const remarks = remarksOf(entry, result);
  for (const pointer of await pointersTo(ground, manifest().kept, entry)) {
    const pointed = await restoreTo(restoring, pointer, to);
    if (pointed.how === 'damaged') continue;
    paths.push(`${to}/${pointer.name}`);
    remarks.push(...remarksOf(pointer, pointed));
  }
  return { path: `${to}/${entry.name}`, paths, remarks };
}

function remarksOf({ name }: Kept, result: RestoreResult): string[] {
  if (result.how === 'damaged' || result.replaced === null) return [];
  return [`${printable(name)} was something else: that is now ${printable(result.replaced)}`];
}

function unmoved(books: Books, entry: Kept, to: string): Restored {
  const paths = topsOf(entry).map((top) => `${to}/${top}`);
  return { path: `${books.ground.directory}/${entry.name}`, paths, remarks: [] };
}
