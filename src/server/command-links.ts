/**
 * The commands of other systems as links to our launcher, in a directory of the yard: what a shell or a job puts
 * on its PATH to call them by their names. Made anew at each start, so that they lead to this installation.
 */

import { mkdirSync, readdirSync, readlinkSync, renameSync, symlinkSync, unlinkSync } from 'node:fs';
import { RUN_HERE } from '../model/frames.ts';
import { errorWords } from '../platform/files.ts';

/** Where the commands of a dialect are, below the yard's directory. */
export function commandsDirectory(yardDirectory: string, dialect: string): string {
  return `${yardDirectory}/commands/${dialect}`;
}

/** What a link can lead to. */
export interface Launchers {
  readonly launcher: string;
  /** Null: there is none that runs on this machine. */
  readonly compiled: string | null;
}

/**
 * Of all commands, these run something themselves, which only the launcher knows how to do. For the others the compiled
 * client is quicker, where there is one.
 */
const NOT_COMPILED: ReadonlySet<string> = new Set([...RUN_HERE, 'glb-start', 'glb-run']);

/** A directory that cannot be written keeps the links it has: a yard is of use without them. */
export function keepCommandLinks(
  directory: string,
  names: readonly string[],
  { launcher, compiled }: Launchers,
  log: (line: string) => void,
): void {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o755 });
    for (const name of names)
      keepLink(`${directory}/${name}`, NOT_COMPILED.has(name) ? launcher : (compiled ?? launcher));
    for (const name of readdirSync(directory)) if (!names.includes(name)) unlinkSync(`${directory}/${name}`);
  } catch (error) {
    log(`the commands in ${directory} cannot be kept up to date: ${errorWords(error)}`);
  }
}

function keepLink(path: string, target: string): void {
  if (targetOf(path) === target) return;
  const draft = `${path}.${process.pid}.draft`;
  symlinkSync(target, draft);
  renameSync(draft, path);
}

function targetOf(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}
