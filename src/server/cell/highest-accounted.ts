/** How far the numbers of jobs in an accounting file go: a store that knows less must not use them again. */

import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { parseRecord } from '../../dialects/gridengine/accounting/record.ts';
import { textFromBytes } from '../../model/bytes.ts';
import type { JobId } from '../../model/ids.ts';

/** Numbers grow with time, so that the newest runs have the highest. */
const TAIL_BYTES = 512 * 1024;

/** 0: none, or there is no such file. */
export function highestAccountedJob(path: string): JobId {
  let highest = 0;
  for (const line of tailOf(path).split('\n')) highest = Math.max(highest, parseRecord(line)?.jobnumber ?? 0);
  return highest;
}

function tailOf(path: string): string {
  try {
    const fd = openSync(path, 'r');
    try {
      const { size } = fstatSync(fd);
      const bytes = Buffer.alloc(Math.min(size, TAIL_BYTES));
      return textFromBytes(bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, size - bytes.length)));
    } finally {
      closeSync(fd);
    }
  } catch {
    return '';
  }
}
