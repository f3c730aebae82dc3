/**
 * A shelf as its last user left it, brought into order: the change that was announced is carried out, drafts are swept,
 * and what was to be removed is. After a clean end there is nothing to do, and nothing is written.
 */

import type { Apart, Kept, Manifest, Retired } from './manifest.ts';
import { announcedIsDone, type FoundManifest } from './manifest-file.ts';
import { settle } from './settle.ts';
import { topsOf } from './tops.ts';
import { type Ground, removeAll, removeListed } from './trees.ts';

export async function recover(ground: Ground, found: FoundManifest): Promise<Manifest> {
  const { bulk, hidden } = ground;
  const recorded = found.next === null ? found.manifest : await carryOut(ground, found.next);
  await removeAll(bulk, `${hidden}/drafts`);
  const left = await removeLeaving(ground, recorded);
  const kept = await withTruePrevious(ground, left.kept);
  await removeUnlistedPrevious(ground, kept);
  return { ...(await withoutTakenAway(ground, left)), kept, settling: null };
}

/** Also when part of it has been done. */
export async function carryOut(ground: Ground, next: Manifest): Promise<Manifest> {
  const { settling } = next;
  if (settling !== null) {
    const entry = next.kept.find(({ name }) => name === settling.name);
    await settle(ground, settling, entry?.previous ?? null);
  }
  await announcedIsDone(ground);
  return { ...next, settling: null };
}

/** What cannot be removed now is tried again next time. */
export async function removeLeaving(ground: Ground, manifest: Manifest): Promise<Manifest> {
  if (manifest.leaving.length === 0) return manifest;
  const used = new Set(manifest.kept.flatMap(topsOf));
  const leaving: Kept[] = [];
  for (const entry of manifest.leaving) {
    if (topsOf(entry).some((top) => used.has(top))) continue;
    try {
      await removeListed(ground, ground.directory, entry);
      if (entry.previous !== null) await removeAll(ground.bulk, `${ground.hidden}/previous/${entry.name}`);
    } catch {
      leaving.push(entry);
    }
  }
  return { ...manifest, leaving };
}

/** The version before may have been used up for a draft that was never finished. */
async function withTruePrevious({ calls, hidden }: Ground, kept: readonly Kept[]): Promise<readonly Kept[]> {
  const checked: Kept[] = [];
  for (const entry of kept) {
    const isThere =
      entry.previous === null || (await calls.look(`${hidden}/previous/${entry.name}`)) !== null;
    checked.push(isThere ? entry : { ...entry, previous: null });
  }
  return checked;
}

async function removeUnlistedPrevious({ calls, bulk, hidden }: Ground, kept: readonly Kept[]): Promise<void> {
  if ((await calls.look(`${hidden}/previous`)) === null) return;
  const listed = new Set(kept.filter(({ previous }) => previous !== null).map(({ name }) => name));
  for (const name of await calls.names(`${hidden}/previous`))
    if (!listed.has(name)) await removeAll(bulk, `${hidden}/previous/${name}`);
}

/** People may take away what was set apart. What may not be whole does not become so by that. */
async function withoutTakenAway({ calls, directory }: Ground, manifest: Manifest): Promise<Manifest> {
  const apart: Apart[] = [];
  const retired: Retired[] = [...manifest.retired];
  for (const one of manifest.apart) {
    const { name, at, sources } = one;
    if ((await calls.look(`${directory}/${one.path}`)) !== null) apart.push(one);
    else retired.push({ name, at, sources });
  }
  return { ...manifest, apart, retired };
}
