/**
 * What in a directory is a checkpoint. A unit is what a program wrote as one thing: a file, a directory with all that is
 * in it, or the files of TensorFlow that share a stem. Pure: it is given a listing (scan.ts makes one) and does not know
 * whether a unit is finished (settled.ts), only which names are never meant to last.
 *
 * Paths are relative to the listed directory, with bytes that are not UTF-8 as model/bytes.ts has them.
 */

import { isTemporaryInside, isTemporaryName, readName } from './unit-names.ts';

export interface UnitFile {
  readonly path: string;
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly ino: number;
  /** Where a symbolic link points, as it is written there; null: it is a plain file. */
  readonly link: string | null;
  /** The permission bits. */
  readonly mode: number;
}

export interface UnitDirectory {
  readonly path: string;
  readonly ino: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly mode: number;
}

/** Pointers (links, `checkpoint`, `latest`) only name another unit: they are copied after it. */
export type UnitKind = 'file' | 'directory' | 'group' | 'pointer';

export interface Unit {
  /** As it is called in its directory; of a group, the stem of its files. */
  readonly name: string;
  readonly kind: UnitKind;
  /** Read off its name; null when that says nothing. */
  readonly step: number | null;
  /** Units that differ only in how far they are: the name with such numbers as #; null: it is one of its own. */
  readonly family: string | null;
  readonly isBest: boolean;
  /** By path. Without temporary ones. */
  readonly files: readonly UnitFile[];
  /** Of a directory: itself first, then all that are in it, empty ones too. */
  readonly directories: readonly UnitDirectory[];
  /** Temporary files in it, which are no part of it: somebody is writing, or was when killed. */
  readonly drafts: readonly UnitFile[];
  readonly bytes: number;
  /** When the last of its files was written. */
  readonly writtenAt: number;
  /** Why it could not be looked at to its end, such as a directory without permission; then it is never ready. */
  readonly trouble: string | null;
}

/** One line of a listing, in any order; of a directory, size and link mean nothing. */
export interface Entry extends UnitFile {
  readonly isDirectory: boolean;
  readonly trouble: string | null;
}

/** What points is short; a real checkpoint may have the same name. */
export const MAX_POINTER_BYTES = 1 << 20;

/** A file of TensorFlow: its stem, and what it is of it. */
const PART = /^(.+)\.(index|meta|data-\d{5,}-of-\d{5,})$/s;

/** With such a stem, a single file of it is enough to know it. */
const TENSORFLOW_STEM = /ckpt|-\d+$/i;

/** Everything in a directory as units, by name; temporary ones are left out. */
export function unitsOf(entries: readonly Entry[]): readonly Unit[] {
  const byTop = groupedBy(
    entries.filter(({ path }) => !isTemporaryName(topOf(path))),
    ({ path }) => topOf(path),
  );
  const plain = [...byTop].filter(([top, inside]) =>
    inside.some((one) => one.path === top && !one.isDirectory),
  );
  const stems = groupStems(
    plain.map(([name]) => name),
    byTop,
  );
  const groups = groupedBy(plain, ([name, [file]]) => (file?.link === null ? stemOf(name, stems) : null));
  const units: Unit[] = [];
  for (const [top, inside] of byTop)
    if (inside.some((one) => one.path === top && one.isDirectory)) units.push(directoryUnit(top, inside));
  for (const [stem, parts] of groups) {
    if (stem !== null)
      units.push(
        unit(
          stem,
          'group',
          parts.flatMap(([, files]) => files),
        ),
      );
    else
      for (const [name, files] of parts)
        units.push(unit(name, files[0]?.link === null ? 'file' : 'pointer', files));
  }
  return withBestMarked(withPointersMarked(units)).sort((one, other) => order(one.name, other.name));
}

function groupStems(
  names: readonly string[],
  all: ReadonlyMap<string, readonly Entry[]>,
): ReadonlySet<string> {
  const stems = new Set<string>();
  for (const name of names) {
    const [, stem, part] = PART.exec(name) ?? [];
    if (stem === undefined || part === undefined) continue;
    // A directory of that name is a unit already.
    if (all.get(stem)?.some(({ isDirectory }) => isDirectory)) continue;
    if (part.startsWith('data-') || TENSORFLOW_STEM.test(stem)) stems.add(stem);
  }
  return stems;
}

/** The older kind of TensorFlow has its data in a file that is called as the stem. */
function stemOf(name: string, stems: ReadonlySet<string>): string | null {
  const stem = PART.exec(name)?.[1] ?? name;
  return stems.has(stem) ? stem : null;
}

