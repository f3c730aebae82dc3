/**
 * What a shelf knows of itself: every checkpoint that is safe, with what each of its files must be; what was removed on
 * purpose; what is set apart; and the change that is being made, written down before anything is moved, so that whoever
 * comes after a crash can bring it to its end. Types and their text only; who reads and writes it is manifest-file.ts.
 */

import type { AttemptId } from '../../model/ids.ts';
import type { CheckpointNote } from '../../model/keeping.ts';
import type { UnitKind } from '../units.ts';
import type { Content } from './blocks.ts';
import { isManifestShape } from './manifest-shape.ts';

export const MANIFEST_VERSION = 1;

export interface KeptFile extends Content {
  readonly path: string;
  readonly mode: number;
  /** As its program left it. */
  readonly mtimeMs: number;
  /** On the shelf, where that differs: another version of it has the same content, and they are one file. */
  readonly shelfMtimeMs?: number;
  /** Where a symbolic link points; its digest is that of these bytes. */
  readonly link?: string;
}

export interface KeptDirectory {
  readonly path: string;
  readonly mode: number;
  readonly mtimeMs: number;
}

export interface Kept {
  /** Of this version of it, also the name of the directory in which it was drafted. */
  readonly id: string;
  readonly name: string;
  readonly kind: UnitKind;
  readonly step: number | null;
  readonly family: string | null;
  readonly isBest: boolean;
  readonly bytes: number;
  readonly writtenAt: number;
  readonly keptAt: number;
  /** How far clocks had gone back until then: added to times, they always go on. */
  readonly clockShiftMs: number;
  readonly attempt: AttemptId | null;
  readonly files: readonly KeptFile[];
  readonly directories: readonly KeptDirectory[];
  /** Which files of its program this is a copy of, as identityOf gives it; the last ones. */
  readonly sources: readonly string[];
  /** The version before, in `.trainyard/previous/`. */
  readonly previous: Kept | null;
}

/** Not a checkpoint, or no longer. */
export interface Apart {
  readonly state: 'damaged' | 'unproven';
  readonly name: string;
  readonly kind: UnitKind;
  readonly step: number | null;
  readonly isBest: boolean;
  readonly bytes: number;
  readonly fileCount: number;
  readonly writtenAt: number;
  readonly at: number;
  readonly attempt: AttemptId | null;
  /** From the shelf's directory on. */
  readonly path: string;
  readonly sources: readonly string[];
}

/** Removed on purpose, and not to be copied again. */
export interface Retired {
  readonly name: string;
  readonly at: number;
  readonly sources: readonly string[];
}

/** A change under way: what is done of it can be seen from the files, and the rest can be done by anybody. */
export type Settling =
  /** The drafted version takes its place. */
  | {
      readonly what: 'put';
      readonly id: string;
      readonly name: string;
      /** The entries of the shelf's directory that it consists of, in the order in which they are to appear. */
      readonly tops: readonly string[];
      /** Those that change places with what is there, a directory on either side: the new one's number on the disk. */
      readonly exchangedInos: Readonly<Record<string, number>>;
      /** What has one of these names now: a version before, or somebody else's. */
      readonly before: readonly BeforeTop[];
      readonly keepsPrevious: boolean;
    }
  /** A damaged version leaves its place, to the version before where there is one. */
  | {
      readonly what: 'setAside';
      readonly id: string;
      readonly name: string;
      readonly tops: readonly string[];
      readonly to: string;
      readonly promoted: readonly string[];
    };

export interface BeforeTop {
  readonly top: string;
  /** Null: it is a version of this checkpoint; otherwise where to it is moved, from the shelf's directory on. */
  readonly aside: string | null;
}

export interface Manifest {
  readonly kept: readonly Kept[];
  readonly apart: readonly Apart[];
  readonly retired: readonly Retired[];
  /** Listed no longer, but perhaps not removed yet. */
  readonly leaving: readonly Kept[];
  readonly settling: Settling | null;
}

export const EMPTY_MANIFEST: Manifest = { kept: [], apart: [], retired: [], leaving: [], settling: null };

/** So many are remembered: a program that leaves all its checkpoints where it wrote them has no more than this. */
const MAX_RETIRED = 5000;
export const MAX_SOURCES = 4;

const HEAD = {
  format: 'trainyard checkpoints',
  version: MANIFEST_VERSION,
  blockBytes: 4194304,
  checksum:
    'sha256 of the content; of a file longer than one block, sha256 over the sha256 digests of its blocks',
};

/** A large entry is turned into text once, however often the others change. */
const texts = new WeakMap<object, string>();

/** The pieces of its text; together they are one JSON value, with a line for each checkpoint. */
export function* manifestText(manifest: Manifest): Generator<string> {
  const { settling, apart, retired } = manifest;
  const small = JSON.stringify({ ...HEAD, settling, apart, retired: retired.slice(-MAX_RETIRED) }, null, 1);
  yield `${small.slice(0, -2)},\n "leaving": [`;
  yield* lines(manifest.leaving);
  yield '],\n "kept": [';
  yield* lines(manifest.kept);
  yield ']\n}\n';
}

function* lines(entries: readonly Kept[]): Generator<string> {
  for (const [at, entry] of entries.entries()) {
    let text = texts.get(entry);
    if (text === undefined) {
      text = JSON.stringify(entry);
      texts.set(entry, text);
    }
    yield `${at === 0 ? '' : ','}\n  ${text}`;
  }
  if (entries.length > 0) yield '\n ';
}

export type ParsedManifest =
  | { readonly ok: true; readonly manifest: Manifest }
  | { readonly ok: false; readonly why: 'newer' | 'unreadable' };

export function parseManifest(text: string): ParsedManifest {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { ok: false, why: 'unreadable' };
  }
  if (!isRecord(value) || value.format !== HEAD.format || typeof value.version !== 'number')
    return { ok: false, why: 'unreadable' };
  if (value.version > MANIFEST_VERSION) return { ok: false, why: 'newer' };
  if (!Number.isSafeInteger(value.version) || value.version < 1) return { ok: false, why: 'unreadable' };
  const { format: _, version: _version, blockBytes: _bytes, checksum: _checksum, ...manifest } = value;
  return isManifestShape(manifest) ? { ok: true, manifest } : { ok: false, why: 'unreadable' };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function noteOf({ name, step, bytes, writtenAt, keptAt }: Kept): CheckpointNote {
  return { name, step, bytes, writtenAt, keptAt };
}

const byPath = new WeakMap<Kept, ReadonlyMap<string, KeptFile>>();

export function fileAt(entry: Kept, path: string): KeptFile | undefined {
  let files = byPath.get(entry);
  if (files === undefined) {
    files = new Map(entry.files.map((file) => [file.path, file]));
    byPath.set(entry, files);
  }
  return files.get(path);
}
