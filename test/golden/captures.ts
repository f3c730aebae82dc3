/** For tests: what a real system printed, read from the files that were made of it. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Captured {
  /** What was typed, as a shell would take it. */
  readonly command: string;
  readonly stdout: string;
}

export interface Capture {
  readonly commands: readonly Captured[];
  readonly stderr: string;
  readonly code: number;
}

/** Where the captures of one system are. */
export const capturesOf = (dialect: string) => join(import.meta.dirname, dialect, 'captures');

/** The commands of one file, with what each printed; what went to stderr and the exit code end the file. */
export function capturedBy(dialect: string, name: string): Capture {
  const text = readFileSync(join(capturesOf(dialect), `${name}.txt`), 'utf8');
  const exit = /--- exit (\d+)\n?$/.exec(text);
  const body = exit === null ? text : text.slice(0, exit.index);
  const [printed = '', stderr = ''] = body.split(/^--- stderr\n/m);
  const commands = printed
    .split(/^\$ /m)
    .slice(1)
    .map((part) => {
      const end = part.indexOf('\n');
      return { command: part.slice(0, end), stdout: part.slice(end + 1) };
    });
  return { commands, stderr, code: Number(exit?.[1] ?? 0) };
}
