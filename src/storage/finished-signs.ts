/**
 * What the names, times and numbers of a unit say about whether its writer has finished it, without looking into a file
 * and without knowing what was seen before. Pure.
 */

import { identityOf } from './identity.ts';
import type { Unit, UnitFile } from './units.ts';

/** The same as long as nothing at all happens in it, to temporary files neither. */
export function activityOf({ kind, files, drafts, directories }: Unit): string {
  const times = directories.map(({ mtimeMs, ctimeMs }) => `${mtimeMs} ${ctimeMs}`);
  return [kind, identityOf({ files: [...files, ...drafts], directories }), ...times].join(',');
}

/** When anything in it was last touched. */
export function lastChangeOf({ files, drafts, directories }: Unit): number {
  let latest = 0;
  for (const { mtimeMs, ctimeMs } of [...files, ...drafts, ...directories])
    latest = Math.max(latest, mtimeMs, ctimeMs);
  return latest;
}

/** Files by which programs say that a directory is complete. */
const MARKERS = new Set(['commit_success.txt', 'COMPLETE', '.complete', '_SUCCESS', 'DONE']);

/** Orbax writes it first, but into a directory that gets its name last. */
const METADATA_OF_ORBAX = '_CHECKPOINT_METADATA';

/** One that is older than another file is left from before the directory was written again. */
export function hasMarker({ name, files, writtenAt }: Unit): boolean {
  return files.some(({ path, mtimeMs }) => {
    const inside = path.slice(name.length + 1);
    return inside === METADATA_OF_ORBAX || (MARKERS.has(inside) && mtimeMs >= writtenAt);
  });
}

/**
 * What is written changes two times of a file at once; a new name changes only the later one. So a file or directory
 * whose own change came after all that was written got its name when it was done.
 */
export function isSealed({ kind, files, drafts, directories, bytes }: Unit): boolean {
  if (bytes === 0 || drafts.length > 0) return false;
  if (kind !== 'directory') return files.every(({ mtimeMs, ctimeMs }) => ctimeMs > mtimeMs);
  const [top, ...others] = directories;
  if (top === undefined || top.ctimeMs <= top.mtimeMs) return false;
  return [...files, ...others].every(
    ({ mtimeMs, ctimeMs }) => mtimeMs <= top.ctimeMs && ctimeMs <= top.ctimeMs,
  );
}

/** Programs save one after the other: what came before one that has been begun is done. */
export function hasLater(unit: Unit, units: readonly Unit[]): boolean {
  const lastChange = lastChangeOf(unit);
  return units.some(
    ({ kind, family, step, files, writtenAt }) =>
      kind === unit.kind &&
      family !== null &&
      family === unit.family &&
      files.length > 0 &&
      (step ?? 0) > (unit.step ?? 0) &&
      writtenAt > lastChange,
  );
}

/** How many files of which names there are, and their sizes; numbers aside, checkpoints of a family have the same. */
export type Shape = ReadonlyMap<string, readonly number[]>;

export function shapeOf({ name, files }: Unit): Shape {
  const shape = new Map<string, number[]>();
  for (const { path, size } of files) {
    const key = path.slice(name.length).replace(/\d+/g, '#');
    const sizes = shape.get(key);
    if (sizes === undefined) shape.set(key, [size]);
    else sizes.push(size);
  }
  return shape;
}

export function hasAllOf(shape: Shape, other: Shape): boolean {
  return [...other].every(([key, sizes]) => (shape.get(key)?.length ?? 0) >= sizes.length);
}

/** Whether one that was finished had a file of this name and size. */
export function isSizeIn(shape: Shape, unit: Unit, { path, size }: UnitFile): boolean {
  return shape.get(path.slice(unit.name.length).replace(/\d+/g, '#'))?.includes(size) ?? false;
}

/** Another one of its family has its very size. */
export function hasTwin(unit: Unit, units: readonly Unit[]): boolean {
  return units.some(
    ({ name, family, bytes }) => name !== unit.name && family === unit.family && bytes === unit.bytes,
  );
}

/**
 * A kill cuts short what is being written at that moment. That it does so at the very same size again and again is
 * hardly possible, also where files are written in large pieces.
 */
export function hasEquals(unit: Unit, units: readonly Unit[]): boolean {
  if (unit.kind !== 'file' || unit.family === null || unit.bytes === 0) return false;
  const equals = units.filter(
    ({ kind, family, bytes, writtenAt }) =>
      kind === 'file' &&
      family === unit.family &&
      bytes === unit.bytes &&
      Math.abs(writtenAt - unit.writtenAt) > APART_MS,
  );
  return equals.length >= FEWEST_EQUALS;
}

const APART_MS = 1000;
const FEWEST_EQUALS = 2;
