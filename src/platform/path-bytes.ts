/** Paths whose bytes are not UTF-8, for Node's calls, which would otherwise write other bytes. */

import { bytesFromText } from '../model/bytes.ts';

/** A path with undecodable bytes as model/bytes.ts has them, as what Node needs to find that very file. */
export function onDisk(path: string): string | Buffer {
  return /[\uDC80-\uDCFF]/u.test(path) ? Buffer.from(bytesFromText(path)) : path;
}
