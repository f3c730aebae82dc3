/**
 * Which checkpoints their program has finished. It is asked again and again while the program runs, and once more when
 * all its processes are gone.
 *
 * Nothing says outright that a file is finished, so several signs are put together, and each rules one mistake out:
 *
 * - A file that anybody can still write to is not finished, whatever it looks like (closed.ts).
 * - A file that is closed, and was last written a moment ago or has not changed between two looks, is finished if it
 *   can show it: by its format (formats.ts), by having the size of the one before it, or by a later one of its family
 *   that has been begun. One that was renamed into place is finished at once. Other files must have been quiet for a
 *   while, and whoever was seen writing must have outlived it: the kernel also closes what a kill has cut short, and the
 *   script around a trainer may live on long after that. Where such a file grew again after it had been quiet, all that
 *   follow must be quiet for several times as long.
 * - A file whose format says that a piece is missing is not finished: a save that met a full disk leaves such a file,
 *   closed and quiet, and a program that resumed from it would fail for good.
 * - A directory is written file by file, with pauses in which nothing in it is open. So it is finished when a marker in
 *   it, a pointer to it, or its being renamed says so; when a later one of its family has been begun; and otherwise when
 *   it has been quiet for a while. It must be quiet for much longer as long as it lacks files that the one before it had,
 *   or has temporary ones.
 * - The files of a TensorFlow group are finished when the index, which is written last, and all shards it needs are there.
 *
 * When its processes are dead, being closed means nothing any more, as a file that was cut short by the kill is closed
 * too. After an orderly end everything is finished. Otherwise a unit must have been finished when it was last seen, or
 * prove it itself: by its format, by a sign as above, or by having the very size of others. What is left is
 * unproven: somebody may want to look at it, but nobody should resume from it.
 *
 * The time is handed in, and nothing here waits for it.
 */

import { closeSync, fstatSync } from 'node:fs';
import type { DirectoryHandle } from '../platform/directory.ts';
import { openBelow } from '../platform/open-below.ts';
import { writersOf } from '../platform/open-files.ts';
import { isAlive, type ProcessIdentity } from '../platform/processes.ts';
import { createOpennessCheck, type Openness } from './closed.ts';
import {
  activityOf,
  hasAllOf,
  hasEquals,
  hasLater,
  hasMarker,
  hasTwin,
  isSealed,
  isSizeIn,
  lastChangeOf,
  type Shape,
  shapeOf,
} from './finished-signs.ts';
import type { Wholeness } from './formats/reading.ts';
import { looksWhole } from './formats.ts';
import { inChunks } from './in-chunks.ts';
import { pointedTo } from './pointed-units.ts';
import { isCompanion } from './retention.ts';
import { listOpenDirectory, openIfThere } from './scan.ts';
import { isGroupComplete, newestFirst, type Unit } from './units.ts';

export interface Look {
  /** Newest first. */
  readonly ready: readonly Unit[];
  readonly growing: readonly Unit[];
}

export interface LastLook {
  readonly ready: readonly Unit[];
  readonly unproven: readonly Unit[];
}

export interface Settling {
  /** The time as files have it, in milliseconds of the epoch. Throws when the directory cannot be read. */
  look(now: number): Promise<Look>;
  /** For when all that wrote here is dead. Orderly: of its own accord, with a status that says that all is well. */
  lastLook(ending: { readonly isOrderly: boolean }): Promise<LastLook>;
}

/** A program that writes a file in several goes does so faster than this. */
const MOMENT_MS = 20;
const QUIET_MS = 2000;
/** So many times as long for what seems to lack something. */
const PATIENCE = 30;
/** After a file grew again that had been quiet, others like it must be quiet for so many times as long. */
const PAUSES = 4;
/** But no longer than this: a program that writes over the same file looks the same. */
const LONGEST_QUIET_MS = 30_000;

/** What is known of a unit as it is; forgotten as soon as anything happens to it. */
interface Seen {
  readonly activity: string;
  /** When it was first seen so. */
  since: number;
  looks: number;
  isReady: boolean;
  /** Nothing but quiet says that it is finished. */
  isByQuiet: boolean;
  readonly bytes: number;
  readonly ino: number | null;
  /** It had another name before. */
  isRenamed: boolean;
  wholeness: Promise<readonly Wholeness[]> | null;
}

/** What is there at one look. */
interface Sight {
  /** Open for as long as the look takes. */
  readonly root: DirectoryHandle;
  /** Oldest first, so that it is known what earlier ones are like. */
  readonly units: readonly Unit[];
  /** Those that a pointer names. */
  readonly named: ReadonlySet<string>;
  readonly now: number;
}

/** Who was seen writing to a file that is not finished. */
interface Writers {
  readonly who: readonly ProcessIdentity[];
  /** One of them was, at the last look. What has happened to the file since then, others did. */
  areGone: boolean;
}