/** Whether the files of a group are all there, by what their names say. */
export function isGroupComplete({ name, files }: Unit): boolean {
  const parts = new Set(files.map(({ path }) => path.slice(name.length)));
  const data = [...parts]
    .map((part) => /^\.data-\d+-of-(\d+)$/.exec(part)?.[1])
    .filter((of) => of !== undefined);
  if (data.length === 0) return parts.has('') && parts.has('.meta');
  return parts.has('.index') && data.every((of) => data.filter((same) => same === of).length === Number(of));
}

function directoryUnit(name: string, inside: readonly Entry[]): Unit {
  const isDraft = ({ path }: Entry) =>
    path
      .slice(name.length + 1)
      .split('/')
      .some(isTemporaryInside);
  const here = inside.filter((entry) => entry.path === name || !isDraft(entry));
  const drafts = inside.filter((entry) => entry.path !== name && isDraft(entry) && !entry.isDirectory);
  return unit(name, 'directory', here, drafts);
}

function unit(name: string, kind: UnitKind, entries: readonly Entry[], drafts: readonly Entry[] = []): Unit {
  const sorted = [...entries].sort((one, other) => order(one.path, other.path));
  const files = sorted.filter(({ isDirectory }) => !isDirectory);
  const times = (files.length > 0 ? files : sorted).map(({ mtimeMs }) => mtimeMs);
  return {
    name,
    kind,
    ...readName(name),
    files: files.map(asFile),
    directories: sorted.filter(({ isDirectory }) => isDirectory).map(asDirectory),
    drafts: drafts.map(asFile),
    bytes: files.reduce((bytes, { size }) => bytes + size, 0),
    writtenAt: times.reduce((latest, time) => Math.max(latest, time), 0),
    trouble: [...sorted, ...drafts].find(({ trouble }) => trouble !== null)?.trouble ?? null,
  };
}

function asFile({ path, size, mtimeMs, ctimeMs, ino, link, mode }: Entry): UnitFile {
  return { path, size, mtimeMs, ctimeMs, ino, link, mode };
}

function asDirectory({ path, ino, mtimeMs, ctimeMs, mode }: Entry): UnitDirectory {
  return { path, ino, mtimeMs, ctimeMs, mode };
}

/** A small file with the name of a pointer is one only beside something that it can point to. */
function withPointersMarked(units: readonly Unit[]): Unit[] {
  const hasGroup = units.some(({ kind }) => kind === 'group');
  const hasOther = units.some(
    ({ kind, name }) => kind !== 'pointer' && name !== 'latest' && name !== 'checkpoint',
  );
  const points: Readonly<Record<string, boolean>> = {
    checkpoint: hasGroup,
    latest: hasOther,
    'latest_checkpointed_iteration.txt': true,
  };
  return units.map((unit) =>
    unit.kind === 'file' &&
    unit.bytes <= MAX_POINTER_BYTES &&
    Object.hasOwn(points, unit.name) &&
    points[unit.name]
      ? { ...unit, kind: 'pointer' }
      : unit,
  );
}

/** What a link that is called best points to is the best one. */
function withBestMarked(units: readonly Unit[]): Unit[] {
  const best = new Set(
    units.flatMap(({ kind, isBest, files }) =>
      kind === 'pointer' && isBest
        ? files.flatMap(({ link }) => (link === null ? [] : [pointedTo(link)]))
        : [],
    ),
  );
  return units.map((unit) =>
    best.has(unit.name) || (unit.kind === 'group' && unit.files.some(({ path }) => best.has(path)))
      ? { ...unit, isBest: true }
      : unit,
  );
}

/** Programs link by a relative or a whole path; the name is what counts here, and one too many does no harm. */
function pointedTo(link: string): string {
  return link.replace(/\/+$/, '').replace(/^.*\//s, '');
}

/**
 * Of units of a family the higher step is the newer one, whatever their times say; units of different families go by
 * time, and one counts as no older than those of its family that it came after.
 */
export function newestFirst(units: readonly Unit[]): readonly Unit[] {
  const dated: { readonly unit: Unit; readonly at: number }[] = [];
  const families = groupedBy(units, ({ family, name }) => family ?? `/${name}`);
  for (const [, family] of [...families].sort(([one], [other]) => order(one, other))) {
    let at = Number.NEGATIVE_INFINITY;
    for (const unit of family.sort(byStep)) {
      at = Math.max(at, unit.writtenAt);
      dated.push({ unit, at });
    }
  }
  return dated
    .reverse()
    .sort((one, other) => other.at - one.at)
    .map(({ unit }) => unit);
}

function byStep(one: Unit, other: Unit): number {
  return (
    (one.step ?? -1) - (other.step ?? -1) || one.writtenAt - other.writtenAt || order(one.name, other.name)
  );
}

function groupedBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

function order(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

function topOf(path: string): string {
  const slash = path.indexOf('/');
  return slash < 0 ? path : path.slice(0, slash);
}
