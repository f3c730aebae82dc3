/**
 * Whether what is listed is what is there, to the last byte. A storage server that does not answer is no damage: that is
 * thrown, and asked again later.
 */

import { printable } from '../../model/bytes.ts';
import { errorWords, isErrno } from '../../platform/files.ts';
import { sameContent } from './blocks.ts';
import { readContent, Unreadable } from './copy-file.ts';
import type { Kept, KeptFile } from './manifest.ts';
import { SMALL_BYTES } from './open-draft.ts';
import { eachOf, type Ground } from './trees.ts';

/** Null: it is whole; otherwise what is wrong, as in `step_3 is damaged: …`. */
export async function whatIsWrong(ground: Ground, root: string, entry: Kept): Promise<string | null> {
  let wrong: string | null = null;
  await eachOf(entry.files, ground.atOnce, async (file) => {
    const found = await wrongWith(ground, root, file);
    if (found !== null) wrong ??= file.path === entry.name ? found : `${printable(file.path)}: ${found}`;
    return found === null;
  });
  for (const { path } of entry.directories)
    if (wrong === null && !(await ground.bulk.look(`${root}/${path}`))?.isDirectory())
      wrong = `${printable(path)}: it is missing`;
  return wrong;
}

async function wrongWith(ground: Ground, root: string, file: KeptFile): Promise<string | null> {
  const path = `${root}/${file.path}`;
  const stat = await ground.bulk.look(path);
  if (stat === null) return 'it is missing';
  if (file.link !== undefined) {
    if (!stat.isSymbolicLink()) return 'it is no longer a link';
    return (await ground.bulk.readLink(path)) === file.link ? null : 'it leads elsewhere';
  }
  if (!stat.isFile()) return 'it is no longer a file';
  if (stat.size !== file.size) return `it has ${stat.size} bytes instead of ${file.size}`;
  try {
    const calls = file.size <= SMALL_BYTES ? ground.bulk : ground.calls;
    const content = await readContent(calls, path, file.size);
    return content !== null && sameContent(content, file) ? null : 'its checksum is not what it was';
  } catch (error) {
    if (error instanceof Unreadable && isErrno(error.cause, 'EIO'))
      return `the disk cannot read it (${errorWords(error.cause)})`;
    throw error;
  }
}
