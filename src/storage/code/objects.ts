/**
 * Contents of files, each once, by the hash of what is in it: `objects/ab/cdef…`. Jobs whose code is the same share
 * them. What is there is whole, since it gets its name only then.
 */

import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isErrno } from '../../platform/files.ts';

export interface CodeObjects {
  /** Keeps what is in the file now, and gives its hash. Not safe from a power cut before `settle`. */
  keep(path: string): Promise<string>;
  /** Everything that was kept before is safe after this. */
  settle(): Promise<void>;
  path(hash: string): string;
  has(hash: string): Promise<boolean>;
  /** Removes what nobody needs, unless it was used after this time. */
  sweep(needed: ReadonlySet<string>, usedBefore: number): Promise<void>;
}

export function codeObjects(directory: string): CodeObjects {
  const unsettled = new Set<string>();
  const pathOf = (hash: string) => join(directory, 'objects', hash.slice(0, 2), hash.slice(2));

  async function has(hash: string): Promise<boolean> {
    try {
      await stat(pathOf(hash));
      return true;
    } catch (error) {
      if (isErrno(error, 'ENOENT')) return false;
      throw error;
    }
  }

  async function keep(path: string): Promise<string> {
    const drafts = join(directory, 'drafts');
    await mkdir(drafts, { recursive: true, mode: 0o700 });
    const draft = join(drafts, randomBytes(8).toString('hex'));
    try {
      const hash = await copyAndHash(path, draft);
      const target = pathOf(hash);
      if (await has(hash)) {
        // Whoever sweeps must see that somebody needs it again.
        const now = new Date();
        await utimes(target, now, now);
        await rm(draft);
        return hash;
      }
      await mkdir(dirname(target), { recursive: true, mode: 0o700 });
      await rename(draft, target);
      unsettled.add(target).add(dirname(target));
      return hash;
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
  }

  return {
    keep,
    has,
    path: pathOf,
    async settle() {
      const paths = [...unsettled];
      unsettled.clear();
      for (const path of paths) await sync(path);
    },
    async sweep(needed, usedBefore) {
      for (const part of await namesIn(join(directory, 'objects'))) {
        for (const rest of await namesIn(join(directory, 'objects', part))) {
          const path = join(directory, 'objects', part, rest);
          if (!needed.has(`${part}${rest}`) && (await stat(path)).mtimeMs < usedBefore) await rm(path);
        }
      }
      await rm(join(directory, 'drafts'), { recursive: true, force: true });
    },
  };
}

async function copyAndHash(from: string, to: string): Promise<string> {
  const hash = createHash('sha256');
  const handle = await open(to, 'wx', 0o600);
  try {
    for await (const chunk of createReadStream(from)) {
      hash.update(chunk as Buffer);
      await handle.writeFile(chunk as Buffer);
    }
  } finally {
    await handle.close();
  }
  return hash.digest('hex');
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function namesIn(directory: string): Promise<readonly string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return [];
    throw error;
  }
}
