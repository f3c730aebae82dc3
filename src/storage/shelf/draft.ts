/**
 * A new version of a checkpoint, drafted beside the shelf: whole, safe, and with nothing of what is on the shelf touched.
 * What the version before has unchanged is the same file under another name; a large file that changed a little is made
 * of what is at hand of it, and only the blocks that differ are written.
 *
 * Nothing that has two names is ever written to: only a file whose sole name is in the draft.
 */

import type { Stats } from 'node:fs';
import { bytesFromText } from '../../model/bytes.ts';
import { isErrno } from '../../platform/files.ts';
import { isSameDirectory, isSameFile } from '../identity.ts';
import type { Unit, UnitFile } from '../units.ts';
import { digestOf, sameContent } from './blocks.ts';
import { type Copied, copyFile } from './copy-file.ts';
import { linkOnShelf } from './links.ts';
import { isSafeAtOnce, makeSafe } from './make-safe.ts';
import { fileAt, type Kept, type KeptDirectory, type KeptFile } from './manifest.ts';
import { draftOpener, SMALL_BYTES } from './open-draft.ts';
import { dateLink, eachOf, type Ground, isAsListed, syncDirectory } from './trees.ts';

export interface DraftOrder {
  readonly ground: Ground;
  /** `drafts/ID`: `new/` in it is what is drafted. */
  readonly draft: string;
  readonly unit: Unit;
  readonly from: string;
  /** The version on the shelf, when what is there is as it is listed. */
  readonly present: Kept | null;
  /** Another one of its family on the shelf. */
  readonly sibling: Kept | null;
  /** The version before the one on the shelf is used up for this. */
  readonly onPreviousTaken: () => void;
}

export interface Drafted {
  readonly files: readonly KeptFile[];
  readonly directories: readonly KeptDirectory[];
  /** It is what is on the shelf already. */
  readonly isSame: boolean;
}

/** Errors with which a file system says that a file cannot have another name. */
const NO_OTHER_NAME = ['EXDEV', 'EMLINK', 'EPERM', 'EOPNOTSUPP', 'ENOTSUP', 'ENOSYS', 'ENOENT', 'EACCES'];

/** Null: it changed or vanished meanwhile. Rejects when it cannot be written or read. */
export async function makeDraft(order: DraftOrder): Promise<Drafted | null> {
  const { ground, draft, unit, present } = order;
  const { bulk } = ground;
  await ground.calls.makeDirectory(`${draft}/new`);
  // That it is gone will say that the version before is where it belongs (settle.ts).
  await ground.calls.makeDirectory(`${draft}/old`);
  for (const { path } of unit.directories) await bulk.makeDirectory(`${draft}/new/${path}`);

  const copyOne = fileCopier(order);
  const files: KeptFile[] = Array.from({ length: unit.files.length });
  const isWhole = await eachOf(unit.files, ground.atOnce, async (file, at) => {
    const kept = file.link === null ? await copyOne(file) : await copyLink(order, file, file.link);
    if (kept === null) return false;
    files[at] = kept;
    return true;
  });
  if (!isWhole || !(await isStillTheSame(order))) return null;

  for (const { path, mode, mtimeMs } of unit.directories.toReversed()) {
    await bulk.permit(`${draft}/new/${path}`, (mode & 0o777) | 0o700);
    await bulk.date(`${draft}/new/${path}`, mtimeMs);
  }
  const directories = unit.directories.map(({ path, mode, mtimeMs }) => ({ path, mode, mtimeMs }));
  const isSame = present !== null && isSameVersion(present, files, directories);
  if (!isSame) {
    await makeSafe(ground, `${draft}/new`, unit);
    await syncDirectory(ground.calls, draft);
  }
  return { files, directories, isSame };
}

/** Looked at once more after the last byte was read: what was written while others were copied is found here. */
export async function isStillTheSame({
  ground: { bulk, atOnce },
  unit,
  from,
}: Pick<DraftOrder, 'ground' | 'unit' | 'from'>): Promise<boolean> {
  const areFiles = await eachOf(unit.files, atOnce, async (file) => {
    const stat = await bulk.look(`${from}/${file.path}`);
    return stat !== null && isSameFile(stat, file);
  });
  if (!areFiles) return false;
  return eachOf(unit.directories, atOnce, async (directory) => {
    const stat = await bulk.look(`${from}/${directory.path}`);
    return stat !== null && isSameDirectory(stat, directory);
  });
}

