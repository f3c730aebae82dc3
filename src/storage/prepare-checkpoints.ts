/**
 * Before a program starts: what an earlier run left behind is settled, and the newest checkpoint that is whole is put back
 * where the program looks for it, with what leads to it and what belongs to all of them. What is broken there is put out
 * of the way, so that nobody takes it for the newest.
 */

import { rename } from 'node:fs/promises';
import { printable } from '../model/bytes.ts';
import type { CheckpointView } from '../model/keeping.ts';
import { Fault } from '../model/refusal.ts';
import { type DirectoryHandle, makeOwnDirectoryIn } from '../platform/directory.ts';
import { errorWords } from '../platform/files.ts';
import { onDisk } from '../platform/path-bytes.ts';
import { isBroken } from './broken-units.ts';
import type { FlushedCheckpoints } from './flush-checkpoints.ts';
import { restoreFound } from './found-before.ts';
import type { KeepOrder, Prepared } from './keeper.ts';
import { makeLastingDirectory } from './lasting-directory.ts';
import { statIfThere } from './log-files.ts';
import { isInPlace } from './open-shelves.ts';
import { isCompanion } from './retention.ts';
import type { Settling } from './settled.ts';
import { openRepository } from './shelf/repository.ts';
import type { Shelf } from './shelf.ts';
import { newestFirst, type Unit } from './units.ts';

export interface PrepareOptions {
  readonly order: KeepOrder;
  readonly from: string;
  readonly shelf: Shelf;
  readonly settling: Settling;
  /** Makes safe what a run left that was never flushed. */
  readonly flush: () => Promise<FlushedCheckpoints>;
}

/** A configuration or a vocabulary; what is larger is no companion. */
const MAX_COMPANION_BYTES = 16 << 20;

const UNFINISHED = 'unfinished';

export async function prepareCheckpoints(options: PrepareOptions): Promise<Prepared> {
  const { order, from, shelf, flush } = options;
  await makeDirectory(from, order.umask);
  const { trouble } = await flush();
  const unfinished = await putUnfinishedAside(options);
  const remarks = [...shelf.remarks, ...unfinished, ...(trouble === null ? [] : [trouble])];
  if (isInPlace(order)) {
    const found = await shelf.newestWhole();
    const resumeFrom = found.entry === null ? null : `${from}/${found.entry.name}`;
    return { resumeFrom, checkpoint: found.note, remarks: [...remarks, ...found.remarks] };
  }
  const ahead = trouble === null ? null : await newestLocal(options);
  if (ahead !== null) return { resumeFrom: `${from}/${ahead.name}`, checkpoint: null, remarks };
  const restored = await shelf.restoreNewest(from);
  const found = restored.path === null ? await restoreFound(shelf, from) : null;
  const companions = await restoreCompanions(shelf, from, restored.entry?.name ?? null);
  return {
    resumeFrom: restored.path ?? found?.path ?? null,
    checkpoint: restored.note,
    remarks: [...remarks, ...restored.remarks, ...(found?.remarks ?? []), ...companions],
  };
}

async function makeDirectory(path: string, umask: number): Promise<void> {
  try {
    await makeLastingDirectory(path, umask);
  } catch (error) {
    throw new Fault(
      `the directory for checkpoints ${printable(path)} cannot be made: ${errorWords(error)}`,
      false,
    );
  }
}

/** What could not be copied is newer than all that was: then nothing older may take its place. */
async function newestLocal({ settling, shelf }: PrepareOptions): Promise<Unit | null> {
  const { ready } = await settling.lastLook({ isOrderly: false });
  const unsafe = ready.filter((unit) => unit.kind !== 'pointer' && shelf.isWanted(unit));
  const sorted = newestFirst(unsafe);
  return sorted.find((unit) => !isCompanion(unit)) ?? sorted[0] ?? null;
}

/** What a killed program left half-written, or perhaps so, would be found by the next one. */
async function putUnfinishedAside(options: PrepareOptions): Promise<string[]> {
  const { from, settling, shelf } = options;
  const { unproven } = await settling.lastLook({ isOrderly: false });
  if (unproven.length === 0) return [];
  const remarks: string[] = [];
  const local = await openRepository(from, 0o700);
  try {
    for (const unit of unproven) {
      const isHalf = await isBroken(local.directory, unit);
      if (!isHalf && !isSetApart(options, unit, shelf.entries())) continue;
      await moveAside(local.directory, local.hidden, unit);
      const what = isHalf ? 'was not finished' : 'may not have been finished';
      const where = printable(`${from}/.trainyard/${UNFINISHED}`);
      remarks.push(`${printable(unit.name)} ${what} when its program ended: it is in ${where}`);
    }
    return remarks;
  } finally {
    local.close();
  }
}

async function moveAside(directory: DirectoryHandle, hidden: DirectoryHandle, unit: Unit): Promise<void> {
  const aside = makeOwnDirectoryIn(hidden, UNFINISHED);
  try {
    const tops = unit.kind === 'directory' ? [unit.name] : unit.files.map(({ path }) => path);
    for (const name of tops) await rename(onDisk(directory.entry(name)), onDisk(await freePath(aside, name)));
  } finally {
    aside.close();
  }
}

/** One in a row of checkpoints of which nobody knows whether it is whole. A log, or what is listed where it is, stays. */
function isSetApart({ order }: PrepareOptions, unit: Unit, entries: readonly CheckpointView[]): boolean {
  const states = entries.filter(({ name }) => name === unit.name).map(({ state }) => state);
  return (
    !isInPlace(order) &&
    unit.step !== null &&
    !isCompanion(unit) &&
    states.includes('unproven') &&
    !states.includes('kept')
  );
}

async function freePath(directory: DirectoryHandle, name: string): Promise<string> {
  for (let n = 1; ; n++) {
    const path = directory.entry(n === 1 ? name : `${name}.${n}`);
    if ((await statIfThere(path)) === null) return path;
  }
}

/** Small files that are of no step, such as a configuration, where the program has none. */
async function restoreCompanions(shelf: Shelf, from: string, newest: string | null): Promise<string[]> {
  const isMissing = ({ name, kind, step, bytes, state, isBest }: CheckpointView) =>
    state === 'kept' &&
    name !== newest &&
    kind === 'file' &&
    step === null &&
    !isBest &&
    bytes <= MAX_COMPANION_BYTES;
  const remarks: string[] = [];
  for (const { name } of shelf.entries().filter(isMissing)) {
    if ((await statIfThere(`${from}/${name}`)) !== null) continue;
    remarks.push(...((await shelf.restore(name, from))?.remarks ?? []));
  }
  return remarks;
}
