/**
 * The record of a shelf on disk: `manifest.json`, replaced as a whole, and `manifest.next.json`, which is what it will be
 * once the change that it tells of is made. The next one is safe before anything is moved, and becomes the record after.
 */

import { constants } from 'node:fs';
import { printable } from '../../model/bytes.ts';
import { Fault } from '../../model/refusal.ts';
import { errorWords, isErrno } from '../../platform/files.ts';
import type { FileCalls } from './file-calls.ts';
import { EMPTY_MANIFEST, type Manifest, manifestText, parseManifest } from './manifest.ts';
import { freeName, type Ground, syncDirectory } from './trees.ts';

const RECORD = 'manifest.json';
const NEXT = 'manifest.next.json';
const DRAFT = 'manifest.draft';

const CHUNK_CHARACTERS = 1 << 20;

/** The digests of 16 TB of checkpoints, or a million small files. */
const MAX_BYTES = 256 << 20;

export interface FoundManifest {
  readonly manifest: Manifest;
  /** A change that somebody began and may not have ended. */
  readonly next: Manifest | null;
  readonly remarks: readonly string[];
}

export async function readManifest(ground: Ground): Promise<FoundManifest> {
  const record = await readOne(ground, RECORD);
  const next = await readOne(ground, NEXT);
  if (record === 'newer' || next === 'newer')
    throw new Fault(
      `${printable(ground.directory)} was written by a newer Trainyard, whose records this one cannot read: use that one`,
      false,
    );
  const remarks = record === 'unreadable' ? [await setAsideRecord(ground, RECORD)] : [];
  // Nobody knows what it was to do; the record before it says what there is.
  if (next === 'unreadable') remarks.push(await setAsideRecord(ground, NEXT));
  return {
    manifest: typeof record === 'string' ? EMPTY_MANIFEST : record,
    next: typeof next === 'string' ? null : next,
    remarks,
  };
}

async function readOne(
  { calls, hidden, directory }: Ground,
  name: string,
): Promise<Manifest | 'none' | 'newer' | 'unreadable'> {
  try {
    const fd = await calls.open(`${hidden}/${name}`, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const text = await textOf(calls, fd);
      const parsed = text === null ? null : parseManifest(text);
      return parsed?.ok ? parsed.manifest : (parsed?.why ?? 'unreadable');
    } finally {
      await calls.close(fd);
    }
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return 'none';
    // A link, which nobody follows.
    if (isErrno(error, 'ELOOP')) return 'unreadable';
    throw new Fault(
      `cannot read what is kept in ${printable(directory)}: ${errorWords(error)}`,
      !isErrno(error, 'EACCES'),
    );
  }
}

/** Null: it is nothing that this program would have written. */
async function textOf(calls: FileCalls, fd: number): Promise<string | null> {
  const found = await calls.statOf(fd);
  if (!found.isFile() || found.size > MAX_BYTES) return null;
  const bytes = Buffer.allocUnsafe(found.size);
  let have = 0;
  while (have < bytes.length) {
    const count = await calls.read(fd, bytes.subarray(have), bytes.length - have, have);
    if (count === 0) break;
    have += count;
  }
  return bytes.toString('utf8', 0, have);
}

async function setAsideRecord({ calls, hidden, directory }: Ground, which: string): Promise<string> {
  await calls.makeDirectory(`${hidden}/damaged`);
  const name = await freeName(calls, `${hidden}/damaged`, which);
  await calls.rename(`${hidden}/${which}`, `${hidden}/damaged/${name}`);
  return (
    `the record of what is kept in ${printable(directory)} could not be read and was set aside as ` +
    `.trainyard/damaged/${printable(name)}; the checkpoints are still there, but nobody knows whether they are whole`
  );
}

/** Safe when this resolves; before that, the record is what it was. */
export async function writeManifest(ground: Ground, manifest: Manifest): Promise<void> {
  await writeAs(ground, manifest, RECORD);
}

/** Safe when this resolves, and it is still to be carried out. */
export async function announce(ground: Ground, next: Manifest): Promise<void> {
  await writeAs(ground, next, NEXT);
}

/** What was announced is done. Also when this was said before, and only the disk did not hear it. */
export async function announcedIsDone({ calls, hidden }: Ground): Promise<void> {
  if ((await calls.look(`${hidden}/${NEXT}`)) !== null)
    await calls.rename(`${hidden}/${NEXT}`, `${hidden}/${RECORD}`);
  await syncDirectory(calls, hidden);
}

async function writeAs({ calls, hidden }: Ground, manifest: Manifest, name: string): Promise<void> {
  const draft = `${hidden}/${DRAFT}`;
  const fd = await calls.open(draft, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC, 0o666);
  try {
    let at = 0;
    for (const chunk of chunks(manifestText(manifest)))
      for (let done = 0; done < chunk.length; ) {
        const count = await calls.write(fd, chunk, done, chunk.length - done, at);
        done += count;
        at += count;
      }
    await calls.sync(fd);
  } finally {
    await calls.close(fd);
  }
  await calls.rename(draft, `${hidden}/${name}`);
  await syncDirectory(calls, hidden);
}

function* chunks(pieces: Iterable<string>): Generator<Buffer> {
  let gathered: string[] = [];
  let characters = 0;
  for (const piece of pieces) {
    gathered.push(piece);
    characters += piece.length;
    if (characters < CHUNK_CHARACTERS) continue;
    yield Buffer.from(gathered.join(''));
    gathered = [];
    characters = 0;
  }
  yield Buffer.from(gathered.join(''));
}
