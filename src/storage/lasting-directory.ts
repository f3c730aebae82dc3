/** Directories in which things last: they are the job's, so others may see as much of them as if it had made them. */

import { chmod, mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isErrno } from '../platform/files.ts';
import { onDisk } from '../platform/path-bytes.ts';

/** Makes what is missing of the path, with the permissions that the umask leaves; what is there stays as it is. */
export async function makeLastingDirectory(path: string, umask: number): Promise<void> {
  for (const missing of await missingOf(path)) {
    try {
      await mkdir(onDisk(missing));
      await chmod(onDisk(missing), 0o777 & ~umask);
    } catch (error) {
      if (!isErrno(error, 'EEXIST')) throw error;
    }
  }
}

/** Topmost first. */
async function missingOf(path: string): Promise<readonly string[]> {
  const missing: string[] = [];
  for (let each = path; each !== dirname(each) && !(await isThere(each)); each = dirname(each))
    missing.unshift(each);
  return missing;
}

async function isThere(path: string): Promise<boolean> {
  try {
    if ((await stat(onDisk(path))).isDirectory()) return true;
    throw Object.assign(new Error('it is not a directory'), { code: 'ENOTDIR' });
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return false;
    throw error;
  }
}
