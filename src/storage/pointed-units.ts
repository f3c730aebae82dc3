/**
 * Which units the pointers of a directory name: links, and small files as TensorFlow, DeepSpeed and Megatron write them.
 * A program points to a checkpoint when it has finished it.
 */

import { textFromBytes } from '../model/bytes.ts';
import type { DirectoryHandle } from '../platform/directory.ts';
import { openBelow, readSmallFile } from '../platform/open-below.ts';
import { MAX_POINTER_BYTES, type Unit } from './units.ts';

/** Names of units that a pointer names which is no older than they are. */
export async function pointedTo(
  directory: DirectoryHandle,
  units: readonly Unit[],
): Promise<ReadonlySet<string>> {
  const named = new Set<string>();
  for (const { kind, name, files, writtenAt } of units) {
    const [pointer] = files;
    if (kind !== 'pointer' || pointer === undefined) continue;
    const isNamed = pointer.link === null ? await byFile(directory, name) : byLink(pointer.link);
    for (const unit of units)
      if (unit.kind !== 'pointer' && unit.writtenAt <= writtenAt && isNamed(unit)) named.add(unit.name);
  }
  return named;
}

type IsNamed = (unit: Unit) => boolean;

/** What counts is the last part of the path: the directory may be known by several. */
function byLink(link: string): IsNamed {
  const name = link.replace(/\/+$/, '').replace(/^.*\//s, '');
  return (unit) => unit.name === name;
}

async function byFile(directory: DirectoryHandle, name: string): Promise<IsNamed> {
  const bytes = await readSmallFile(() => openBelow(directory, name), MAX_POINTER_BYTES);
  if (bytes === null) return () => false;
  const text = textFromBytes(bytes);
  if (name === 'checkpoint') return byLink(/^model_checkpoint_path: "(.*)"$/m.exec(text)?.[1] ?? '');
  if (name === 'latest') return byLink(text.trim());
  const step = /^\s*\d+\s*$/.test(text) ? Number(text) : null;
  return (unit) => step !== null && unit.step === step;
}
