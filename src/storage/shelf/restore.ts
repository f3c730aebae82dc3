/**
 * A checkpoint put back where its program looks for it: drafted there, checked against its digests while it is read, made
 * safe, and then given its name. What has that name already stays when it is the same, and is moved aside when nobody
 * knows what it is. Reads the shelf and never changes it.
 */

import { constants, type Stats } from 'node:fs';
import { isErrno } from '../../platform/files.ts';
import { identityOf } from '../identity.ts';
import type { Unit, UnitDirectory, UnitFile } from '../units.ts';
import { sameContent } from './blocks.ts';
import { copyFile, readContent, Unreadable } from './copy-file.ts';
import { isSafeAtOnce, makeSafe } from './make-safe.ts';
import type { Kept, KeptFile } from './manifest.ts';
import { SMALL_BYTES } from './open-draft.ts';
import { topsOf } from './tops.ts';
import { dateLink, eachOf, freeName, type Ground, removeAll, removeEmpty, syncDirectory } from './trees.ts';

export interface RestoreOrder {
  readonly shelf: Ground;
  readonly entry: Kept;
  /** Its calls reach the shelf as well. */
  readonly to: Ground;
  /** What is in the directory that it is put into. */
  readonly units: () => Promise<readonly Unit[]>;
  /** Whether these files are known, and safe or set apart: then they need not be moved aside. */
  readonly isKnown: (identity: string) => boolean;
}

export type RestoreResult =
  | {
      readonly how: 'restored' | 'unchanged';
      /** By which the files that are there now will be known. */
      readonly identity: string;
      /** Where to something else of that name was moved. */
      readonly replaced: string | null;
    }
  | { readonly how: 'damaged'; readonly wrong: string };

export async function restoreUnit(order: RestoreOrder): Promise<RestoreResult> {
  const { entry, to } = order;
  const there = await identityThere(to, entry);
  if (there !== null && entry.sources.includes(there))
    return { how: 'unchanged', identity: there, replaced: null };
  const draft = `${to.hidden}/drafts/${entry.id}`;
  await removeAll(to.bulk, draft);
  try {
    const drafted = await draftRestored(order, draft);
    if (typeof drafted === 'string') return { how: 'damaged', wrong: drafted };
    const isThere = there !== null && drafted.isAllThere;
    const replaced = isThere ? null : await takePlaces(order, draft);
    if (!isThere) await syncDirectory(to.calls, to.directory);
    const identity = await identityThere(to, entry);
    return { how: isThere ? 'unchanged' : 'restored', identity: identity ?? '', replaced };
  } finally {
    await removeAll(to.bulk, draft);
    await removeEmpty(to.calls, `${to.hidden}/drafts`);
    await removeEmpty(to.calls, to.hidden);
  }
}

/** Of what has the names of its files; null when one is missing. */
async function identityThere({ bulk, directory, atOnce }: Ground, entry: Kept): Promise<string | null> {
  const files: UnitFile[] = Array.from({ length: entry.files.length });
  const directories: UnitDirectory[] = [];
  const areThere = await eachOf(entry.files, atOnce, async ({ path }, at) => {
    const stat = await bulk.look(`${directory}/${path}`);
    if (stat === null || stat.isDirectory()) return false;
    const link = stat.isSymbolicLink() ? await bulk.readLink(`${directory}/${path}`) : null;
    files[at] = { ...numbersOf(stat), path, size: stat.size, link };
    return true;
  });
  if (!areThere) return null;
  for (const { path } of entry.directories) {
    const stat = await bulk.look(`${directory}/${path}`);
    if (!stat?.isDirectory()) return null;
    directories.push({ ...numbersOf(stat), path });
  }
  return identityOf({ files, directories });
}

function numbersOf({ mtimeMs, ctimeMs, ino, mode }: Stats) {
  return { mtimeMs, ctimeMs, ino, mode: mode & 0o7777 };
}

