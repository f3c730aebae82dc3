/**
 * Which files the processes of this machine have open for writing, read from /proc. Slower than asking the kernel for a
 * lease, and it sees only what this user may see; for file systems that have no leases, and to know the writers by name.
 */

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { isOutOfFiles } from './files.ts';
import { identityOf, type ProcessIdentity } from './processes.ts';
import { withSpareFile } from './spare-file.ts';

/** A file, by device and number, as stat gives them. */
export function fileKey(found: { readonly dev: number; readonly ino: number }): string {
  return `${found.dev}:${found.ino}`;
}

export function filesOpenForWriting(): ReadonlySet<string> {
  return new Set(readdirSync('/proc').filter(isNumber).flatMap(filesWrittenBy));
}

/** Whoever has this one open for writing, as far as this user may see. */
export function writersOf(file: { readonly dev: number; readonly ino: number }): readonly ProcessIdentity[] {
  const key = fileKey(file);
  return readdirSync('/proc')
    .filter((pid) => isNumber(pid) && filesWrittenBy(pid).includes(key))
    .flatMap((pid) => identityOf(Number(pid)) ?? []);
}

function isNumber(name: string): boolean {
  return /^\d+$/.test(name);
}

function filesWrittenBy(pid: string): readonly string[] {
  const open = namesIn(`/proc/${pid}/fd`).flatMap((fd) => keyOfDescriptor(pid, fd) ?? []);
  return [...open, ...mappedForWriting(textOf(`/proc/${pid}/maps`))];
}

function keyOfDescriptor(pid: string, fd: string): string | null {
  const flags = /^flags:\s*([0-7]+)/m.exec(textOf(`/proc/${pid}/fdinfo/${fd}`))?.[1];
  if (flags === undefined || (Number.parseInt(flags, 8) & 3) === 0) return null;
  try {
    const found = statSync(`/proc/${pid}/fd/${fd}`);
    return found.isFile() ? fileKey(found) : null;
  } catch {
    return null;
  }
}

/** A file stays writable through a shared mapping when its descriptor is long closed. */
export function mappedForWriting(maps: string): readonly string[] {
  const keys: string[] = [];
  for (const [, major, minor, ino] of maps.matchAll(/^\S+ .w.s \S+ ([0-9a-f]+):([0-9a-f]+) (\d+)/gm))
    if (ino !== '0') keys.push(`${deviceNumber(Number(`0x${major}`), Number(`0x${minor}`))}:${ino}`);
  return keys;
}

/** Two numbers as the one that stat gives. */
function deviceNumber(major: number, minor: number): number {
  return (minor & 0xff) + (major & 0xfff) * 2 ** 8 + (minor >>> 8) * 2 ** 20 + (major >>> 12) * 2 ** 44;
}

function namesIn(path: string): readonly string[] {
  return orElse(() => readdirSync(path), []);
}

function textOf(path: string): string {
  return orElse(() => readFileSync(path, 'latin1'), '');
}

/** Where nothing can be opened at all, nobody can be said to have nothing open: that is thrown. */
function orElse<T>(read: () => T, otherwise: T): T {
  try {
    return withSpareFile(read);
  } catch (error) {
    if (isOutOfFiles(error)) throw error;
    return otherwise;
  }
}
