/**
 * The list of files that a snapshot of code is: paths below the top of its work tree, each with its mode and the hash
 * of its content, or the target of a link. Pure: reading and writing files is others' business.
 */

export type TreeEntry = TreeFile | TreeLink;

export interface TreeFile {
  readonly path: string;
  readonly kind: 'file';
  readonly isExecutable: boolean;
  /** SHA-256 of its content, in hexadecimal digits. */
  readonly hash: string;
}

export interface TreeLink {
  readonly path: string;
  readonly kind: 'link';
  readonly target: string;
}

export interface CodeTree {
  /** Sorted, so that the same code has the same bytes. */
  readonly entries: readonly TreeEntry[];
  /** Paths that git ignores: data, results, environments. A run sees them where they are. */
  readonly ignored: readonly string[];
}

const FORMAT = 'trainyard code 1';

/** One line of JSON for each entry, after a line that says what it is. */
export function encodeTree({ entries, ignored }: CodeTree): Uint8Array {
  const files = [...entries].sort((a, b) => compare(a.path, b.path)).map(lineOf);
  const others = [...ignored].sort(compare).map((path) => JSON.stringify(['ignored', path]));
  return new TextEncoder().encode([FORMAT, ...files, ...others, ''].join('\n'));
}

function lineOf(entry: TreeEntry): string {
  if (entry.kind === 'link') return JSON.stringify(['link', entry.path, entry.target]);
  return JSON.stringify([entry.isExecutable ? 'program' : 'file', entry.path, entry.hash]);
}

/** Null when these are not the bytes of a tree. */
export function decodeTree(bytes: Uint8Array): CodeTree | null {
  const [format, ...lines] = new TextDecoder().decode(bytes).split('\n');
  if (format !== FORMAT) return null;
  const entries: TreeEntry[] = [];
  const ignored: string[] = [];
  for (const line of lines.filter((text) => text !== '')) {
    const [kind, path, what] = JSON.parse(line) as readonly [string, string, string];
    if (!staysInside(path)) return null;
    if (kind === 'ignored') ignored.push(path);
    else if (kind === 'link') entries.push({ kind, path, target: what });
    else entries.push({ kind: 'file', path, isExecutable: kind === 'program', hash: what });
  }
  return { entries, ignored };
}

/** Whether a path leads nowhere but below the directory that it is meant for. */
export function staysInside(path: string): boolean {
  return path !== '' && path.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
