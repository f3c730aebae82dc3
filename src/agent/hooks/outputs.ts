/** Directories for output files, and files that several ranks write to together. */

import { chmodSync, mkdirSync, statSync, truncateSync } from 'node:fs';
import { dirname } from 'node:path';
import { printable } from '../../model/bytes.ts';
import { Fault } from '../../model/refusal.ts';
import { errorWords } from '../../platform/files.ts';
import { truncatesOutput } from '../launch.ts';
import type { Hook } from './hook.ts';

export const outputs: Hook = {
  name: 'outputs',
  before({ job, attempt, places, fresh }) {
    // What a caller runs writes where its caller does.
    if (job.spec.program.spread === 'caller') return;
    const paths = places.flatMap(({ streams }) => [streams.stdout, streams.stderr]);
    if (job.spec.streams.makeDirectories) {
      for (const directory of new Set(paths.map(dirname))) makeDirectories(directory, job.spec.program.umask);
    }
    // Each shim empties a file of its own. One that ranks share is emptied before the first of them starts.
    if (fresh && places.length > 1 && truncatesOutput(job, attempt)) {
      for (const path of new Set(paths)) emptyIfRegular(path);
    }
  },
};

/** With the permissions that the submitter would have given them. */
export function makeDirectories(directory: string, umask: number): void {
  const mode = 0o777 & ~umask;
  try {
    const topmost = mkdirSync(directory, { recursive: true, mode });
    if (topmost === undefined) return;
    for (let made = directory; made.length >= topmost.length; made = dirname(made)) chmodSync(made, mode);
  } catch (error) {
    throw new Fault(`cannot make the output directory ${printable(directory)}: ${errorWords(error)}`, false, {
      cause: error,
    });
  }
}

/** What cannot be emptied cannot be opened either, and its shim will say so. */
function emptyIfRegular(path: string): void {
  try {
    if (statSync(path, { throwIfNoEntry: false })?.isFile() === true) truncateSync(path);
  } catch {
    return;
  }
}
