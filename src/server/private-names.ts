/**
 * Which names a yard has taken in places like /tmp because somebody else had its first choice. They are kept in the
 * yard's own directory, so that the next daemon finds what this one made.
 */

import { isPlainName } from '../platform/directory.ts';
import { readFileIfThere, writeFileAtomic } from '../platform/files.ts';
import type { NameMemory } from '../platform/private-directory.ts';

const PRIVATE_NAMES_FILE = 'private-names.json';
/** Somebody who takes every new name must not fill the file. What was under older ones was taken long ago. */
const MOST_NAMES = 20;

type Names = Readonly<Record<string, readonly string[]>>;

export function openPrivateNames(directory: string, log: (line: string) => void): NameMemory {
  const file = `${directory}/${PRIVATE_NAMES_FILE}`;
  let names = namesIn(file, log);
  return {
    recall: (path) => names[path] ?? [],
    remember(path, name) {
      names = { ...names, [path]: [name, ...(names[path] ?? [])].slice(0, MOST_NAMES) };
      writeFileAtomic(file, `${JSON.stringify(names)}\n`);
    },
  };
}

function namesIn(path: string, log: (line: string) => void): Names {
  const bytes = readFileIfThere(path);
  if (bytes === null) return {};
  try {
    return parseNames(JSON.parse(bytes.toString('utf8')));
  } catch {
    log(`${path} cannot be read: directories that were made under other names are left where they are`);
    return {};
  }
}

function parseNames(value: unknown): Names {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('no object');
  const names: Record<string, readonly string[]> = Object.create(null);
  for (const [path, list] of Object.entries(value)) {
    if (!Array.isArray(list) || !list.every((name) => typeof name === 'string' && isPlainName(name)))
      throw new Error('no list of names');
    names[path] = list;
  }
  return names;
}
