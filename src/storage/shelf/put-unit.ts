/**
 * A checkpoint brought onto the shelf: drafted beside it, announced, moved into its place, and what retention asks for
 * removed in the same change. When it cannot be, what is on the shelf is as it was.
 */

import { randomBytes } from 'node:crypto';
import type { AttemptId } from '../../model/ids.ts';
import type { CheckpointNote } from '../../model/keeping.ts';
import { identityOf } from '../identity.ts';
import { newestFirst } from '../retention.ts';
import type { Unit } from '../units.ts';
import type { Books } from './books.ts';
import { apartOf, newEntry, retire, withApart, withEntry } from './changes.ts';
import { type Drafted, makeDraft } from './draft.ts';
import { type Apart, type BeforeTop, type Kept, noteOf, type Settling } from './manifest.ts';
import { recordInPlace } from './record-in-place.ts';
import { draftPath } from './settle.ts';
import { topsOf } from './tops.ts';
import { areAllAsListed, freeName, type Ground, removeAll } from './trees.ts';

export interface PutOrder {
  readonly books: Books;
  /** As the books' own, with calls that suit where it comes from. */
  readonly ground: Ground;
  readonly unit: Unit;
  readonly from: string;
  readonly attempt: AttemptId | null;
  readonly rules: { readonly keepCount: number | null; readonly keepForMs: number | null };
  readonly now: () => number;
}

/** Where things of others are moved that have the name of a checkpoint. */
const REPLACED = '.trainyard/replaced';
const UNPROVEN = '.trainyard/unproven';

/** What may not be whole is of use to somebody who looks soon. */
const MAX_UNPROVEN = 3;

export async function putUnit(order: PutOrder): Promise<CheckpointNote | 'changed'> {
  const { books, ground, unit } = order;
  const id = draftId(order);
  const draft = draftPath(ground, id);
  const listed = books.find(unit.name);
  const present = listed !== null && (await areAllAsListed(ground, ground.directory, listed)) ? listed : null;
  try {
    const drafted = await makeDraft({
      ground,
      draft,
      unit,
      from: order.from,
      present,
      sibling: siblingOf(books, unit),
      onPreviousTaken: () => forgetPrevious(books, unit.name),
    });
    if (drafted === null) return 'changed';
    // Looked up again: the version before it may have been used up.
    const before = present === null ? null : books.find(unit.name);
    if (drafted.isSame && before !== null)
      return await keep(order, { ...entryOf(order, id, drafted, null), previous: before.previous }, null);
    const keepsPrevious = before !== null && !(before.kind === 'pointer' && unit.kind === 'pointer');
    const entry = entryOf(order, id, drafted, keepsPrevious ? before : null);
    return await keep(order, entry, await settlingOf(order, entry, before, keepsPrevious));
  } finally {
    if (!books.isPending()) await removeAll(ground.bulk, draft);
  }
}

/** Its program's own files are what lasts. */
export async function putInPlace(order: PutOrder): Promise<CheckpointNote | 'changed'> {
  const recorded = await recordInPlace(order.ground, order.unit);
  return recorded === null ? 'changed' : keep(order, entryOf(order, draftId(order), recorded, null), null);
}

