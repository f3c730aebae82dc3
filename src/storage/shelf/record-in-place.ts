/**
 * A checkpoint that lasts where its program wrote it: its files are made safe and their digests taken, and nothing is
 * copied or moved.
 */

import { bytesFromText } from '../../model/bytes.ts';
import { isErrno } from '../../platform/files.ts';
import type { Unit } from '../units.ts';
import { digestOf } from './blocks.ts';
import { readContent } from './copy-file.ts';
import { type Drafted, isStillTheSame } from './draft.ts';
import { isSafeAtOnce, makeFilesSafe, makeSafe } from './make-safe.ts';
import type { KeptFile } from './manifest.ts';
import { SMALL_BYTES } from './open-draft.ts';
import { eachOf, type Ground } from './trees.ts';

/** Null: it changed or vanished meanwhile. */
export async function recordInPlace(ground: Ground, unit: Unit): Promise<Omit<Drafted, 'isSame'> | null> {
  const { directory } = ground;
  const files: KeptFile[] = Array.from({ length: unit.files.length });
  const isWhole = await eachOf(unit.files, ground.atOnce, async ({ path, size, mode, mtimeMs, link }, at) => {
    if (link !== null) {
      files[at] = { path, size, mode, mtimeMs, sha256: digestOf(bytesFromText(link)), link };
      return true;
    }
    const calls = size <= SMALL_BYTES ? ground.bulk : ground.calls;
    const content = await readContent(calls, `${directory}/${path}`, size);
    if (content === null) return false;
    files[at] = { path, mode, mtimeMs, ...content };
    return true;
  });
  if (!isWhole) return null;
  try {
    if (!isSafeAtOnce(unit)) await makeFilesSafe(ground, directory, unit);
    await makeSafe(ground, directory, unit);
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return null;
    throw error;
  }
  if (!(await isStillTheSame({ ground, unit, from: directory }))) return null;
  return { files, directories: unit.directories.map(({ path, mode, mtimeMs }) => ({ path, mode, mtimeMs })) };
}
