/**
 * How a script is executed: by the interpreter of its first line, read as the kernel reads it, so that a
 * script runs also where the file system does not let files be executed.
 */

import { textFromBytes } from '../model/bytes.ts';

const MOST_BYTES = 256;

/** The interpreter and at most one argument; a script without a first line of that kind is for /bin/sh. */
export function interpreterOf(script: Uint8Array): readonly string[] {
  if (script[0] !== 0x23 || script[1] !== 0x21) return ['/bin/sh'];
  const head = script.subarray(2, MOST_BYTES);
  const newline = head.indexOf(0x0a);
  const line = textFromBytes(newline < 0 ? head : head.subarray(0, newline));
  const match = /^[ \t]*([^ \t]+)(?:[ \t]+(.*?))?[ \t]*$/s.exec(line);
  if (match === null) return ['/bin/sh'];
  const [, written, argument] = match as unknown as [string, string, string | undefined];
  // The kernel does not search for an interpreter; a shell would.
  const interpreter = written.includes('/') ? written : `./${written}`;
  return argument === undefined || argument === '' ? [interpreter] : [interpreter, argument];
}
