/**
 * A file that lines are added to, each once, whatever becomes of this process. Beside it is written down up to which
 * event it tells, and how long it was then: what is found behind that was never counted, and is written again. Whoever
 * takes the file away to keep it elsewhere is given another. Knows nothing of what lines say.
 */

import { readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { type FileHandle, open, rename, writeFile } from 'node:fs/promises';
import { bytesFromText, textFromBytes } from '../../model/bytes.ts';
import { readFileIfThere } from '../../platform/files.ts';

export interface AccountingFile {
  /** The last event that it tells of; 0: none. */
  seq(): number;
  /** After this it tells of everything up to `seq`. When it fails, nothing was added. */
  add(lines: readonly string[], seq: number): Promise<void>;
}

/** Whose events are told. */
export interface Teller {
  /** The id of the store that numbers them. */
  readonly store: string;
  /** The last event that it has. */
  readonly lastSeq: number;
}

interface Length {
  readonly bytes: number;
  /** Which file that was: another may have taken its name. */
  readonly inode: number;
}

interface Position extends Length {
  readonly seq: number;
  /** Absent in a file of an earlier version. */
  readonly store?: string;
}

const NEWLINE = 0x0a;

/** Throws when it cannot be made. */
export function openAccountingFile(path: string, header: string, teller: Teller): AccountingFile {
  const positionPath = `${path}.position`;
  const found = statSync(path, { throwIfNoEntry: false });
  let position = readPosition(positionPath, teller);
  if (found === undefined) writeFileSync(path, header, { mode: 0o644 });
  else if (position !== null && found.ino === position.inode && found.size > position.bytes)
    truncateSync(path, position.bytes);
  const untold = position === null ? wholeLinesOf(path) : new Set<string>();
  /** Up to here it was well when an addition failed: what is behind goes before anything is added. */
  let wellUpTo: Length | null = null;

  async function takeBack(handle: FileHandle): Promise<void> {
    if (wellUpTo === null) return;
    const { size, ino } = await handle.stat();
    if (ino === wellUpTo.inode && size > wellUpTo.bytes) await handle.truncate(wellUpTo.bytes);
    wellUpTo = null;
  }

  async function append(handle: FileHandle, lines: readonly string[]): Promise<Length> {
    await takeBack(handle);
    const { size, ino } = await handle.stat();
    wellUpTo = { bytes: size, inode: ino };
    const beginning = size === 0 ? header : (await endsWithLine(handle, size)) ? '' : '\n';
    const bytes = bytesFromText(beginning + lines.map((line) => `${line}\n`).join(''));
    await handle.appendFile(bytes);
    await handle.datasync();
    return { bytes: size + bytes.length, inode: ino };
  }

  async function note(next: Position): Promise<void> {
    const draft = `${positionPath}.draft`;
    await writeFile(draft, JSON.stringify(next), { mode: 0o600 });
    await rename(draft, positionPath);
  }

  return {
    seq: () => position?.seq ?? 0,
    async add(lines, seq) {
      const handle = await open(path, 'a+', 0o644);
      const missing = lines.filter((line) => !untold.has(line));
      try {
        const next = { seq, store: teller.store, ...(await append(handle, missing)) };
        await note(next);
        position = next;
        wellUpTo = null;
      } catch (error) {
        // Where this fails too, it is done before the next addition, or when the file is opened again.
        await takeBack(handle).catch(() => {});
        throw error;
      } finally {
        await handle.close();
      }
      for (const line of lines) untold.delete(line);
    },
  };
}

/** Null when there is none that can be trusted. */
function readPosition(path: string, { store: own, lastSeq }: Teller): Position | null {
  try {
    const text = readFileIfThere(path)?.toString('utf8') ?? '';
    const { seq, bytes, inode, store = own } = JSON.parse(text) as Position;
    // Of another store, or of this one before an earlier state of it was restored: the numbers mean something else.
    if (store !== own || seq > lastSeq) return null;
    return [seq, bytes, inode].every(Number.isSafeInteger) ? { seq, bytes, inode, store } : null;
  } catch {
    return null;
  }
}

/** What a file tells of which nobody knows any more up to where it does; a line that was not finished goes. */
function wholeLinesOf(path: string): Set<string> {
  const bytes = readFileSync(path);
  const end = bytes.lastIndexOf(NEWLINE) + 1;
  if (end < bytes.length) truncateSync(path, end);
  return new Set(textFromBytes(bytes.subarray(0, end)).split('\n'));
}

async function endsWithLine(handle: FileHandle, size: number): Promise<boolean> {
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0] === NEWLINE;
}