/** What is wrong with the checkpoint, or whether every file was there already. */
async function draftRestored(
  order: RestoreOrder,
  draft: string,
): Promise<string | { readonly isAllThere: boolean }> {
  const { entry, to } = order;
  await to.calls.makeDirectory(`${draft}/new`);
  for (const { path } of entry.directories) await to.bulk.makeDirectory(`${draft}/new/${path}`);
  let isAllThere = true;
  let wrong: string | null = null;
  await eachOf(entry.files, to.atOnce, async (file) => {
    const outcome = await draftFile(order, draft, file).catch(damagedIfUnreadable);
    if (outcome === 'damaged') wrong ??= `${file.path}: its checksum is not what it was`;
    if (outcome !== 'there') isAllThere = false;
    return outcome !== 'damaged';
  });
  if (wrong !== null) return wrong;
  for (const { path, mode, mtimeMs } of entry.directories.toReversed()) {
    await to.bulk.permit(`${draft}/new/${path}`, (mode & 0o777) | 0o700);
    await to.bulk.date(`${draft}/new/${path}`, mtimeMs);
  }
  // It will be known by its numbers alone, so they must not outlive its content.
  if (!isAllThere) await makeSafe(to, `${draft}/new`, entry);
  return { isAllThere };
}

async function draftFile(
  { shelf, to, entry }: RestoreOrder,
  draft: string,
  file: KeptFile,
): Promise<'there' | 'copied' | 'damaged'> {
  const path = `${draft}/new/${file.path}`;
  const own = `${to.directory}/${file.path}`;
  const stat = await to.bulk.look(own);
  if (file.link !== undefined) {
    await to.bulk.makeLink(file.link, path);
    await dateLink(to, path, file.mtimeMs);
    return stat?.isSymbolicLink() && (await to.bulk.readLink(own)) === file.link ? 'there' : 'copied';
  }
  const isSmall = file.size <= SMALL_BYTES;
  const near = isSmall ? to.bulk : to.calls;
  if (stat?.isFile() && stat.size === file.size && (stat.mode & 0o777) === (file.mode & 0o777)) {
    const content = await readContent(near, own, file.size);
    if (content !== null && sameContent(content, file) && (await isNamedAlso(to, own, path))) return 'there';
  }
  const copied = await copyFile({
    calls: isSmall && shelf.isLocal ? to.bulk : to.calls,
    from: `${shelf.directory}/${file.path}`,
    size: file.size,
    isUnchanged: (found) => found.isFile() && found.size === file.size,
    twin: null,
    openDraft: async () => {
      const fd = await near.open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
      try {
        if (to.isLocal && !isSmall) await to.calls.reserve(fd, file.size);
      } catch (error) {
        await to.calls.close(fd);
        throw error;
      }
      return { fd, holds: null };
    },
    mode: file.mode & 0o777,
    mtimeMs: file.mtimeMs,
    isSyncedLater: isSmall && isSafeAtOnce(entry),
  });
  return copied !== null && sameContent(copied.content, file) ? 'copied' : 'damaged';
}

/** A disk that has lost its bytes is damage; a server that does not answer is not. */
function damagedIfUnreadable(error: unknown): 'damaged' {
  if (error instanceof Unreadable && isErrno(error.cause, 'EIO')) return 'damaged';
  throw error;
}

async function isNamedAlso({ bulk }: Ground, path: string, other: string): Promise<boolean> {
  try {
    await bulk.nameAlso(path, other);
    return true;
  } catch {
    return false;
  }
}

/** Where to what was there before was moved; null when there was nothing that could be missed. */
async function takePlaces(
  { entry, to, units, isKnown }: RestoreOrder,
  draft: string,
): Promise<string | null> {
  const { calls, directory, hidden } = to;
  const found = (await units()).find(({ name }) => name === entry.name);
  const isMissed = found === undefined || !isKnown(identityOf(found));
  const aside = isMissed ? `${hidden}/replaced` : `${draft}/old`;
  let replaced: string | null = null;
  await calls.makeDirectory(aside);
  for (const top of topsOf(entry)) {
    if ((await calls.look(`${directory}/${top}`)) !== null) {
      const name = await freeName(calls, aside, top);
      await calls.rename(`${directory}/${top}`, `${aside}/${name}`);
      if (isMissed) replaced ??= `${aside}/${name}`;
    }
    await calls.rename(`${draft}/new/${top}`, `${directory}/${top}`);
  }
  await removeEmpty(calls, aside);
  return replaced;
}
