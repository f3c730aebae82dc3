/**
 * Scripts as files, each once however many jobs run it. An interpreter reads its script as it goes, so a file
 * stays until nobody runs it any more.
 */

import { readdirSync, statSync } from 'node:fs';
import type { BlobHash } from '../model/ids.ts';
import { removeIfThere } from '../platform/files.ts';
import { interpreterOf } from './shebang.ts';
import { replaceFile, type YardFiles } from './yard-files.ts';

export interface ScriptFile {
  readonly path: string;
  /** What its first line asks for. */
  readonly interpreter: readonly string[];
}

export interface Scripts {
  /** Says that somebody runs it; to be released once. */
  hold(hash: BlobHash): void;
  release(hash: BlobHash): void;
  /** Makes the file, if it is not there. Null when nobody has its bytes any more. */
  file(hash: BlobHash): ScriptFile | null;
  /** Removes what nobody holds. */
  sweep(): void;
}

/** So many unused files may stay for those who come back with the same script. */
const MOST_UNUSED = 64;

export function createScripts(files: YardFiles, blob: (hash: BlobHash) => Uint8Array | null): Scripts {
  const holders = new Map<BlobHash, number>();
  const made = new Map<BlobHash, ScriptFile>();

  function drop(hash: BlobHash): void {
    made.delete(hash);
    removeIfThere(`${files.scripts}/${hash}`);
  }

  return {
    hold(hash) {
      holders.set(hash, (holders.get(hash) ?? 0) + 1);
    },
    release(hash) {
      const left = (holders.get(hash) ?? 1) - 1;
      if (left > 0) {
        holders.set(hash, left);
        return;
      }
      holders.delete(hash);
      if (made.size > MOST_UNUSED) drop(hash);
    },
    file(hash) {
      const known = made.get(hash);
      if (known !== undefined) return known;
      const bytes = blob(hash);
      if (bytes === null) return null;
      const path = `${files.scripts}/${hash}`;
      // A name that is the hash of the content: whatever is whole there is right.
      if (statSync(path, { throwIfNoEntry: false })?.size !== bytes.length) replaceFile(path, bytes);
      const script = { path, interpreter: interpreterOf(bytes) };
      made.set(hash, script);
      return script;
    },
    sweep() {
      for (const hash of readdirSync(files.scripts)) if (!holders.has(hash)) drop(hash);
    },
  };
}