/** On the shelf too a link leads to what is beside it, also when its program wrote the whole path. */
async function copyLink(order: DraftOrder, file: UnitFile, target: string): Promise<KeptFile | null> {
  const { ground, draft, from } = order;
  const { bulk } = ground;
  try {
    if ((await bulk.readLink(`${from}/${file.path}`)) !== target) return null;
  } catch (error) {
    if (['ENOENT', 'EINVAL', 'ENOTDIR'].some((code) => isErrno(error, code))) return null;
    throw error;
  }
  const link = linkOnShelf(target, file.path, from);
  const path = `${draft}/new/${file.path}`;
  await bulk.makeLink(link, path);
  await dateLink(ground, path, file.mtimeMs);
  const stat = (await bulk.look(path)) as Stats;
  return { ...keptFile(file, { size: stat.size, sha256: digestOf(bytesFromText(link)) }, stat), link };
}

function fileCopier(order: DraftOrder): (file: UnitFile) => Promise<KeptFile | null> {
  const { ground, draft, unit, from } = order;
  const openDraft = draftOpener({ ...order, name: unit.name });

  async function copied(file: UnitFile, twin: KeptFile | null): Promise<Copied | null> {
    const isSmall = file.size <= SMALL_BYTES;
    return copyFile({
      calls: isSmall ? ground.bulk : ground.calls,
      from: `${from}/${file.path}`,
      size: file.size,
      isUnchanged: (stat) => isSameFile(stat, file),
      twin,
      openDraft: () => openDraft(file),
      // Whatever its program allows, we must be able to read it again.
      mode: (file.mode & 0o777) | 0o400,
      mtimeMs: file.mtimeMs,
      isSyncedLater: isSmall && isSafeAtOnce(unit),
    });
  }

  return async (file) => {
    const twin = twinOf(order, file);
    const first = await copied(file, twin?.file ?? null);
    if (first === null) return null;
    if (first.draft !== null || twin === null) return keptFile(file, first.content, first.draft);
    const stat = await nameAgain(ground, twin, `${draft}/new/${file.path}`);
    if (stat !== null) return keptFile(file, first.content, stat);
    const second = await copied(file, null);
    return second === null ? null : keptFile(file, second.content, second.draft);
  };
}

interface Twin {
  readonly path: string;
  readonly file: KeptFile;
}

/** A file of the shelf that may well be the same. */
function twinOf({ ground, unit, present, sibling }: DraftOrder, file: UnitFile): Twin | null {
  const found = (entry: Kept | null, path: string) => {
    const same = entry === null ? undefined : fileAt(entry, path);
    const isFit = same !== undefined && same.link === undefined && same.mode === file.mode;
    return isFit ? { path: `${ground.directory}/${path}`, file: same } : null;
  };
  const own = found(present, file.path);
  if (own !== null || sibling === null || file.size < SMALL_BYTES) return own;
  return found(sibling, sibling.name + file.path.slice(unit.name.length));
}

/** Null: it cannot have another name, or is not what is listed. */
async function nameAgain(ground: Ground, twin: Twin, path: string): Promise<Stats | null> {
  const { bulk } = ground;
  try {
    await bulk.nameAlso(twin.path, path);
  } catch (error) {
    if (NO_OTHER_NAME.some((code) => isErrno(error, code))) return null;
    throw error;
  }
  const stat = await bulk.look(path);
  if (isAsListed(ground, stat, twin.file)) return stat;
  await bulk.remove(path);
  return null;
}

function keptFile(
  { path, mode, mtimeMs }: UnitFile,
  { size, sha256, blocks }: Copied['content'],
  stat: Stats | null,
): KeptFile {
  return {
    path,
    size,
    mode,
    mtimeMs,
    ...(stat === null || stat.mtimeMs === mtimeMs ? {} : { shelfMtimeMs: stat.mtimeMs }),
    sha256,
    ...(blocks === undefined ? {} : { blocks }),
  };
}

function isSameVersion(
  present: Kept,
  files: readonly KeptFile[],
  directories: readonly KeptDirectory[],
): boolean {
  const isSameFileSet =
    files.length === present.files.length &&
    files.every((file) => {
      const other = fileAt(present, file.path);
      return (
        other !== undefined &&
        other.mode === file.mode &&
        other.link === file.link &&
        sameContent(other, file)
      );
    });
  const paths = new Set(present.directories.map(({ path }) => path));
  return (
    isSameFileSet && directories.length === paths.size && directories.every(({ path }) => paths.has(path))
  );
}
