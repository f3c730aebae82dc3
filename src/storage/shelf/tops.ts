/** Which entries of a repository's directory a checkpoint consists of. */

import type { Kept } from './manifest.ts';

/** The entries of the shelf's directory that it consists of; those that make it findable come last. */
export function topsOf({ kind, name, files }: Pick<Kept, 'kind' | 'name' | 'files'>): readonly string[] {
  if (kind !== 'group') return [name];
  const paths = files.map(({ path }) => path);
  const isIndex = (path: string) => path.endsWith('.index') || path.endsWith('.meta');
  return [...paths.filter((path) => !isIndex(path)), ...paths.filter(isIndex)];
}
