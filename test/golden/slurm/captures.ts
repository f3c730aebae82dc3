/** For tests: what the real Slurm printed, read from the files beside this one. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Captured {
  /** What was typed, as a shell would take it. */
  readonly command: string;
  readonly stdout: string;
}

/** The commands of one file, with what each printed; what went to stderr and the exit code end the file. */
export function captured(name: string): {
  readonly commands: readonly Captured[];
  readonly stderr: string;
  readonly code: number;
} {
  const text = readFileSync(join(import.meta.dirname, 'captures', `${name}.txt`), 'utf8');
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
