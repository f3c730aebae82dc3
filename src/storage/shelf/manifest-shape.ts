/**
 * What a manifest may say. What it says decides what is moved and removed, and somebody else may have written it: every
 * field has a type and a bound, none is unknown, names are plain, and paths lead only to where a change of this program
 * would have put things. Pure; a manifest that is not of this shape is set aside as a whole.
 */

import { bytesFromText } from '../../model/bytes.ts';
import { isPlainName } from '../../platform/directory.ts';
import { isSound } from './blocks.ts';
import type { Kept, Manifest, Settling } from './manifest.ts';
import { topsOf } from './tops.ts';

type Check = (value: unknown) => boolean;

const MAX_NAME_BYTES = 255;
const MAX_PATH_BYTES = 4095;
const MAX_SOURCES = 16;
/** No clock and no file system goes further from 1970. */
const MAX_TIME_MS = 8.64e15;

const isName: Check = (value) =>
  typeof value === 'string' &&
  isPlainName(value) &&
  value !== '.trainyard' &&
  isAtMost(value, MAX_NAME_BYTES);
/** Of plain names; below the directory of the manifest, but not in `.trainyard`. */
const isPath: Check = (value) =>
  typeof value === 'string' &&
  isAtMost(value, MAX_PATH_BYTES) &&
  value.split('/').every((part, at) => (at === 0 ? isName(part) : isPlainName(part)));
const isIn =
  (...directories: readonly string[]): Check =>
  (value) =>
    typeof value === 'string' &&
    directories.some((directory) => {
      const prefix = `.trainyard/${directory}/`;
      return value.startsWith(prefix) && isName(value.slice(prefix.length));
    });
/** As draftId makes it: also the name of a directory. */
const isId = matching(/^[0-9a-z]{1,20}-[0-9a-f]{1,40}$/);
const isSource = matching(/^[0-9A-Za-z_-]{0,64}$/);
const isAttempt = matching(/^\d{1,16}\.\d{1,9}$/);
const isDigest = matching(/^[0-9a-f]{64}$/);
const isLink: Check = (value) =>
  typeof value === 'string' && value !== '' && !value.includes('\0') && isAtMost(value, MAX_PATH_BYTES);
const isFlag: Check = (value) => typeof value === 'boolean';
const isCount: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const isTime: Check = (value) => typeof value === 'number' && Math.abs(value) <= MAX_TIME_MS;
const isMode: Check = (value) => isCount(value) && (value as number) <= 0o7777;
const isKind = oneOf('file', 'directory', 'group', 'pointer');
const isNull: Check = (value) => value === null;

const isFileOfEntry = record(
  { path: isPath, mode: isMode, mtimeMs: isTime, size: isCount, sha256: isDigest },
  { shelfMtimeMs: isTime, link: isLink, blocks: matching(/^[0-9a-f]+$/) },
);
const isDirectoryOfEntry = record({ path: isPath, mode: isMode, mtimeMs: isTime });

const SHARED = {
  name: isName,
  kind: isKind,
  step: either(isNull, isCount),
  isBest: isFlag,
  bytes: isCount,
  writtenAt: isTime,
  attempt: either(isNull, isAttempt),
  sources: listOf(isSource, MAX_SOURCES),
};
const ENTRY = {
  ...SHARED,
  id: isId,
  family: either(isNull, (value) => typeof value === 'string' && isAtMost(value, 4 * MAX_NAME_BYTES)),
  keptAt: isTime,
  clockShiftMs: isTime,
  files: listOf(isFileOfEntry),
  directories: listOf(isDirectoryOfEntry),
};
const isPrevious = record({ ...ENTRY, previous: isNull });
const isEntry = record({ ...ENTRY, previous: either(isNull, isPrevious) });

const isApart = record({
  ...SHARED,
  state: oneOf('damaged', 'unproven'),
  fileCount: isCount,
  at: isTime,
  // What its program keeps in place is set apart where it is.
  path: either(isName, isIn('damaged', 'unproven')),
});
const isRetired = record({ name: isName, at: isTime, sources: SHARED.sources });

