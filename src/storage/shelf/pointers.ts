/** Which pointers lead to a checkpoint: a link by where it leads, a small file by what its first line says. */

import { constants } from 'node:fs';
import { readSmallFile } from '../../platform/open-below.ts';
import { firstName } from './links.ts';
import type { Kept } from './manifest.ts';
import type { Ground } from './trees.ts';

/** What points is short. */
const MAX_POINTER_BYTES = 64 * 1024;

export async function pointersTo(
  ground: Ground,
  kept: readonly Kept[],
  entry: Kept,
): Promise<readonly Kept[]> {
  const found: Kept[] = [];
  for (const pointer of kept) {
    const [file] = pointer.files;
    if (pointer.kind !== 'pointer' || file === undefined) continue;
    const leads =
      file.link === undefined
        ? file.size <= MAX_POINTER_BYTES && saysSo(await textOf(ground, file.path), entry)
        : isPartOf(firstName(file.link), entry);
    if (leads) found.push(pointer);
  }
  return found;
}

/** The checkpoint that a link among them leads to or into. */
export function pointedTo(kept: readonly Kept[], link: string): Kept | null {
  const first = firstName(link);
  return kept.find((entry) => entry.kind !== 'pointer' && isPartOf(first, entry)) ?? null;
}

function isPartOf(name: string, entry: Kept): boolean {
  return name === entry.name || (entry.kind === 'group' && entry.files.some(({ path }) => path === name));
}

async function textOf({ calls, directory }: Ground, path: string): Promise<string> {
  const flags = constants.O_RDONLY | constants.O_NONBLOCK;
  const bytes = await readSmallFile(() => calls.open(`${directory}/${path}`, flags), MAX_POINTER_BYTES);
  return bytes?.toString('utf8') ?? '';
}

/** `model_checkpoint_path: "model.ckpt-300"`, `global_step300`, or only `300`. */
export function saysSo(text: string, { name, step }: Pick<Kept, 'name' | 'step'>): boolean {
  const line = text.trimStart().split('\n')[0]?.trim() ?? '';
  if (/^\d{1,15}$/.test(line) && Number(line) === step) return true;
  const quoted = /"(.*)"/.exec(line)?.[1] ?? line;
  return quoted === name || quoted.endsWith(`/${name}`);
}
