/**
 * Writes the file `socket`, by which clients find the yard, and takes it away again (src/model/socket-pointer.ts has its
 * form). Only the daemon that holds the lock of the directory does this. The directory is opened once: whatever is put in its
 * place later is left alone.
 */

import { fstatSync, readdirSync, realpathSync } from 'node:fs';
import { formatPointer, POINTER_FILE } from '../model/socket-pointer.ts';
import { type DirectoryHandle, openOwnDirectory } from '../platform/directory.ts';
import { errorWords, removeIfThere, writeFileAtomic } from '../platform/files.ts';

export interface SocketPointer {
  write(socketPath: string): void;
  remove(): void;
}

/** Removes what a daemon that was killed while it wrote has left. Throws when the directory is not this user's alone. */
export function openSocketPointer(yardDirectory: string, log: (line: string) => void): SocketPointer {
  const directory = openOwnDirectory(realpathSync(yardDirectory));
  removeDrafts(directory, log);
  return {
    write(socketPath) {
      const identity = fstatSync(directory.fd, { bigint: true });
      writeFileAtomic(directory.entry(POINTER_FILE), formatPointer(socketPath, identity));
    },
    remove() {
      removeIfThere(directory.entry(POINTER_FILE));
      directory.close();
    },
  };
}

const DRAFT = new RegExp(`^${POINTER_FILE}\\.\\d+\\.draft$`);

function removeDrafts(directory: DirectoryHandle, log: (line: string) => void): void {
  for (const name of readdirSync(`/proc/self/fd/${directory.fd}`)) {
    if (!DRAFT.test(name)) continue;
    try {
      removeIfThere(directory.entry(name));
    } catch (error) {
      log(`${directory.path}/${name} cannot be removed: ${errorWords(error)}`);
    }
  }
}
