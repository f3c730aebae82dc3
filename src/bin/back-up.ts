/**
 * Makes one backup of the store of the directory that it is given, and says on its standard output how that went, in
 * one line. A process of its own, so that the daemon answers meanwhile; it ends when its daemon does.
 */

import { setPriority } from 'node:os';
import { errorWords } from '../platform/files.ts';
import { backUp } from '../store/sqlite/back-up.ts';

/** Behind the daemon and interactive work, but not behind every job: the log grows for as long as the copy takes. */
const PRIORITY = 5;

const directory = process.argv[2] ?? '';
process.umask(0o077);
try {
  setPriority(PRIORITY);
} catch {
  // Then it competes with jobs for a while.
}
process.stdin.resume().on('end', () => process.exit(1));
try {
  say({ name: await backUp(directory, Date.now()) });
} catch (error) {
  say({ trouble: errorWords(error) });
}

function say(result: { readonly name: string } | { readonly trouble: string }): void {
  process.stdout.write(`${JSON.stringify(result)}\n`, () => process.exit(0));
}
