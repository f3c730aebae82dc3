/** Directories in which things last: they are the job's, so others may see as much of them as if it had made them. */

import { openNamedDirectory } from '../platform/named-directory.ts';

/** Makes what is missing of the path, with the permissions that the umask leaves; what is there stays as it is. */
export async function makeLastingDirectory(path: string, umask: number): Promise<void> {
  (await openNamedDirectory(path, 0o777 & ~umask)).close();
}
