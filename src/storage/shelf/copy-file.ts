/**
 * One file copied and its blocks digested in one reading. What the draft holds already is not written again, and nothing
 * is written at all while the file is the same as one that could be had under another name. Decides neither where drafts
 * are nor what becomes of them; but a draft that could not be finished is closed.
 */

import { constants, type Stats } from 'node:fs';
import { isErrno } from '../../platform/files.ts';
import {
  BLOCK_BYTES,
  blockCount,
  blockDigest,
  type Content,
  contentOf,
  digestOf,
  eachBlock,
  giveBack,
  readBlock,
} from './blocks.ts';
import type { FileCalls } from './file-calls.ts';

export interface CopyOrder {
  readonly calls: FileCalls;
  readonly from: string;
  readonly size: number;
  /** Asked before and after the reading. */
  readonly isUnchanged: (stat: Stats) => boolean;
  /** When this is all that it holds, no draft is opened. */
  readonly twin: Content | null;
  readonly openDraft: () => Promise<OpenDraft>;
  readonly mode: number;
  readonly mtimeMs: number;
  /** Leave it to the caller to make it safe. */
  readonly isSyncedLater: boolean;
}

export interface OpenDraft {
  readonly fd: number;
  /** What is known to be in it; null: nothing. */
  readonly holds: Content | null;
}

export interface Copied {
  readonly content: Content;
  /** Null: it is the twin. */
  readonly draft: Stats | null;
  readonly writtenBytes: number;
}

/** The source could not be read, for a reason other than that it is gone; what is wrong with a draft is thrown as it is. */
export class Unreadable extends Error {
  readonly path: string;
  override readonly cause: unknown;
  constructor(path: string, cause: unknown) {
    super(`${path} cannot be read`);
    this.path = path;
    this.cause = cause;
  }
}

/** So much is written before the disk is asked to begin: it has then something to do, and little left at the end. */
const WRITE_OUT_BYTES = 32 << 20;

/** A pipe that took the place of a file would keep us waiting for somebody to write to it. */
const READ_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Null: it changed or vanished meanwhile, and the draft is worth nothing. */
export async function copyFile(order: CopyOrder): Promise<Copied | null> {
  const { calls, from } = order;
  const fd = await openSource(calls, from);
  if (fd === null) return null;
  try {
    if (!order.isUnchanged(await calls.statOf(fd))) return null;
    const copied = await copyOpen(order, fd);
    return copied !== null && order.isUnchanged(await calls.statOf(fd)) ? copied : null;
  } finally {
    await calls.close(fd);
  }
}

/** What a file holds. Null: it is gone or shorter than was said. */
export async function readContent(calls: FileCalls, path: string, size: number): Promise<Content | null> {
  const fd = await openSource(calls, path);
  if (fd === null) return null;
  try {
    const stat = await calls.statOf(fd);
    if (!stat.isFile() || stat.size !== size) return null;
    const digests: string[] = [];
    const isAll = await eachBlock(readable({ calls, from: path }), fd, size, 0, (block) => {
      digests.push(digestOf(block));
      return undefined;
    });
    return isAll ? contentOf(size, digests) : null;
  } finally {
    await calls.close(fd);
  }
}

async function openSource(calls: FileCalls, path: string): Promise<number | null> {
  try {
    return await calls.open(path, READ_FLAGS);
  } catch (error) {
    // ELOOP: there is a link now.
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'ESTALE'].some((code) => isErrno(error, code))) return null;
    throw new Unreadable(path, error);
  }
}

async function copyOpen(order: CopyOrder, source: number): Promise<Copied | null> {
  const { calls, size, twin } = order;
  const digests: string[] = [];
  if (twin !== null && twin.size === size) {
    if (!(await digestWhileSame(order, source, twin, digests))) return null;
    if (digests.length === blockCount(size))
      return { content: contentOf(size, digests), draft: null, writtenBytes: 0 };
  }
  const draft = await order.openDraft();
  const writer = draftWriter(calls, draft.fd);
  try {
    if (!(await writeWhatWasSame(order, source, draft, digests, writer))) return null;
    const isAll = await eachBlock(readable(order), source, size, digests.length, (block, index) => {
      // While the disk takes it there is time for the digest.
      const writing = draft.holds === null ? writer.write(block, index) : undefined;
      const digest = digestOf(block);
      digests.push(digest);
      if (draft.holds === null || blockDigest(draft.holds, index) === digest) return writing;
      return writer.write(block, index);
    });
    if (!isAll) return null;
    const stat = await finished(order, draft);
    return { content: contentOf(size, digests), draft: stat, writtenBytes: writer.writtenBytes() };
  } finally {
    await writer.settled();
    await calls.close(draft.fd);
  }
}

/** False: the file is shorter than was said. */
function digestWhileSame(
  order: CopyOrder,
  source: number,
  twin: Content,
  digests: string[],
): Promise<boolean> {
  return eachBlock(readable(order), source, order.size, 0, (block, index) => {
    const digest = digestOf(block);
    if (blockDigest(twin, index) !== digest) return 'stop';
    digests.push(digest);
    return undefined;
  });
}

/** The blocks before the first that differs from the twin; false when they are no longer what they were. */
async function writeWhatWasSame(
  order: CopyOrder,
  source: number,
  { holds }: OpenDraft,
  digests: readonly string[],
  writer: DraftWriter,
): Promise<boolean> {
  for (const [index, digest] of digests.entries()) {
    if (holds !== null && blockDigest(holds, index) === digest) continue;
    const block = await readBlock(readable(order), source, order.size, index);
    if (block === null || digestOf(block) !== digest) return false;
    await writer.write(block, index);
    giveBack(block);
  }
  return true;
}

interface DraftWriter {
  write(block: Buffer, index: number): Promise<void>;
  writtenBytes(): number;
  /** Nothing is under way any more. */
  settled(): Promise<unknown>;
}

function draftWriter(calls: FileCalls, fd: number): DraftWriter {
  const writingOut: Promise<void>[] = [];
  let writtenBytes = 0;
  let writtenOutTo = 0;

  function writeOutTo(end: number): void {
    const asked = Promise.resolve(calls.beginWriteOut(fd, writtenOutTo, end - writtenOutTo));
    // The sync at the end says what is wrong.
    writingOut.push(asked.catch(() => {}));
    writtenOutTo = end;
  }

  return {
    async write(block, index) {
      for (let done = 0; done < block.length; )
        done += await calls.write(fd, block, done, block.length - done, index * BLOCK_BYTES + done);
      writtenBytes += block.length;
      const end = index * BLOCK_BYTES + block.length;
      if (end - writtenOutTo >= WRITE_OUT_BYTES) writeOutTo(end);
    },
    writtenBytes: () => writtenBytes,
    settled: () => Promise.all(writingOut),
  };
}

async function finished(order: CopyOrder, { fd, holds }: OpenDraft): Promise<Stats> {
  const { calls, size, mode, mtimeMs } = order;
  if (holds !== null && holds.size !== size) await calls.truncate(fd, size);
  await calls.dress(fd, mode, mtimeMs);
  if (!order.isSyncedLater) await calls.sync(fd);
  return calls.statOf(fd);
}

/** Tells what is wrong with the source apart from what is wrong with the draft. */
function readable({ calls, from }: Pick<CopyOrder, 'calls' | 'from'>): Pick<FileCalls, 'read'> {
  return {
    read: async (fd, into, bytes, at) => {
      try {
        return await calls.read(fd, into, bytes, at);
      } catch (error) {
        throw new Unreadable(from, error);
      }
    },
  };
}
