/** What a shim could not set up, said so that its submitter knows what to do about it. */

import { accessSync, constants, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { printable } from '../model/bytes.ts';
import { errorWords } from '../platform/files.ts';
import type { Place } from './places.ts';

/** `fault` is the shim's word for it, as in its exit record. */
export function faultSentence(fault: string, workDir: string, place: Place): string {
  const [what, ...details] = fault.split(' ');
  switch (what) {
    case 'directory':
      return `cannot enter the working directory ${obstacle(workDir, constants.X_OK)}`;
    case 'stdin':
      return `cannot open its standard input ${obstacle(place.streams.stdin, constants.R_OK)}`;
    case 'stdout':
      return `cannot open its output file ${obstacle(place.streams.stdout, constants.W_OK)}`;
    case 'stderr':
      return `cannot open its error file ${obstacle(place.streams.stderr, constants.W_OK)}`;
    case 'cgroup':
      return 'cannot join its control group, so its memory could not be limited';
    case 'ulimit':
      return `cannot set the submitter's limit (ulimit -${details.join(' ')}): the yard itself may not have that much`;
    default:
      return `its shim reported: ${printable(fault)}`;
  }
}

/** `refused` is as in the exit record: why, a colon, and the program. */
export function refusalSentence(refused: string): string {
  const colon = refused.indexOf(': ');
  const why = refused.slice(0, colon);
  return `cannot execute ${printable(refused.slice(colon + 2))}: ${REFUSALS[why] ?? why}`;
}

const REFUSALS: Readonly<Record<string, string>> = {
  'no such file': 'no such file or directory',
  'command not found': 'no such file or directory',
  'is a directory': 'it is a directory',
};

/** The path and why it cannot be used, as far as can be seen now. */
function obstacle(path: string, access: number): string {
  return `${printable(path)}: ${reason(path, access)}`;
}

function reason(path: string, access: number): string {
  const found = statOf(path);
  if (found === null) {
    const above = statOf(dirname(path));
    if (access !== constants.W_OK) return 'no such file or directory';
    if (above === null) return 'its directory does not exist';
    if (!above.isDirectory()) return 'a part of the path is not a directory';
    return accessWords(dirname(path), constants.W_OK | constants.X_OK);
  }
  if (access === constants.X_OK && !found.isDirectory()) return 'it is not a directory';
  if (access !== constants.X_OK && found.isDirectory()) return 'it is a directory';
  return accessWords(path, access);
}

function accessWords(path: string, access: number): string {
  try {
    accessSync(path, access);
    return 'the system refused';
  } catch (error) {
    return errorWords(error);
  }
}

function statOf(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}
