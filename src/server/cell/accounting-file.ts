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

interface Position {
  readonly seq: number;
  readonly bytes: number;
  /** Which file that was: another may have taken its name. */
  readonly inode: number;
}

const NEWLINE = 0x0a;

/** Throws when it cannot be made. */
export function openAccountingFile(path: string, header: string): AccountingFile {
  const positionPath = `${path}.position`;
  let position = readPosition(positionPath);
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) writeFileSync(path, header, { mode: 0o644 });
  else if (position !== null && found.ino === position.inode && found.size > position.bytes)
    truncateSync(path, position.bytes);
  const untold = position === null ? wholeLinesOf(path) : new Set<string>();

  async function append(handle: FileHandle, lines: readonly string[]): Promise<Omit<Position, 'seq'>> {
    const { size, ino } = await handle.stat();
    const beginning = size === 0 ? header : (await endsWithLine(handle, size)) ? '' : '\n';
    const bytes = bytesFromText(beginning + lines.map((line) => `${line}\n`).join(''));
    try {
      await handle.appendFile(bytes);
      await handle.datasync();
    } catch (error) {
      await handle.truncate(size);
      throw error;
    }
    return { bytes: size + bytes.length, inode: ino };
  }

  return {
    seq: () => position?.seq ?? 0,
    async add(lines, seq) {
      const handle = await open(path, 'a+', 0o644);
      const missing = lines.filter((line) => !untold.has(line));
      try {
        position = { seq, ...(await append(handle, missing)) };
      } finally {
        await handle.close();
      }
      for (const line of lines) untold.delete(line);
      const draft = `${positionPath}.draft`;
      await writeFile(draft, JSON.stringify(position), { mode: 0o600 });
      await rename(draft, positionPath);
    },
  };
}

/** Null when there is none that can be trusted. */
function readPosition(path: string): Position | null {
  try {
    const { seq, bytes, inode } = JSON.parse(readFileIfThere(path)?.toString('utf8') ?? '') as Position;
    return [seq, bytes, inode].every(Number.isSafeInteger) ? { seq, bytes, inode } : null;
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