export function createSettling(directory: string, { quietMs = QUIET_MS } = {}): Settling {
  let seen = new Map<string, Seen>();
  let namesBefore: ReadonlyMap<string, string> = new Map();
  /** Of each family, what the last finished one was like. */
  const shapes = new Map<string, Shape>();

  const writers = new Map<string, Writers>();

  /** How long a file that says nothing about itself must be quiet; this program may pause for longer than most. */
  let rawQuietMs = quietMs;

  const seenOf = (unit: Unit) => seen.get(unit.name) as Seen;
  const shapeBefore = ({ family }: Unit) => (family === null ? null : (shapes.get(family) ?? null));

  async function sight(root: DirectoryHandle, now: number): Promise<Sight> {
    const { units, births } = await listOpenDirectory(root);
    const before = seen;
    const next = new Map<string, Seen>();
    for (const unit of units) {
      const last = before.get(unit.name);
      const activity = activityOf(unit);
      const known = last?.activity === activity ? last : firstSeen(unit, activity, now);
      if (last !== undefined && last !== known) learnFrom(last, known, unit);
      known.looks++;
      // A clock that is set back must not make us wait until it is there again.
      known.since = Math.min(known.since, now);
      const birth = births.get(unit.name);
      const nameBefore = birth === undefined ? undefined : namesBefore.get(birth);
      if (nameBefore !== undefined && nameBefore !== unit.name) known.isRenamed = true;
      next.set(unit.name, known);
    }
    seen = next;
    followWriters(before);
    namesBefore = new Map([...births].map(([name, birth]) => [birth, name]));
    return { root, units: newestFirst(units).toReversed(), named: await pointedTo(root, units), now };
  }

  /** It was taken for finished, and its program has gone on with it: what comes next is given more time. */
  function learnFrom(before: Seen, now: Seen, unit: Unit): void {
    const isGrown = before.isByQuiet && before.ino === now.ino && now.bytes > before.bytes;
    if (!isGrown || isCompanion(unit) || !Number.isFinite(now.since)) return;
    rawQuietMs = Math.max(rawQuietMs, Math.min(PAUSES * (now.since - before.since), LONGEST_QUIET_MS));
  }

  async function atSight<Result>(
    now: number,
    nothing: Result,
    work: (found: Sight) => Promise<Result>,
  ): Promise<Result> {
    const root = await openIfThere(directory);
    if (root === null) {
      seen = new Map();
      namesBefore = new Map();
      return nothing;
    }
    try {
      return await work(await sight(root, now));
    } finally {
      root.close();
    }
  }

  /** Of each file; read once as long as nothing happens to them. */
  function wholenessOf(unit: Unit, { root }: Sight): Promise<readonly Wholeness[]> {
    const known = seenOf(unit);
    known.wholeness ??= inChunks(unit.files, ({ path, size, link }) =>
      link === null ? looksWhole(root, path, size) : 'whole',
    );
    return known.wholeness;
  }

  function markReady(unit: Unit): void {
    const known = seenOf(unit);
    if (!known.isReady && unit.family !== null) shapes.set(unit.family, shapeOf(unit));
    writers.delete(unit.name);
    known.isReady = true;
  }

  /** A sign that a writer gives when it is done. */
  function isSignedOff(unit: Unit, { units, named }: Sight): boolean {
    if (seenOf(unit).isRenamed || isSealed(unit)) return true;
    if (unit.kind === 'group') return named.has(unit.name);
    // What was cut short may have been left behind by a program that was started again and went on elsewhere.
    if (unit.kind === 'file') return hasLater(unit, units) && (!wasCutShort(unit) || hasTwin(unit, units));
    return unit.kind === 'directory' && (hasMarker(unit) || named.has(unit.name) || hasLater(unit, units));
  }

  function isQuietFor(ms: number, unit: Unit, { now }: Sight): boolean {
    const { since, looks } = seenOf(unit);
    // The times of files are those of another clock, perhaps; a directory is looked at twice, whatever they say.
    const isOld = now - lastChangeOf(unit) > ms && (unit.kind !== 'directory' || looks > 1);
    return isOld || (looks > 1 && now - since >= ms);
  }

  function isQuiet(unit: Unit, sight: Sight, openness: Openness): boolean {
    if (unit.kind !== 'directory') {
      const isClosed = openness === 'closed' && unit.bytes > 0;
      return isQuietFor(isClosed ? MOMENT_MS : quietMs, unit, sight);
    }
    const shape = shapeBefore(unit);
    const isLacking = unit.drafts.length > 0 || (shape !== null && !hasAllOf(shapeOf(unit), shape));
    return isQuietFor(isLacking ? quietMs * PATIENCE : quietMs, unit, sight);
  }

  async function opennessOf(unit: Unit, check: (path: string) => Promise<Openness>): Promise<Openness> {
    const files = [...unit.files, ...unit.drafts].filter(({ link }) => link === null);
    const found = new Set(await inChunks(files, ({ path }) => check(path)));
    return found.has('writing') ? 'writing' : found.has('unknown') ? 'unknown' : 'closed';
  }

  async function isFinished(unit: Unit, sight: Sight, check: (path: string) => Promise<Openness>) {
    const known = seenOf(unit);
    if (known.isReady) return true;
    if (unit.trouble !== null || (unit.kind === 'group' && !isGroupComplete(unit))) return false;
    if (unit.files.every(({ link }) => link !== null) && unit.kind === 'pointer') return true;
    const isDone = isSignedOff(unit, sight);
    // A directory may hold thousands of files: who writes to them is asked when all else is well.
    if (unit.kind === 'directory' && !isDone && !isQuiet(unit, sight, 'closed')) return false;
    const openness = await opennessOf(unit, check);
    if (openness === 'writing') await noteWriters(unit, sight);
    if (openness === 'writing' || (!isDone && !isQuiet(unit, sight, openness))) return false;
    if (hasMarker(unit)) return true;
    const wholeness = await wholenessOf(unit, sight);
    if (wholeness.includes('broken')) return false;
    if (isDone || unit.kind !== 'file' || showsWhole(unit, wholeness)) return true;
    known.isByQuiet = isQuietFor(rawQuietMs, unit, sight) && !wasCutShort(unit);
    return known.isByQuiet;
  }

  /** Once: it is the first one who says how it began, and looking for them is slow. */
  async function noteWriters(unit: Unit, { root }: Sight): Promise<void> {
    const [file] = unit.files;
    if (unit.kind !== 'file' || file === undefined || writers.has(unit.name)) return;
    const fd = await openBelow(root, file.path).catch(() => null);
    if (fd === null) return;
    writers.set(unit.name, { who: writersOf(fstatSync(fd)), areGone: false });
    closeSync(fd);
  }

  function followWriters(before: ReadonlyMap<string, Seen>): void {
    for (const [name, written] of writers) {
      const isChanged = before.get(name) !== seen.get(name);
      if (!seen.has(name) || (isChanged && written.areGone)) writers.delete(name);
      else written.areGone ||= written.who.some((writer) => !isAlive(writer));
    }
  }

  function wasCutShort({ name }: Unit): boolean {
    return writers.get(name)?.areGone === true;
  }

  /** Each of its files says so by its format, or has the size that the one before it had. */
  function showsWhole(unit: Unit, wholeness: readonly Wholeness[]): boolean {
    const shape = shapeBefore(unit);
    return unit.files.every(
      (file, at) => wholeness[at] === 'whole' || (shape !== null && isSizeIn(shape, unit, file)),
    );
  }

  /** When nobody is left who could finish it. */
  async function isProven(unit: Unit, sight: Sight): Promise<boolean> {
    const known = seenOf(unit);
    if (known.isReady) return true;
    if (unit.trouble !== null || (unit.kind === 'group' && !isGroupComplete(unit))) return false;
    if (unit.kind === 'pointer') return unit.files.every(({ link, size }) => link !== null || size > 0);
    if (unit.kind === 'directory' && hasMarker(unit)) return true;
    const wholeness = await wholenessOf(unit, sight);
    if (wholeness.includes('broken') || unit.drafts.length > 0) return false;
    if (isSignedOff(unit, sight)) return true;
    if (unit.kind === 'directory') {
      const shape = shapeBefore(unit);
      return shape !== null && hasAllOf(shapeOf(unit), shape) && showsWhole(unit, wholeness);
    }
    // TensorFlow writes the index when the shards are done.
    if (
      unit.kind === 'group' &&
      unit.files.some(({ path }, at) => path.endsWith('.index') && wholeness[at] === 'whole')
    )
      return true;
    return showsWhole(unit, wholeness) || hasEquals(unit, sight.units);
  }

  return {
    look: (now) =>
      atSight(now, { ready: [], growing: [] }, async (found) => {
        const check = createOpennessCheck((path) => openBelow(found.root, path));
        const [ready, growing]: [Unit[], Unit[]] = [[], []];
        for (const unit of found.units) {
          if (await isFinished(unit, found, check)) {
            markReady(unit);
            ready.push(unit);
          } else growing.push(unit);
        }
        return { ready: ready.reverse(), growing: growing.reverse() };
      }),
    lastLook: ({ isOrderly }) =>
      atSight(Number.POSITIVE_INFINITY, { ready: [], unproven: [] }, async (found) => {
        const [ready, unproven]: [Unit[], Unit[]] = [[], []];
        for (const unit of found.units) {
          if (isOrderly ? unit.trouble === null : await isProven(unit, found)) {
            markReady(unit);
            ready.push(unit);
          } else unproven.push(unit);
        }
        return { ready: ready.reverse(), unproven: unproven.reverse() };
      }),
  };
}

function firstSeen({ bytes, files }: Unit, activity: string, since: number): Seen {
  const ino = files[0]?.ino ?? null;
  const unknown = { looks: 0, isReady: false, isByQuiet: false, isRenamed: false, wholeness: null };
  return { ...unknown, activity, since, bytes, ino };
}