/** What changes meanwhile is not set apart: somebody still writes to it. */
export async function putUnproven(order: PutOrder, isInPlace: boolean): Promise<void> {
  const { books, ground, unit } = order;
  const { calls, directory } = ground;
  const source = identityOf(unit);
  const made = { state: 'unproven', at: order.now(), sources: [source], attempt: order.attempt } as const;
  if (isInPlace) return books.write(withApart(books.manifest(), apartOf(unit, { ...made, path: unit.name })));
  const draft = draftPath(ground, draftId(order));
  try {
    const nothing = { present: null, sibling: null, onPreviousTaken: () => {} };
    if ((await makeDraft({ ground, draft, unit, from: order.from, ...nothing })) === null) return;
    const path = `${UNPROVEN}/${unit.name}`;
    await removeAll(ground.bulk, `${directory}/${path}`);
    await calls.makeDirectory(`${directory}/${UNPROVEN}`);
    await calls.rename(`${draft}/new${unit.kind === 'group' ? '' : `/${unit.name}`}`, `${directory}/${path}`);
    const next = withApart(books.manifest(), apartOf(unit, { ...made, path }));
    const tooMany = unprovenCopies(next.apart).slice(0, -MAX_UNPROVEN);
    for (const one of tooMany) await removeAll(ground.bulk, `${directory}/${one.path}`);
    const retired = tooMany.map(({ name, at, sources }) => ({ name, at, sources }));
    await books.write({
      ...next,
      apart: next.apart.filter((one) => !tooMany.includes(one)),
      retired: [...next.retired, ...retired],
    });
  } finally {
    await removeAll(ground.bulk, draft);
  }
}

function unprovenCopies(apart: readonly Apart[]): readonly Apart[] {
  return apart.filter(({ state, path }) => state === 'unproven' && path.startsWith(`${UNPROVEN}/`));
}

/** Listed, and what there are too many of no longer. */
async function keep(order: PutOrder, entry: Kept, settling: Settling | null): Promise<CheckpointNote> {
  const { books, ground, rules } = order;
  const obsolete = unprovenCopies(books.manifest().apart).filter(({ name }) => name === entry.name);
  const { manifest } = retire(withEntry(books.manifest(), entry), { ...rules, now: entry.keptAt });
  if (settling === null) await books.write(manifest);
  else await books.change(manifest, settling);
  for (const { path } of obsolete) await removeAll(ground.bulk, `${ground.directory}/${path}`);
  return noteOf(entry);
}

function entryOf(
  order: PutOrder,
  id: string,
  drafted: Pick<Drafted, 'files' | 'directories'>,
  previous: Kept | null,
): Kept {
  const { books, unit, attempt } = order;
  const source = identityOf(unit);
  return newEntry(books.manifest(), { id, unit, drafted, attempt, source, now: order.now(), previous });
}

async function settlingOf(
  { ground }: PutOrder,
  entry: Kept,
  present: Kept | null,
  keepsPrevious: boolean,
): Promise<Settling> {
  const { calls, directory } = ground;
  const draft = draftPath(ground, entry.id);
  const tops = topsOf(entry);
  const ours = new Set(present === null ? [] : topsOf(present));
  const before: BeforeTop[] = [];
  const exchangedInos: Record<string, number> = {};
  for (const top of new Set([...tops, ...ours])) {
    const found = await calls.look(`${directory}/${top}`);
    if (found === null) continue;
    const aside = ours.has(top)
      ? null
      : `${REPLACED}/${await freeName(calls, `${directory}/${REPLACED}`, top)}`;
    before.push({ top, aside });
    const drafted = tops.includes(top) ? await calls.look(`${draft}/new/${top}`) : null;
    if (drafted !== null && (drafted.isDirectory() || found.isDirectory())) exchangedInos[top] = drafted.ino;
  }
  return { what: 'put', id: entry.id, name: entry.name, tops, exchangedInos, before, keepsPrevious };
}

/** The newest of its family: what the two have in common is likely to be the same. */
function siblingOf(books: Books, { family, name, kind }: Unit): Kept | null {
  if (family === null || kind !== 'directory') return null;
  const alike = books.manifest().kept.filter((entry) => entry.family === family && entry.name !== name);
  return newestFirst(alike.filter((entry) => entry.kind === kind))[0] ?? null;
}

function forgetPrevious(books: Books, name: string): void {
  const manifest = books.manifest();
  const kept = manifest.kept.map((entry) => (entry.name === name ? { ...entry, previous: null } : entry));
  books.note({ ...manifest, kept });
}

function draftId({ now }: PutOrder): string {
  return `${Math.round(now()).toString(36)}-${randomBytes(6).toString('hex')}`;
}
