/** What the world did to a copy, in one sentence that names the place and what is to be done about it. */

import { statfs } from 'node:fs/promises';
import { printable } from '../../model/bytes.ts';
import { Fault } from '../../model/refusal.ts';
import { formatBytes } from '../../model/units.ts';
import { errorWords, isErrno } from '../../platform/files.ts';
import { UntrustedPath } from '../../platform/named-directory.ts';
import { onDisk } from '../../platform/path-bytes.ts';
import { Unreadable } from './copy-file.ts';

/** No room, whoever it is that allows no more. */
const FULL = ['ENOSPC', 'EDQUOT', 'EFBIG'];

/** Nobody but a person can change these. */
const LASTING = ['EACCES', 'EPERM', 'EROFS', 'ENAMETOOLONG', 'ENOTDIR', 'EISDIR', 'ELOOP'];

export interface Attempted {
  /** What it was about, as in `cannot copy step_3 to …`. */
  readonly name: string;
  readonly verb: 'copy' | 'restore' | 'record' | 'remove' | 'set aside';
  readonly directory: string;
  readonly neededBytes: number;
}

export async function storageFault(error: unknown, attempted: Attempted): Promise<unknown> {
  const { name, verb, directory, neededBytes } = attempted;
  const [what, where] = [printable(name), printable(directory)];
  if (error instanceof UntrustedPath) return new Fault(error.message, false);
  if (error instanceof Unreadable)
    return new Fault(
      `cannot read ${printable(error.path)}: ${errorWords(error.cause)}`,
      !LASTING.some((code) => isErrno(error.cause, code)),
    );
  if (isErrno(error, 'EFBIG'))
    return new Fault(`no file in ${where} may be as large as ${what} (${formatBytes(neededBytes)})`, true);
  if (isFull(error)) {
    const room = await freeWords(directory);
    const why = isErrno(error, 'EDQUOT') ? 'the disk quota is used up in' : 'the disk is full at';
    return new Fault(`${why} ${where}: ${what} needs ${formatBytes(neededBytes)}${room}`, true);
  }
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  // What has no such name is no trouble of the world.
  if (error instanceof Fault || typeof code !== 'string') return error;
  const preposition = verb === 'copy' || verb === 'restore' ? 'to' : 'in';
  const sentence = `cannot ${verb} ${what} ${preposition} ${where}: ${errorWords(error)}`;
  return new Fault(sentence, !LASTING.includes(code));
}

export function isFull(error: unknown): boolean {
  return FULL.some((code) => isErrno(error, code));
}

async function freeWords(directory: string): Promise<string> {
  try {
    const { bavail, bsize } = await statfs(onDisk(directory));
    return `, and ${formatBytes(bavail * bsize)} is free`;
  } catch {
    return '';
  }
}