const isPut = record({
  what: oneOf('put'),
  id: isId,
  name: isName,
  tops: listOf(isName),
  exchangedInos: (value) =>
    isRecord(value) && Object.entries(value).every(([name, ino]) => isName(name) && isCount(ino)),
  before: listOf(record({ top: isName, aside: either(isNull, isIn('replaced')) })),
  keepsPrevious: isFlag,
});
const isSetAside = record({
  what: oneOf('setAside'),
  id: isId,
  name: isName,
  tops: listOf(isName),
  to: isIn('damaged'),
  promoted: listOf(isName),
});

const isManifest = record({
  kept: listOf(isEntry),
  apart: listOf(isApart),
  retired: listOf(isRetired),
  leaving: listOf(isEntry),
  settling: either(isNull, either(isPut, isSetAside)),
});

/** Whether every field is what it may be, and all of them agree. */
export function isManifestShape(value: unknown): value is Manifest {
  if (!isManifest(value)) return false;
  const { kept, leaving, settling } = value as Manifest;
  if (!isOwnChange(kept, settling)) return false;
  if (new Set(kept.map(({ name }) => name)).size < kept.length) return false;
  return [...kept, ...leaving].every((entry) => holdsTogether(entry) && holdsTogether(entry.previous));
}

/** A change moves what is listed; what it takes away without a trace is only a version of the same checkpoint. */
function isOwnChange(kept: readonly Kept[], settling: Settling | null): boolean {
  if (settling === null) return true;
  const entry = kept.find(({ name }) => name === settling.name);
  if (settling.what === 'setAside')
    return (
      settling.promoted.length === 0 || (entry !== undefined && isSameList(settling.promoted, topsOf(entry)))
    );
  if (entry === undefined || entry.id !== settling.id || !isSameList(settling.tops, topsOf(entry)))
    return false;
  const own = new Set([...settling.tops, ...(entry.previous === null ? [] : topsOf(entry.previous))]);
  return (
    settling.before.every(({ top, aside }) =>
      aside === null ? own.has(top) : settling.tops.includes(top),
    ) && Object.keys(settling.exchangedInos).every((top) => settling.tops.includes(top))
  );
}

function isSameList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((item, at) => item === other[at]);
}

/** Whether all its files are below its own names, each once, and have digests that fit. */
function holdsTogether(entry: Kept | null): boolean {
  if (entry === null) return true;
  const { kind, name, files, directories } = entry;
  const paths = [...files, ...directories].map(({ path }) => path);
  if (new Set(paths).size < paths.length || !files.every(isSound)) return false;
  if (kind === 'directory')
    return directories[0]?.path === name && paths.every((path) => isBelow(path, name));
  if (directories.length > 0) return false;
  if (kind === 'group')
    return files.length > 0 && paths.every((path) => !path.includes('/') && path.startsWith(name));
  return files.length === 1 && paths[0] === name;
}

function isBelow(path: string, name: string): boolean {
  return path === name || path.startsWith(`${name}/`);
}

function matching(pattern: RegExp): Check {
  return (value) => typeof value === 'string' && pattern.test(value);
}

function oneOf(...words: readonly string[]): Check {
  return (value) => typeof value === 'string' && words.includes(value);
}

function either(one: Check, other: Check): Check {
  return (value) => one(value) || other(value);
}

function listOf(check: Check, most = Number.POSITIVE_INFINITY): Check {
  return (value) => Array.isArray(value) && value.length <= most && value.every(check);
}

/** With all of these fields, perhaps the optional ones, and no others. */
function record(
  fields: Readonly<Record<string, Check>>,
  optional: Readonly<Record<string, Check>> = {},
): Check {
  const needed = Object.keys(fields);
  return (value) => {
    if (!isRecord(value) || !needed.every((key) => Object.hasOwn(value, key))) return false;
    return Object.entries(value).every(([key, one]) => {
      const check = Object.hasOwn(fields, key)
        ? fields[key]
        : Object.hasOwn(optional, key)
          ? optional[key]
          : null;
      return check?.(one) ?? false;
    });
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isAtMost(text: string, bytes: number): boolean {
  return text.length <= bytes && bytesFromText(text).length <= bytes;
}
