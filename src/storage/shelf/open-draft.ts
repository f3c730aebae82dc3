/**
 * The file that a changed file is copied into: one that holds most of it already, where there is one to be had. A clone
 * shares its blocks with the version on the shelf until they are written to; otherwise the version before that one is
 * used up. Knows nothing of what is written then.
 */

import { constants } from 'node:fs';
import type { UnitFile } from '../units.ts';
import { BLOCK_BYTES } from './blocks.ts';
import type { OpenDraft } from './copy-file.ts';
import { fileAt, type Kept } from './manifest.ts';
import { type Ground, isAsListed, syncDirectory } from './trees.ts';

export interface OpenerOrder {
  readonly ground: Ground;
  readonly draft: string;
  readonly name: string;
  readonly present: Kept | null;
  readonly onPreviousTaken: () => void;
}

/** Files up to this are copied by the dozen, larger ones each with all there is. */
export const SMALL_BYTES = 1 << 20;

/** Where a changed file is written to: into a clone, into what is left of an older version, or into a new file. */
export function draftOpener(order: OpenerOrder): (file: UnitFile) => Promise<OpenDraft> {
  const { ground, draft, name, present } = order;
  const { calls, bulk, directory, hidden } = ground;
  const previous = present?.previous ?? null;
  let taking: Promise<boolean> | null = null;
  let canClone = ground.isLocal;

  /** It leaves the shelf for good before anything is written into it, also if the power fails. */
  async function takePrevious(): Promise<boolean> {
    const place = `${hidden}/previous/${name}`;
    if ((await calls.look(place)) === null) return false;
    order.onPreviousTaken();
    await calls.rename(place, `${draft}/base`);
    await syncDirectory(calls, `${hidden}/previous`);
    await syncDirectory(calls, draft);
    return true;
  }

  async function clonePresent(file: UnitFile, path: string): Promise<OpenDraft | null> {
    const listed = present === null ? undefined : fileAt(present, file.path);
    if (!canClone || listed === undefined || listed.link !== undefined) return null;
    const source = await calls.open(`${directory}/${file.path}`, constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      if (!isAsListed(ground, await calls.statOf(source), listed)) return null;
      const fd = await openNew(path, file.size, false);
      canClone = await calls.clone(source, fd);
      if (canClone) return { fd, holds: listed };
      await calls.close(fd);
      await calls.remove(path);
      return null;
    } finally {
      await calls.close(source);
    }
  }

  async function reusePrevious(file: UnitFile, path: string): Promise<OpenDraft | null> {
    const listed = previous === null ? undefined : fileAt(previous, file.path);
    if (listed === undefined || listed.link !== undefined || listed.size <= BLOCK_BYTES) return null;
    taking ??= takePrevious();
    if (!(await taking)) return null;
    const base = `${draft}/base/${file.path}`;
    const stat = await calls.look(base);
    // With another name it is a part of another version as well.
    if (!isAsListed(ground, stat, listed) || stat?.nlink !== 1) return null;
    await calls.permit(base, 0o600);
    await calls.rename(base, path);
    return { fd: await calls.open(path, constants.O_WRONLY | constants.O_NOFOLLOW), holds: listed };
  }

  async function openNew(path: string, size: number, isReserved: boolean): Promise<number> {
    const quick = size <= SMALL_BYTES ? bulk : calls;
    const fd = await quick.open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
    try {
      if (isReserved) await calls.reserve(fd, size);
      return fd;
    } catch (error) {
      await calls.close(fd);
      throw error;
    }
  }

  return async (file) => {
    const path = `${draft}/new/${file.path}`;
    const reused =
      file.size > BLOCK_BYTES
        ? ((await clonePresent(file, path)) ?? (await reusePrevious(file, path)))
        : null;
    if (reused !== null) return reused;
    return { fd: await openNew(path, file.size, ground.isLocal && file.size > SMALL_BYTES), holds: null };
  };
}
