/** Files that survive a power cut: each on its own, or, when there are many, everything on their file system at once. */

import { constants } from 'node:fs';
import { eachOf, type Ground, syncDirectory } from './trees.ts';

export interface Tree {
  readonly files: readonly { readonly path: string; readonly link?: string | null }[];
  readonly directories: readonly { readonly path: string }[];
}

/** One sync of thousands of small files costs as much as one of a few of them. */
const FEW = 8;
const AT_ONCE = 8;

/** Then small files need not be synced one by one while they are copied. */
export function isSafeAtOnce({ files, directories }: Tree): boolean {
  return files.length + directories.length > FEW;
}

/** Everything that is not a small file of many is safe already. */
export async function makeSafe(ground: Ground, root: string, tree: Tree): Promise<void> {
  const { calls } = ground;
  if (isSafeAtOnce(tree)) {
    if (await isAllSafe(ground, root)) return;
    await makeFilesSafe(ground, root, tree);
  }
  for (const { path } of tree.directories) await syncDirectory(calls, `${root}/${path}`);
  await syncDirectory(calls, root);
}

export async function makeFilesSafe({ calls }: Ground, root: string, { files }: Tree): Promise<void> {
  await eachOf(files, AT_ONCE, async ({ path, link }) => {
    if (link !== undefined && link !== null) return undefined;
    const fd = await calls.open(`${root}/${path}`, constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      await calls.sync(fd);
    } finally {
      await calls.close(fd);
    }
    return undefined;
  });
}

async function isAllSafe({ calls }: Ground, root: string): Promise<boolean> {
  const fd = await calls.open(root, constants.O_RDONLY);
  try {
    return await calls.syncAll(fd);
  } finally {
    await calls.close(fd);
  }
}
